#pragma once

#include <cstdint>

#include "etude/core/tensor.h"

// One function per op that oneDNN may do. Each answers whether it did the work; if not, the plain kernel of
// the op does. Ops hold no #if: disabled.cpp is compiled instead where the library is absent.

namespace etude::onednn {

/// Below this many elements the plain kernel is as fast as a primitive, of which one is kept for every number of elements.
constexpr int64_t kWorthwhile = 512;

/// A matrix in memory: `rows` x `columns` with unit stride along one of them and `leading` along the other.
struct Matrix {
  const float* data;
  bool transposed;  // columns lie apart by `leading`, rows by 1
  int64_t leading;
};

/// c = alpha * a b + beta * c for row-major c [n, m] with rows `c_leading` apart; a is [n, k], b [k, m]. Runs
/// on the calling thread alone; the caller cuts the work.
bool gemm(int64_t n, int64_t m, int64_t k, float alpha, Matrix a, Matrix b, float beta, float* c,
          int64_t c_leading);

/// softmax, or its logarithm, along the middle of [outer, length, inner]; float32, contiguous.
bool softmax(int64_t outer, int64_t length, int64_t inner, bool logarithm, const float* x, float* y);

/// How many primitives are ready, for tests of the cache.
int64_t cached_primitives();

}  // namespace etude::onednn
