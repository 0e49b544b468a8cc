// Views: other sizes and strides for the same memory. One rule gives the gradients of all: add dy to the same view of dx.
#pragma once

#include <cmath>

#include "mini/autograd.h"

namespace mini {

inline Tensor zeros(const Sizes& sizes, ScalarType type = kFloat) { return empty(sizes, type).fill_(0); }

/// x's memory with other sizes and strides, `offset` elements after x's first one.
inline Tensor seen(const Tensor& x, const Sizes& sizes, const Sizes& strides, int64_t offset = 0) {
  return Tensor({x.the().memory, x.scalar_type(), sizes, strides, x.storage_offset() + offset});
}
/// Zeros of `sizes` with dy added to view(zeros). An element that the view shows twice gets both gradients.
template <typename View>
Tensor gathered(const Tensor& dy, const Sizes& sizes, const View& view) {
  const Tensor dx = zeros(sizes);
  for_each(
      dy.sizes(), [](float& sum, float v) { sum += v; }, 0, Elements<float>(view(dx)), Elements<float>(dy));
  return dx;
}
/// view(x), recorded.
template <typename View>
Tensor viewed(const char* name, const Tensor& x, const View& view) {
  return recorded(name, {x}, view(x),
                  [view, sizes = x.sizes()](const Tensor& dy) { return Tensors{gathered(dy, sizes, view)}; });
}
inline Tensor Tensor::expand(const Sizes& wanted) const {
  check(wanted.size() >= sizes().size(), "expand: the requested shape has too few dimensions!");
  const size_t extra = wanted.size() - sizes().size();
  Sizes to = wanted;
  for (size_t d = 0; d < wanted.size(); ++d) {
    const int64_t own = d < extra ? 1 : sizes()[d - extra];
    if (to[d] == -1 && d >= extra) to[d] = own;
    check((own == to[d] || own == 1) && to[d] >= 0, "The expanded size of the tensor (", to[d],
          ") must match the existing size (", own, ") at non-singleton dimension ", d,
          ".  Target sizes: ", wanted, ".  Tensor sizes: ", sizes());
  }
  if (to == sizes()) return *this;
  return viewed("ExpandBackward0", *this, [=](const Tensor& x) {
    Sizes by(to.size(), 0);  // a step along a stretched dim stays in place
    for (size_t d = extra; d < to.size(); ++d)
      if (x.sizes()[d - extra] == to[d]) by[d] = x.strides()[d - extra];
    return seen(x, to, by);
  });
}
/// Finds the strides with which sizes `to` show x's elements in the same order; returns false if there are none.
inline bool find_strides(const Tensor& x, const Sizes& to, Sizes& by) {
  by = contiguous_strides(to);
  size_t d = to.size();  // the dims of `to` from d on have their strides
  int64_t step = 1, together = 1,
          shown = 1;  // dims of x have `together` elements, `step` apart; dims of `to` show `shown` of them
  for (size_t own = x.sizes().size(); own-- > 0;) {
    if (together == 1) step = x.strides()[own];
    together *= x.sizes()[own];
    if (own > 0 && (x.sizes()[own - 1] == 1 || x.strides()[own - 1] == together * step)) continue;
    for (; d > 0 && (shown < together || to[d - 1] == 1); shown *= to[--d]) by[d - 1] = shown * step;
    if (shown != together) return false;
    together = shown = 1;
  }
  return true;
}
inline Sizes without_blank(const Tensor& x, const Sizes& wanted) {
  Sizes to = wanted;
  const auto blank = std::find(to.begin(), to.end(), -1);
  if (blank != to.end()) {
    *blank = 1;
    *blank = count(to) == 0 ? 0 : x.numel() / count(to);
  }
  check(count(to) == x.numel() && std::count(wanted.begin(), wanted.end(), -1) < 2, "shape '", wanted,
        "' is invalid for input of size ", x.numel());
  return to;
}
inline Tensor Tensor::view(const Sizes& wanted) const {
  const Sizes to = without_blank(*this, wanted);
  return viewed("ViewBackward0", *this, [=](const Tensor& x) {
    Sizes by;
    check(x.numel() == 0 || find_strides(x, to, by),
          "view size is not compatible with input tensor's size and stride (at least one dimension spans "
          "across two contiguous subspaces). Use .reshape(...) instead.");
    return seen(x, to, x.numel() == 0 ? contiguous_strides(to) : by);
  });
}
inline Tensor Tensor::reshape(const Sizes& wanted) const {
  Sizes by;
  return (find_strides(*this, without_blank(*this, wanted), by) ? *this : clone()).view(wanted);
}
inline Tensor Tensor::flatten(int64_t from, int64_t to) const {
  if (dim() == 0) return view({1});
  check(wrap(from) <= wrap(to), "flatten() has invalid args: start_dim cannot come after end_dim");
  const auto first = sizes().begin() + wrap(from), last = sizes().begin() + wrap(to) + 1;
  Sizes joined(sizes().begin(), first);
  joined.push_back(std::accumulate(first, last, int64_t{1}, std::multiplies<>()));
  joined.insert(joined.end(), last, sizes().end());
  return reshape(joined);
}
inline Sizes all_dims(const Tensor& x) {
  Sizes dims(x.sizes().size());
  std::iota(dims.begin(), dims.end(), 0);
  return dims;
}
inline Tensor Tensor::permute(const Sizes& dims) const {
  Sizes sorted = dims;
  std::sort(sorted.begin(), sorted.end());
  check(sorted == all_dims(*this), "permute: ", dims, " are not the dims of ", sizes());
  const auto turned = [dims](const Tensor& x) {
    Sizes to, by;
    for (const int64_t d : dims) {
      to.push_back(x.size(d));
      by.push_back(x.stride(d));
    }
    return seen(x, to, by);
  };
  return viewed("PermuteBackward0", *this, turned);
}
inline Tensor Tensor::transpose(int64_t a, int64_t b) const {
  if (dim() == 0) return *this;
  Sizes order = all_dims(*this);
  std::swap(order[static_cast<size_t>(wrap(a))], order[static_cast<size_t>(wrap(b))]);
  const Tensor y = permute(order);
  if (y.grad_fn()) y.grad_fn()->text = "TransposeBackward0";
  return y;
}
inline Tensor Tensor::unsqueeze(int64_t d) const {
  d = wrap(d, 1);
  return viewed("UnsqueezeBackward0", *this, [d](const Tensor& x) {
    Sizes to = x.sizes(), by = x.strides();
    by.insert(by.begin() + d, d < x.dim() ? x.size(d) * x.stride(d) : 1);
    to.insert(to.begin() + d, 1);
    return seen(x, to, by);
  });
}
inline Tensor Tensor::squeeze(int64_t d) const {
  d = wrap(d);
  return viewed("SqueezeBackward1", *this, [d](const Tensor& x) {
    Sizes to = x.sizes(), by = x.strides();
    if (x.dim() > 0 && x.size(d) == 1) {
      to.erase(to.begin() + d);
      by.erase(by.begin() + d);
    }
    return seen(x, to, by);
  });
}
inline Tensor Tensor::select(int64_t d, int64_t i) const {
  check<IndexError>(dim() > 0, "select() cannot be applied to a 0-dim tensor.");
  d = wrap(d);
  const int64_t n = size(d);
  check<IndexError>(i >= -n && i < n, "index ", i, " is out of bounds for dimension ", d, " with size ", n);
  return viewed("SelectBackward0", *this, [d, i = i < 0 ? i + n : i](const Tensor& x) {
    Sizes to = x.sizes(), by = x.strides();
    to.erase(to.begin() + d);
    by.erase(by.begin() + d);
    return seen(x, to, by, i * x.stride(d));
  });
}
/// Every step-th index of [start, stop) along d; bounds outside the tensor are clamped, as in Python.
inline Tensor Tensor::slice(int64_t d, int64_t start, int64_t stop, int64_t step) const {
  check(step > 0, "slice step must be positive");
  d = wrap(d);
  const int64_t n = size(d), from = std::clamp<int64_t>(start < 0 ? start + n : start, 0, n),
                to = std::clamp<int64_t>(stop < 0 ? stop + n : stop, from, n);
  return viewed("SliceBackward0", *this, [=](const Tensor& x) {
    Sizes sizes = x.sizes(), strides = x.strides();
    sizes[static_cast<size_t>(d)] = (to - from + step - 1) / step;
    strides[static_cast<size_t>(d)] *= step;
    return seen(x, sizes, strides, from * x.stride(d));
  });
}
inline Tensor Tensor::narrow(int64_t d, int64_t start, int64_t length) const {
  check(start >= 0 && length >= 0 && start + length <= size(d), "start (", start, ") + length (", length,
        ") exceeds dimension size (", size(d), ").");
  return slice(d, start, start + length);
}
inline Tensors Tensor::split(int64_t length, int64_t d) const {
  check(length > 0, "split expects a positive split_size, but got split_size=", length);
  Tensors all;
  int64_t start = 0;
  do all.push_back(narrow(d, start, std::min(length, size(d) - start)));
  while ((start += length) < size(d));
  return all;
}
/// to[i] = from[i], converted to to's type.
inline void copy_elements(const Tensor& to, const Tensor& from) {
  dispatch(to.scalar_type(), [&](auto t) {
    dispatch(from.scalar_type(), [&](auto f) {
      using T = decltype(t);
      for_each(
          to.sizes(), [](T& y, auto x) { y = Scalar(x).to<T>(); }, 0, Elements<T>(to),
          Elements<decltype(f)>(from));
    });
  });
}
inline const Tensor& Tensor::copy_(const Tensor& from) const {
  check_writable(*this);
  check(!grad_mode || !from.requires_grad(), "copy_: mini does not record writes; detach() what is copied");
  copy_elements(*this, from.expand(sizes()));
  return *this;
}
inline const Tensor& Tensor::fill_(Scalar value) const {
  check_writable(*this);
  dispatch(scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    for_each(
        sizes(), [v = value.to<T>()](T& y) { y = v; }, 0, Elements<T>(*this));
  });
  return *this;
}
inline Tensor Tensor::clone() const {
  const Tensor y = empty(sizes(), scalar_type());
  copy_elements(y, *this);
  return recorded("CloneBackward0", {*this}, y, [](const Tensor& dy) { return Tensors{dy}; });
}
inline Tensor Tensor::to(ScalarType type) const {
  if (type == scalar_type()) return *this;
  const Tensor y = empty(sizes(), type);
  copy_elements(y, *this);
  return y;  // not recorded: only float has gradients, and one of the two types is not float
}
inline Tensor full(const Sizes& sizes, Scalar value, ScalarType type = kFloat) {
  return empty(sizes, type).fill_(value);
}
inline Tensor ones(const Sizes& sizes, ScalarType type = kFloat) { return full(sizes, 1, type); }
inline Tensor zeros_like(const Tensor& x) { return zeros(x.sizes(), x.scalar_type()); }
/// start, start + step, ... up to but not including stop; integers if all three are integers.
inline Tensor arange(Scalar start, Scalar stop, Scalar step, ScalarType type) {
  check(step.real != 0, "step must be nonzero");
  const auto length = static_cast<int64_t>(std::ceil((stop.real - start.real) / step.real));
  check(stop.real == start.real || (stop.real > start.real) == (step.real > 0),
        "upper bound and lower bound inconsistent with step sign");
  const Tensor y = empty({length}, type);
  for (int64_t i = 0; i < length; ++i)
    y[i].fill_(type == kFloat ? Scalar(start.real + static_cast<double>(i) * step.real)
                              : Scalar(start.whole + i * step.whole));
  return y;
}
inline Tensor arange(Scalar start, Scalar stop, Scalar step = 1) {
  return arange(start, stop, step, std::max({start.type, stop.type, step.type, kLong}));
}
inline Tensor arange(Scalar start, Scalar stop, ScalarType type) { return arange(start, stop, 1, type); }
inline Tensor arange(Scalar stop) { return arange(0, stop); }
inline Tensor arange(Scalar stop, ScalarType type) { return arange(0, stop, 1, type); }

