// embedding: y[p] = weight[id[p]], one row per id
//            dweight[i] = sum of dy[p] over the positions p with id[p] = i
//
// The row padding_idx gets no gradient. With scale_grad_by_freq, the gradient of a row is divided by the number of
// times that its id occurs.

#include <algorithm>
#include <cmath>

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/indexed.h"

namespace etude {
namespace {

using namespace detail;

struct Table {
  int64_t rows, padding_idx;
  bool scale_grad_by_freq;
};

void check_types(const Tensor& indices, int argument, const char* function) {
  const ScalarType t = indices.scalar_type();
  ETUDE_CHECK(t == kLong || t == kInt, "Expected tensor for argument #", argument,
              " 'indices' to have one of the following scalar types: Long, Int; but got torch.", toString(t),
              "Tensor instead (while checking arguments for ", function, ")",
              "\nhint: ids are whole numbers; convert them with .to(kLong)");
}

// The ids as contiguous int64, checked to be rows of the table. `refusal` returns PyTorch's message for an id out of range.
template <typename Refusal>
Tensor ids_of_rows(const Tensor& indices, int64_t rows, Refusal&& refusal) {
  return checked_ids(indices, rows, /*from_the_end=*/false, [&](int64_t id, int64_t p) {
    throw IndexError(str(refusal(id), "\nreceived id ", id, " at position ",
                         position_of(p, Shape(indices.sizes())).ref(), " of ids of sizes ", indices.sizes(),
                         "; the table has ", rows, rows == 1 ? " row" : " rows",
                         "\nhint: ids run from 0 to the number of rows - 1",
                         id >= rows ? str("; a table with this id has more than ", id, " rows") : ""));
  });
}

// The factor of the gradient at each position: 0 for padding, else 1, or 1 / the count of its id. [..., 1]
Tensor factors(const Tensor& ids, const Table& table, ScalarType dtype) {
  const Tensor all = ids.flatten();
  Tensor result = ones({all.numel()}, dtype);
  if (table.scale_grad_by_freq)
    result = result / zeros({table.rows}, kLong).index_add_(0, all, ones_like(all)).index_select(0, all);
  return result.masked_fill_(all.eq(table.padding_idx), 0).view(ids.sizes()).unsqueeze(-1);
}

// Positions with the same id are added to its row in their order.
Tensor embedding_backward(const Tensor& dy, const Tensor& ids, const Table& table) {
  const ScalarType dtype = dy.scalar_type();
  const int64_t width = dy.size(-1);
  const Tensor added =
      (table.scale_grad_by_freq ? dy.detach() * factors(ids, table, dtype) : dy).contiguous();
  const auto add_up = [&](const Tensor& numbers, int64_t rows, int64_t padding) {
    Tensor sums = zeros({rows, width}, dtype);
    const Shape strides{width, 1};
    write_by(known_ids(numbers, {1, 0}, width), {{ids.numel(), width}, 0, added, strides}, sums, strides,
             Combine::Add);
    if (padding >= 0 && padding < rows)
      dispatch(dtype, [&](auto zero) { fill_into(sums.select(0, padding), zero); });
    return sums;
  };
  const Tensor dweight = gradient_of_rows(ids, table.rows, table.padding_idx, add_up);
  return recorded("EmbeddingDenseBackwardBackward0", {dy}, dweight, {ids},
                  [table](const Tensor& ddweight, const Tensor& kept) {
                    return embedding(ddweight, kept) * factors(kept, table, ddweight.scalar_type());
                  });
}

// Scales a row down if its norm is above max_norm. As in PyTorch, 1e-7 is added to the norm before the division.
template <typename T>
void renorm_row(Lane<T> row, double max_norm, double p) {
  double total = 0;
  for (int64_t j = 0; j < row.size; ++j) {
    const double size = std::fabs(static_cast<double>(row[j]));
    if (std::isinf(p)) total = p < 0 && j > 0 ? std::min(total, size) : p < 0 ? size : std::max(total, size);
    else total += p == 0 ? size != 0 : p == 2 ? size * size : std::pow(size, p);
  }
  const double norm = std::isinf(p) || p == 0 ? total : p == 2 ? std::sqrt(total) : std::pow(total, 1 / p);
  // A row with a nan norm stays unchanged.
  if (!(static_cast<double>(static_cast<T>(norm)) > max_norm)) return;
  const T scale = static_cast<T>(max_norm / (static_cast<double>(static_cast<T>(norm)) + 1e-7));
  for (int64_t j = 0; j < row.size; ++j) row[j] *= scale;
}

}  // namespace

Tensor detail::embedding_ids(const Tensor& indices, int64_t rows) {
  check_types(indices, 1, "embedding");
  return ids_of_rows(indices, rows, [](int64_t) { return "index out of range in self"; });
}

Tensor detail::gradient_of_rows(const Tensor& ids, int64_t rows, int64_t padding_idx,
                                FunctionRef<Tensor(const Tensor&, int64_t, int64_t)> make) {
  constexpr int64_t kFew = 4;  // the least ratio of rows to ids
  const Tensor sum = rows >= kFew * ids.numel() ? autograd::detail::waiting_gradient(0) : Tensor();
  if (!sum.defined()) return make(ids, rows, padding_idx);
  const std::vector<int64_t> named = distinct(ids);
  const auto number_of = [&](int64_t id) {
    const auto at = std::lower_bound(named.begin(), named.end(), id);
    return at != named.end() && *at == id ? at - named.begin() : -1;
  };
  const Tensor numbers = make_tensor(ids.sizes(), kLong);
  std::transform(impl(ids).data<int64_t>(), impl(ids).data<int64_t>() + ids.numel(),
                 impl(numbers).data<int64_t>(), number_of);
  const Tensor sums = make(numbers, static_cast<int64_t>(named.size()), number_of(padding_idx));
  return Tensor(sum).index_add_(0, tensor(named), as_type(sums, sum.scalar_type()));
}

Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding_idx, bool scale_grad_by_freq,
                 bool sparse) {
  ETUDE_OP(embedding, weight, indices, padding_idx, scale_grad_by_freq, sparse);
  ETUDE_CHECK(weight.dim() == 2, "'weight' must be 2-D\nreceived a weight of sizes ", weight.sizes());
  if (sparse)
    throw NotImplementedError(
        "embedding: sparse gradients are not supported\nhint: leave sparse at false; the gradient is dense");
  const Shape& table = impl(weight).sizes;
  const Tensor ids = embedding_ids(indices, table[0]);
  Shape sizes = impl(indices).sizes;
  sizes.push_back(table[1]);
  return recorded("EmbeddingBackward0", {weight}, rows_of(weight, 0, ids, sizes), {ids},
                  [table = Table{table[0], padding_idx, scale_grad_by_freq}](
                      const Tensor& dy, const Tensor& kept) { return embedding_backward(dy, kept, table); });
}

