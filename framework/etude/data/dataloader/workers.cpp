#include "etude/data/dataloader/workers.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "etude/core/detail/parallel_for.h"
#include "etude/core/error.h"

namespace etude::data::detail {

struct Workers::Impl {
  explicit Impl(bool in_order_) : in_order(in_order_) {}
  void work(const std::function<void(Job&)>& do_job);

  const bool in_order;
  size_t in_flight = 0;
  std::vector<std::thread> threads;

  std::mutex mutex;  // of everything below
  std::condition_variable waiting_changed, done_changed;
  std::deque<std::shared_ptr<Job>> waiting;    // not begun
  std::deque<std::shared_ptr<Job>> returning;  // to be popped; if in_order, also those that are not done yet
  size_t done = 0;                             // number of jobs
  bool ends = false;
};

void Workers::Impl::work(const std::function<void(Job&)>& do_job) {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    waiting_changed.wait(lock, [this] { return ends || !waiting.empty(); });
    if (ends) return;
    const std::shared_ptr<Job> job = std::move(waiting.front());
    waiting.pop_front();
    lock.unlock();
    do_job(*job);
    lock.lock();
    job->is_done = true;
    if (!in_order) returning.push_back(job);
    ++done;
    done_changed.notify_one();
  }
}

Workers::Workers(bool in_order) : impl_(std::make_unique<Impl>(in_order)) {}
Workers::~Workers() { join(); }

void Workers::start(std::function<void(Job&)> do_job) {
  impl_->threads.emplace_back([impl = impl_.get(), do_job = std::move(do_job)] {
    etude::detail::use_one_thread();
    impl->work(do_job);
  });
}

void Workers::push(std::shared_ptr<Job> job) {
  const std::lock_guard<std::mutex> lock(impl_->mutex);
  impl_->waiting.push_back(job);
  if (impl_->in_order) impl_->returning.push_back(std::move(job));
  ++impl_->in_flight;
  impl_->waiting_changed.notify_one();
}

std::shared_ptr<Job> Workers::pop(const optional<std::chrono::milliseconds>& timeout) {
  Impl& i = *impl_;
  if (i.in_flight == 0) return nullptr;
  std::unique_lock<std::mutex> lock(i.mutex);
  while (i.returning.empty() || !i.returning.front()->is_done) {
    const auto another_is_done = [&i, before = i.done] { return i.done != before; };
    if (!timeout) i.done_changed.wait(lock, another_is_done);
    else
      ETUDE_CHECK(i.done_changed.wait_for(lock, *timeout, another_is_done),
                  "Timeout in DataLoader queue while waiting for next batch (timeout was ", timeout->count(),
                  " ms)");
  }
  std::shared_ptr<Job> job = std::move(i.returning.front());
  i.returning.pop_front();
  --i.in_flight;
  return job;
}

size_t Workers::in_flight() const { return impl_->in_flight; }

void Workers::join() {
  {
    const std::lock_guard<std::mutex> lock(impl_->mutex);
    impl_->ends = true;
    impl_->waiting_changed.notify_all();
  }
  for (std::thread& thread : impl_->threads) thread.join();
  impl_->threads.clear();
  impl_->waiting.clear();
  impl_->returning.clear();
  impl_->in_flight = 0;
}

}  // namespace etude::data::detail
