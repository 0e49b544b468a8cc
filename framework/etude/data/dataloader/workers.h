#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "etude/core/export.h"
#include "etude/core/options.h"

namespace etude::data::detail {

/// The base of jobs for Workers. A job holds its request and its result.
struct ETUDE_API Job {
  virtual ~Job() = default;
  bool is_done = false;  // Workers set it.
};

/// Threads that do jobs. Only the thread that made this object may call it.
class ETUDE_API Workers {
 public:
  /// Jobs come back in the order in which they were pushed if `in_order`, else as they are done.
  explicit Workers(bool in_order);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Starts a thread that calls do_job for one job after another. Ops in it start no threads of their own.
  void start(std::function<void(Job&)> do_job);
  void push(std::shared_ptr<Job> job);
  /// Waits for the next job that is done; null if none is in flight. Throws Error if no job gets done for `timeout`.
  std::shared_ptr<Job> pop(const optional<std::chrono::milliseconds>& timeout = nullopt);
  /// The number of jobs that have been pushed and not popped.
  size_t in_flight() const;
  /// Ends the threads and drops all jobs. Waits for those that have begun.
  void join();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace etude::data::detail
