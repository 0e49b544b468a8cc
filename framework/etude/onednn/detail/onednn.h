#pragma once

#include <cstdint>
#include <vector>

#include "etude/core/tensor.h"

// One function per op that oneDNN may compute. Each returns whether it did; if not, the op runs its plain
// kernel. Ops need no #if: disabled.cpp is compiled instead where the library is absent.

namespace etude::onednn {

/// A matrix in memory: `rows` x `columns` with unit stride along one of them and `leading` along the other.
template <typename T>
struct Matrix {
  const T* data;
  bool transposed;  // if so, the column stride is `leading` and the row stride 1
  int64_t leading;
};

/// c = alpha * a b + beta * c for row-major c [n, m] with rows `c_leading` apart; a is [n, k], b [k, m]. Runs
/// on the calling thread alone; the caller splits the work.
bool gemm(int64_t n, int64_t m, int64_t k, float alpha, Matrix<float> a, Matrix<float> b, float beta,
          float* c, int64_t c_leading);

/// c = a b, with `row` added to every row of c unless null. Sums are float32 and rounded once. Runs on the calling thread.
bool gemm(int64_t n, int64_t m, int64_t k, Matrix<BFloat16> a, Matrix<BFloat16> b, const BFloat16* row,
          BFloat16* c, int64_t c_leading);

/// The sizes of a convolution of images: x [n, in, height, width], w [groups, out of a group, in of a group, height, width],
/// y [n, out, height, width]. stride, padding and dilation have one number for rows and one for columns.
struct Convolution {
  std::vector<int64_t> x, w, y, stride, padding, dilation;
};
enum class Made { Result, Input, Weight };

/// Computes y from x, w and a bias that may be null, or the gradient x from w and the gradient y, or the gradient w from x and the
/// gradient y. Runs on the calling thread.
bool convolve(Made made, const Convolution& c, float* x, float* w, const float* bias, float* y);

}  // namespace etude::onednn
