#pragma once

#include "etude/function_module.h"

namespace etude::nn {

// Borders of signals and images. The padding of each dim, from the last one on, is the size before and after.

namespace detail {
template <size_t D, typename OfModule>
struct PadOptions {
  PadOptions(ExpandingArray<2 * D> padding) : padding_(padding) {}
  /// The number of elements added before and after the last dim, then the dim before it.
  ETUDE_ARG(ExpandingArray<2 * D>, padding);
};
template <size_t D>
struct ConstantPadOptions {
  ConstantPadOptions(ExpandingArray<2 * D> padding, double value) : padding_(padding), value_(value) {}
  /// The number of elements added before and after the last dim, then the dim before it.
  ETUDE_ARG(ExpandingArray<2 * D>, padding);
  /// The elements that are added.
  ETUDE_ARG(double, value);
};
template <typename Options>
std::string constant_pad_repr(const Options& options) {
  return etude::detail::python_str("padding=", etude::detail::python_tuple(*options.padding()),
                                   ", value=", options.value());
}
}  // namespace detail

/// Defines a padding module: its name, the number of padded dims, and the function.
#define ETUDE_PAD(Name, D, op)                                                                               \
  using Name##Options = detail::PadOptions<D, class Name##Impl>;                                             \
  ETUDE_MODULE_OF_PRINTED_FUNCTION(Name, Name##Options, (const Tensor& input), op(input, options.padding()), \
                                   etude::detail::python_tuple(*options.padding()))
#define ETUDE_CONSTANT_PAD(Name, D)                                                            \
  using Name##Options = detail::ConstantPadOptions<D>;                                         \
  ETUDE_MODULE_OF_PRINTED_FUNCTION(Name, Name##Options, (const Tensor& input),                 \
                                   constant_pad_nd(input, options.padding(), options.value()), \
                                   detail::constant_pad_repr(options))

/// A constant v around signals, v v | 1 2 3 | v (torch::nn::ConstantPad1d).
ETUDE_CONSTANT_PAD(ConstantPad1d, 1);
/// A constant around images (torch::nn::ConstantPad2d).
ETUDE_CONSTANT_PAD(ConstantPad2d, 2);
/// Zeros around images (torch::nn::ZeroPad2d).
ETUDE_PAD(ZeroPad2d, 2, constant_pad_nd);
/// The mirrored inside around signals, 3 2 | 1 2 3 | 2 1 (torch::nn::ReflectionPad1d).
ETUDE_PAD(ReflectionPad1d, 1, reflection_pad1d);
/// The mirrored inside around images (torch::nn::ReflectionPad2d).
ETUDE_PAD(ReflectionPad2d, 2, reflection_pad2d);
/// The repeated edge around signals, 1 1 | 1 2 3 | 3 3 (torch::nn::ReplicationPad1d).
ETUDE_PAD(ReplicationPad1d, 1, replication_pad1d);
/// The repeated edge around images (torch::nn::ReplicationPad2d).
ETUDE_PAD(ReplicationPad2d, 2, replication_pad2d);

#undef ETUDE_CONSTANT_PAD
#undef ETUDE_PAD

}  // namespace etude::nn
