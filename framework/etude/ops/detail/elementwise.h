#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "etude/autograd/detail/in_place.h"
#include "etude/core/detail/dispatch.h"
#include "etude/core/detail/loops.h"
#include "etude/ops/ops.h"

// What ops share: promotion and broadcasting first, then one loop over elements of one type; and the methods of tensors.

namespace etude::detail {

// With this, `using namespace detail` gives an op the functions that record it as well as the loops.
using namespace autograd::detail;

/// The strides that read t as if it were expanded to `sizes`, to which its sizes can be broadcast.
Shape broadcast_strides(const TensorImpl& t, const Shape& sizes);

/// The tensor that a pointwise op writes to: a new one with the memory order of the inputs, or `out` if it is given. Throws if
/// `out` cannot take a result of these sizes and this type.
Tensor output_for(const Tensor& out, const Shape& sizes, ScalarType dtype,
                  std::initializer_list<const TensorImpl*> inputs);

/// y, or out with a copy of y if out is given. Throws if out cannot take y.
Tensor copied_to(const Tensor& out, const Tensor& y);

/// A shape without dim d.
Shape without(Shape shape, int64_t d);

/// A view of a vector as a tensor of `dims` dims: its elements are along dim d, the other dims have size 1.
Tensor seen_along(const Tensor& vector, int64_t dims, int64_t d);

/// A 0-dim tensor that gives way to tensors in type promotion.
Tensor wrapped(const Scalar& value);

/// Writes the elements of `from`, broadcast and converted, to `to`.
void convert(const Tensor& to, const Tensor& from);

/// t with elements of the given type; t itself if it has them. Not recorded: the engine converts gradients.
Tensor as_type(const Tensor& t, ScalarType dtype);

/// t in a type that ops compute in: float32 for floats of 16 bits. Not recorded. as_type rounds the result to the type of t.
Tensor widened(const Tensor& t);

/// t, widened and contiguous. Not recorded.
Tensor dense(const Tensor& t);

/// A contiguous copy of t. Not recorded.
Tensor contiguous_copy(const Tensor& t);

/// A contiguous tensor with other sizes, in the same memory but not as a view in the graph: for tensors that an op has made itself.
Tensor with_sizes(const Tensor& t, const Shape& sizes);

/// result_type() for any number of operands.
ScalarType common_type(std::initializer_list<const TensorImpl*> operands);

/// Throws unless an element of type dtype can hold value.
void check_fits(const Scalar& value, ScalarType dtype);

/// The type of true division and of functions like exp: integers become the default dtype.
ScalarType floating_of(ScalarType t);

/// Rows of a result and of its inputs. The elements of a row are adjacent in memory.
template <size_t N>
struct DenseRows {
  std::array<std::byte*, N> start;  // the result's at first
  std::array<int64_t, N> to_next;   // bytes from a row to the next one
  int64_t rows, n;                  // each has n elements
  bool last_stays;                  // the second of two inputs is one number for a whole row
};
template <size_t N>
using ComputeRows = FunctionRef<void(const DenseRows<N>&)>;

/// Calls compute for all elements of out, with the inputs broadcast to its sizes. N is 2 to 4. Elements that are not adjacent, or
/// one element that stands for many, are copied in pieces that fit the cache, so that a loop is compiled for one layout alone.
template <size_t N>
void for_each_dense_row(const std::array<const TensorImpl*, N>& operands, ComputeRows<N> compute);

template <typename R, typename T, typename F, size_t N, size_t... kInputs>
void map_rows(const F& f, const DenseRows<N>& all, std::index_sequence<kInputs...>) {
  const auto row_of_input = [&all](size_t i, int64_t row) {
    return reinterpret_cast<const T*>(all.start[i + 1] + row * all.to_next[i + 1]);
  };
  const auto loop = [&](const auto& one_row) {
    vectorised<T>([&](auto form) {
      for (int64_t row = 0; row < all.rows; ++row)
        one_row(form, reinterpret_cast<R*>(all.start[0] + row * all.to_next[0]), all.n,
                row_of_input(kInputs, row)...);
    });
  };
  if constexpr (N == 3)
    if (all.last_stays)
      return loop([&f](auto form, R* out, int64_t n, const T* x, const T* y) {
        const T number = *y;
        for (int64_t i = 0; i < n; ++i) out[i] = apply_in(form, f, x[i], number);
      });
  loop([&f](auto form, R* out, int64_t n, const auto*... x) {
    for (int64_t i = 0; i < n; ++i) out[i] = apply_in(form, f, x[i]...);
  });
}

/// Writes f(x[i], ...) for every element: R is the element type of out, T that of the inputs, which are broadcast.
template <typename R, typename T, typename F, typename... Inputs>
void map_into(const F& f, const Tensor& out, const Inputs&... inputs) {
  constexpr size_t kOperands = sizeof...(Inputs) + 1;
  const TensorImpl& o = impl(out);
  // Small contiguous operands of equal sizes need no walk. This saves a tenth of the time of an op on two 4x4 matrices.
  if (o.contiguous && o.numel <= kGrain &&
      ((impl(inputs).contiguous && impl(inputs).sizes == o.sizes) && ...))
    return map_rows<R, T>(f,
                          DenseRows<kOperands>{{o.bytes(), impl(inputs).bytes()...}, {}, 1, o.numel, false},
                          std::index_sequence_for<Inputs...>());
  for_each_dense_row<kOperands>({&impl(out), &impl(inputs)...}, [&f](const DenseRows<kOperands>& rows) {
    map_rows<R, T>(f, rows, std::index_sequence_for<Inputs...>());
  });
}

/// Writes one value to every element, without reading what was there.
template <typename T>
void fill_into(const Tensor& out, T value) {
  const TensorImpl& o = impl(out);
  const auto w = make_walk<1>(o.sizes, {o.strides});
  for_each_row<1>(w, kGrain, [&](const auto& at, int64_t n) {
    T* row = o.data<T>() + at[0];
    if (w.stride(0) == 1) std::fill_n(row, n, value);
    else
      for (int64_t i = 0; i < n; ++i) row[i * w.stride(0)] = value;
  });
}

/// Whether out and x share memory in different layouts, so that a write to out may change elements of x that are not yet read.
bool overlaps(const Tensor& out, const Tensor& x);

/// y[i] = f(x[i]) with x's type, into a new tensor or into out.
template <typename Dispatch, typename F>
Tensor map_with(Dispatch&& dispatch_op, const Tensor& x, const Tensor& out, const F& f) {
  const TensorImpl& a = impl(x);
  if (isReducedFloatingType(a.dtype))
    return copied_to(out, as_type(map_with(dispatch_op, widened(x), {}, f), a.dtype));
  Tensor y = output_for(out, a.sizes, a.dtype, {&a});
  dispatch_op(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    map_into<T, T>(f, y, x);
  });
  return y;
}