/// Numbers in nested braces: tensor({{1, 2}, {3, 4}}).
struct Literal {
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Literal(T v) : type(type_of<T>), numbers({Scalar(v)}) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Literal(const std::vector<T>& all)
      : type(type_of<T>), sizes({static_cast<int64_t>(all.size())}), numbers(all.begin(), all.end()) {}
  Literal(std::initializer_list<Literal> rows)
      : type(rows.size() == 0 ? kFloat : rows.begin()->type), sizes({static_cast<int64_t>(rows.size())}) {
    for (const Literal& row : rows) {
      check(row.type == type, "Expected all elements of the tensor to have the same scalar type");
      check(row.sizes == rows.begin()->sizes, "Expected all sub-lists to have sizes: ", rows.begin()->sizes,
            ", but got sub-list with sizes: ", row.sizes);
      numbers.insert(numbers.end(), row.numbers.begin(), row.numbers.end());
    }
    if (rows.size() > 0) sizes.insert(sizes.end(), rows.begin()->sizes.begin(), rows.begin()->sizes.end());
  }
  ScalarType type;
  Sizes sizes;
  std::vector<Scalar> numbers;
};
inline Tensor tensor(const Literal& literal, ScalarType type) {
  const Tensor y = empty(literal.sizes, type);
  dispatch(type, [&](auto zero) {
    using T = decltype(zero);
    std::transform(literal.numbers.begin(), literal.numbers.end(), y.data_ptr<T>(),
                   [](const Scalar& v) { return v.to<T>(); });
  });
  return y;
}
inline Tensor tensor(const Literal& literal) { return tensor(literal, literal.type); }

}  // namespace mini
