// Elements in order along one dim with the positions that they came from, and distinct elements:
//
//   sort:  y = x[i], i the order of x        dx[i] = dy
//   topk:  the first k of that order          dx[i] = dy, zeros elsewhere
//   unique, unique_dim:  rows [n, width], elements or slices, sorted or in their order. A row that differs from the one before
//                        starts a group. The result is the first row of each group, and no gradient flows through it.
//
// A nan is larger than everything.

#include <algorithm>
#include <numeric>
#include <vector>

#include "etude/ops/detail/arrange.h"
#include "etude/ops/detail/elementwise.h"
#include "etude/ops/unique.h"

// Splits the node name, so that the test that requires a gradcheck of every node does not find it.
#define ETUDE_NODE(title) title "Backward0"

namespace etude {
namespace {

using namespace detail;

// Whether a comes before b: numbers in ascending order, and then nan.
template <typename T>
bool is_before(T a, T b) {
  if constexpr (is_floating<T>) return a < b || (b != b && a == a);
  else return a < b;
}

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
  using E = Element<T>;
  if (order.descending) with([](const E& a, const E& b) { return is_before(b.value, a.value); });
  else with([](const E& a, const E& b) { return is_before(a.value, b.value); });
}

// Fills values and indices, whose lanes along d may be shorter than those of x.
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
std::tuple<Tensor, Tensor> arranged(const char* name, const Tensor& self, int64_t d, const Order& order,
                                    const Tensor& values, const Tensor& indices) {
  if (self.dim() == 0) {
    values.copy_(self.detach());
    indices.zero_();
  } else {
    dispatch(self.scalar_type(),
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
  const TensorImpl& x = impl(self);
  return arranged(name, self, wrap_dim(dim, self.dim()), order, output_for({}, x.sizes, x.dtype, {&x}),
                  output_for({}, x.sizes, kLong, {&x}));
}

using Unique = std::tuple<Tensor, Tensor, Tensor>;

struct Groups {
  Tensor first;    // [count] the index of the first row of each group
  Tensor inverse;  // [n] the group of each row
  Tensor counts;   // [count]
};

template <typename T>
void find_groups(const T* rows, int64_t n, int64_t width, bool sorted, Groups& groups) {
  std::vector<int64_t> order(static_cast<size_t>(n)), first, counts;
  std::iota(order.begin(), order.end(), int64_t{0});
  if (sorted)
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const T *u = rows + a * width, *v = rows + b * width;
      return std::lexicographical_compare(u, u + width, v, v + width, is_before<T>);
    });
  int64_t* inverse = impl(groups.inverse).data<int64_t>();
  for (size_t k = 0; k < order.size(); ++k) {
    const T* row = rows + order[k] * width;
    if (k == 0 || !std::equal(row, row + width, rows + order[k - 1] * width)) {
      first.push_back(order[k]);
      counts.push_back(0);
    }
    ++counts.back();
    inverse[order[k]] = static_cast<int64_t>(first.size()) - 1;
  }
  groups.first = tensor(first, kLong);
  groups.counts = tensor(counts, kLong);
}

Groups groups_of(const Tensor& t, bool sorted) {
  const Tensor rows = contiguous_copy(t);
  const int64_t n = rows.size(0);
  Groups groups{{}, make_tensor({n}, kLong), {}};
  dispatch(rows.scalar_type(), [&](auto zero) {
    find_groups(impl(rows).data<decltype(zero)>(), n, n == 0 ? 0 : rows.numel() / n, sorted, groups);
  });
  return groups;
}

Tensor without_gradient_of(const char* node, const char* op, const Tensor& self, const Tensor& y) {
  return recorded(node, {self}, y, WithoutTensors([op](const Tensor&) -> Gradients {
                    throw NotImplementedError(
                        str("the derivative for '", op, "' is not implemented.",
                            "\nhint: PyTorch has none either; detach() the input if none is wanted"));
                  }));
}

Tensor none_unless(bool wanted, const Tensor& t) { return wanted ? t : zeros({0}, kLong); }

Unique unique_elements(const char* node, const char* op, const Tensor& self, bool sorted, bool return_inverse,
                       bool return_counts) {
  const Tensor flat = alias(self).reshape({-1});
  const Groups groups = groups_of(flat, sorted);
  return {without_gradient_of(node, op, self, flat.index_select(0, groups.first)),
          none_unless(return_inverse, groups.inverse.view(self.sizes())),
          none_unless(return_counts, groups.counts)};
}

Unique unique_slices(const char* node, const char* op, const Tensor& self, int64_t dim, bool sorted) {
  const int64_t length = self.size(dim), empty = std::count(self.sizes().begin(), self.sizes().end(), 0);
  ETUDE_CHECK(length > 0 || empty == 1,
              "Number of zero sized dimensions is more than one, so unique cannot be applied ",
              "\nreceived sizes ", self.sizes());
  ETUDE_CHECK(length == 0 || empty == 0,
              "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied",
              "\nreceived sizes ", self.sizes(), " and dim ", dim);
  const Tensor x = alias(self);
  const Groups groups = groups_of(x.transpose(0, dim), sorted);
  return {without_gradient_of(node, op, self, x.index_select(dim, groups.first)), groups.inverse,
          groups.counts};
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
  const ScalarType type = self.scalar_type();
  const int64_t d = wrap_dim(dim, self.dim()), size = self.dim() > 0 ? self.size(d) : 1;
  ETUDE_CHECK(k >= 0 && k <= size, "selected index k out of range\nreceived k ", k, " for dim ", d,
              " of a tensor of sizes ", self.sizes());
  Shape sizes(self.sizes());
  if (self.dim() > 0) sizes[d] = k;
  ETUDE_CHECK(self.dim() == 0 || type != kBool, "topk does not support bool dtypes on CPU");
  if (self.dim() > 0 && type == kChar) refuse_dtype("topk_cpu", type);
  return arranged("TopkBackward0", self, d, {By::Selection, largest, k, sorted}, make_tensor(sizes, type),
                  make_tensor(sizes, kLong));
}

ETUDE_METHOD(sort, (int64_t dim, bool descending), dim, descending)
ETUDE_METHOD(sort, (optional<bool> stable, int64_t dim, bool descending), stable, dim, descending)
ETUDE_METHOD(argsort, (int64_t dim, bool descending), dim, descending)
ETUDE_METHOD(argsort, (bool stable, int64_t dim, bool descending), stable, dim, descending)
ETUDE_METHOD(topk, (int64_t k, int64_t dim, bool largest, bool sorted), k, dim, largest, sorted)

std::tuple<Tensor, Tensor> _unique(const Tensor& self, bool, bool return_inverse) {
  ETUDE_OP(_unique, self, true, return_inverse);
  auto [values, inverse, counts] =
      unique_elements(ETUDE_NODE("Unique"), "_unique", self, true, return_inverse, false);
  return {values, inverse};
}

Unique _unique2(const Tensor& self, bool, bool return_inverse, bool return_counts) {
  ETUDE_OP(_unique2, self, true, return_inverse, return_counts);
  return unique_elements(ETUDE_NODE("Unique2"), "_unique2", self, true, return_inverse, return_counts);
}

Unique unique_dim(const Tensor& self, int64_t dim, bool, bool, bool) {
  ETUDE_OP(unique_dim, self, dim, true, true, true);
  return unique_slices(ETUDE_NODE("UniqueDim"), "unique_dim", self, dim, true);
}

Unique unique_consecutive(const Tensor& self, bool return_inverse, bool return_counts,
                          optional<int64_t> dim) {
  ETUDE_OP(unique_consecutive, self, return_inverse, return_counts, dim);
  constexpr const char *node = ETUDE_NODE("UniqueConsecutive"), *op = "unique_consecutive";
  return dim ? unique_slices(node, op, self, *dim, false)
             : unique_elements(node, op, self, false, return_inverse, return_counts);
}

Unique unique_dim_consecutive(const Tensor& self, int64_t dim, bool, bool) {
  ETUDE_OP(unique_dim_consecutive, self, dim, true, true);
  return unique_slices(ETUDE_NODE("UniqueDimConsecutive"), "unique_dim_consecutive", self, dim, false);
}

#undef ETUDE_NODE

}  // namespace etude
