#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "etude/core/export.h"
#include "etude/core/options.h"

namespace etude::data::detail {

/// The base of what Workers do: a job holds what it needs and what it makes.
struct ETUDE_API Job {
  virtual ~Job() = default;
  bool is_done = false;  // Workers set it.
};

/// Threads that do jobs. Only the thread that made this object may call it.
class ETUDE_API Workers {
 public:
  /// Jobs come back in the order in which they were pushed if `in_order`, else as they are done.
  explicit Workers(bool in_order) : in_order_(in_order) {}
  /// Joins the threads.
  ~Workers() { join(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Starts a thread that calls do_job for one job after another. Ops in it start no threads of their own.
  void start(std::function<void(Job&)> do_job);
  void push(std::shared_ptr<Job> job);
  /// Waits for the next job that is done; null if none is in flight. Throws Error if no job gets done for `timeout`.
  std::shared_ptr<Job> pop(const optional<std::chrono::milliseconds>& timeout = nullopt);
  /// The number of jobs that have been pushed and not popped.
  size_t in_flight() const { return in_flight_; }
  /// Ends the threads and drops all jobs. Waits for those that have begun.
  void join();

 private:
  void work(const std::function<void(Job&)>& do_job);

  const bool in_order_;
  size_t in_flight_ = 0;
  std::vector<std::thread> threads_;

  std::mutex mutex_;  // of everything below
  std::condition_variable waiting_changed_, done_changed_;
  std::deque<std::shared_ptr<Job>> waiting_;    // not begun
  std::deque<std::shared_ptr<Job>> returning_;  // to be popped; if in_order, also those that are not done yet
  size_t done_ = 0;                             // number of jobs
  bool ends_ = false;
};

}  // namespace etude::data::detail