/// y[i] = f(a[i], b[i]) after promotion of both to `dtype`, broadcast, into a new tensor or into out.
template <typename Dispatch, typename F>
Tensor zip_with(Dispatch&& dispatch_op, ScalarType dtype, const Tensor& a, const Tensor& b, const Tensor& out,
                const F& f) {
  const Tensor x = as_type(a, dtype), z = as_type(b, dtype);
  if (isReducedFloatingType(dtype))
    return copied_to(out, as_type(zip_with(dispatch_op, kFloat, widened(x), widened(z), {}, f), dtype));
  const TensorImpl &xi = impl(x), &zi = impl(z);
  const Shape sizes = xi.sizes == zi.sizes ? xi.sizes : broadcast_sizes(xi.sizes, zi.sizes);
  const bool aside = out.defined() && (impl(out).dtype != dtype || overlaps(out, x) || overlaps(out, z));
  Tensor y = output_for(aside ? Tensor() : out, sizes, dtype, {&xi, &zi});
  dispatch_op(dtype, [&](auto zero) {
    using T = decltype(zero);
    map_into<T, T>(f, y, x, z);
  });
  return aside ? copied_to(out, y) : y;
}

/// y[i] = f(a[i], b[i], c[i], number), all converted to `dtype` and broadcast, into a new tensor, or copied into out.
template <typename Dispatch, typename F>
Tensor zip_three(Dispatch&& dispatch_op, ScalarType dtype, const Tensor& a, const Tensor& b, const Tensor& c,
                 const Scalar& number, const Tensor& out, const F& f) {
  const Tensor p = as_type(a, dtype), q = as_type(b, dtype), r = as_type(c, dtype);
  if (isReducedFloatingType(dtype))
    return copied_to(
        out,
        as_type(zip_three(dispatch_op, kFloat, widened(p), widened(q), widened(r), number, {}, f), dtype));
  const Shape sizes = broadcast_sizes(broadcast_sizes(p.sizes(), q.sizes()), r.sizes());
  Tensor y = output_for({}, sizes, dtype, {&impl(p), &impl(q), &impl(r)});
  dispatch_op(dtype, [&](auto zero) {
    using T = decltype(zero);
    const T factor = number.to<T>();
    map_into<T, T>([&](T u, T v, T x) { return f(u, v, x, factor); }, y, p, q, r);
  });
  return copied_to(out, y);
}

