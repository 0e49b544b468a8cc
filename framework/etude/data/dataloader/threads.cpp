#include "etude/data/dataloader/threads.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "etude/core/detail/parallel_for.h"

namespace etude::data::detail {

struct Monitor::Impl {
  std::mutex mutex;
  std::condition_variable bell;
};

Monitor::Monitor() : impl_(std::make_unique<Impl>()) {}
Monitor::~Monitor() = default;
void Monitor::lock() { impl_->mutex.lock(); }
void Monitor::unlock() { impl_->mutex.unlock(); }
void Monitor::notify_one() { impl_->bell.notify_one(); }

bool Monitor::wait(const std::function<bool()>& ready, const optional<std::chrono::milliseconds>& timeout) {
  std::unique_lock<std::mutex> held(impl_->mutex, std::adopt_lock);
  bool is_ready = true;
  if (timeout) is_ready = impl_->bell.wait_for(held, *timeout, ready);
  else impl_->bell.wait(held, ready);
  held.release();
  return is_ready;
}

struct Threads::Impl {
  std::vector<std::thread> threads;
};

Threads::Threads() : impl_(std::make_unique<Impl>()) {}
Threads::~Threads() { join(); }

void Threads::start(std::function<void()> function) {
  impl_->threads.emplace_back([f = std::move(function)] {
    etude::detail::use_one_thread();
    f();
  });
}

void Threads::join() {
  for (std::thread& thread : impl_->threads) thread.join();
  impl_->threads.clear();
}

}  // namespace etude::data::detail
