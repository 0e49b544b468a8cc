// Matrix products. One kernel, in gemm.cpp, computes all of them:
//
//   c = alpha a b + beta c,   da = dc b^T,   db = a^T dc
//
// outer is an elementwise product of a column and a row.

#include <algorithm>

#include "etude/onednn/backend.h"
#include "etude/ops/detail/arithmetic.h"
#include "etude/ops/detail/autocast.h"
#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/gemm.h"

namespace etude {
namespace {

using namespace detail;

void check_inner_sizes(const Tensor& a, const Tensor& b) {
  ETUDE_CHECK(a.size(1) == b.size(0), "mat1 and mat2 shapes cannot be multiplied (", a.size(0), "x",
              a.size(1), " and ", b.size(0), "x", b.size(1),
              ")\nhint: the columns of the first must be as many as the rows of the second");
}

constexpr const char* kNoPromotion =
    "\nhint: a matrix product does not promote; convert one side with .to(...)";

void check_types(const Tensor& a, const Tensor& b) {
  ETUDE_CHECK(a.scalar_type() == b.scalar_type(), "expected scalar type ", toString(a.scalar_type()),
              " but found ", toString(b.scalar_type()), kNoPromotion);
}

void gemm_into(const Tensor& c, const Tensor& a, const Tensor& b, const Scalar& alpha, const Scalar& beta,
               const Tensor& row = Tensor());

// The start value of sums in product_type(): c if beta uses it, else uninitialised memory.
Tensor start_of(const Tensor& c, const Scalar& beta, const Tensor& row) {
  const ScalarType dtype = product_type(c.scalar_type());
  return beta.equal(0) || row.defined() ? make_tensor(c.sizes(), dtype) : as_type(c, dtype);
}

// c = alpha a b + beta c. The sums are computed in product_type() and converted to c at the end.
void wide_into(const Tensor& c, const Tensor& a, const Tensor& b, const Scalar& alpha, const Scalar& beta,
               const Tensor& row) {
  const Tensor sums = start_of(c, beta, row);
  const ScalarType dtype = sums.scalar_type();
  gemm_into(sums, as_type(a, dtype), as_type(b, dtype), alpha, beta,
            row.defined() ? as_type(row, dtype) : row);
  convert(c, sums);
}

// The same for 16-bit floats. Without processor support the sums are computed in float32 and rounded once. Products with few
// rows are limited by memory, so they read a bfloat16 b without converting it.
void reduced_into(const Tensor& c, const Tensor& a, const Tensor& b, const Scalar& alpha, const Scalar& beta,
                  const Tensor& row) {
  using T = BFloat16;
  const bool is_bfloat16 = c.scalar_type() == kBFloat16,
             by_onednn = is_bfloat16 && onednn::multiplies_bfloat16(),
             few = is_bfloat16 && c.dim() == 2 && c.size(0) <= (by_onednn ? kFewRows / 2 : kFewRows);
  if (by_onednn && !few && c.numel() > 0 && a.numel() > 0 && alpha.equal(1) &&
      beta.equal(row.defined() ? 1 : 0)) {
    const Tensor x = with_unit_stride<T>(a), y = with_unit_stride<T>(b);
    const int64_t matrices = c.dim() == 2 ? 1 : c.size(0);
    parallel_for(0, matrices, matrices < 16 ? matrices : 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        gemm_by_onednn(view_of<const T>(x, i), view_of<const T>(y, i), view_of<T>(c, i),
                       row.defined() ? impl(row).data<T>() : nullptr);
    });
    return;
  }
  if (!few) return wide_into(c, a, b, alpha, beta, row);
  const Tensor sums = start_of(c, beta, row), start = widened(row);
  gemm<float>(view_of<const float>(widened(a)), view_of<const T>(with_unit_stride<T>(b)),
              view_of<float>(sums), alpha.to<float>(), beta.to<float>(),
              start.defined() ? impl(start).data<float>() : nullptr);
  convert(c, sums);
}

// c = alpha a b + beta c for 2-D tensors, or matrix by matrix for 3-D tensors. `row`, if given, replaces all rows of c on the
// right side; it is for 2-D tensors only.
void gemm_into(const Tensor& c, const Tensor& a, const Tensor& b, const Scalar& alpha, const Scalar& beta,
               const Tensor& row) {
  const ScalarType dtype = c.scalar_type();
  if (isReducedFloatingType(dtype)) return reduced_into(c, a, b, alpha, beta, row);
  if (product_type(dtype) != dtype) {
    for (const Scalar& factor : {alpha, beta}) check_fits(factor, dtype);
    return wide_into(c, a, b, alpha, beta, row);
  }
  dispatch_products(c.dim() == 3 ? "bmm" : "addmm_impl_cpu_", dtype, [&](auto zero) {
    using T = decltype(zero);
    const Tensor x = with_unit_stride<T>(a), y = with_unit_stride<T>(b);
    if (c.dim() == 2) {
      gemm<T>(view_of<const T>(x), view_of<const T>(y), view_of<T>(c), alpha.to<T>(), beta.to<T>(),
              row.defined() ? impl(row).data<T>() : nullptr);
      return;
    }
    const int64_t batches = c.size(0), work = std::max<int64_t>(1, c.size(1) * c.size(2) * x.size(2));
    if (work > kSerialWork * 8 && batches < 16) {
      for (int64_t i = 0; i < batches; ++i)
        gemm<T>(view_of<const T>(x, i), view_of<const T>(y, i), view_of<T>(c, i), alpha.to<T>(),
                beta.to<T>());
      return;
    }
    parallel_for(0, batches, std::max<int64_t>(1, kSerialWork / work), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        gemm_block<T>(view_of<const T>(x, i), view_of<const T>(y, i), view_of<T>(c, i), alpha.to<T>(),
                      beta.to<T>());
    });
  });
}

