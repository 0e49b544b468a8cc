// Rows along one dim, selected by a vector k of row indices. Along dim 0:
//
//   index_select:  y[p] = x[k[p]]                dx = 0 and dx[k[p]] += dy[p]
//   index_add:   y = x, then y[k[p]] += a s[p]   dx = dy,                      ds[p] = a dy[k[p]]
//   index_copy:  y = x, except y[k[p]] = s[p]    dx = dy with zeros at k,      ds[p] = dy[k[p]]
//   index_fill:  y = x, except y[k[p]] = v       dx likewise,                  dv = sum of dy at k
//   repeat_interleave:  index_select with k = 0, r[0] times, then 1, r[1] times, ...
//
// A row that is selected twice is written or added to in the order of p, for any number of threads.

#include <algorithm>

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/indexed.h"

namespace etude {
namespace {

using namespace detail;

// t, with a 0-dim tensor as a tensor of one dim.
Tensor at_least_1d(const Tensor& t) { return t.dim() > 0 ? alias(t) : alias(t).view({1}); }

// The same for a gradient, which may be recorded.
Tensor as_vector(const Tensor& dy) { return dy.dim() > 0 ? dy : dy.view({1}); }

int64_t size_along(const Tensor& t, int64_t d) { return t.dim() > 0 ? t.size(d) : 1; }

// The checked arguments of a write.
struct Write {
  int64_t dim;
  Tensor rows, source;  // rows: int64 from 0, not shared; source: as large as the rows it is written to
};

// The checked row indices, in memory of their own.
Tensor checked_rows(const Tensor& index, int64_t size, bool from_the_end, RefuseId refuse) {
  return checked_ids(contiguous_copy(index), size, from_the_end, refuse).view({-1});
}

Tensor apart(const Tensor& source, const Tensor& y) {
  return source.is_alias_of(y) ? alias(source).clone() : alias(source);
}

// y[k[p]] = s[p], or y[k[p]] += alpha s[p].
void write_rows(const Tensor& self, const Write& w, Combine combine, const Scalar& alpha = 1) {
  check_fits(alpha, self.scalar_type());
  const Tensor y = at_least_1d(self),
               s = alpha.equal(1) ? apart(w.source, y) : w.source.detach() * full({}, alpha, y.scalar_type());
  const Shape& strides = impl(y).strides;
  const Ids ids = known_ids(w.rows, along(y.dim(), w.dim), strides[w.dim]);
  write_by(ids, {impl(s).sizes, w.dim, s, impl(s).strides}, y, strides, combine);
}

Write index_add_forward(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                        const Scalar& alpha, const Tensor& out) {
  const int64_t d = wrap_dim(dim, self.dim()), size = size_along(self, d), count = index.numel();
  ETUDE_CHECK_INDEX(index.dim() <= 1,
                    "index_add_(): Index is supposed to be a vector, but got dim: ", index.dim(),
                    " with type: ", toString(index.scalar_type()), " and size: ", index.sizes());
  ETUDE_CHECK(index.scalar_type() == kLong || index.scalar_type() == kInt,
              "index_add_(): Expected dtype int32/int64 for index but got: ", toString(index.scalar_type()));
  ETUDE_CHECK(self.scalar_type() == source.scalar_type(), "index_add_(): self (",
              toString(self.scalar_type()), ") and source (", toString(source.scalar_type()),
              ") must have the same scalar type");
  ETUDE_CHECK(d == 0 || d < source.dim(), "index_add_(): Indexing dim ", d,
              " is out of bounds of the source tensor with dim ", source.dim());
  ETUDE_CHECK(count == size_along(source, d), "index_add_(): Number of indices (", count,
              ") should be equal to source.size(dim): (", size_along(source, d), "), for dim: ", d);
  const bool is_number = self.dim() == 0 || source.dim() == 0;
  ETUDE_CHECK(
      is_number ? self.dim() == source.dim() : without(impl(self).sizes, d) == without(impl(source).sizes, d),
      "source tensor shape must match self tensor shape, excluding the specified dimension. Got "
      "self.shape = ",
      self.sizes(), " source.shape = ", source.sizes());
  const Tensor rows = checked_rows(index, size, false, [&](int64_t k, int64_t) {
    const std::string received = str("\nreceived a tensor of sizes ", self.sizes());
    if (self.dim() <= 1) throw IndexError(str("index out of range in self\nreceived index ", k, received));
    throw Error(str("index ", k, " is out of bounds for dimension ", d, " with size ", size, received));
  });
  Write w{d, rows, at_least_1d(source)};
  write_rows(out, w, Combine::Add, alpha);
  return w;
}

void check_copied(const Tensor& self, int64_t d, const Tensor& index, const Tensor& source) {
  ETUDE_CHECK_INDEX(index.dim() <= 1, "index_copy_(): Index should have dimension 1 or 0 (got ", index.dim(),
                    ")");
  ETUDE_CHECK_INDEX(source.dim() > 0 || index.numel() == 1,
                    "index_copy_(): When source is scalar, index should have one element (got ",
                    index.numel(), ")");
  ETUDE_CHECK_INDEX(source.dim() == self.dim() || source.dim() == 0 || self.dim() == 0,
                    "index_copy_(): When source and destination are not scalars, their dimensionality must "
                    "match. Source dimensionality (",
                    source.dim(), "), destination dimensionality (", self.dim(), ")");
  ETUDE_CHECK(index.scalar_type() == kLong, "index_copy_(): Expected a long tensor for index, but got ",
              toString(index.scalar_type()));
  ETUDE_CHECK(self.scalar_type() == source.scalar_type(),
              "index_copy_(): self and source expected to have the same dtype, but got (self) ",
              toString(self.scalar_type()), " and (source) ", toString(source.scalar_type()));
  const Shape slice = self.dim() > 0 ? without(impl(self).sizes, d) : Shape(),
              given = source.dim() > 0 ? without(impl(source).sizes, d) : Shape();
  ETUDE_CHECK(
      slice == given,
      "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: ",
      Join(" ", slice), " at dimension ", d, " and source slice shape: ", Join(" ", given),
      " at dimension 0.");
  ETUDE_CHECK_INDEX(source.dim() == 0 || index.numel() == source.size(d),
                    "index_copy_(): Number of indices (", index.numel(),
                    ") should be equal to source.size(dim) (", size_along(source, d), ")");
}

Write index_copy_forward(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                         const Tensor& out) {
  const int64_t d = wrap_dim(dim, self.dim()), size = size_along(self, d);
  check_copied(self, d, index, source);
  const Tensor rows = checked_rows(index, size, false, [&](int64_t k, int64_t) {
    throw IndexError(str("index_copy_(): index ", k, " is out of bounds for dimension ", d, " with size ",
                         size, "\nreceived a tensor of sizes ", self.sizes()));
  });
  Write w{d, rows, at_least_1d(source)};
  write_rows(out, w, Combine::Replace);
  return w;
}

Write filling(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value) {
  const int64_t d = wrap_dim(dim, self.dim()), size = size_along(self, d);
  ETUDE_CHECK(value.dim() == 0,
              "index_fill_ only supports a 0-dimensional value tensor, but got tensor with ", value.dim(),
              " dimension(s).");
  ETUDE_CHECK_INDEX(index.scalar_type() == kLong, "index_fill_(): Expected dtype int64 for index.\nreceived ",
                    dtype_name(index.scalar_type()));
  ETUDE_CHECK(index.dim() <= 1, "Index has to be a vector/scalar\nreceived sizes ", index.sizes());
  const Tensor rows = checked_rows(index, size, true, [&](int64_t k, int64_t) {
    throw IndexError(str("index ", k, " is out of bounds for dimension ", d, " with size ", size,
                         "\nreceived a tensor of sizes ", self.sizes()));
  });
  Shape sizes = impl(at_least_1d(self)).sizes;
  sizes[d] = rows.numel();
  check_fits(value.item(), self.scalar_type());
  return {d, rows, as_type(alias(value), self.scalar_type()).expand(sizes)};
}

Tensor filled(const char* name, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value) {
  const Write w = filling(self, dim, index, value);
  Tensor y = self.detach().clone();
  write_rows(y, w, Combine::Replace);
  return recorded(
      name, {self, value}, y,
      [d = w.dim, rows = w.rows, on_self = needs_grad(self), on_value = needs_grad(value)](const Tensor& dy) {
        const Tensor k = tensor(distinct(rows));  // a row that is selected twice counts once
        return Gradients{on_self ? dy.index_fill(d, rows, 0) : Tensor(),
                         on_value ? dy.index_select(d, k).sum() : Tensor()};
      });
}

Tensor& fill_in_place(const char* name, const Tensor& self, int64_t dim, const Tensor& index,
                      const Tensor& value) {
  return in_place(
      self, {self.is_floating_point() ? value : Tensor()},
      [&](const Tensor& x) { return filled(name, x, dim, index, value); },
      [&] { write_rows(self, filling(self, dim, index, value), Combine::Replace); });
}

// The checked positions as int64. A 0-dim self counts as one element.
Tensor checked_positions(const Tensor& self, int64_t d, const Tensor& index) {
  ETUDE_CHECK_INDEX(index.dim() <= 1, "index_select(): Index is supposed to be a vector\nreceived sizes ",
                    index.sizes());
  ETUDE_CHECK(index.scalar_type() == kLong || index.scalar_type() == kInt,
              "index_select(): Expected dtype int32 or int64 for index", "\nreceived ",
              dtype_name(index.scalar_type()));
  ETUDE_CHECK(self.dim() > 0 || index.numel() == 1,
              "index_select(): Index to scalar can have only 1 value, got ", index.numel(), " value(s)");
  const int64_t size = size_along(self, d);
  ETUDE_CHECK(size > 0 || self.dim() == 1 || index.numel() == 0,
              "index_select(): self indexing axis dim should be positive", "\nreceived dim ", d,
              " of a tensor of sizes ", self.sizes());
  return checked_ids(index, size, /*from_the_end=*/false, [&](int64_t i, int64_t p) {
    throw IndexError(str("index out of range in self\nreceived index ", i, " at position ", p, " for dim ", d,
                         " of a tensor of sizes ", self.sizes(),
                         "\nhint: index_select counts from 0 and takes no negative indices"));
  });
}

// The numbers i = 0, 1, ..., each r[i] times, for contiguous r.
template <typename T>
Tensor repeated_numbers(const Tensor& repeats, const optional<int64_t>& output_size) {
  const T* r = impl(repeats).data<T>();
  int64_t total = 0;
  for (int64_t i = 0; i < repeats.numel(); ++i) {
    ETUDE_CHECK(r[i] >= 0, "repeats can not be negative\nreceived ", r[i], " at position ", i);
    ETUDE_CHECK(!__builtin_add_overflow(total, static_cast<int64_t>(r[i]), &total),
                "repeat_interleave: the number of rows does not fit into 64 bits");
  }
  ETUDE_CHECK(!output_size || *output_size == total, "allocated size does not match required size\nreceived ",
              output_size.value_or(0), " for repeats whose sum is ", total);
  Tensor result = empty({total}, repeats.scalar_type());
  T* to = impl(result).data<T>();
  for (int64_t i = 0; i < repeats.numel(); ++i) to = std::fill_n(to, r[i], static_cast<T>(i));
  return result;
}

}  // namespace

Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  ETUDE_OP(index_select, self, dim, index);
  const int64_t d = wrap_dim(dim, self.dim());
  const Tensor rows = checked_positions(self, d, index).view({-1});
  Shape sizes = impl(self).sizes;
  if (self.dim() > 0) sizes[d] = rows.numel();
  return recorded("IndexSelectBackward0", {self}, rows_of(at_least_1d(self), d, rows, sizes), {rows},
                  [d, sizes = Shape(self.sizes())](const Tensor& dy, const Tensor& k) {
                    return zeros(sizes.ref(), dy.scalar_type()).index_add_(d, k, dy);
                  });
}

