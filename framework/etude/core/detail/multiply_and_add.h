#pragma once

#include <cstdint>

namespace etude::detail {

/// Enough independent sums that no multiply-add waits for the one before: twelve vectors of a form of vectorised().
template <typename Form>
constexpr int kSumsAtOnce = 12 * Form::bytes / static_cast<int>(sizeof(float));

/// Does 2 * steps * kSumsAtOnce<Form> floating-point operations on registers alone, to measure the processor's peak.
template <typename Form>
float multiply_and_add(int64_t steps, Form form) {
  float sums[kSumsAtOnce<Form>] = {};
  const float factor = 0.5f + 1e-6f * static_cast<float>(steps);
  for (int64_t i = 0; i < steps; ++i) {
    for (float& sum : sums) sum = form.fma(sum, factor, 1.0f);
#ifdef __GNUC__
    // Keeps GCC 16 from interchanging the loops, after which each sum would wait for itself.
    __asm__ volatile("");
#endif
  }
  float total = 0;
  for (const float sum : sums) total += sum;
  return total;
}

}  // namespace etude::detail
