#pragma once

#include <cmath>
#include <cstdint>

#include "etude/core/detail/vectorised.h"

namespace etude::detail {

/// Enough vectors of sums that no multiply-add waits for the one before.
constexpr int kVectorsAtOnce = 12;
template <typename Form>
constexpr int kSumsAtOnce = kVectorsAtOnce* Form::bytes / static_cast<int>(sizeof(float));

/// Does 2 * steps * kSumsAtOnce<Form> floating-point operations on registers alone, to measure the processor's peak.
template <typename Form>
ETUDE_INLINE float multiply_and_add(int64_t steps, Form form) {
  constexpr int kNumbers = kSumsAtOnce<Form> / kVectorsAtOnce;
  const float factor = 0.5f + 1e-6f * static_cast<float>(steps);
  float total = 0;
#ifdef __clang__
  // clang would turn an array of sums into scalars, or leave it in memory; and it would compute equal vectors only once.
  typedef float Vector __attribute__((vector_size(Form::bytes)));
  Vector sums[kVectorsAtOnce];
  for (int j = 0; j < kVectorsAtOnce; ++j) sums[j] = Vector{} + static_cast<float>(j);
  for (int64_t i = 0; i < steps; ++i) {
#pragma unroll
    for (Vector& sum : sums)
#pragma unroll
      for (int l = 0; l < kNumbers; ++l) sum[l] = form.fma(sum[l], factor, 1.0f);
  }
  for (const Vector& sum : sums)
    for (int l = 0; l < kNumbers; ++l) total += sum[l];
#else
  float sums[kVectorsAtOnce * kNumbers] = {};
  for (int64_t i = 0; i < steps; ++i) {
    for (float& sum : sums) sum = form.fma(sum, factor, 1.0f);
#ifdef __GNUC__
    // Keeps GCC 16 from interchanging the loops, after which each sum would wait for itself.
    __asm__ volatile("");
#endif
  }
  for (const float sum : sums) total += sum;
#endif
  return total;
}

}  // namespace etude::detail