Tensor index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha) {
  ETUDE_OP(index_add, self, dim, index, source, alpha);
  Tensor y = contiguous_copy(self);
  const Write w = index_add_forward(self, dim, index, source, alpha, y);
  return recorded("IndexAddBackward0", {self, source}, y,
                  [d = w.dim, rows = w.rows, alpha, on_source = needs_grad(source)](const Tensor& dy) {
                    return Gradients{dy, on_source ? as_vector(dy).index_select(d, rows) * alpha : Tensor()};
                  });
}

Tensor index_copy(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  ETUDE_OP(index_copy, self, dim, index, source);
  Tensor y = contiguous_copy(self);
  const Write w = index_copy_forward(self, dim, index, source, y);
  return recorded("IndexCopyBackward0", {self, source}, y,
                  [d = w.dim, rows = w.rows, on_self = needs_grad(self),
                   on_source = needs_grad(source)](const Tensor& dy) {
                    return Gradients{on_self ? dy.index_fill(d, rows, 0) : Tensor(),
                                     on_source ? as_vector(dy).index_select(d, rows) : Tensor()};
                  });
}

#define ETUDE_INDEX_FILL(Value, node, tensor)                                                         \
  Tensor index_fill(const Tensor& self, int64_t dim, const Tensor& index, const Value& value) {       \
    ETUDE_OP(index_fill, self, dim, index, value);                                                    \
    return filled(node, self, dim, index, tensor);                                                    \
  }                                                                                                   \
  ETUDE_METHOD(index_fill, (int64_t dim, const Tensor& index, const Value& value), dim, index, value) \
  Tensor& Tensor::index_fill_(int64_t dim, const Tensor& index, const Value& value) const {           \
    ETUDE_METHOD_OP(index_fill_, dim, index, value);                                                  \
    return fill_in_place(node, *this, dim, index, tensor);                                            \
  }
