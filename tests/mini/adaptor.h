#pragma once

// Takes the place of every header of Etude when lessons and tests are compiled with -Detude=mini.

#include "mini/gpt.h"

#define ETUDE_MODULE MINI_MODULE
#define ETUDE_VERSION "mini"

namespace mini {

// The lessons' support prints numbers of float64, which mini has no tensors for.
struct Double {};
constexpr Double kDouble;
inline double tensor(double v, Double) { return v; }
inline std::string format(double v, const std::string& spec) { return format_number(v, spec); }

inline void set_num_threads(int) {}  // mini has one

// The options of a new tensor: here only whether it requires a gradient.
class TensorOptions {
 public:
  TensorOptions requires_grad(bool on) const { return TensorOptions(on); }
  explicit TensorOptions(bool on = false) : requires_grad_(on) {}
  Tensor operator()(const Tensor& t) const { return t.requires_grad_(requires_grad_); }

 private:
  bool requires_grad_;
};
inline Tensor tensor(const Literal& literal, TensorOptions options) { return options(tensor(literal)); }
inline Tensor randn(const Sizes& sizes, TensorOptions options) { return options(randn(sizes)); }

namespace autograd {
using mini::Node;
struct AutogradContext;  // mini has no custom functions
using variable_list = Tensors;
}  // namespace autograd

}  // namespace mini
