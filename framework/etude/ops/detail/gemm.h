#pragma once

#include <algorithm>

#include "etude/core/detail/tensor_impl.h"

namespace etude::detail {

/// A matrix inside a tensor: where it starts and how far apart its rows and columns are.
template <typename T>
struct MatrixView {
  T* data;
  int64_t rows, columns, row_stride, column_stride;

  operator MatrixView<const T>() const { return {data, rows, columns, row_stride, column_stride}; }
  T* row(int64_t i) const { return data + i * row_stride; }
  MatrixView block(int64_t first_row, int64_t row_count, int64_t column, int64_t column_count) const {
    return {row(first_row) + column * column_stride, row_count, column_count, row_stride, column_stride};
  }
  MatrixView first_rows(int64_t count) const { return block(0, count, 0, columns); }
  MatrixView turned() const { return {data, columns, rows, column_stride, row_stride}; }
  bool has_rows_in_runs() const { return column_stride == 1 && row_stride >= std::max<int64_t>(1, columns); }
};

/// One of the matrices that the last two dims of t form, counted in the order of the leading dims.
template <typename T>
MatrixView<T> view_of(const Tensor& t, int64_t matrix = 0) {
  const TensorImpl& i = impl(t);
  const int64_t d = i.sizes.size();
  T* data = i.data<T>();
  for (int64_t lead = d - 3; matrix > 0; matrix /= i.sizes[lead--])
    data += matrix % i.sizes[lead] * i.strides[lead];
  return {data, i.sizes[d - 2], i.sizes[d - 1], i.strides[d - 2], i.strides[d - 1]};
}

/// t or a copy of it, with unit stride along one of the last two dims, as BLAS requires.
template <typename T>
Tensor with_unit_stride(const Tensor& t) {
  const auto v = view_of<const T>(t);
  const bool fits = v.has_rows_in_runs() || v.turned().has_rows_in_runs();
  return fits || t.is_contiguous() ? t : t.detach().contiguous();
}

/// c = alpha a b + beta c on several threads. `row`, if given, replaces every row of c on the right side. The rows of c are
/// contiguous. The bits do not depend on the number of threads. b may be narrower than T if c has at most kFewRows rows.
template <typename T, typename B>
void gemm(MatrixView<const T> a, MatrixView<const B> b, MatrixView<T> c, T alpha, T beta,
          const T* row = nullptr);

/// With at most this many rows of c, a product is limited by reading b instead of by its sums.
constexpr int64_t kFewRows = 8;

/// c = a b, plus `row` in every row of c if given. Requires onednn::multiplies_bfloat16(). No size is 0.
void gemm_by_onednn(MatrixView<const BFloat16> a, MatrixView<const BFloat16> b, MatrixView<BFloat16> c,
                    const BFloat16* row);

/// gemm on the calling thread.
template <typename T>
void gemm_block(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, T alpha, T beta);

}  // namespace etude::detail
