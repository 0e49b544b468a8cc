#include "etude/core/detail/vectorised.h"

#include <algorithm>
#include <cstdlib>
#include <ios>
#include <string_view>

#include "etude/core/warning.h"

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

Isa asked_for() {
  const char* const value = std::getenv("ETUDE_CPU_CAPABILITY");
  const std::string_view name = value ? value : "avx512";
  if (name == "default") return Isa::Baseline;
  if (name == "avx2") return Isa::Avx2;
  if (name != "avx512") {
    const std::ios_base::Init streams;  // std::cerr may not be constructed yet
    ETUDE_WARN("ignoring invalid value for ETUDE_CPU_CAPABILITY: ", name);
  }
  return Isa::Avx512;
}

const Isa detected = std::min(detect(), allowed_isa());

}  // namespace

Isa used_isa = detected;
Isa allowed_isa() {
  static const Isa allowed = asked_for();
  return allowed;
}
void limit_isa(Isa most) { used_isa = std::min(most, detected); }

bool has_fma() { return kBaselineHasFma || isa() != Isa::Baseline; }

}  // namespace etude::detail
