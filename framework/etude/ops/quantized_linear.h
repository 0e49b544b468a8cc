#pragma once

#include "etude/core/tensor.h"

// Part of ops.h: products with weights of 8 bits. No gradient flows into the weights, and none through a product with them.

namespace etude {

/// A matrix as int8 numbers with a scale for each group of neighbours in a row: w[o][i] ~ values[o][i] * scales[o][i / group].
/// Groups of 32 with scales of float16 are the q8_0 of GGUF.
struct QuantizedWeight {
  Tensor values;  ///< int8 [out, in]
  Tensor scales;  ///< float16 or float32 [out, in / group]
  bool defined() const { return values.defined(); }
};

/// Rounds weight [out, in], where in is a multiple of group, to 8 bits: the largest absolute value in a group becomes 127. With
/// the defaults the bytes are those of ggml's quantize_row_q8_0_ref. Throws for nan, infinity, and scales that the type cannot
/// hold.
ETUDE_API QuantizedWeight quantize_per_group(const Tensor& weight, int64_t group = 32,
                                             ScalarType scales = kHalf);

/// The numbers that a quantized weight stands for: float32 [out, in].
ETUDE_API Tensor dequantize(const QuantizedWeight& weight);
/// The same for the rows at these positions alone: int64 [...] -> float32 [..., in].
ETUDE_API Tensor dequantize(const QuantizedWeight& weight, const Tensor& rows);

/// input W^T + bias for a quantized W, as linear() of dequantize(weight): [..., in] -> [..., out], of the type of input, which is
/// float32, float16 or bfloat16. If group is a multiple of 32, up to 8 rows of input are rounded to 16 bits: each 32 numbers by at
/// most 2^-16 of the largest; a row with a nan or an infinity then gives nan. Throws where a gradient would be recorded.
ETUDE_API Tensor quantized_linear(const Tensor& input, const QuantizedWeight& weight,
                                  const Tensor& bias = {});

}  // namespace etude
