// Elements in order along one dim, and the positions that they came from:
//
//   sort:  y = x[i], i the order of x        dx[i] = dy
//   topk:  the first k of that order          dx[i] = dy, zeros elsewhere
//
// A nan is larger than everything.

#include <algorithm>
#include <vector>

#include "etude/ops/detail/arrange.h"
#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

// An element as int64 or double. These keep the order of all other types and take no more room next to the position.
template <typename T>
struct Element {
  T value;
  int64_t place;
};

// How a lane is sorted.
enum class By { Sort, StableSort, Selection };

struct Order {
  By by;
  bool descending;
  int64_t k = 0;       // for a selection: the number of elements
  bool sorted = true;  // for a selection: whether they are in order
};

template <typename T>
void arrange(std::vector<Element<T>>& lane, const Order& order) {
  auto with = [&](const auto& before) {
    Element<T>* const first = lane.data();
    const auto n = static_cast<int64_t>(lane.size());
    if (order.by == By::Selection) detail::take_first(first, order.k, n, order.sorted, before);
    else if (order.by == By::StableSort) std::stable_sort(first, first + n, before);
    else detail::sort_all(first, first + n, before);
  };
  const auto is_less = [](const Element<T>& a, const Element<T>& b) {
    return a.value < b.value || (a.value == a.value && b.value != b.value);
  };
  if (order.descending) with([is_less](const Element<T>& a, const Element<T>& b) { return is_less(b, a); });
  else with(is_less);
}

// Fills the first elements of values and indices along d, as many as these have.
template <typename T>
void arrange_lanes(const Tensor& x, int64_t d, const Order& order, const Tensor& values,
                   const Tensor& indices) {
  const TensorImpl &in = impl(x), &out = impl(values), &at_place = impl(indices);
  const int64_t n = in.sizes[d], count = out.sizes[d];
  for_each_strided_lane<3>(in.sizes, d, {in.strides, out.strides, at_place.strides}, [&](const auto& at) {
    using Wide = std::conditional_t<is_floating<T>, double, int64_t>;
    std::vector<Element<Wide>> lane(static_cast<size_t>(n));
    const T* from = in.data<T>() + at[0];
    for (int64_t i = 0; i < n; ++i)
      lane[static_cast<size_t>(i)] = {static_cast<Wide>(from[i * in.strides[d]]), i};
    arrange(lane, order);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t place = lane[static_cast<size_t>(i)].place;
      out.data<T>()[at[1] + i * out.strides[d]] = from[place * in.strides[d]];
      at_place.data<int64_t>()[at[2] + i * at_place.strides[d]] = place;
    }
  });
}

// Fills values and indices with the sorted elements of self along d and their positions, and records them.
template <typename Dispatch>
std::tuple<Tensor, Tensor> arranged(const char* name, const Dispatch& dispatch_op, const Tensor& self,
                                    int64_t d, const Order& order, const Tensor& values,
                                    const Tensor& indices) {
  if (self.dim() == 0) {
    values.copy_(self.detach());
    indices.zero_();
  } else {
    dispatch_op(self.scalar_type(),
                [&](auto zero) { arrange_lanes<decltype(zero)>(self, d, order, values, indices); });
  }
  if (recording({self}))
    record_outputs(name, {self}, {values, indices},
                   [d, places = Saved(indices), sizes = Shape(self.sizes())](const Gradients& dy) {
                     return Gradients{zeros(sizes, dy[0].scalar_type()).scatter_(d, places.get(), dy[0])};
                   });
  return {values, indices};
}

std::tuple<Tensor, Tensor> sorted(const char* name, const Tensor& self, int64_t dim, const Order& order) {
  return arranged(
      name, [](ScalarType t, const auto& f) { dispatch(t, f); }, self, wrap_dim(dim, self.dim()), order,
      output_for({}, impl(self).sizes, self.scalar_type(), {&impl(self)}),
      output_for({}, impl(self).sizes, kLong, {&impl(self)}));
}

}  // namespace

std::tuple<Tensor, Tensor> sort(const Tensor& self, int64_t dim, bool descending) {
  ETUDE_OP(sort, self, dim, descending);
  return sorted("SortBackward0", self, dim, {By::Sort, descending});
}

std::tuple<Tensor, Tensor> sort(const Tensor& self, optional<bool> stable, int64_t dim, bool descending) {
  ETUDE_OP(sort, self, stable, dim, descending);
  return sorted("SortBackward1", self, dim, {stable.value_or(false) ? By::StableSort : By::Sort, descending});
}

Tensor argsort(const Tensor& self, int64_t dim, bool descending) {
  ETUDE_OP(argsort, self, dim, descending);
  return std::get<1>(sort(self.detach(), dim, descending));
}

Tensor argsort(const Tensor& self, bool stable, int64_t dim, bool descending) {
  ETUDE_OP(argsort, self, stable, dim, descending);
  return std::get<1>(sort(self.detach(), optional<bool>(stable), dim, descending));
}

std::tuple<Tensor, Tensor> topk(const Tensor& self, int64_t k, int64_t dim, bool largest, bool sorted) {
  ETUDE_OP(topk, self, k, dim, largest, sorted);
  const int64_t d = wrap_dim(dim, self.dim()), size = self.dim() > 0 ? self.size(d) : 1;
  ETUDE_CHECK(k >= 0 && k <= size, "selected index k out of range\nreceived k ", k, " for dim ", d,
              " of a tensor of sizes ", self.sizes());
  Shape sizes(self.sizes());
  if (self.dim() > 0) sizes[d] = k;
  const auto all_but_bools = [](ScalarType t, const auto& f) {
    if (isReducedFloatingType(t)) dispatch_reduced(t, f);
    else dispatch_numbers("topk_cpu", t, f);
  };
  return arranged("TopkBackward0", all_but_bools, self, d, {By::Selection, largest, k, sorted},
                  make_tensor(sizes, self.scalar_type()), make_tensor(sizes, kLong));
}

std::tuple<Tensor, Tensor> Tensor::sort(int64_t dim, bool descending) const {
  return etude::sort(*this, dim, descending);
}
std::tuple<Tensor, Tensor> Tensor::sort(optional<bool> stable, int64_t dim, bool descending) const {
  return etude::sort(*this, stable, dim, descending);
}
ETUDE_METHOD(argsort, (int64_t dim, bool descending), dim, descending)
ETUDE_METHOD(argsort, (bool stable, int64_t dim, bool descending), stable, dim, descending)
std::tuple<Tensor, Tensor> Tensor::topk(int64_t k, int64_t dim, bool largest, bool sorted) const {
  return etude::topk(*this, k, dim, largest, sorted);
}

}  // namespace etude
