#pragma once

#include <cstdint>
#include <tuple>
#include <variant>

#include "etude/core/restoring.h"
#include "etude/core/tensor.h"
#include "etude/nn/enums.h"

// Initial values, written in place and not recorded in the graph; the tensor is returned. Random values equal
// PyTorch's for the same seed of the default generator. fan_in and fan_out are the numbers of inputs and
// outputs of a unit: columns and rows of a weight [out, in, ...], times the product of the other dims.

namespace etude::nn::init {

using NonlinearityType = std::variant<enumtype::kLinear, enumtype::kSigmoid, enumtype::kTanh, enumtype::kReLU,
                                      enumtype::kLeakyReLU>;
using FanModeType = std::variant<enumtype::kFanIn, enumtype::kFanOut>;

namespace detail {
/// Whether constant_, normal_ and uniform_ leave tensors as they are on this thread, for modules whose values are loaded next.
ETUDE_API bool is_skipped();
ETUDE_API void set_skipped(bool on);
using SkipGuard = etude::detail::Restoring<is_skipped, set_skipped>;
}  // namespace detail

/// The factor that makes up for a nonlinearity shrinking the standard deviation; `param` is the slope of kLeakyReLU.
ETUDE_API double calculate_gain(NonlinearityType nonlinearity, double param = 0.01);

ETUDE_API Tensor constant_(Tensor tensor, Scalar value);
ETUDE_API Tensor ones_(Tensor tensor);
ETUDE_API Tensor zeros_(Tensor tensor);
/// The identity matrix; `matrix` is [n, m].
ETUDE_API Tensor eye_(Tensor matrix);
/// The identity for convolutions: 1 at the middle of filter d of output d, else 0; `tensor` is [out, in, 1 to 3 dims].
ETUDE_API Tensor dirac_(Tensor tensor);
/// Draws from the normal distribution N(mean, std^2).
ETUDE_API Tensor normal_(Tensor tensor, double mean = 0, double std = 1);
/// Draws from the uniform distribution U(low, high).
ETUDE_API Tensor uniform_(Tensor tensor, double low = 0, double high = 1);

/// N(mean, std^2) truncated to [a, b]: numbers outside of the bounds are drawn again (Python's trunc_normal_).
ETUDE_API Tensor trunc_normal_(Tensor tensor, double mean = 0, double std = 1, double a = -2, double b = 2);

/// U(-a, a), a = gain sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010).
ETUDE_API Tensor xavier_uniform_(Tensor tensor, double gain = 1.0);
/// N(0, gain^2 2 / (fan_in + fan_out)) (Glorot and Bengio 2010).
ETUDE_API Tensor xavier_normal_(Tensor tensor, double gain = 1.0);
/// U(-b, b), b = gain sqrt(3 / fan); `a` is the slope of kLeakyReLU (He et al. 2015).
ETUDE_API Tensor kaiming_uniform_(Tensor tensor, double a = 0, FanModeType mode = kFanIn,
                                  NonlinearityType nonlinearity = kLeakyReLU);
/// N(0, gain^2 / fan) (He et al. 2015).
ETUDE_API Tensor kaiming_normal_(Tensor tensor, double a = 0, FanModeType mode = kFanIn,
                                 NonlinearityType nonlinearity = kLeakyReLU);

/// Orthogonal rows (or columns, if there are fewer) of length `gain`, uniformly distributed over all such
/// matrices; dims after the first are flattened (Saxe et al. 2014; Mezzadri 2007).
ETUDE_API Tensor orthogonal_(Tensor tensor, double gain = 1.0);
/// N(0, std^2), with the fraction `sparsity` of each column zero (Martens 2010); `tensor` is [n, m].
ETUDE_API Tensor sparse_(Tensor tensor, double sparsity, double std = 0.01);

/// fan_in and fan_out of a tensor of at least two dims.
ETUDE_API std::tuple<int64_t, int64_t> _calculate_fan_in_and_fan_out(const Tensor& tensor);

}  // namespace etude::nn::init
