#pragma once

#include <cstdint>

#include "etude/core/parallel.h"

namespace etude::detail {

using etude::FunctionRef, etude::parallel_for;

/// So many additions, or so many multiplications and additions of a matrix product, take one thread about as long as a team of two:
/// 7 and 5 µs where it takes 1.3 µs to hand out a loop that does nothing (Xeon, AVX-512). Less than this stays on one thread. More
/// goes to all threads, however many they are: each takes its part, so that what waking sixteen costs is won back.
constexpr int64_t kGrain = 32768, kSerialWork = 64 * 64 * 64;

/// From here on the ops that this thread calls run on it alone: for threads that work beside each other.
void use_one_thread();

/// How many loops this thread has handed to its team.
int64_t loops_handed_out();
/// Whether a thread works alone while other programs need the cores, as it does at first: off for tests that count.
void heed_crowding(bool on);

}  // namespace etude::detail
