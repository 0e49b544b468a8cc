#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "etude/core/tensor.h"
#include "etude/nn/arg.h"
#include "etude/nn/functional/activation.h"
#include "etude/nn/functional/distance.h"
#include "etude/nn/functional/loss.h"
#include "etude/ops/ops.h"

// Layers as functions: the ops of `etude/ops/ops.h` with option structs, named as in torch::nn::functional.
// Programs usually write `namespace F = etude::nn::functional;`.

namespace etude::nn::functional {

/// x W^T + bias: [..., in], [out, in], [out] -> [..., out]
using etude::linear;

struct EmbeddingFuncOptions {
  /// The row that gets no gradient; negative indices count from the end.
  ETUDE_ARG(optional<int64_t>, padding_idx) = nullopt;
  /// Used rows with a larger norm are first scaled down to it, in place.
  ETUDE_ARG(optional<double>, max_norm) = nullopt;
  /// The p of that norm.
  ETUDE_ARG(double, norm_type) = 2.0;
  /// Divides the gradient of a row by how often its id occurs.
  ETUDE_ARG(bool, scale_grad_by_freq) = false;
  /// Refused: there are no sparse tensors.
  ETUDE_ARG(bool, sparse) = false;
};

namespace detail {
ETUDE_API Tensor embedding(const Tensor& input, const Tensor& weight, optional<int64_t> padding_idx,
                           optional<double> max_norm, double norm_type, bool scale_grad_by_freq, bool sparse);
}

/// Selects rows of `weight` [rows, width] by ids [...] -> [..., width].
inline Tensor embedding(const Tensor& input, const Tensor& weight, const EmbeddingFuncOptions& options = {}) {
  return detail::embedding(input, weight, options.padding_idx(), options.max_norm(), options.norm_type(),
                           options.scale_grad_by_freq(), options.sparse());
}

/// 1 at each class, 0 elsewhere: int64 [...] -> int64 [..., num_classes].
using etude::one_hot;

struct DropoutFuncOptions {
  /// The probability that an element is zeroed.
  ETUDE_ARG(double, p) = 0.5;
  /// Whether to zero elements at all; otherwise the result is the input.
  ETUDE_ARG(bool, training) = true;
  /// Whether to write the result into the input.
  ETUDE_ARG(bool, inplace) = false;
};

/// In training, zeroes each element with probability p and divides the rest by 1 - p.
inline Tensor dropout(Tensor input, const DropoutFuncOptions& options = {}) {
  return options.inplace() ? etude::dropout_(input, options.p(), options.training())
                           : etude::dropout(input, options.p(), options.training());
}

struct LayerNormFuncOptions {
  LayerNormFuncOptions(std::vector<int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  /// The sizes of the last dims, over which mean and variance are computed.
  ETUDE_ARG(std::vector<int64_t>, normalized_shape);
  /// The scale, of sizes normalized_shape; undefined for none.
  ETUDE_ARG(Tensor, weight) = {};
  /// The shift, of sizes normalized_shape; undefined for none.
  ETUDE_ARG(Tensor, bias) = {};
  /// Added to the variance.
  ETUDE_ARG(double, eps) = 1e-5;
};

/// (x - mean) / sqrt(variance + eps) * weight + bias over the last dims.
inline Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options) {
  return etude::layer_norm(input, options.normalized_shape(), options.weight(), options.bias(),
                           options.eps());
}

struct NormalizeFuncOptions {
  /// The p of the norm.
  ETUDE_ARG(double, p) = 2.0;
  /// The dim of the vectors that are divided.
  ETUDE_ARG(int64_t, dim) = 1;
  /// The lower bound of the norm.
  ETUDE_ARG(double, eps) = 1e-12;
  /// The tensor that receives the result; nullopt for a new one.
  ETUDE_ARG(optional<Tensor>, out) = nullopt;
};

/// x divided by its p-norm along a dim.
ETUDE_API Tensor normalize(const Tensor& input, NormalizeFuncOptions options = {});

}  // namespace etude::nn::functional