Tensor& embedding_renorm_(Tensor& self, const Tensor& indices, double max_norm, double norm_type) {
  ETUDE_OP(embedding_renorm_, self, indices, max_norm, norm_type);
  ETUDE_CHECK(self.dim() == 2, "Expected 2-dimensional tensor, but got ", self.dim(),
              "-dimensional tensor for argument #1 'self' (while checking arguments for "
              "embedding_renorm_)\nreceived sizes ",
              self.sizes());
  check_types(indices, 2, "embedding_renorm_");
  ETUDE_CHECK(self.is_floating_point(),
              "norm(): input dtype should be either floating point or complex. Got ",
              toString(self.scalar_type()), " instead.");
  check_in_place(self, needs_grad(self));
  if (recording({self}))
    throw NotImplementedError(
        "the derivative for 'embedding_renorm' is not implemented.\nhint: renormalise the table under a "
        "NoGradGuard");
  const Tensor ids = ids_of_rows(indices, self.size(0), [&](int64_t id) {
    return str("select(): index ", id, " out of range for tensor of size ", self.sizes(), " at dimension 0");
  });
  const TensorImpl& table = impl(self);
  dispatch_floating("embedding_renorm_", table.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (const int64_t i : distinct(ids))
      renorm_row<T>({table.data<T>() + i * table.strides[0], table.sizes[1], table.strides[1]}, max_norm,
                    norm_type);
  });
  written(self);
  return self;
}

}  // namespace etude
