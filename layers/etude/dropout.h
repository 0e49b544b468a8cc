#pragma once

#include "etude/framework.h"

namespace etude::nn {

struct DropoutOptions {
  DropoutOptions(double p = 0.5) : p_(p) {}
  /// The probability that an element is zeroed.
  ETUDE_ARG(double, p);
  /// Whether to write the result into the input.
  ETUDE_ARG(bool, inplace) = false;
};

/// In training, zeroes each element with probability p and divides the rest by 1 - p, which keeps the expected
/// value; in evaluation, returns its input (torch::nn::Dropout; Hinton et al. 2012).
class ETUDE_API DropoutImpl : public Cloneable<DropoutImpl> {
 public:
  explicit DropoutImpl(double p) : DropoutImpl(DropoutOptions(p)) {}
  explicit DropoutImpl(const DropoutOptions& options_ = {}) : options(options_) { DropoutImpl::reset(); }

  void reset() override {
    ETUDE_CHECK_VALUE(0 <= options.p() && options.p() <= 1,
                      "dropout probability has to be between 0 and 1, but got ", options.p(),
                      "\nhint: p is the share of elements that is dropped; 0.1 keeps nine of ten");
  }
  Tensor forward(Tensor input) {
    return functional::dropout(
        input,
        functional::DropoutFuncOptions().p(options.p()).training(is_training()).inplace(options.inplace()));
  }
  std::string extra_repr() const override {
    return etude::detail::python_str("p=", options.p(), ", inplace=", options.inplace());
  }

  DropoutOptions options;
};
ETUDE_MODULE(Dropout);

}  // namespace etude::nn
