#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "etude/core/export.h"
#include "etude/core/options.h"

namespace etude::data::detail {

/// A lock, and a bell that wakes who waits for a condition.
class ETUDE_API Monitor {
 public:
  Monitor();
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  void lock();
  void unlock();
  void notify_one();
  /// Waits, with the lock released, until ready(); called with the lock held. False if the time is over before.
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

/// Threads that each run a function, in which an op does not start threads of its own.
class ETUDE_API Threads {
 public:
  Threads();
  /// Waits for all.
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
