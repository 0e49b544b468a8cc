#include "etude/distributed/process_group.h"

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>

#include "etude/core/error.h"
#include "etude/distributed/detail/checks.h"

namespace etude::distributed {
namespace {

std::shared_ptr<Work> done(std::vector<Tensor> result) {
  auto work = std::make_shared<Work>(std::move(result));
  work->finish();
  return work;
}

void copy_bytes(const Tensor& to, const Tensor& from) {
  if (from.numel() > 0) std::memmove(to.data_ptr(), from.data_ptr(), static_cast<size_t>(from.nbytes()));
}

class SingleProcess : public ProcessGroup {
 public:
  SingleProcess() : ProcessGroup(0, 1) {}
  const std::string getBackendName() const override { return "single"; }

  std::shared_ptr<Work> allreduce(std::vector<Tensor>& tensors, const AllreduceOptions& options) override {
    detail::check_allreduce(tensors, options);
    return done(tensors);
  }
  std::shared_ptr<Work> broadcast(std::vector<Tensor>& tensors, const BroadcastOptions& options) override {
    detail::check_broadcast(tensors, options, 1);
    return done(tensors);
  }
  std::shared_ptr<Work> allgather(std::vector<std::vector<Tensor>>& outputs, std::vector<Tensor>& inputs,
                                  const AllgatherOptions&) override {
    detail::check_allgather(outputs, inputs, 1);
    copy_bytes(outputs[0][0], inputs[0]);
    return done(outputs[0]);
  }
  std::shared_ptr<Work> reduce_scatter(std::vector<Tensor>& outputs, std::vector<std::vector<Tensor>>& inputs,
                                       const ReduceScatterOptions& options) override {
    detail::check_reduce_scatter(outputs, inputs, options, 1);
    copy_bytes(outputs[0], inputs[0][0]);
    return done(outputs);
  }
  std::shared_ptr<Work> barrier(const BarrierOptions&) override { return done({}); }
};

}  // namespace

bool Work::isCompleted() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return completed_;
}

bool Work::isSuccess() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return completed_ && !exception_;
}

std::exception_ptr Work::exception() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return exception_;
}

bool Work::wait(std::chrono::milliseconds timeout) const {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto is_done = [this] { return completed_; };
  if (timeout.count() <= 0) changed_.wait(lock, is_done);
  else ETUDE_CHECK(changed_.wait_for(lock, timeout, is_done), "Operation timed out!");
  if (exception_) std::rethrow_exception(exception_);
  return true;
}

void Work::finish(std::exception_ptr exception) {
  const std::lock_guard<std::mutex> lock(mutex_);
  completed_ = true;
  exception_ = std::move(exception);
  changed_.notify_all();
}

ProcessGroup::~ProcessGroup() = default;

std::shared_ptr<ProcessGroup> ProcessGroup::single() { return std::make_shared<SingleProcess>(); }

void ProcessGroup::abort(const std::string& reason, int code) {
  std::cerr << detail::line_of(rank_, size_, reason) << std::flush;
  std::_Exit(code);
}

int guarded(ProcessGroup& group, FunctionRef<int()> body) {
  if (group.getSize() == 1) return body();
  try {
    return body();
  } catch (...) {
    group.abort(detail::reason_of(std::current_exception()));
    return 1;
  }
}

std::string detail::reason_of(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

std::string detail::line_of(int rank, int size, const std::string& reason) {
  std::string text = str("rank ", rank, " of ", size, ": ");
  for (const char c : reason) text += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return text + "\n";
}

}  // namespace etude::distributed
