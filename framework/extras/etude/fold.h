#pragma once

#include "etude/function_module.h"

namespace etude::nn {

namespace detail {
/// One number if both are equal. Python prints the argument as given, which is not known here.
inline std::string one_or_both(const ExpandingArray<2>& pair) {
  return pair->front() == pair->back() ? str(pair->front()) : etude::detail::python_tuple(*pair);
}
template <typename Options>
std::string windows_repr(const Options& options) {
  return "kernel_size=" + one_or_both(options.kernel_size()) +
         ", dilation=" + one_or_both(options.dilation()) + ", padding=" + one_or_both(options.padding()) +
         ", stride=" + one_or_both(options.stride());
}
}  // namespace detail

/// Each window of an image as a column: [n, c, height, width] -> [n, c * kernel area, windows] (torch::nn::Unfold).
ETUDE_MODULE_OF_FUNCTIONAL(Unfold, (const Tensor& input), unfold(input, options),
                           detail::windows_repr(options));

/// Adds each column to its window of the image: [n, c * kernel area, windows] -> [n, c, height, width] (torch::nn::Fold).
ETUDE_MODULE_OF_FUNCTIONAL(Fold, (const Tensor& input), fold(input, options),
                           "output_size=" + detail::one_or_both(options.output_size()) + ", " +
                               detail::windows_repr(options));

}  // namespace etude::nn
