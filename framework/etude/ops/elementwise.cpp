#include "etude/ops/detail/elementwise.h"

#include <algorithm>

namespace etude {
namespace detail {
namespace {

int category(ScalarType t) { return t == kBool ? 0 : isIntegralType(t, false) ? 1 : 2; }

// Strides without gaps for `sizes`, in the memory order of the inputs: a transposed input gives a transposed
// output, and both are walked in memory order. Dims are sorted from the innermost on; where no input decides
// between two, they keep their order.
Shape dense_strides(const Shape& sizes, std::initializer_list<const TensorImpl*> inputs) {
  const int64_t dims = sizes.size();
  auto stride = [&](const TensorImpl& t, int64_t d) {
    const int64_t own = d - (dims - t.sizes.size());
    return own < 0 || (t.sizes[own] == 1 && sizes[d] != 1) ? 0 : t.strides[own];
  };
  auto inner_first = [&](int64_t a, int64_t b) {  // -1: a inside b, 1: the other way round, 0: undecided
    for (const TensorImpl* t : inputs) {
      const int64_t sa = stride(*t, a), sb = stride(*t, b);
      if (sa == 0 || sb == 0) continue;
      if (sa != sb) return sa < sb ? -1 : 1;
      if (sizes[a] > sizes[b]) return 1;
    }
    return 0;
  };
  Shape order = Shape::filled(dims, 0);
  for (int64_t i = 0; i < dims; ++i) order[i] = dims - 1 - i;
  for (int64_t i = 1; i < dims; ++i) {
    int64_t at = i;
    for (int64_t j = i - 1; j >= 0; --j) {
      const int decided = inner_first(order[j], order[at]);
      if (decided < 0) break;
      if (decided == 0) continue;
      std::swap(order[j], order[at]);
      at = j;
    }
  }
  Shape strides = sizes;
  int64_t next = 1;
  for (const int64_t d : order) {
    strides[d] = next;
    next *= std::max<int64_t>(sizes[d], 1);
  }
  return strides;
}

// Operands that are not contiguous are copied piece by piece; a few pieces of this size fit into the first cache. The alternatives
// were measured for 512x512 numbers on one thread with AVX-512. Copying whole operands first takes 1.2 times as long for exp of
// every second column, and needs memory for another tensor. A loop over strides that are known at run time takes 3 times as long
// there, and 4 times as long to add a column.
constexpr int64_t kPieceBytes = 4096;

template <size_t N>
struct Layout {
  std::array<int64_t, N> bytes;  // of an element
  std::array<int64_t, N> step;   // from one element to the next, in elements
  int64_t piece = kPieceBytes;   // elements
  bool dense = true, last_stays = false;

