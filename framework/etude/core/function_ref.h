#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace etude {

/// A non-owning reference to a callable, two pointers wide. A function that takes one is compiled once, not once for
/// every lambda (std::function_ref of C++26).
template <typename Signature>
class FunctionRef;

template <typename R, typename... Args>
class FunctionRef<R(Args...)> {
 public:
  template <typename F, std::enable_if_t<!std::is_same_v<std::decay_t<F>, FunctionRef>, int> = 0>
  FunctionRef(F&& f)  // implicit, so that a lambda can be passed directly
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_(call<std::remove_reference_t<F>>) {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  template <typename F>
  static R call(void* object, Args... args) {
    if constexpr (std::is_void_v<R>) (*static_cast<F*>(object))(std::forward<Args>(args)...);
    else return (*static_cast<F*>(object))(std::forward<Args>(args)...);
  }

  void* object_;
  R (*call_)(void*, Args...);
};

}  // namespace etude
