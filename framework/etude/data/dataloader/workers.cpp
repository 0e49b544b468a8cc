#include "etude/data/dataloader/workers.h"

#include <utility>

#include "etude/core/detail/parallel_for.h"
#include "etude/core/error.h"

namespace etude::data::detail {

void Workers::work(const std::function<void(Job&)>& do_job) {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    waiting_changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    if (ends_) return;
    const std::shared_ptr<Job> job = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    do_job(*job);
    lock.lock();
    job->is_done = true;
    if (!in_order_) returning_.push_back(job);
    ++done_;
    done_changed_.notify_one();
  }
}

void Workers::start(std::function<void(Job&)> do_job) {
  threads_.emplace_back([this, do_job = std::move(do_job)] {
    etude::detail::use_one_thread();
    work(do_job);
  });
}

void Workers::push(std::shared_ptr<Job> job) {
  const std::lock_guard<std::mutex> lock(mutex_);
  waiting_.push_back(job);
  if (in_order_) returning_.push_back(std::move(job));
  ++in_flight_;
  waiting_changed_.notify_one();
}

std::shared_ptr<Job> Workers::pop(const optional<std::chrono::milliseconds>& timeout) {
  if (in_flight_ == 0) return nullptr;
  std::unique_lock<std::mutex> lock(mutex_);
  while (returning_.empty() || !returning_.front()->is_done) {
    const auto another_is_done = [this, before = done_] { return done_ != before; };
    if (!timeout) done_changed_.wait(lock, another_is_done);
    else
      ETUDE_CHECK(done_changed_.wait_for(lock, *timeout, another_is_done),
                  "Timeout in DataLoader queue while waiting for next batch (timeout was ", timeout->count(),
                  " ms)");
  }
  std::shared_ptr<Job> job = std::move(returning_.front());
  returning_.pop_front();
  --in_flight_;
  return job;
}

void Workers::join() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
    waiting_changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  waiting_.clear();
  returning_.clear();
  in_flight_ = 0;
}

}  // namespace etude::data::detail
