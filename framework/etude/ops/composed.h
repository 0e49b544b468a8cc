#pragma once

#include <string>
#include <vector>

#include "etude/ops/ops.h"

// Part of ops.h: other names of ops, and ops composed of a few others.

namespace etude {

/// The list type in which LibTorch programs pass indices to index and index_put_.
template <typename T>
using List = std::vector<T>;

inline Tensor multiply(const Tensor& self, const Tensor& other) { return mul(self, other); }
inline Tensor multiply(const Tensor& self, const Scalar& other) { return mul(self, other); }
inline Tensor true_divide(const Tensor& self, const Tensor& other) { return div(self, other); }
inline Tensor true_divide(const Tensor& self, const Scalar& other) { return div(self, other); }
inline Tensor divide(const Tensor& self, const Tensor& other) { return div(self, other); }
inline Tensor divide(const Tensor& self, const Scalar& other) { return div(self, other); }
inline Tensor divide(const Tensor& self, const Tensor& other, optional<std::string> rounding_mode) {
  return div(self, other, std::move(rounding_mode));
}
inline Tensor divide(const Tensor& self, const Scalar& other, optional<std::string> rounding_mode) {
  return div(self, other, std::move(rounding_mode));
}
inline Tensor subtract(const Tensor& self, const Tensor& other, const Scalar& alpha = 1) {
  return sub(self, other, alpha);
}
inline Tensor subtract(const Tensor& self, const Scalar& other, const Scalar& alpha = 1) {
  return sub(self, other, alpha);
}
inline Tensor concat(TensorList tensors, int64_t dim = 0) { return cat(tensors, dim); }
inline Tensor concatenate(TensorList tensors, int64_t dim = 0) { return cat(tensors, dim); }
inline std::vector<Tensor> where(const Tensor& condition) { return nonzero_numpy(condition); }

// join.cpp

/// Joins tensors side by side: [n] and [m] -> [n + m], other tensors along dim 1.
ETUDE_API Tensor hstack(TensorList tensors);
/// Joins tensors one below the other: rows [m] -> [count, m], other tensors along dim 0.
ETUDE_API Tensor vstack(TensorList tensors);

// split.cpp

/// The coordinates of a grid: tensors [n], [m], ... -> one view [n, m, ...] of each, which varies along its own dim.
/// `indexing` is "ij", or "xy" for [m, n, ...]. Without it a warning says that it will be required.
ETUDE_API std::vector<Tensor> meshgrid(TensorList tensors);
ETUDE_API std::vector<Tensor> meshgrid(TensorList tensors, const std::string& indexing);

// tensor_literal.cpp

/// The elements in order as numbers of type T, one of the types of item<T>. Throws if an element does not fit into T.
template <typename T>
std::vector<T> to_vector(const Tensor& t);

// complex.cpp: there are no complex tensors. These throw NotImplementedError with a message that names an alternative.

ETUDE_API Tensor view_as_real(const Tensor& self);
ETUDE_API Tensor view_as_complex(const Tensor& self);
ETUDE_API Tensor polar(const Tensor& abs, const Tensor& angle);

}  // namespace etude
