#pragma once

#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "support/any_function.h"

/// Runs f(0), ..., f(count - 1) on `count` threads that start together, waits for them, and rethrows an exception.
inline void on_threads(int count, const etude::AnyFunction<void(int)>& f) {
  std::atomic<int> waiting{count};
  std::vector<std::exception_ptr> errors(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      try {
        f(i);
      } catch (...) {
        errors[static_cast<size_t>(i)] = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}