  void set(size_t o, int64_t to_next) {
    step[o] = to_next;
    last_stays = N == 3 && o == 2 && to_next == 0;
    dense = dense && (to_next == 1 || last_stays);
  }
};

template <size_t N>
void by_pieces(const Layout<N>& s, const std::array<std::byte*, N>& start, int64_t n,
               ComputeRows<N> compute) {
  alignas(64) std::byte pieces[N][kPieceBytes];
  for (int64_t i = 0; i < n; i += s.piece) {
    DenseRows<N> dense{{}, {}, 1, std::min(s.piece, n - i), false};
    const auto here = [&](size_t o) { return start[o] + i * s.step[o] * s.bytes[o]; };
    for (size_t o = 0; o < N; ++o) {
      dense.start[o] = s.step[o] == 1 ? here(o) : pieces[o];
      const bool stays = s.step[o] == 0 && i > 0;
      if (o > 0 && s.step[o] != 1 && !stays) move_row(pieces[o], 1, here(o), s.step[o], dense.n, s.bytes[o]);
    }
    compute(dense);
    if (s.step[0] != 1) move_row(here(0), s.step[0], pieces[0], 1, dense.n, s.bytes[0]);
  }
}

// Dense rows of up to this length are computed many in one call.
constexpr int64_t kShort = kGrain / 16;

template <size_t N>
void compute_rows(const Layout<N>& s, Walk<N> w, const std::array<std::byte*, N>& start,
                  ComputeRows<N> compute) {
  const auto at = [&](const std::array<int64_t, N>& offsets) {
    std::array<std::byte*, N> row;
    for (size_t o = 0; o < N; ++o) row[o] = start[o] + offsets[o] * s.bytes[o];
    return row;
  };
  const int64_t n = w.inner();
  if (!s.dense || w.dims == 1 || n > kShort)
    return for_each_row<N>(w, kGrain, [&](const std::array<int64_t, N>& offsets, int64_t length) {
      if (s.dense) compute(DenseRows<N>{at(offsets), {}, 1, length, s.last_stays});
      else by_pieces(s, at(offsets), length, compute);
    });
  --w.dims;
  w.count /= n;
  DenseRows<N> rows{{}, {}, 0, n, s.last_stays};
  for (size_t o = 0; o < N; ++o) rows.to_next[o] = w.stride(static_cast<int>(o)) * s.bytes[o];
  for_each_row<N>(w, kGrain / n, [&](const std::array<int64_t, N>& offsets, int64_t count) {
    DenseRows<N> some = rows;
    some.start = at(offsets);
    some.rows = count;
    compute(some);
  });
}

}  // namespace

Shape broadcast_strides(const TensorImpl& t, const Shape& sizes) {
  if (t.sizes == sizes) return t.strides;
  Shape strides = Shape::filled(sizes.size(), 0);
  const int64_t extra = sizes.size() - t.sizes.size();
  for (int64_t d = 0; d < t.sizes.size(); ++d)
    strides[d + extra] = t.sizes[d] == 1 && sizes[d + extra] != 1 ? 0 : t.strides[d];
  return strides;
}

template <size_t N>
void for_each_dense_row(const std::array<const TensorImpl*, N>& t, ComputeRows<N> compute) {
  const TensorImpl& out = *t[0];
  if (out.numel == 0) return;
  std::array<std::byte*, N> start;
  Layout<N> s;
  bool one_row = out.numel <= kGrain;
  for (size_t o = 0; o < N; ++o) {
    const bool alike = t[o]->contiguous && t[o]->sizes == out.sizes;
    start[o] = t[o]->bytes();
    s.bytes[o] = row_of(t[o]->dtype).bytes;
    s.piece = std::min(s.piece, kPieceBytes / s.bytes[o]);
    s.set(o, alike ? 1 : 0);
    one_row = one_row && (alike || (o > 0 && t[o]->numel == 1));
  }
  if (one_row && s.dense) return compute(DenseRows<N>{start, {}, 1, out.numel, s.last_stays});
  if (one_row) return by_pieces(s, start, out.numel, compute);

  std::array<Shape, N> strides;
  for (size_t o = 0; o < N; ++o) strides[o] = broadcast_strides(*t[o], out.sizes);
  const auto w = memory_walk<N>(out.sizes, strides);
  s.dense = true;
  for (size_t o = 0; o < N; ++o) s.set(o, w.stride(static_cast<int>(o)));
  compute_rows<N>(s, w, start, compute);
}

template void for_each_dense_row(const std::array<const TensorImpl*, 2>&, ComputeRows<2>);
template void for_each_dense_row(const std::array<const TensorImpl*, 3>&, ComputeRows<3>);
template void for_each_dense_row(const std::array<const TensorImpl*, 4>&, ComputeRows<4>);

Tensor output_for(const Tensor& out, const Shape& sizes, ScalarType dtype,
                  std::initializer_list<const TensorImpl*> inputs) {
  if (out.defined()) {
    check_takes(out, sizes, dtype);
    return out;
  }
  Tensor y = make_tensor(sizes, dtype);
  if (std::all_of(inputs.begin(), inputs.end(), [](const TensorImpl* t) { return t->contiguous; })) return y;
  impl(y).strides = dense_strides(sizes, inputs);
  impl(y).refresh();
  return y;
}

Tensor copied_to(const Tensor& out, const Tensor& y) {
  if (!out.defined()) return y;
  return output_for(out, impl(y).sizes, impl(y).dtype, {}).copy_(y);
}

Shape without(Shape shape, int64_t d) {
  shape.erase(d);
  return shape;
}

Tensor seen_along(const Tensor& vector, int64_t dims, int64_t d) {
  Shape sizes = Shape::filled(dims, 1);
  if (vector.numel() != 1) sizes[d] = vector.numel();
  return vector.view(sizes);
}

Tensor wrapped(const Scalar& value) {
  const ScalarType dtype = value.isFloatingPoint() ? kDouble : value.type();
  Tensor t = make_tensor({}, dtype);
  TensorImpl& i = impl(t);
  i.wrapped_number = true;
  if (dtype == kDouble) *i.data<double>() = value.toDouble();
  else if (dtype == kBool) *i.data<bool>() = value.toBool();
  else *i.data<int64_t>() = value.toLong();
  return t;
}

static Tensor converted(const Tensor& t, ScalarType dtype) {
  const TensorImpl& from = impl(t);
  Tensor result = output_for({}, from.sizes, dtype, {&from});
  if (from.wrapped_number && from.dtype == kDouble && dtype == kFloat)  // nearly every number
    *impl(result).data<float>() = static_cast<float>(*from.data<double>());
  else convert(result, t);
  return result;
}

Tensor as_type(const Tensor& t, ScalarType dtype) { return impl(t).dtype == dtype ? t : converted(t, dtype); }

Tensor widened(const Tensor& t) {
  return t.defined() && isReducedFloatingType(impl(t).dtype) ? as_type(t, kFloat) : t;
}

Tensor dense(const Tensor& t) {
  Tensor x = widened(t);
  return impl(x).contiguous ? x : contiguous_copy(x);
}

Tensor with_sizes(const Tensor& t, const Shape& sizes) {
  const TensorImpl& x = impl(t);
  return make_view(x.storage, sizes, contiguous_strides(sizes), x.offset, x.dtype);
}

// Numbers give way to 0-dim tensors, those to tensors with dims, unless of a higher category (bool < integer < floating).
ScalarType common_type(std::initializer_list<const TensorImpl*> operands) {
  optional<ScalarType> ranks[3];  // of numbers, 0-dim tensors and tensors with dims
  for (const TensorImpl* t : operands) {
    const ScalarType dtype = t->wrapped_number && t->dtype == kDouble ? get_default_dtype() : t->dtype;
    optional<ScalarType>& of_rank = ranks[t->wrapped_number ? 0 : t->sizes.empty() ? 1 : 2];
    of_rank = of_rank ? promote_types(*of_rank, dtype) : dtype;
  }
  optional<ScalarType> result;
  for (const optional<ScalarType>& higher : ranks) {
    if (!higher) continue;
    result = !result || category(*higher) >= category(*result) ? *higher : promote_types(*higher, *result);
  }
  return *result;
}

void check_fits(const Scalar& value, ScalarType dtype) {
  dispatch(dtype, [&](auto zero) { static_cast<void>(value.to<decltype(zero)>()); });
}

ScalarType floating_of(ScalarType t) { return isFloatingType(t) ? t : get_default_dtype(); }

bool overlaps(const Tensor& out, const Tensor& x) {
  const TensorImpl &o = impl(out), &i = impl(x);
  return o.storage == i.storage && !(o.offset == i.offset && o.sizes == i.sizes && o.strides == i.strides);
}

Tensor without_gradient(const char* op, Inputs inputs, const Tensor& y) {
  constexpr const char* name = "NotImplemented";
  return recorded(name, inputs, y, [op](const Tensor&) -> Gradients {
    throw NotImplementedError(str("derivative for aten::", op, " is not implemented",
                                  "\nhint: PyTorch has none either; detach() the input if none is wanted"));
  });
}

void check_no_gradient(const char* function, const Tensor& t, const char* name) {
  ETUDE_CHECK(!recording({t}), "The function '", function,
              "' is not differentiable with respect to argument '", name,
              "'. This input cannot have requires_grad True.");
}

}  // namespace detail

using namespace detail;

ScalarType result_type(const Tensor& a, const Tensor& b) {
  const TensorImpl &x = impl(a), &y = impl(b);
  if (x.dtype == y.dtype && !x.wrapped_number && !y.wrapped_number) return x.dtype;
  return common_type({&x, &y});
}

ScalarType result_type(const Tensor& a, const Scalar& b) { return result_type(a, wrapped(b)); }

}  // namespace etude
