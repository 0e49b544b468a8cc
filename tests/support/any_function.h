#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace etude {

template <typename Signature>
class AnyFunction;

/// A std::function for tests. For each lambda the compiler writes three functions, and twenty for a std::function.
template <typename R, typename... Args>
class AnyFunction<R(Args...)> {
 public:
  AnyFunction() = default;
  template <
      typename F,
      std::enable_if_t<!std::is_same_v<F, AnyFunction> && std::is_invocable_r_v<R, F&, Args...>, int> = 0>
  AnyFunction(F f) : function_(static_cast<void*>(new F(std::move(f))), destroy<F>), call_(call<F>) {}

  explicit operator bool() const { return function_ != nullptr; }
  R operator()(Args... args) const { return call_(function_.get(), std::forward<Args>(args)...); }

 private:
  template <typename F>
  static R call(void* f, Args... args) {
    return static_cast<R>((*static_cast<F*>(f))(std::forward<Args>(args)...));
  }
  template <typename F>
  static void destroy(void* f) {
    delete static_cast<F*>(f);
  }

  std::shared_ptr<void> function_;
  R (*call_)(void*, Args...) = nullptr;
};

}  // namespace etude
