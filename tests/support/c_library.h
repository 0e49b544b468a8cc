#pragma once

#include <cstdlib>

namespace etude {

/// Whether the C library is the one that made the recordings. Logarithms, sines and cosines of doubles come from it, and
/// so do the last bits of normal and exponential draws in float64: docs/numerics.md.
#ifdef __GLIBC__
constexpr bool kRecordedCLibrary = true;
#else
constexpr bool kRecordedCLibrary = false;
#endif

/// The tolerance of such a draw with another C library: some units in the last place of 1.
constexpr double kLastBits = 1e-15;

}  // namespace etude