Tensor product(const Tensor& a, const Tensor& b, const Shape& sizes) {
  Tensor c = make_tensor(sizes, a.scalar_type());
  gemm_into(c, a, b, 1, 0);
  return c;
}

// The result of an op with other sizes, recorded under PyTorch's node name.
Tensor reshaped(const char* name, const Tensor& t, const Shape& sizes) {
  return recorded(name, {t}, with_sizes(t, sizes),
                  [before = impl(t).sizes](const Tensor& dy) { return dy.reshape(before); });
}

// Both have at least 3 dims, or one has 2 and the other 3. Leading dims are broadcast and joined into one.
Tensor batched_matmul(const Tensor& self, const Tensor& other) {
  const IntArrayRef a = self.sizes(), b = other.sizes();
  const Shape batch = broadcast_sizes(a.slice(0, a.size() - 2), b.slice(0, b.size() - 2));
  const int64_t count = count_elements(batch);
  // Transposed matrices that have to be copied are copied as transposed, in contiguous runs of memory.
  auto expanded = [&](const Tensor& t) {
    const bool turned = t.stride(-2) == 1 && t.stride(-1) != 1;
    const Tensor m = turned ? t.mT() : t;
    Shape sizes = batch;
    sizes.push_back(m.size(-2));
    sizes.push_back(m.size(-1));
    const Tensor joined = m.expand(sizes).reshape(Shape{count, m.size(-2), m.size(-1)});
    return turned ? joined.mT() : joined;
  };
  Shape sizes = batch;
  sizes.push_back(self.size(-2));
  sizes.push_back(other.size(-1));
  return reshaped("UnsafeViewBackward0", bmm(expanded(self), expanded(other)), sizes);
}

