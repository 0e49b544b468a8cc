#pragma once

#include <cstdint>
#include <vector>

#include "etude/core/tensor.h"

// One function per op that oneDNN may do. Each answers whether it did the work; if not, the plain kernel of
// the op does. Ops hold no #if: disabled.cpp is compiled instead where the library is absent.

namespace etude::onednn {

/// A matrix in memory: `rows` x `columns` with unit stride along one of them and `leading` along the other.
template <typename T>
struct Matrix {
  const T* data;
  bool transposed;  // columns lie apart by `leading`, rows by 1
  int64_t leading;
};

/// c = alpha * a b + beta * c for row-major c [n, m] with rows `c_leading` apart; a is [n, k], b [k, m]. Runs
/// on the calling thread alone; the caller cuts the work.
bool gemm(int64_t n, int64_t m, int64_t k, float alpha, Matrix<float> a, Matrix<float> b, float beta,
          float* c, int64_t c_leading);

/// c = a b, with `row` added to every row of c if there is one. Sums are float32 and rounded once. On the calling thread.
bool gemm(int64_t n, int64_t m, int64_t k, Matrix<BFloat16> a, Matrix<BFloat16> b, const BFloat16* row,
          BFloat16* c, int64_t c_leading);

/// A convolution of images: x is [n, in, height, width], w [groups, out, in, height, width] of a group, y [n, out, height, width].
/// The other three have a number for rows and one for columns.
struct Convolution {
  std::vector<int64_t> x, w, y, stride, padding, dilation;
};
enum class Made { Result, Input, Weight };

/// Makes y of x, w and the bias if there is one, or the gradient x of w and y, or the gradient w of x and y. On the calling thread.
bool convolve(Made made, const Convolution& c, float* x, float* w, const float* bias, float* y);

}  // namespace etude::onednn
