#pragma once

#include <cstdlib>

namespace etude {

/// Whether the C library is the one of the recordings. Logarithms, sines and cosines of doubles come from it, and so
/// do the last bits of normal and exponential draws in float64: docs/numerics.md.
#ifdef __GLIBC__
constexpr bool kRecordedCLibrary = true;
#else
constexpr bool kRecordedCLibrary = false;
#endif

/// What another C library may be off by in such a draw: some units in the last place of 1.
constexpr double kLastBits = 1e-15;

}  // namespace etude
