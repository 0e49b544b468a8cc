#include "etude/core/detail/vectorised.h"

#include <algorithm>

namespace etude::detail {
namespace {

Isa detect() {
#ifdef ETUDE_HAS_WIDE_VECTORS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return Isa::Avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return Isa::Avx2;
#endif
  return Isa::Baseline;
}

const Isa detected = detect();
Isa used = detected;

}  // namespace

Isa isa() { return used; }
void limit_isa(Isa most) { used = std::min(most, detected); }

bool has_fma() { return kBaselineHasFma || isa() != Isa::Baseline; }

}  // namespace etude::detail
