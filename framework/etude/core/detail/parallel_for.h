#pragma once

#include <cstdint>

#include "etude/core/parallel.h"

namespace etude::detail {

using etude::FunctionRef, etude::parallel_for;

/// kGrain additions, or kSerialWork multiply-adds of a matrix product, take one thread about as long as a team of two: 7 and
/// 5 µs, where handing out an empty loop takes 1.3 µs (Xeon, AVX-512). Smaller loops stay on one thread. Larger ones go to all
/// threads, however many there are: each takes a part, and that wins back even the cost of waking sixteen.
constexpr int64_t kGrain = 32768, kSerialWork = 64 * 64 * 64;

/// From now on, ops called by this thread run on it alone. For threads that work side by side.
void use_one_thread();

/// The number of loops that this thread has handed to its team.
int64_t loops_handed_out();
/// Sets whether a thread works alone while other programs need the cores (on at start). Tests that count loops turn it off.
void heed_crowding(bool on);

}  // namespace etude::detail