// [..., n, k] x [k, m] or [k]: the leading dims are joined with the rows, for a single product.
Tensor folded_matmul(const Tensor& self, const Tensor& other) {
  Shape sizes = without(impl(self).sizes, self.dim() - 1);
  const Tensor rows = self.reshape(Shape{count_elements(sizes), self.size(-1)});
  if (other.dim() == 1) return reshaped("UnsafeViewBackward0", rows.mv(other), sizes);
  sizes.push_back(other.size(1));
  return reshaped("UnsafeViewBackward0", rows.mm(other), sizes);
}

// Whether the columns are contiguous and follow one another in memory.
bool is_turned(const Tensor& matrix) { return matrix.stride(0) == 1 && matrix.stride(1) == matrix.size(0); }

// a b in the memory layout of the matrix whose gradient it is: for a weight used as weight.t(), the layout of the weight.
Tensor product_as(bool turned, const Tensor& a, const Tensor& b) {
  return turned ? b.t().mm(a.t()).t() : a.mm(b);
}

}  // namespace

Tensor mm(const Tensor& self, const Tensor& other) {
  ETUDE_OP(mm, self, other);
  ETUDE_AUTOCAST(kBFloat16, mm, self, other);
  ETUDE_CHECK(self.dim() == 2, "self must be a matrix\nreceived sizes ", self.sizes());
  ETUDE_CHECK(other.dim() == 2, "mat2 must be a matrix\nreceived sizes ", other.sizes());
  check_inner_sizes(self, other);
  ETUDE_CHECK(self.scalar_type() == other.scalar_type(),
              "expected m1 and m2 to have the same dtype, but got: ", row_of(self.scalar_type()).cpp_name,
              " != ", row_of(other.scalar_type()).cpp_name, kNoPromotion);
  return recorded("MmBackward0", {self, other}, product(self, other, Shape{self.size(0), other.size(1)}),
                  {{self, needs_grad(other)}, {other, needs_grad(self)}},
                  InOwnType([a_turned = is_turned(self), b_turned = is_turned(other)](
                                const Tensor& dy, const Tensor& a, const Tensor& b) {
                    return Gradients{b.defined() ? product_as(a_turned, dy, b.t()) : Tensor(),
                                     a.defined() ? product_as(b_turned, a.t(), dy) : Tensor()};
                  }));
}

Tensor bmm(const Tensor& self, const Tensor& other) {
  ETUDE_OP(bmm, self, other);
  ETUDE_AUTOCAST(kBFloat16, bmm, self, other);
  ETUDE_CHECK(self.dim() == 3, "batch1 must be a 3D tensor\nreceived sizes ", self.sizes());
  ETUDE_CHECK(other.dim() == 3, "batch2 must be a 3D tensor\nreceived sizes ", other.sizes());
  ETUDE_CHECK(other.size(0) == self.size(0) && other.size(1) == self.size(2),
              "Expected size for first two dimensions of batch2 tensor to be: [", self.size(0), ", ",
              self.size(2), "] but got: [", other.size(0), ", ", other.size(1), "].\nreceived sizes ",
              self.sizes(), " and ", other.sizes());
  check_types(self, other);
  return recorded("BmmBackward0", {self, other},
                  product(self, other, Shape{self.size(0), self.size(1), other.size(2)}),
                  {{self, needs_grad(other)}, {other, needs_grad(self)}},
                  InOwnType([](const Tensor& dy, const Tensor& a, const Tensor& b) {
                    return Gradients{b.defined() ? dy.bmm(b.transpose(1, 2)) : Tensor(),
                                     a.defined() ? a.transpose(1, 2).bmm(dy) : Tensor()};
                  }));
}

