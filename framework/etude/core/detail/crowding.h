#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace etude::detail {

/// Detects that other programs need the cores of an op's threads. Then one thread of a team waits for a core while the
/// others wait for it, op after op, and two threads are many times slower than one. So a thread whose team is late
/// works alone for a while, then tries again, and pauses twice as long if the team is late again soon. A single
/// late team does not count, because a core may be taken away for a moment; two in close succession do.
class Crowding {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;
  static constexpr Duration kShortWait = std::chrono::milliseconds(1);
  static constexpr Duration kClosely = std::chrono::milliseconds(20);
  static constexpr Duration kShortest = std::chrono::milliseconds(50), kLongest = std::chrono::seconds(2);

  /// Whether a thread of a team waited so long for a core, and then worked so little, that one thread alone would be faster.
  static bool is_late(Duration waited, Duration worked, int64_t team) {
    return waited > std::max<Duration>(kShortWait, (team - 1) * worked);
  }

  bool lasts(Time now) const { return now < until_; }

  /// Records that the team was late.
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