/// Records an op that has no gradient in PyTorch: its backward throws.
Tensor without_gradient(const char* op, Inputs inputs, const Tensor& y);

/// Throws if an argument requires a gradient that the function does not compute.
void check_no_gradient(const char* function, const Tensor& t, const char* name);

/// The tensor in an argument of an op; an undefined one if the argument has none.
inline const Tensor& input_of(const Tensor& t) { return t; }
template <typename T>
const Tensor& input_of(const T&) {
  static const Tensor none;
  return none;
}
inline const Tensor& input_of(const optional<Tensor>& t) { return t ? *t : input_of(nullopt); }

/// The in-place form of an op: op(x, arguments...) is the op, forward(self, arguments..., self) writes its result into self.
template <typename Op, typename Forward, typename... Arguments>
Tensor& in_place_form(const Op& op, const Forward& forward, const Tensor& self,
                      const Arguments&... arguments) {
  return in_place(
      self, {input_of(arguments)...}, [&](const Tensor& x) { return op(x, arguments...); },
      [&] { forward(self, arguments..., self); });
}

}  // namespace etude::detail

/// The method of a function `name`: its parameters after the tensor, and their names.
#define ETUDE_METHOD(name, parameters, ...)                                       \
  auto Tensor::name parameters const->decltype(etude::name(*this, __VA_ARGS__)) { \
    return etude::name(*this, __VA_ARGS__);                                       \
  }

/// Both methods of a function `name`, whose plain kernel is name_forward(x, arguments..., out).
#define ETUDE_METHODS(name, parameters, ...)                                                            \
  ETUDE_METHOD(name, parameters, __VA_ARGS__)                                                           \
  Tensor& Tensor::name##_ parameters const {                                                            \
    ETUDE_METHOD_OP(name##_, __VA_ARGS__);                                                              \
    return detail::in_place_form([](const auto&... arguments) { return etude::name(arguments...); },    \
                                 [](const auto&... arguments) { name##_forward(arguments...); }, *this, \
                                 __VA_ARGS__);                                                          \
  }

/// All methods of a function of two tensors, or of a tensor and a number.
#define ETUDE_BINARY_METHODS(name)                  \
  ETUDE_METHODS(name, (const Tensor& other), other) \
  ETUDE_METHOD(name, (const Scalar& other), other)  \
  Tensor& Tensor::name##_(const Scalar& other) const { return name##_(detail::wrapped(other)); }
