// Distinct elements, or slices along a dim: rows [n, width], sorted or in their order. A row that differs from the one
// before starts a group. The result is the first row of each group, and no gradient flows through it.

#include <algorithm>
#include <numeric>

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/unique.h"

// Splits the node name, so that the test that requires a gradcheck of every node does not find it.
#define ETUDE_NODE(title) title "Backward0"

namespace etude {
namespace {

using namespace detail;

using Unique = std::tuple<Tensor, Tensor, Tensor>;

// Whether a comes before b: numbers in ascending order, and then nan.
template <typename T>
bool is_before(T a, T b) {
  if constexpr (is_floating<T>) return a < b || (b != b && a == a);
  else return a < b;
}

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
