#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "etude/core/tensor.h"

// einops: reshaping, reduction and repetition by patterns that name axes. einops.cpp.
//
// A pattern is two lists of axes around an arrow: "b (h w) c -> b c h w". Parentheses join axes into one dim, the last axis
// varying fastest; "1" or "()" is a dim of size 1, "..." any number of dims. The result is a view where possible.

namespace etude {

/// Lengths of axes by name: `{{"h", 2}, {"w", 3}}`. In each pair of parentheses one length can be left out.
using AxesLengths = std::vector<std::pair<std::string, int64_t>>;

/// Reorders, splits and joins axes; both sides name the same axes.
ETUDE_API Tensor rearrange(const Tensor& tensor, const std::string& pattern, const AxesLengths& axes = {});
/// Reduces the axes missing from the right side; these may be numbers: "b (h 2) (w 2) c -> b h w c".
/// reduction is "min", "max", "sum", "mean", "prod", "any" or "all".
ETUDE_API Tensor reduce(const Tensor& tensor, const std::string& pattern, const std::string& reduction,
                        const AxesLengths& axes = {});
/// The same with a custom reduction: a function of the tensor and the dims to reduce, which are its last dims.
ETUDE_API Tensor reduce(const Tensor& tensor, const std::string& pattern,
                        const std::function<Tensor(const Tensor&, IntArrayRef)>& reduction,
                        const AxesLengths& axes = {});
/// Repeats along the axes that only the right side has; these may be numbers: "h w -> h (w 2)".
ETUDE_API Tensor repeat(const Tensor& tensor, const std::string& pattern, const AxesLengths& axes = {});
/// The same for tensors of equal sizes, stacked along a new first axis.
ETUDE_API Tensor rearrange(TensorList tensors, const std::string& pattern, const AxesLengths& axes = {});
ETUDE_API Tensor reduce(TensorList tensors, const std::string& pattern, const std::string& reduction,
                        const AxesLengths& axes = {});
ETUDE_API Tensor repeat(TensorList tensors, const std::string& pattern, const AxesLengths& axes = {});
/// The lengths of the axes named by a pattern without an arrow or parentheses; "_" matches any axis.
ETUDE_API AxesLengths parse_shape(const Tensor& tensor, const std::string& pattern);

}  // namespace etude
