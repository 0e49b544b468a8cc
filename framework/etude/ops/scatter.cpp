// What gather takes from, written. With an index k of the sizes of src, along dim 1:
//
//   scatter:      y = x but for y[i, k[i, j]] = s[i, j]   dx = dy with zeros there,  ds[i, j] = dy[i, k[i, j]]
//   scatter_add:  y = x and y[i, k[i, j]] += s[i, j]      dx = dy,                   ds likewise
//
// Of several that name one element the last stays, or all are added in the order of j, for any number of
// threads.

#include <algorithm>
#include <string>

#include "etude/ops/detail/arithmetic.h"
#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/fits.h"
#include "etude/ops/detail/without_gradient.h"
#include "etude/ops/ops.h"

namespace etude {
namespace {

using namespace autograd::detail;
using detail::impl;

struct Replace {
  template <typename T>
  T operator()(T, T b) const {
    return b;
  }
};

enum class Kind { Write, Add, Multiply };

// A 0-dim tensor counts as one of a single dim.
Shape with_a_dim(const Shape& s) { return s.empty() ? Shape{1} : s; }

// A number stands for a tensor of the sizes of the index; PyTorch's sentence differs.
void check_sizes(const Tensor& self, int64_t d, const Tensor& index, const Tensor& src, bool number) {
  if (index.numel() == 0) return;
  const Shape x = with_a_dim(impl(self).sizes), k = with_a_dim(impl(index).sizes),
              s = number ? k : with_a_dim(impl(src).sizes);
  const std::string received = str("\nreceived an index of sizes ", index.sizes(), ", a tensor of sizes ",
                                   self.sizes(), " and a source of sizes ", src.sizes());
  ETUDE_CHECK(k.size() == x.size(), "Index tensor must have the same number of dimensions as self tensor",
              received);
  ETUDE_CHECK(k.size() == s.size(), "Index tensor must have the same number of dimensions as src tensor",
              received);
  for (int64_t i = 0; i < k.size(); ++i)
    ETUDE_CHECK((i == d || k[i] <= x[i]) && k[i] <= s[i], "Expected index ", index.sizes(),
                " to be smaller than self ", self.sizes(), " apart from dimension ", d,
                number ? "" : str(" and to be smaller size than src ", src.sizes()));
}

void check(const Tensor& self, int64_t d, const Tensor& index, const Tensor& src, bool number) {
  ETUDE_CHECK(index.numel() == 0 || index.scalar_type() == kLong,
              "scatter(): Expected dtype int64 for index\nreceived ", dtype_name(index.scalar_type()));
  ETUDE_CHECK(self.scalar_type() == src.scalar_type(),
              "scatter(): Expected self.dtype to be equal to src.dtype\nreceived ",
              dtype_name(self.scalar_type()), " and ", dtype_name(src.scalar_type()));
  check_sizes(self, d, index, src, number);
}

[[noreturn]] void refuse_index(int64_t which, int64_t d, const Tensor& y, const Tensor& index) {
  throw Error(str("index ", which, " is out of bounds for dimension ", d, " with size ",
                  y.dim() > 0 ? y.size(d) : 1, "\nreceived an index of sizes ", index.sizes(),
                  " for a tensor of sizes ", y.sizes(),
                  "\nhint: scatter counts from 0 and takes no negative indices"));
}

Shape without(Shape sizes, int64_t d) {
  sizes.erase(d);
  return sizes;
}

// y[k[i]] = combine(y[k[i]], s[i]) along each lane. A 0-dim src is one number for all. Threads share out the
// lanes, and go along neighbouring lanes together where they lie side by side in memory.
template <typename Combine>
void write_into(const Tensor& y, int64_t d, const Tensor& index, const Tensor& src, const Combine& combine) {
  if (index.numel() == 0) return;
  const Shape sizes = with_a_dim(impl(index).sizes), y_strides = with_a_dim(impl(y).strides),
              k_strides = with_a_dim(impl(index).strides),
              s_strides = src.dim() == 0 ? Shape::filled(sizes.size(), 0) : impl(src).strides;
  const int64_t size = with_a_dim(impl(y).sizes)[d], length = sizes[d], step = y_strides[d];
  const auto w = detail::make_walk<3>(without(sizes, d),
                                      {without(y_strides, d), without(k_strides, d), without(s_strides, d)});
  const bool side_by_side = w.stride(0) < step;
  detail::dispatch(y.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    detail::for_each_row<3>(w, std::max<int64_t>(detail::kGrain / length, 1), [&](const auto& at, int64_t n) {
      T* to = impl(y).data<T>() + at[0];
      const int64_t* k = impl(index).data<int64_t>() + at[1];
      const T* from = impl(src).data<T>() + at[2];
      auto write = [&, y_step = w.stride(0), k_step = w.stride(1), s_step = w.stride(2),
                    k_along = k_strides[d], s_along = s_strides[d]](int64_t i, int64_t lane) {
        const int64_t which = k[i * k_along + lane * k_step];
        if (which < 0 || which >= size) refuse_index(which, d, y, index);
        T& element = to[which * step + lane * y_step];
        element = combine(element, from[i * s_along + lane * s_step]);
      };
      if (side_by_side) {
        for (int64_t i = 0; i < length; ++i)
          for (int64_t lane = 0; lane < n; ++lane) write(i, lane);
      } else {
        for (int64_t lane = 0; lane < n; ++lane)
          for (int64_t i = 0; i < length; ++i) write(i, lane);
      }
    });
  });
}

void write_into(const Tensor& y, int64_t d, const Tensor& index, const Tensor& src, Kind kind) {
  const Tensor k = detail::overlaps(y, index) ? index.clone() : index;
  const Tensor s = y.is_alias_of(src) ? src.detach().clone() : src;
  if (kind == Kind::Write) write_into(y, d, k, s, Replace());
  else if (kind == Kind::Add) write_into(y, d, k, s, detail::Plus());
  else write_into(y, d, k, s, detail::Times());
}

// g with zeros behind it along each dim: src may be larger than the index, and what is not read gets nothing.
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

// An op of which each form has a node of its own. Of a number, src is 0-dim and gets no gradient.
struct Form {
  Kind kind;
  const char* name;  // none if PyTorch has no gradient
  bool number = false;
};

const Form kScatter{Kind::Write, "ScatterBackward0"}, kScatterNumber{Kind::Write, "ScatterBackward1", true},
    kScatterAdd{Kind::Add, "ScatterAddBackward0"};

// Records y, which was written over a copy of self.
Tensor recorded(const Form& form, const Tensor& self, int64_t d, const Tensor& index, const Tensor& src,
                const Tensor& y) {
  if (!recording({self, src})) return y;
  if (!form.name) return detail::without_gradient("scatter", {self, src}, y);
  return record(
      form.name, {self, src}, y,
      [d, kind = form.kind, index = Saved(index, form.kind != Kind::Add || needs_grad(src)),
       sizes = Shape(src.sizes()), on_self = needs_grad(self), on_src = needs_grad(src)](const Tensor& dy) {
        const Tensor k = index.get();
        const Tensor dx = !on_self ? Tensor() : kind == Kind::Add ? dy : dy.scatter(d, k, 0);
        return Gradients{dx, on_src ? gradient_of_source(dy, d, k, sizes) : Tensor()};
      });
}

Tensor scattered(const Form& form, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  const int64_t d = wrap_dim(dim, self.dim());
  check(self, d, index, src, form.number);
  const Tensor y = detail::contiguous_copy(self);
  write_into(y, d, index, src.detach(), form.kind);
  return recorded(form, self, d, index, src, y);
}

Tensor& scatter_in_place(const Form& form, const Tensor& self, int64_t dim, const Tensor& index,
                         const Tensor& src) {
  const int64_t d = wrap_dim(dim, self.dim());
  check(self, d, index, src, form.number);
  return in_place(
      self, {src}, [&](const Tensor& x) { return scattered(form, x, dim, index, src); },
      [&] { write_into(self, d, index, src, form.kind); });
}

// The number as an element of self.
Tensor element(const Tensor& self, const Scalar& value) {
  detail::check_fits(value, self.scalar_type());
  return detail::as_type(detail::wrapped(value), self.scalar_type());
}

Form reducing(const std::string& reduce, bool number) {
  ETUDE_CHECK(reduce == "add" || reduce == "multiply",
              "reduce argument must be either add or multiply.\nreceived '", reduce, "'");
  return {reduce == "add" ? Kind::Add : Kind::Multiply, nullptr, number};
}

}  // namespace

Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  return scattered(kScatter, self, dim, index, src);
}
Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  return scattered(kScatterNumber, self, dim, index, element(self, value));
}
Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
               const std::string& reduce) {
  return scattered(reducing(reduce, false), self, dim, index, src);
}
Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value,
               const std::string& reduce) {
  return scattered(reducing(reduce, true), self, dim, index, element(self, value));
}
Tensor scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  return scattered(kScatterAdd, self, dim, index, src);
}