Tensor mv(const Tensor& self, const Tensor& vector) {
  ETUDE_OP(mv, self, vector);
  ETUDE_CHECK(self.dim() == 2 && vector.dim() == 1, "vector + matrix @ vector expected, got 1, ", self.dim(),
              ", ", vector.dim());
  ETUDE_CHECK(self.size(1) == vector.size(0), "size mismatch, got input (", self.size(0), "), mat (",
              self.size(0), "x", self.size(1), "), vec (", vector.size(0), ")",
              "\nhint: the columns of the matrix must be as many as the elements of the vector");
  ETUDE_CHECK(self.scalar_type() == vector.scalar_type(),
              "addmv input tensors must have the same dtype, but got ", toString(vector.scalar_type()), ", ",
              toString(self.scalar_type()), ", and ", toString(vector.scalar_type()), kNoPromotion);
  const Tensor y = with_sizes(product(self, alias(vector).unsqueeze(1), {self.size(0), 1}), {self.size(0)});
  return recorded("MvBackward0", {self, vector}, y, {{self, needs_grad(vector)}, {vector, needs_grad(self)}},
                  InOwnType([](const Tensor& dy, const Tensor& a, const Tensor& v) {
                    return Gradients{v.defined() ? dy.unsqueeze(1).mm(v.unsqueeze(0)) : Tensor(),
                                     a.defined() ? a.t().mv(dy) : Tensor()};
                  }));
}

Tensor dot(const Tensor& self, const Tensor& other) {
  ETUDE_OP(dot, self, other);
  ETUDE_CHECK(self.dim() == 1 && other.dim() == 1, "1D tensors expected, but got ", self.dim(), "D and ",
              other.dim(), "D tensors");
  ETUDE_CHECK(self.scalar_type() == other.scalar_type(),
              "dot : expected both vectors to have same dtype, but found ", toString(self.scalar_type()),
              " and ", toString(other.scalar_type()));
  ETUDE_CHECK(self.numel() == other.numel(), "inconsistent tensor size, expected tensor [", self.numel(),
              "] and src [", other.numel(), "] to have the same number of elements, but got ", self.numel(),
              " and ", other.numel(), " elements respectively");
  const Tensor y = with_sizes(product(alias(self).unsqueeze(0), alias(other).unsqueeze(1), {1, 1}), {});
  return recorded("DotBackward0", {self, other}, y, {{self, needs_grad(other)}, {other, needs_grad(self)}},
                  InOwnType([](const Tensor& dy, const Tensor& a, const Tensor& b) {
                    return Gradients{b.defined() ? dy * b : Tensor(), a.defined() ? dy * a : Tensor()};
                  }));
}

Tensor addmm(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
  ETUDE_OP(addmm, self, a, b, beta, alpha);
  ETUDE_AUTOCAST(kBFloat16, addmm, self, a, b, beta, alpha);
  ETUDE_CHECK(a.dim() == 2 && b.dim() == 2,
              a.dim() != 2 ? "mat1 must be a matrix, got " : "mat2 must be a matrix, got ",
              a.dim() != 2 ? a.dim() : b.dim(), "-D tensor");
  check_inner_sizes(a, b);
  ETUDE_CHECK(self.scalar_type() == b.scalar_type(), "self and mat2 must have the same dtype, but got ",
              toString(self.scalar_type()), " and ", toString(b.scalar_type()), kNoPromotion);
  ETUDE_CHECK(a.scalar_type() == b.scalar_type(), "mat1 and mat2 must have the same dtype, but got ",
              toString(a.scalar_type()), " and ", toString(b.scalar_type()), kNoPromotion);
  Tensor y = make_tensor(Shape{a.size(0), b.size(1)}, a.scalar_type());
  {
    const NoGradGuard no_grad;
    const Tensor start = self.expand(y.sizes());
    const bool is_row = start.stride(0) == 0 && start.stride(1) == 1 && !beta.equal(0);
    if (!is_row && !beta.equal(0)) alias(y).copy_(start);
    gemm_into(y, a, b, alpha, beta, is_row ? start : Tensor());
    impl(y).storage->version = 0;
  }
  return recorded("AddmmBackward0", {self, a, b}, y, {{a, needs_grad(b)}, {b, needs_grad(a)}},
                  InOwnType([a_turned = is_turned(a), b_turned = is_turned(b), on_self = needs_grad(self),
                             alpha, beta](const Tensor& dy, const Tensor& x, const Tensor& z) {
                    auto scaled = [](const Tensor& t, const Scalar& s) { return s.equal(1) ? t : t * s; };
                    return Gradients{on_self ? scaled(dy, beta) : Tensor(),
                                     z.defined() ? scaled(product_as(a_turned, dy, z.t()), alpha) : Tensor(),
                                     x.defined() ? scaled(product_as(b_turned, x.t(), dy), alpha) : Tensor()};
                  }));
}

