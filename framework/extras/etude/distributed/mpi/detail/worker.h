#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "etude/distributed/mpi/detail/collectives.h"
#include "etude/distributed/mpi/detail/messages.h"
#include "etude/distributed/mpi/detail/mpi.h"
#include "etude/distributed/mpi/detail/operation.h"

namespace etude::distributed::detail {

/// The thread that calls MPI, from MPI_Init_thread to MPI_Finalize, for one operation after another.
class MpiWorker {
 public:
  /// The only instance: the first call starts it, and the end of the program ends it. It is never destroyed,
  /// because MPI may still write to its memory after a failure.
  static MpiWorker& get();

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Queues an operation. Its work is finished when it is done, after all earlier ones.
  void ask(Operation o);
  /// See ProcessGroup::abort.
  [[noreturn]] void abort(const std::string& reason, int code);

 private:
  using Clock = std::chrono::steady_clock;

  MpiWorker();

  // Called by the worker's thread.
  void loop();
  void start_mpi();
  void read_messages();
  Operation next();
  void perform(const Operation& o);
  MPI_Request announce(const Operation& o);
  void agree(const Operation& o, Clock::time_point limit);
  std::string disagreement() const;
  void end(const Operation& o);
  void wait_for_end(MPI_Request& request);
  bool wait(MPI_Request& request, Clock::time_point limit, bool for_others);
  void find_culprits();
  void end_all();

  int rank_ = 0, size_ = 1;
  std::mutex mutex_;
  std::condition_variable changed_;
  Work started_;
  std::deque<Operation> queue_;
  std::string reason_;
  int code_ = 1;
  std::atomic<bool> aborts_{false};
  std::atomic<int64_t> asked_{0};
  std::thread thread_;

  // Used by the worker's thread.
  MPI_Comm comm_ = MPI_COMM_NULL, messages_comm_ = MPI_COMM_NULL;
  Messages messages_;
  Collectives collectives_;
  int64_t done_ = 0;
  std::chrono::milliseconds patience_ = std::chrono::minutes(5);  // timeout of the last operation
  Announcement mine_;
  std::vector<Announcement> all_;
  std::exception_ptr failure_;  // of the first operation that failed
  Operation failed_;            // keeps its tensors
};

}  // namespace etude::distributed::detail
