#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace etude::detail {

/// A function that somebody else keeps alive, in two pointers. What takes one is compiled once, and not once for every
/// lambda (Standard C++26: std::function_ref).
template <typename Signature>
class FunctionRef;

template <typename R, typename... Args>
class FunctionRef<R(Args...)> {
 public:
  template <typename F, std::enable_if_t<!std::is_same_v<std::decay_t<F>, FunctionRef>, int> = 0>
  FunctionRef(F&& f)  // implicit, so that a lambda is passed as it is
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::add_pointer_t<F>>(object))(std::forward<Args>(args)...);
        }) {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

/// From this many simple steps on, starting threads is worth it.
constexpr int64_t kGrain = 32768;

/// Calls f(begin, end) on ranges that together are [begin, end), on several threads if there are more than
/// `grain` steps. The first exception is carried out to the caller. What f computes for an element must not
/// depend on how the range was cut.
void parallel_for(int64_t begin, int64_t end, int64_t grain, FunctionRef<void(int64_t, int64_t)> f);

/// From here on the ops that this thread calls run on it alone: for threads that work beside each other.
void use_one_thread();

}  // namespace etude::detail
