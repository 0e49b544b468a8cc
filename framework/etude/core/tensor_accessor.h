#pragma once

#include "etude/core/tensor.h"

namespace etude {

/// The elements of an N-dim tensor as a[i][j]... It checks no bounds and records nothing; the tensor must outlive it
/// (at::TensorAccessor).
template <typename T, size_t N>
class TensorAccessor {
 public:
  TensorAccessor(T* data, const int64_t* sizes, const int64_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}

  IntArrayRef sizes() const { return IntArrayRef(sizes_, N); }
  IntArrayRef strides() const { return IntArrayRef(strides_, N); }
  int64_t size(int64_t dim) const { return sizes_[dim]; }
  int64_t stride(int64_t dim) const { return strides_[dim]; }
  T* data() const { return data_; }
  /// Index i along the first dim: an element, or an accessor with one dim less.
  decltype(auto) operator[](int64_t i) const {
    if constexpr (N == 1) return static_cast<T&>(data_[i * strides_[0]]);
    else return TensorAccessor<T, N - 1>(data_ + i * strides_[0], sizes_ + 1, strides_ + 1);
  }

 private:
  T* data_;
  const int64_t *sizes_, *strides_;
};

namespace detail {
/// Throws unless the tensor has this number of dims.
ETUDE_API void check_accessed_dims(const Tensor& t, size_t dims);
}  // namespace detail

template <typename T, size_t N>
TensorAccessor<T, N> Tensor::accessor() const& {
  static_assert(N > 0, "a tensor without dims has one element, which item() reads");
  detail::check_accessed_dims(*this, N);
  return {data_ptr<std::remove_const_t<T>>(), sizes().data(), strides().data()};
}

}  // namespace etude
