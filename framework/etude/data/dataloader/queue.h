#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "etude/core/error.h"
#include "etude/core/options.h"
#include "etude/data/dataloader/threads.h"

namespace etude::data::detail {

/// A first-in first-out queue for any number of threads at both ends.
template <typename T>
class Queue {
 public:
  void push(T value) {
    {
      const Monitor::Lock lock(monitor_);
      values_.push_back(std::move(value));
    }
    monitor_.notify_one();
  }

  /// Waits for a value. Throws Error on timeout.
  T pop(optional<std::chrono::milliseconds> timeout = nullopt) {
    const Monitor::Lock lock(monitor_);
    const bool in_time = monitor_.wait([this] { return first_ < values_.size(); }, timeout);
    ETUDE_CHECK(in_time, "Timeout in DataLoader queue while waiting for next batch (timeout was ",
                timeout->count(), " ms)");
    T value = std::move(values_[first_++]);
    if (first_ == values_.size()) {
      values_.clear();
      first_ = 0;
    } else if (2 * first_ > values_.size()) {
      values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    return value;
  }

  /// Removes all values and returns how many there were.
  size_t clear() {
    const Monitor::Lock lock(monitor_);
    const size_t count = values_.size() - first_;
    values_.clear();
    first_ = 0;
    return count;
  }

 private:
  Monitor monitor_;
  std::vector<T> values_;
  size_t first_ = 0;  // earlier values have been taken
};

/// Carries jobs to worker threads and results back. The requesting thread uses push_job(), pop_result(),
/// drain() and in_flight_jobs(); workers use pop_job() and push_result(), once for each job.
template <typename Job, typename Result>
class DataShuttle {
 public:
  void push_job(Job job) {
    jobs_.push(std::move(job));
    ++in_flight_jobs_;
  }
  Job pop_job() { return jobs_.pop(); }
  void push_result(Result result) { results_.push(std::move(result)); }

  /// The next result; nullopt if no job is in flight.
  optional<Result> pop_result(optional<std::chrono::milliseconds> timeout = nullopt) {
    if (in_flight_jobs_ == 0) return nullopt;
    Result result = results_.pop(timeout);
    --in_flight_jobs_;
    return result;
  }

  /// Drops jobs that have not begun, and waits for the others.
  void drain() {
    in_flight_jobs_ -= jobs_.clear();
    while (in_flight_jobs_ > 0) pop_result();
  }

  size_t in_flight_jobs() const noexcept { return in_flight_jobs_; }

 private:
  Queue<Job> jobs_;
  Queue<Result> results_;
  size_t in_flight_jobs_ = 0;
};

namespace sequencers {

/// Decides which result comes next.
template <typename Result>
struct Sequencer {
  using ResultProducer = std::function<optional<Result>()>;
  virtual ~Sequencer() = default;
  virtual optional<Result> next(ResultProducer next_result) = 0;
};

/// Returns results as they arrive.
template <typename Result>
struct NoSequencer final : public Sequencer<Result> {
  using typename Sequencer<Result>::ResultProducer;
  optional<Result> next(ResultProducer next_result) override { return next_result(); }
};

/// Returns results by sequence_number. Early results wait in the buffer at their number modulo its size. The
/// buffer has room for all jobs in flight, so no two of these share a place.
template <typename Result>
struct OrderedSequencer : public Sequencer<Result> {
  using typename Sequencer<Result>::ResultProducer;

  explicit OrderedSequencer(size_t max_jobs) : buffer_(max_jobs) {}

  optional<Result> next(ResultProducer next_result) override {
    optional<Result>& waiting = buffer(next_sequence_number_);
    while (!waiting) {
      optional<Result> result = next_result();
      if (!result) return nullopt;
      optional<Result>& place = buffer(result->sequence_number);
      place = std::move(result);
    }
    ++next_sequence_number_;
    return std::exchange(waiting, nullopt);
  }

  optional<Result>& buffer(size_t number) { return buffer_.at(number % buffer_.size()); }

  size_t next_sequence_number_ = 0;
  std::vector<optional<Result>> buffer_;
};

}  // namespace sequencers
}  // namespace etude::data::detail
