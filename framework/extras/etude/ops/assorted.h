#pragma once

#include <vector>

#include "etude/ops/ops.h"

// Part of ops.h: functions that programs written for LibTorch call, and that a transformer does without.

namespace etude {

// atan2.cpp

/// The angle of the points (other, self), between -pi and pi: atan(self / other), with the quadrant.
ETUDE_API Tensor atan2(const Tensor& self, const Tensor& other);

// diag.cpp

/// The vector of a diagonal of a matrix, as a copy, or the matrix with a vector on this diagonal and zeros elsewhere. A
/// positive `diagonal` is above the main one.
ETUDE_API Tensor diag(const Tensor& self, int64_t diagonal = 0);
/// The sum of the main diagonal of a matrix.
ETUDE_API Tensor trace(const Tensor& self);

// assorted.cpp

/// Views of all tensors with the sizes that they broadcast to.
ETUDE_API std::vector<Tensor> broadcast_tensors(TensorList tensors);
/// self repeated dims[d] times along dim d. Dims that are missing in front are 1.
ETUDE_API Tensor tile(const Tensor& self, IntArrayRef dims);
/// The number of elements other than zero, of all or along dims, as int64. No gradient.
ETUDE_API Tensor count_nonzero(const Tensor& self, DimList dim = {});

inline Tensor absolute(const Tensor& self) { return abs(self); }
inline Tensor negative(const Tensor& self) { return neg(self); }
inline Tensor fix(const Tensor& self) { return trunc(self); }
inline Tensor arcsin(const Tensor& self) { return asin(self); }
inline Tensor arccos(const Tensor& self) { return acos(self); }
inline Tensor arctan(const Tensor& self) { return atan(self); }
inline Tensor arcsinh(const Tensor& self) { return asinh(self); }
inline Tensor arccosh(const Tensor& self) { return acosh(self); }
inline Tensor arctanh(const Tensor& self) { return atanh(self); }
inline Tensor arctan2(const Tensor& self, const Tensor& other) { return atan2(self, other); }
inline Tensor clip(const Tensor& self, const optional<Scalar>& min, const optional<Scalar>& max = nullopt) {
  return clamp(self, min, max);
}
inline Tensor clip(const Tensor& self, const optional<Tensor>& min = {}, const optional<Tensor>& max = {}) {
  return clamp(self, min, max);
}
/// The outer product, as outer.
inline Tensor ger(const Tensor& self, const Tensor& vec2) { return outer(self, vec2); }
/// Joins tensors one below the other, as vstack.
inline Tensor row_stack(TensorList tensors) { return vstack(tensors); }
inline Tensor swapdims(const Tensor& self, int64_t dim0, int64_t dim1) { return transpose(self, dim0, dim1); }
inline Tensor argwhere(const Tensor& self) { return nonzero(self); }
inline Tensor greater(const Tensor& self, const Tensor& other) { return gt(self, other); }
inline Tensor greater(const Tensor& self, const Scalar& other) { return gt(self, other); }
inline Tensor greater_equal(const Tensor& self, const Tensor& other) { return ge(self, other); }
inline Tensor greater_equal(const Tensor& self, const Scalar& other) { return ge(self, other); }
inline Tensor less(const Tensor& self, const Tensor& other) { return lt(self, other); }
inline Tensor less(const Tensor& self, const Scalar& other) { return lt(self, other); }
inline Tensor less_equal(const Tensor& self, const Tensor& other) { return le(self, other); }
inline Tensor less_equal(const Tensor& self, const Scalar& other) { return le(self, other); }
inline Tensor not_equal(const Tensor& self, const Tensor& other) { return ne(self, other); }
inline Tensor not_equal(const Tensor& self, const Scalar& other) { return ne(self, other); }
inline Tensor& fill_(Tensor& self, const Tensor& value) { return self.fill_(value); }
inline Tensor& fill_(Tensor& self, const Scalar& value) { return self.fill_(value); }
inline Tensor& zero_(Tensor& self) { return self.zero_(); }
inline int64_t numel(const Tensor& tensor) { return tensor.numel(); }
inline int64_t size(const Tensor& tensor, int64_t dim) { return tensor.size(dim); }
inline int64_t stride(const Tensor& tensor, int64_t dim) { return tensor.stride(dim); }
inline bool is_complex(const Tensor& tensor) { return tensor.is_complex(); }
inline bool is_floating_point(const Tensor& tensor) { return tensor.is_floating_point(); }
inline bool is_inference(const Tensor& tensor) { return tensor.is_inference(); }
inline bool is_signed(const Tensor& tensor) { return tensor.is_signed(); }
inline bool is_same_size(const Tensor& self, const Tensor& other) { return self.is_same_size(other); }

// Inverses, determinants and decompositions of matrices do not exist here: a call does not compile, and the error says so.
#define ETUDE_ABSENT(name)                                                  \
  template <typename EtudeHasNoLinearAlgebra = void, typename... Arguments> \
  Tensor name(const Tensor&, const Arguments&...) = delete;
// clang-format off
ETUDE_ABSENT(inverse) ETUDE_ABSENT(pinverse) ETUDE_ABSENT(det) ETUDE_ABSENT(logdet) ETUDE_ABSENT(slogdet)
ETUDE_ABSENT(cholesky) ETUDE_ABSENT(qr) ETUDE_ABSENT(svd) ETUDE_ABSENT(matrix_exp) ETUDE_ABSENT(linalg_inv)
ETUDE_ABSENT(linalg_pinv) ETUDE_ABSENT(linalg_det) ETUDE_ABSENT(linalg_slogdet) ETUDE_ABSENT(linalg_cholesky)
ETUDE_ABSENT(linalg_qr) ETUDE_ABSENT(linalg_svd) ETUDE_ABSENT(linalg_eigh) ETUDE_ABSENT(linalg_solve)
namespace linalg {
ETUDE_ABSENT(inv) ETUDE_ABSENT(pinv) ETUDE_ABSENT(det) ETUDE_ABSENT(slogdet) ETUDE_ABSENT(cholesky)
ETUDE_ABSENT(qr) ETUDE_ABSENT(svd) ETUDE_ABSENT(eigh) ETUDE_ABSENT(solve)
}  // namespace linalg
// clang-format on
#undef ETUDE_ABSENT

}  // namespace etude