Tensor matmul(const Tensor& self, const Tensor& other) {
  ETUDE_OP(matmul, self, other);
  ETUDE_AUTOCAST(kBFloat16, matmul, self, other);
  const int64_t a = self.dim(), b = other.dim();
  ETUDE_CHECK(a > 0 && b > 0, "both arguments to matmul need to be at least 1D, but they are ", a, "D and ",
              b, "D");
  if (a == 1 && b == 1) return self.dot(other);
  if (a == 2 && b == 1) return self.mv(other);
  if (a == 1 && b == 2)
    return reshaped("SqueezeBackward4", self.unsqueeze(0).mm(other), Shape{other.size(1)});
  if (a == 2 && b == 2) return self.mm(other);
  if (b <= 2) return folded_matmul(self, other);
  check_types(self, other);
  // A row times a batch of matrices equals the transposed batch times a column.
  if (a == 1) return folded_matmul(other.mT(), self);
  // A matrix times a batch: the product of the transposes, transposed back, unless the batch is transposed in memory already.
  const bool is_turned = b == 3 && other.stride(2) != 1 && other.stride(0) == other.size(1) * other.size(2);
  if (a == 2 && !is_turned) return folded_matmul(other.mT(), self.t()).mT().contiguous();
  return batched_matmul(self, other);
}

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  ETUDE_OP(linear, input, weight, bias);
  ETUDE_AUTOCAST(kBFloat16, linear, input, weight, bias);
  ETUDE_CHECK(input.dim() > 0 && weight.dim() > 0,
              "both arguments to linear need to be at least 1D, but they are ", input.dim(), "D and ",
              weight.dim(), "D");
  if (input.dim() == 2 && bias.defined()) return addmm(bias, input, weight.t());
  if (bias.defined() && bias.dim() == 1 && input.is_contiguous()) {
    Shape sizes(input.sizes());
    const int64_t columns = sizes.back();
    sizes.erase(sizes.size() - 1);
    const Tensor rows = addmm(bias, input.view(Shape{count_elements(sizes), columns}), weight.t());
    sizes.push_back(rows.size(1));
    return reshaped("ViewBackward0", rows, sizes);
  }
  const Tensor y = input.matmul(weight.t());
  return bias.defined() ? y + bias : y;
}

Tensor outer(const Tensor& self, const Tensor& vec2) {
  ETUDE_OP(outer, self, vec2);
  ETUDE_CHECK(self.dim() == 1, "outer: Expected 1-D argument self, but got ", self.dim(), "-D");
  ETUDE_CHECK(vec2.dim() == 1, "outer: Expected 1-D argument vec2, but got ", vec2.dim(), "-D");
  return self.reshape({self.size(0), 1}) * vec2;
}

ETUDE_METHOD(mm, (const Tensor& other), other)
ETUDE_METHOD(bmm, (const Tensor& other), other)
ETUDE_METHOD(mv, (const Tensor& vector), vector)
ETUDE_METHOD(outer, (const Tensor& vec2), vec2)
ETUDE_METHOD(dot, (const Tensor& other), other)
ETUDE_METHOD(matmul, (const Tensor& other), other)
ETUDE_METHOD(addmm, (const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha), a, b, beta,
             alpha)

}  // namespace etude
