#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "etude/core/tensor.h"

// einops: reshaping, reduction and repetition by patterns that name axes. einops.cpp.
//
// A pattern is two lists of axes with an arrow between: "b (h w) c -> b c h w". Names in parentheses are axes that lie one inside
// the other in a dim, "1" or "()" is a dim of size 1, "..." any number of dims. A view is returned where one is possible.

namespace etude {

/// Lengths of axes by their names: {{"h", 2}, {"w", 3}}. One in each pair of parentheses can be left out.
using AxesLengths = std::vector<std::pair<std::string, int64_t>>;

/// Reorders, splits and joins axes; both sides name the same.
ETUDE_API Tensor rearrange(const Tensor& tensor, const std::string& pattern, const AxesLengths& axes = {});
/// Reduces the axes that the right side does not name, which may be numbers: "b (h 2) (w 2) c -> b h w c".
/// reduction is "min", "max", "sum", "mean", "prod", "any" or "all".
ETUDE_API Tensor reduce(const Tensor& tensor, const std::string& pattern, const std::string& reduction,
                        const AxesLengths& axes = {});
/// The same with a function of the tensor and the dims to be reduced, which are its last.
ETUDE_API Tensor reduce(const Tensor& tensor, const std::string& pattern,
                        const std::function<Tensor(const Tensor&, IntArrayRef)>& reduction,
                        const AxesLengths& axes = {});
/// Repeats along axes that only the right side names, which may be numbers: "h w -> h (w 2)".
ETUDE_API Tensor repeat(const Tensor& tensor, const std::string& pattern, const AxesLengths& axes = {});
/// The same for tensors of equal sizes, which are stacked along a first axis.
ETUDE_API Tensor rearrange(TensorList tensors, const std::string& pattern, const AxesLengths& axes = {});
ETUDE_API Tensor reduce(TensorList tensors, const std::string& pattern, const std::string& reduction,
                        const AxesLengths& axes = {});
ETUDE_API Tensor repeat(TensorList tensors, const std::string& pattern, const AxesLengths& axes = {});
/// The lengths of the axes that a pattern without arrow and composition names; "_" is any axis.
ETUDE_API AxesLengths parse_shape(const Tensor& tensor, const std::string& pattern);

}  // namespace etude
