// embedding: y[p] = weight[id[p]], one row per id;  dweight[i] = sum of dy[p] over the positions p with id[p] = i.
//
// The row padding_idx gets no gradient. With scale_grad_by_freq the gradient of a row is divided by how often its id occurs.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/ops.h"

namespace etude {
namespace {

using autograd::record;
using autograd::recording;
using autograd::Saved;
using detail::impl;

struct Lookup {
  int64_t rows, padding_idx;
  bool scale_grad_by_freq;
};

void check_types(const Tensor& indices) {
  const ScalarType t = indices.scalar_type();
  ETUDE_CHECK(t == kLong || t == kInt,
              "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got torch.",
              toString(t), "Tensor instead (while checking arguments for embedding)",
              "\nhint: ids are whole numbers; convert them with .to(kLong)");
}

// Where in the tensor of ids the i-th one stands: `[0, 3]`.
Shape position_of(int64_t i, const Shape& sizes) {
  Shape at = sizes;
  for (int64_t d = sizes.size() - 1; d >= 0; --d) {
    at[d] = i % sizes[d];
    i /= sizes[d];
  }
  return at;
}

// Contiguous int64 ids, all of them inside the table.
Tensor checked_ids(const Tensor& indices, int64_t rows) {
  const Tensor ids = indices.detach().to(kLong).contiguous();
  const int64_t* id = impl(ids).data<int64_t>();
  for (int64_t i = 0; i < impl(ids).numel; ++i)
    ETUDE_CHECK_INDEX(id[i] >= 0 && id[i] < rows, "index out of range in self\nembedding: id ", id[i], " at position ",
                      position_of(i, impl(ids).sizes).ref(), " of the ids ", indices.sizes(), ", but the table has ", rows,
                      " rows\nhint: ids run from 0 to ", rows - 1, "; the table needs at least ", std::max<int64_t>(id[i] + 1, 0),
                      " rows for this one");
  return ids;
}

Tensor gather_rows(const Tensor& weight, const Tensor& ids, const Shape& sizes) {
  const Tensor table = weight.detach().contiguous();
  const Tensor y = detail::make_tensor(sizes, weight.scalar_type());
  const int64_t bytes = weight.size(1) * weight.element_size();
  const int64_t* id = impl(ids).data<int64_t>();
  const std::byte* from = impl(table).bytes();
  std::byte* to = impl(y).bytes();
  detail::parallel_for(0, impl(ids).numel, std::max<int64_t>(1, detail::kGrain * 4 / std::max<int64_t>(bytes, 1)),
                       [&](int64_t begin, int64_t end) {
                         for (int64_t i = begin; i < end; ++i)
                           std::memcpy(to + i * bytes, from + id[i] * bytes, static_cast<size_t>(bytes));
                       });
  return y;
}

// How often each id occurs.
std::vector<int64_t> occurrences(const Tensor& ids, int64_t rows) {
  std::vector<int64_t> count(static_cast<size_t>(rows), 0);
  for (int64_t i = 0; i < impl(ids).numel; ++i) ++count[static_cast<size_t>(impl(ids).data<int64_t>()[i])];
  return count;
}

// The factor of each row's gradient: 0 for padding, 1 / count if scaled, else 1.
template <typename T>
std::vector<T> row_factors(const Tensor& ids, const Lookup& lookup) {
  std::vector<T> factor(static_cast<size_t>(lookup.rows), T(1));
  if (lookup.scale_grad_by_freq) {
    const auto count = occurrences(ids, lookup.rows);
    for (size_t i = 0; i < count.size(); ++i)
      if (count[i] > 0) factor[i] = T(1) / static_cast<T>(count[i]);
  }
  if (lookup.padding_idx >= 0 && lookup.padding_idx < lookup.rows) factor[static_cast<size_t>(lookup.padding_idx)] = 0;
  return factor;
}

// Each thread owns a range of rows and looks for its ids among all of them: two positions may add to the same row, and the order in which
// they do must not depend on the number of threads.
template <typename T>
void scatter_rows(const Tensor& dy, const Tensor& ids, const Lookup& lookup, const Tensor& dweight) {
  const int64_t width = dweight.size(1), count = impl(ids).numel;
  const int64_t* id = impl(ids).data<int64_t>();
  const T* from = impl(dy).data<T>();
  T* to = impl(dweight).data<T>();
  const std::vector<T> factor = row_factors<T>(ids, lookup);
  const int64_t work = count * width;
  detail::parallel_for(0, lookup.rows, work < detail::kGrain ? lookup.rows : 1, [&](int64_t begin, int64_t end) {
    detail::vectorised([&] {
      for (int64_t p = 0; p < count; ++p) {
        if (id[p] < begin || id[p] >= end || id[p] == lookup.padding_idx) continue;
        const T scale = factor[static_cast<size_t>(id[p])];
        T* row = to + id[p] * width;
        const T* added = from + p * width;
        for (int64_t j = 0; j < width; ++j) row[j] += scale * added[j];
      }
    });
  });
}

Tensor embedding_backward(const Tensor& dy, const Tensor& ids, const Lookup& lookup) {
  const Tensor gradient = dy.contiguous();
  const Tensor dweight = zeros({lookup.rows, dy.size(-1)}, dy.scalar_type());
  detail::dispatch_floating("embedding_backward", dy.scalar_type(), [&](auto zero) {
    scatter_rows<decltype(zero)>(gradient, ids, lookup, dweight);
  });
  if (!recording({dy})) return dweight;
  // Linear in dy: its gradient reads the rows back, each with the factor of its row.
  return record("EmbeddingDenseBackwardBackward0", {dy}, dweight, [ids, lookup, sizes = Shape(dy.sizes())](const Tensor& ddweight) {
    const auto factor = row_factors<double>(ids, lookup);
    const Tensor scale = tensor(factor, ddweight.scalar_type()).unsqueeze(1);
    return etude::embedding(ddweight * scale, ids).reshape(sizes);
  });
}

}  // namespace

Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding_idx, bool scale_grad_by_freq, bool sparse) {
  ETUDE_CHECK(weight.dim() == 2, "'weight' must be 2-D\nreceived a weight of sizes ", weight.sizes());
  ETUDE_CHECK(!sparse, "embedding: sparse gradients are not supported\nhint: leave sparse at false; the gradient is dense");
  check_types(indices);
  const Tensor ids = checked_ids(indices, weight.size(0));
  Shape sizes(indices.sizes());
  sizes.push_back(weight.size(1));
  const Tensor y = gather_rows(weight, ids, sizes);
  if (!recording({weight})) return y;
  const Lookup lookup{weight.size(0), padding_idx, scale_grad_by_freq};
  return record("EmbeddingBackward0", {weight}, y,
                [ids = Saved(ids), lookup](const Tensor& dy) { return embedding_backward(dy, ids.get(), lookup); });
}

Tensor& embedding_renorm_(Tensor& self, const Tensor& indices, double max_norm, double norm_type) {
  ETUDE_CHECK(self.dim() == 2, "'self' must be 2-D\nreceived a table of sizes ", self.sizes());
  check_types(indices);
  autograd::check_in_place(self);
  const Tensor ids = checked_ids(indices, self.size(0));
  std::vector<int64_t> rows(impl(ids).data<int64_t>(), impl(ids).data<int64_t>() + impl(ids).numel);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  const NoGradGuard no_grad;
  for (const int64_t i : rows) {
    const Tensor row = self.detach().select(0, i);
    const double norm = row.norm(norm_type).item<double>();
    if (norm > max_norm) row.mul_(max_norm / (norm + 1e-7));
  }
  return self;
}

}  // namespace etude
