// Elements at an index along one dim, read and written. With an index k, along dim 1:
//
//   gather:       y[i, j] = x[i, k[i, j]]                 dx[i, k[i, j]] += dy[i, j]
//   scatter:      y = x, except y[i, k[i, j]] = s[i, j]   dx = dy with zeros there,  ds[i, j] = dy[i, k[i, j]]
//   scatter_add:  y = x, then y[i, k[i, j]] += s[i, j]    dx = dy,                   ds likewise
//   one_hot:      y[..., c] = 1 if c = x[...], else 0     no gradient
//
// If k selects an element several times, the last value stays, or all are added in the order of j, for any number of threads.

#include <string>

#include "etude/ops/detail/arithmetic.h"
#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/indexed.h"

namespace etude {
namespace {

using namespace detail;

// The shape, with a 0-dim shape as one dim of size 1.
Shape with_a_dim(const Shape& shape) { return shape.empty() ? Shape{1} : shape; }

Tensor gather_forward(const Tensor& x, int64_t d, const Tensor& index) {
  const Shape sizes = with_a_dim(impl(x).sizes);
  auto refuse = [&](int64_t id, int64_t) {
    throw Error(str("index ", id, " is out of bounds for dimension ", d, " with size ", sizes[d],
                    "\nreceived an index of sizes ", index.sizes(), " for a tensor of sizes ", x.sizes(),
                    "\nhint: gather counts from 0 and takes no negative indices"));
  };
  Tensor y = make_tensor(index.sizes(), x.scalar_type());
  Shape strides = with_a_dim(impl(x).strides);
  const Ids ids{impl(index).data<int64_t>(), with_a_dim(impl(index).strides), sizes[d], strides[d], refuse};
  strides[d] = 0;
  pick_by(ids, with_a_dim(impl(index).sizes), y, x, strides);
  return y;
}

// Indices of int32 are read as int64.
Tensor long_of(const Tensor& index) { return index.scalar_type() == kInt ? index.to(kLong) : index; }

void check_index(const Tensor& self, int64_t d, const Tensor& index) {
  if (index.numel() == 0) return;
  ETUDE_CHECK(index.scalar_type() == kLong, "gather(): Expected dtype int32/int64 for index\nreceived ",
              dtype_name(index.scalar_type()));
  const Shape x = with_a_dim(impl(self).sizes), k = with_a_dim(impl(index).sizes);
  ETUDE_CHECK(x.size() == k.size(),
              "Index tensor must have the same number of dimensions as input tensor\nreceived sizes ",
              index.sizes(), " for a tensor of sizes ", self.sizes());
  for (int64_t i = 0; i < x.size(); ++i)
    ETUDE_CHECK(i == d || k[i] <= x[i], "Size does not match at dimension ", i, " expected index ",
                index.sizes(), " to be no larger than self ", self.sizes(), " apart from dimension ", d);
}

// A number stands for a tensor with the sizes of the index; PyTorch's message differs.
void check(const Tensor& self, int64_t d, const Tensor& index, const Tensor& src, bool number) {
  ETUDE_CHECK(index.numel() == 0 || index.scalar_type() == kLong,
              "scatter(): Expected dtype int32/int64 for index\nreceived ", dtype_name(index.scalar_type()));
  ETUDE_CHECK(self.scalar_type() == src.scalar_type(),
              "scatter(): Expected self.dtype to be equal to src.dtype\nreceived ",
              dtype_name(self.scalar_type()), " and ", dtype_name(src.scalar_type()));
  if (index.numel() == 0) return;
  const Shape x = with_a_dim(impl(self).sizes), k = with_a_dim(impl(index).sizes),
              s = number ? k : with_a_dim(impl(src).sizes);
  for (const Shape& other : {x, s})
    ETUDE_CHECK(k.size() == other.size(), "Index tensor must have the same number of dimensions as ",
                k.size() != x.size() ? "self" : "src", " tensor\nreceived an index of sizes ", index.sizes(),
                ", a tensor of sizes ", self.sizes(), " and a source of sizes ", src.sizes());
  for (int64_t i = 0; i < k.size(); ++i)
    ETUDE_CHECK((i == d || k[i] <= x[i]) && k[i] <= s[i], "Expected index ", index.sizes(),
                " to be no larger than self ", self.sizes(), " apart from dimension ", d,
                number ? "" : str(" and to be no larger size than src ", src.sizes()));
}

// y[k[i]] = s[i] along each lane, or the two combined. A 0-dim src is used for all positions.
void write_into(const Tensor& y, int64_t d, const Tensor& index, const Tensor& src, Combine combine) {
  if (index.numel() == 0) return;
  const Tensor k = y.is_alias_of(index) ? index.clone() : index;
  const Tensor s = y.is_alias_of(src) ? src.detach().clone() : src;
  const Shape sizes = with_a_dim(impl(k).sizes), y_sizes = with_a_dim(impl(y).sizes),
              strides = with_a_dim(impl(y).strides);
  auto refuse = [&](int64_t id, int64_t) {
    throw Error(str("index ", id, " is out of bounds for dimension ", d, " with size ", y_sizes[d],
                    "\nreceived an index of sizes ", index.sizes(), " for a tensor of sizes ", y.sizes(),
                    "\nhint: scatter counts from 0 and takes no negative indices"));
  };
  const Ids ids{impl(k).data<int64_t>(), with_a_dim(impl(k).strides), y_sizes[d], strides[d], refuse};
  const Shape s_strides = s.dim() == 0 ? Shape::filled(sizes.size(), 0) : impl(s).strides;
  write_by(ids, {sizes, d, s, s_strides}, y, strides, combine);
}

// Pads g with zeros at the end of each dim: src may be larger than the index, and its unread elements get no gradient.
Tensor padded(Tensor g, const Shape& sizes) {
  for (int64_t d = 0; d < g.dim() && d < sizes.size(); ++d) {
    Shape rest(g.sizes());
    rest[d] = sizes[d] - g.size(d);
    if (rest[d] > 0) g = cat({g, zeros(rest, g.scalar_type())}, d);
  }
  return g;
}

Tensor gradient_of_source(const Tensor& dy, int64_t d, const Tensor& index, const Shape& sizes) {
  if (index.numel() == 0) return zeros(sizes, dy.scalar_type());
  return padded(dy.gather(d, index), sizes);
}

// A form of an op with a node of its own. For a number, src is 0-dim and gets no gradient.
struct ScatterForm {
  Combine kind;
  const char* name;  // null if PyTorch has no gradient
  bool number = false;
};

const ScatterForm kScatter{Combine::Replace, "ScatterBackward0"},
    kScatterNumber{Combine::Replace, "ScatterBackward1", true},
    kScatterAdd{Combine::Add, "ScatterAddBackward0"};

Tensor scattered(const ScatterForm& form, const Tensor& self, int64_t dim, const Tensor& given,
                 const Tensor& src) {
  const int64_t d = wrap_dim(dim, self.dim());
  const Tensor index = long_of(given);
  check(self, d, index, src, form.number);
  Tensor y = contiguous_copy(self);
  write_into(y, d, index, src.detach(), form.kind);
  if (!recording({self, src})) return y;
  if (!form.name) return without_gradient("scatter", {self, src}, y);
  return record(
      form.name, {self, src}, y,
      [d, kind = form.kind, index = Saved(index, form.kind != Combine::Add || needs_grad(src)),
       sizes = Shape(src.sizes()), on_self = needs_grad(self), on_src = needs_grad(src)](const Tensor& dy) {
        const Tensor k = index.get();
        const Tensor dx = !on_self ? Tensor() : kind == Combine::Add ? dy : dy.scatter(d, k, 0);
        return Gradients{dx, on_src ? gradient_of_source(dy, d, k, sizes) : Tensor()};
      });
}

Tensor& scatter_in_place(const ScatterForm& form, const Tensor& self, int64_t dim, const Tensor& given,
                         const Tensor& src) {
  const int64_t d = wrap_dim(dim, self.dim());
  const Tensor index = long_of(given);
  check(self, d, index, src, form.number);
  return in_place(
      self, {src}, [&](const Tensor& x) { return scattered(form, x, dim, index, src); },
      [&] { write_into(self, d, index, src, form.kind); });
}

// The value to write: a tensor, or a number as a 0-dim tensor with the type of self.
const Tensor& element(const Tensor&, const Tensor& src) { return src; }
Tensor element(const Tensor& self, const Scalar& value) {
  check_fits(value, self.scalar_type());
  return as_type(wrapped(value), self.scalar_type());
}

ScatterForm reducing(const std::string& reduce, bool number) {
  ETUDE_CHECK(reduce == "add" || reduce == "multiply",
              "reduce argument must be either add or multiply.\nreceived '", reduce, "'");
  return {reduce == "add" ? Combine::Add : Combine::Multiply, nullptr, number};
}

}  // namespace

Tensor gather(const Tensor& self, int64_t dim, const Tensor& given, bool) {
  ETUDE_OP(gather, self, dim, given, false);
  const int64_t d = wrap_dim(dim, self.dim());
  const Tensor index = long_of(given);
  check_index(self, d, index);
  return recorded("GatherBackward0", {self}, gather_forward(self, d, index), {index},
                  [d, sizes = impl(self).sizes](const Tensor& dy, const Tensor& k) {
                    return zeros(sizes, dy.scalar_type()).scatter_add_(d, k, dy);
                  });
}

Tensor one_hot(const Tensor& self, int64_t num_classes) {
  ETUDE_OP(one_hot, self, num_classes);
  ETUDE_CHECK(self.scalar_type() == kLong,
              "one_hot is only applicable to index tensor of type LongTensor.\nreceived ",
              dtype_name(self.scalar_type()), "\nhint: convert it with .to(kLong)");
  ETUDE_CHECK(self.numel() > 0 || num_classes > 0,
              "Can not infer total number of classes from empty tensor.");
  const Tensor ids = self.contiguous();
  const int64_t* id = impl(ids).data<int64_t>();
  int64_t largest = -1;
  for (int64_t i = 0; i < ids.numel(); ++i) {
    ETUDE_CHECK(id[i] >= 0, "Class values must be non-negative.\nreceived ", id[i]);
    ETUDE_CHECK(num_classes == -1 || id[i] < num_classes,
                "Class values must be smaller than num_classes.\nreceived ", id[i], " for ", num_classes,
                " classes");
    largest = std::max(largest, id[i]);
  }
  const int64_t classes = num_classes == -1 ? Plus()(largest, int64_t{1}) : num_classes;
  Shape sizes = impl(self).sizes;
  sizes.push_back(classes);
  Tensor y = zeros(sizes, kLong);
  for (int64_t i = 0; i < ids.numel(); ++i) impl(y).data<int64_t>()[i * classes + id[i]] = 1;
  return y;
}

ETUDE_METHOD(gather, (int64_t dim, const Tensor& index, bool sparse_grad), dim, index, sparse_grad)

#define ETUDE_SCATTER(Source, form, is_number)                                                             \
  Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Source& src) {                \
    ETUDE_OP(scatter, self, dim, index, src);                                                              \
    return scattered(form, self, dim, index, element(self, src));                                          \
  }                                                                                                        \
  Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Source& src,                  \
                 const std::string& reduce) {                                                              \
    ETUDE_OP(scatter, self, dim, index, src, reduce);                                                      \
    return scattered(reducing(reduce, is_number), self, dim, index, element(self, src));                   \
  }                                                                                                        \
  ETUDE_METHOD(scatter, (int64_t dim, const Tensor& index, const Source& src), dim, index, src)            \
  ETUDE_METHOD(scatter, (int64_t dim, const Tensor& index, const Source& src, const std::string& reduce),  \
               dim, index, src, reduce)                                                                    \
  Tensor& Tensor::scatter_(int64_t dim, const Tensor& index, const Source& src) const {                    \
    ETUDE_METHOD_OP(scatter_, dim, index, src);                                                            \
    return scatter_in_place(form, *this, dim, index, element(*this, src));                                 \
  }                                                                                                        \
  Tensor& Tensor::scatter_(int64_t dim, const Tensor& index, const Source& src, const std::string& reduce) \
      const {                                                                                              \
    ETUDE_METHOD_OP(scatter_, dim, index, src, reduce);                                                    \
    return scatter_in_place(reducing(reduce, is_number), *this, dim, index, element(*this, src));          \
  }
ETUDE_SCATTER(Tensor, kScatter, false)
ETUDE_SCATTER(Scalar, kScatterNumber, true)
#undef ETUDE_SCATTER

Tensor scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  ETUDE_OP(scatter_add, self, dim, index, src);
  return scattered(kScatterAdd, self, dim, index, src);
}

ETUDE_METHOD(scatter_add, (int64_t dim, const Tensor& index, const Tensor& src), dim, index, src)
Tensor& Tensor::scatter_add_(int64_t dim, const Tensor& index, const Tensor& src) const {
  ETUDE_METHOD_OP(scatter_add_, dim, index, src);
  return scatter_in_place(kScatterAdd, *this, dim, index, src);
}

}  // namespace etude
