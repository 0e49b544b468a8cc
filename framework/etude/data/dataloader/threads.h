#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "etude/core/export.h"
#include "etude/core/options.h"

namespace etude::data::detail {

/// A mutex and a condition variable.
class ETUDE_API Monitor {
 public:
  Monitor();
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  void lock();
  void unlock();
  void notify_one();
  /// Releases the lock and waits until ready(). The caller must hold the lock. Returns false on timeout.
  bool wait(const std::function<bool()>& ready, const optional<std::chrono::milliseconds>& timeout);

  /// Holds the lock in a scope.
  class Lock {
   public:
    explicit Lock(Monitor& monitor) : monitor_(monitor) { monitor_.lock(); }
    ~Lock() { monitor_.unlock(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    Monitor& monitor_;
  };

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Threads that each run a function. Ops in the function start no threads of their own.
class ETUDE_API Threads {
 public:
  Threads();
  /// Joins all threads.
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  void start(std::function<void()> function);
  void join();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace etude::data::detail
