#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace etude::detail {

/// Whether other programs need the cores on which the threads of an op would run. Then a thread has no core while the
/// others of its team wait for it, op after op, and two threads are many times slower than one: a thread whose team
/// begins late works alone for a while. It tries again, and waits twice as long if that goes wrong at once. One late
/// team says nothing: a processor may be taken away for a moment. Two that follow each other closely do.
class Crowding {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;
  static constexpr Duration kShortWait = std::chrono::milliseconds(1);
  static constexpr Duration kClosely = std::chrono::milliseconds(20);
  static constexpr Duration kShortest = std::chrono::milliseconds(50), kLongest = std::chrono::seconds(2);

  /// Whether a thread of a team waited so long for its core, and then worked so little, that one thread had been done first.
  static bool is_late(Duration waited, Duration worked, int64_t team) {
    return waited > std::max<Duration>(kShortWait, (team - 1) * worked);
  }

  bool lasts(Time now) const { return now < until_; }

  /// The team was late.
  void note(Time now) {
    const bool again = now - until_ < pause_, closely = now - last_ < kClosely;
    last_ = now;
    if (!again && !closely) return;
    pause_ = again ? std::min(2 * pause_, kLongest) : kShortest;
    until_ = now + pause_;
  }

 private:
  Time last_{}, until_{};
  Duration pause_{};
};

}  // namespace etude::detail
