#pragma once

#include <cstdint>

#include "etude/core/export.h"

namespace etude::detail {

/// What the processor at hand can do, asked once.
enum class Isa : int8_t { Baseline, Avx2, Avx512 };
ETUDE_API Isa isa();
/// For tests: pretends that the processor can do no more than this.
ETUDE_API void limit_isa(Isa most);

// The sanitizers watch the same source in every clone: one is enough for them.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)

template <typename F>
__attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2"), flatten, noinline)) void
run_avx512(F& f) {
  f();
}
template <typename F>
__attribute__((target("avx2,fma,bmi2"), flatten, noinline)) void run_avx2(F& f) {
  f();
}

/// Runs a loop compiled three times, with the widest instructions that the processor has. Everything that f
/// calls is inlined into it. Since nothing is contracted (-ffp-contract=off) all three give the same bits.
template <typename F>
void vectorised(F&& f) {
  switch (isa()) {
    case Isa::Avx512:
      return run_avx512(f);
    case Isa::Avx2:
      return run_avx2(f);
    default:
      return f();
  }
}

#else

template <typename F>
void vectorised(F&& f) {
  f();
}

#endif

}  // namespace etude::detail