Tensor Tensor::scatter(int64_t dim, const Tensor& index, const Tensor& src) const {
  return etude::scatter(*this, dim, index, src);
}
Tensor Tensor::scatter(int64_t dim, const Tensor& index, const Scalar& value) const {
  return etude::scatter(*this, dim, index, value);
}
Tensor Tensor::scatter(int64_t dim, const Tensor& index, const Tensor& src, const std::string& reduce) const {
  return etude::scatter(*this, dim, index, src, reduce);
}
Tensor Tensor::scatter(int64_t dim, const Tensor& index, const Scalar& value,
                       const std::string& reduce) const {
  return etude::scatter(*this, dim, index, value, reduce);
}
Tensor Tensor::scatter_add(int64_t dim, const Tensor& index, const Tensor& src) const {
  return etude::scatter_add(*this, dim, index, src);
}
Tensor& Tensor::scatter_(int64_t dim, const Tensor& index, const Tensor& src) const {
  return scatter_in_place(kScatter, *this, dim, index, src);
}
Tensor& Tensor::scatter_(int64_t dim, const Tensor& index, const Scalar& value) const {
  return scatter_in_place(kScatterNumber, *this, dim, index, element(*this, value));
}
Tensor& Tensor::scatter_(int64_t dim, const Tensor& index, const Tensor& src,
                         const std::string& reduce) const {
  return scatter_in_place(reducing(reduce, false), *this, dim, index, src);
}
Tensor& Tensor::scatter_(int64_t dim, const Tensor& index, const Scalar& value,
                         const std::string& reduce) const {
  return scatter_in_place(reducing(reduce, true), *this, dim, index, element(*this, value));
}
Tensor& Tensor::scatter_add_(int64_t dim, const Tensor& index, const Tensor& src) const {
  return scatter_in_place(kScatterAdd, *this, dim, index, src);
}

}  // namespace etude
