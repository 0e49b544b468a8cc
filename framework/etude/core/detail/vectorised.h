#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "etude/core/detail/dispatch.h"
#include "etude/core/export.h"

namespace etude::detail {

/// The vector instructions of this processor, detected once. Baseline is what every processor of its kind has: vectors
/// of 128 bits on x86-64, on 64-bit ARM and in WebAssembly.
enum class Isa : int8_t { Baseline, Avx2, Avx512 };
extern ETUDE_API Isa used_isa;
inline Isa isa() { return used_isa; }
/// The most that ETUDE_CPU_CAPABILITY allows: default, avx2 or avx512; avx512 if it is unset (ATEN_CPU_CAPABILITY).
ETUDE_API Isa allowed_isa();
/// For tests: pretends that the processor can do no more than this.
ETUDE_API void limit_isa(Isa most);
/// Whether std::fma inside vectorised() is one instruction, not a function that takes ten times as long.
ETUDE_API bool has_fma();
#if defined(__FP_FAST_FMAF) || defined(__aarch64__)
constexpr bool kBaselineHasFma = true;
#else
constexpr bool kBaselineHasFma = false;
#endif

// Defined where vectors wider than 128 bits are chosen at run time. Not on Windows: GCC does not align the stack there as
// wide vectors need it. Not under AddressSanitizer: every form has the same source, so checking one is enough.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32) && !defined(__SANITIZE_ADDRESS__)
#define ETUDE_HAS_WIDE_VECTORS
#endif

/// The form in which a loop is compiled: the bytes of its vectors, and whether its multiply-adds are fused.
template <int kBytes, bool kFused>
struct Form {
  static constexpr int bytes = kBytes;
  static constexpr bool fused = kFused;
  /// a * b + c, rounded once if fused, otherwise twice.
  template <typename T>
  static T fma(T a, T b, T c) {
    if constexpr (kFused) return std::fma(a, b, c);
    else return a * b + c;
  }
};
using BaselineForm = Form<16, kBaselineHasFma>;

/// Marks large functions that are called inside vectorised(). GCC inlines them anyway; clang inlines only marked ones.
#if defined(__clang__) && defined(ETUDE_HAS_WIDE_VECTORS)
#define ETUDE_INLINE __attribute__((always_inline)) inline
#else
#define ETUDE_INLINE inline
#endif

#ifdef ETUDE_HAS_WIDE_VECTORS

// The upper halves of the registers are cleared after wide vectors, or all narrow instructions after them would wait: compilers do
// this only where they optimise much.
// Each function calls f itself, instead of through one function for all forms: clang flattens only the calls that it sees.
template <typename F, typename... Args>
__attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2"), flatten, noinline)) void
run_avx512(F& f, Args... args) {
  if constexpr (std::is_invocable_v<F&, Form<64, true>, Args...>) f(Form<64, true>(), args...);
  else f(args...);
  __builtin_ia32_vzeroupper();
}
template <typename F, typename... Args>
__attribute__((target("avx2,fma,bmi2"), flatten, noinline)) void run_avx2(F& f, Args... args) {
  if constexpr (std::is_invocable_v<F&, Form<32, true>, Args...>) f(Form<32, true>(), args...);
  else f(args...);
  __builtin_ia32_vzeroupper();
}

#endif

/// Runs a loop that is compiled three times, with the widest instructions that the processor has: f(args...), or f(form,
/// args...) if it takes one. Everything that f calls is inlined into it. Since nothing is contracted (-ffp-contract=off) all three
/// give the same bits, unless f asks its form to multiply and add: then only the forms with fused instructions do.
///
/// T is the type of the elements. float64 has no form with the widest vectors, and integers have the baseline form alone, because
/// more forms are not worth the time to compile them.
template <typename T = float, typename F, typename... Args>
void vectorised(F&& f, Args... args) {
#ifdef ETUDE_HAS_WIDE_VECTORS
  if constexpr (is_floating<T>) {
    const Isa widest = isa();
    if constexpr (std::is_same_v<T, float>)
      if (widest == Isa::Avx512) return run_avx512(f, args...);
    if (widest != Isa::Baseline) return run_avx2(f, args...);
  }
#endif
  if constexpr (std::is_invocable_v<F&, BaselineForm, Args...>) f(BaselineForm(), args...);
  else f(args...);
}

/// A function of numbers that also takes the form in which it is compiled, for its fma(): f(form, numbers...).
template <typename F>
struct ByForm {
  F f;
};
template <typename F>
ByForm(F) -> ByForm<F>;
template <typename F>
constexpr bool is_by_form = false;
template <typename F>
constexpr bool is_by_form<ByForm<F>> = true;

template <typename Form, typename F, typename... Numbers>
auto apply_in([[maybe_unused]] Form form, const F& f, const Numbers&... numbers) {
  if constexpr (is_by_form<F>) return f.f(form, numbers...);
  else return f(numbers...);
}

}  // namespace etude::detail
