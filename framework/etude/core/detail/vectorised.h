#pragma once

#include <cstdint>
#include <type_traits>

#include "etude/core/export.h"

namespace etude::detail {

/// What the processor at hand can do, asked once. The baseline is what every processor of its kind has: vectors of
/// 128 bits on x86-64, on ARM with 64 bits and in WebAssembly.
enum class Isa : int8_t { Baseline, Avx2, Avx512 };
ETUDE_API Isa isa();
/// For tests: pretends that the processor can do no more than this.
ETUDE_API void limit_isa(Isa most);
/// Whether std::fma is one instruction inside vectorised(), and not a function that takes ten times as long.
ETUDE_API bool has_fma();
#if defined(__FP_FAST_FMAF) || defined(__aarch64__)
constexpr bool kBaselineHasFma = true;
#else
constexpr bool kBaselineHasFma = false;
#endif

// Where wider vectors than those of 128 bits are chosen at run time. Not on Windows: GCC leaves the stack there as
// it is, and wide vectors on it need another alignment.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32)
#define ETUDE_HAS_WIDE_VECTORS
#endif

// The sanitizers watch the same source in every clone: one is enough for them.
#if defined(ETUDE_HAS_WIDE_VECTORS) && !defined(__SANITIZE_ADDRESS__)

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

/// The same for loops that are written for a number of bytes in a vector: f is given it as a type.
template <typename F>
void vectorised_by_width(F&& f) {
  const auto wide = [&f] { f(std::integral_constant<int, 64>()); };
  const auto half = [&f] { f(std::integral_constant<int, 32>()); };
  switch (isa()) {
    case Isa::Avx512:
      return run_avx512(wide);
    case Isa::Avx2:
      return run_avx2(half);
    default:
      return f(std::integral_constant<int, 16>());
  }
}

#else

/// Runs a loop that is compiled once, for vectors of 128 bits.
template <typename F>
void vectorised(F&& f) {
  f();
}
template <typename F>
void vectorised_by_width(F&& f) {
  f(std::integral_constant<int, 16>());
}

#endif

}  // namespace etude::detail
