// The product of two tensors summed over dims of both, as one matrix product:
//
//   y[rows, columns] = sum over i of a[rows, i] b[columns, i]

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/einsum.h"

namespace etude {
namespace {

using namespace detail;

// The matrix with the given dims as its columns and the other dims, whose sizes are added to `rest`, as its rows.
Tensor with_columns(const Tensor& t, const Shape& dims, Shape& rest) {
  Shape order, sizes{1, 1};
  bool given[kMaxDims] = {};
  for (const int64_t d : dims) {
    ETUDE_CHECK(!given[d], "dim ", d, " appears multiple times in the list of dims");
    given[d] = true;
    sizes[1] *= t.size(d);
  }
  for (int64_t d = 0; d < t.dim(); ++d) {
    if (given[d]) continue;
    order.push_back(d);
    rest.push_back(t.size(d));
    sizes[0] *= t.size(d);
  }
  for (const int64_t d : dims) order.push_back(d);
  return t.permute(order).reshape(sizes);
}

}  // namespace

Tensor tensordot(const Tensor& self, const Tensor& other, IntArrayRef dims_self, IntArrayRef dims_other) {
  ETUDE_OP(tensordot, self, other, dims_self, dims_other);
  ETUDE_CHECK(dims_self.size() == dims_other.size(),
              "both dimension lists should have same length\nreceived dims ", dims_self, " and ", dims_other);
  ETUDE_CHECK(self.scalar_type() == other.scalar_type(), "both inputs should have same dtype\nreceived ",
              dtype_name(self.scalar_type()), " and ", dtype_name(other.scalar_type()));
  Tensor a = self, b = other;
  Shape of_a, of_b, rest;
  for (size_t i = 0; i < dims_self.size(); ++i) {
    const int64_t d = wrap_dim(dims_self[i], a.dim()), e = wrap_dim(dims_other[i], b.dim());
    ETUDE_CHECK(a.size(d) == b.size(e) || a.size(d) == 1 || b.size(e) == 1,
                "contracted dimensions need to match, but first has size ", a.size(d), " in dim ",
                dims_self[i], " and second has size ", b.size(e), " in dim ", dims_other[i],
                "\nreceived sizes ", self.sizes(), " and ", other.sizes());
    if (a.size(d) != b.size(e)) {
      if (a.size(d) == 1) b = b.sum(e, true);
      else a = a.sum(d, true);
    }
    of_a.push_back(d);
    of_b.push_back(e);
  }
  const Tensor rows = with_columns(a, of_a, rest), columns = with_columns(b, of_b, rest);
  return rows.mm(columns.t()).reshape(rest);
}

}  // namespace etude