ETUDE_INDEX_FILL(Scalar, "IndexFillBackward0", wrapped(value))
ETUDE_INDEX_FILL(Tensor, "IndexFillBackward1", value)
#undef ETUDE_INDEX_FILL

ETUDE_METHOD(index_select, (int64_t dim, const Tensor& index), dim, index)
ETUDE_METHODS(index_add, (int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha), dim,
              index, source, alpha)
ETUDE_METHODS(index_copy, (int64_t dim, const Tensor& index, const Tensor& source), dim, index, source)

Tensor repeat_interleave(const Tensor& repeats, optional<int64_t> output_size) {
  ETUDE_OP(repeat_interleave, repeats, output_size);
  ETUDE_CHECK(repeats.dim() == 1, "repeat_interleave only accept 1D vector as repeat\nreceived sizes ",
              repeats.sizes());
  const ScalarType type = repeats.scalar_type();
  if (type != kLong && type != kInt) refuse_dtype("repeat_interleave_cpu", type);
  const Tensor r = repeats.contiguous();
  return type == kLong ? repeated_numbers<int64_t>(r, output_size)
                       : repeated_numbers<int32_t>(r, output_size);
}

Tensor repeat_interleave(const Tensor& self, const Tensor& repeats, optional<int64_t> dim,
                         optional<int64_t> output_size) {
  ETUDE_OP(repeat_interleave, self, repeats, dim, output_size);
  const Tensor x = dim ? self : self.flatten();
  ETUDE_CHECK_INDEX(x.dim() > 0, "Dimension specified as ", dim.value_or(0), " but tensor has no dimensions");
  const int64_t d = wrap_dim(dim.value_or(0), x.dim());
  ETUDE_CHECK(repeats.dim() <= 1, "repeats must be 0-dim or 1-dim tensor\nreceived sizes ", repeats.sizes());
  const bool same = repeats.dim() == 0 || repeats.size(0) == 1;
  ETUDE_CHECK(
      same || repeats.size(0) == x.size(d),
      "repeats must have the same size as input along dim, but got repeats.size(0) = ", repeats.numel(),
      " and input.size(", d, ") = ", x.size(d), "\nreceived a tensor of sizes ", x.sizes());
  const Tensor each = same ? repeats.reshape({1}).expand({x.size(d)}) : repeats;
  return x.index_select(d, repeat_interleave(each, output_size));
}

Tensor repeat_interleave(const Tensor& self, int64_t repeats, optional<int64_t> dim,
                         optional<int64_t> output_size) {
  ETUDE_OP(repeat_interleave, self, repeats, dim, output_size);
  ETUDE_CHECK(repeats >= 0, "Repeats must be non-negative\nreceived ", repeats);
  const Tensor x = dim ? self : self.flatten();
  const int64_t d = x.dim() > 0 ? wrap_dim(dim.value_or(0), x.dim()) : 0;
  const Tensor columns = x.unsqueeze(d + 1);
  Shape each(columns.sizes());
  each[d + 1] = repeats;
  Tensor y = columns.expand(each).clone().flatten(d, d + 1);
  ETUDE_CHECK(!output_size || *output_size == y.size(d), "repeat_interleave: Invalid output_size, expected ",
              y.size(d), " but got ", output_size.value_or(0));
  return y;
}

ETUDE_METHOD(repeat_interleave, (const Tensor& repeats, optional<int64_t> dim, optional<int64_t> output_size),
             repeats, dim, output_size)
ETUDE_METHOD(repeat_interleave, (int64_t repeats, optional<int64_t> dim, optional<int64_t> output_size),
             repeats, dim, output_size)

}  // namespace etude
