#pragma once

#include "etude/framework.h"

namespace etude::nn {

/// A function as a module, for a Sequential: `Functional(relu)` or a lambda. Further arguments are passed on
/// to the function: `Functional(softmax, -1, nullopt)` (torch::nn::Functional).
class ETUDE_API FunctionalImpl : public Cloneable<FunctionalImpl> {
 public:
  using Function = std::function<Tensor(Tensor)>;

  explicit FunctionalImpl(Function function) : function_(std::move(function)) {
    ETUDE_CHECK_VALUE(function_, "Functional: the function is empty");
  }
  template <typename F, typename... Args, typename = std::enable_if_t<(sizeof...(Args) > 0)>>
  explicit FunctionalImpl(F function, Args... args)
      : FunctionalImpl(
            Function([function, args...](Tensor input) { return function(std::move(input), args...); })) {}

  void reset() override {}
  bool is_serializable() const override { return false; }
  Tensor forward(Tensor input) { return function_(std::move(input)); }
  Tensor operator()(Tensor input) { return forward(std::move(input)); }

 private:
  Function function_;
};
ETUDE_MODULE(Functional);

}  // namespace etude::nn
