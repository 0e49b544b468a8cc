// embedding: y[p] = weight[id[p]], one row per id
//            dweight[i] = sum of dy[p] over the positions p with id[p] = i
//
// The row padding_idx gets no gradient. With scale_grad_by_freq, the gradient of a row is divided by the number of
// times that its id occurs.
//
// positioned_embedding: y[p] = (weight[id[p]] scale + table[position of p]) noise,  dweight[i] = scale sum of dy[p] noise
//
// where noise is that of dropout. Embedding, sum and dropout run in one pass over the rows and give the same bits as three passes.

#include <algorithm>
#include <cmath>

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/indexed.h"
#include "etude/ops/detail/random.h"

namespace etude {
namespace {

using namespace detail;

struct Table {
  int64_t rows, padding_idx;
  bool scale_grad_by_freq;
};

[[noreturn]] void refuse_id_type(ScalarType t, int argument, const char* function) {
  throw Error(str("Expected tensor for argument #", argument,
                  " 'indices' to have one of the following scalar types: Long, Int; but got torch.",
                  toString(t), "Tensor instead (while checking arguments for ", function, ")",
                  "\nhint: ids are whole numbers; convert them with .to(kLong)"));
}

void check_id_type(const Tensor& indices, int argument, const char* function) {
  const ScalarType t = indices.scalar_type();
  if (t != kLong && t != kInt) refuse_id_type(t, argument, function);
}

// PyTorch's `message` for an id at position p that is no row of the table.
[[noreturn]] void refuse_row(const std::string& message, int64_t id, int64_t p, const Tensor& indices,
                             int64_t rows) {
  throw IndexError(str(message, "\nreceived id ", id, " at position ",
                       position_of(p, Shape(indices.sizes())).ref(), " of ids of sizes ", indices.sizes(),
                       "; the table has ", rows, rows == 1 ? " row" : " rows",
                       "\nhint: ids run from 0 to the number of rows - 1",
                       id >= rows ? str("; a table with this id has more than ", id, " rows") : ""));
}

// The ids as contiguous int64, checked to be rows of a table with `rows` rows.
Tensor embedding_ids(const Tensor& indices, int64_t rows) {
  check_id_type(indices, 1, "embedding");
  return checked_ids(indices, rows, /*from_the_end=*/false, [&](int64_t id, int64_t p) {
    refuse_row("index out of range in self", id, p, indices, rows);
  });
}

// Adds the gradients of a few rows to `sum`, the gradient of the whole table so far.
Tensor add_few_rows(const Tensor& sum, const Tensor& ids, int64_t padding_idx,
                    FunctionRef<Tensor(const Tensor&, int64_t, int64_t)> make) {
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

// The gradient of a table with `rows` rows, some of which the ids select. The table is the first input of the op whose backward
// runs.
// make(ids, rows, padding_idx) returns the sum for each row, zero for rows that are not selected. If the table already has
// a gradient, only the sums of the selected rows are computed and added to it.
Tensor gradient_of_rows(const Tensor& ids, int64_t rows, int64_t padding_idx,
                        FunctionRef<Tensor(const Tensor&, int64_t, int64_t)> make) {
  constexpr int64_t kFew = 4;  // the least ratio of rows to ids
  const Tensor sum = rows >= kFew * ids.numel() ? autograd::detail::waiting_gradient(0) : Tensor();
  return sum.defined() ? add_few_rows(sum, ids, padding_idx, make) : make(ids, rows, padding_idx);
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
    if (padding >= 0 && padding < rows) sums.select(0, padding).zero_();
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
  check_id_type(indices, 2, "embedding_renorm_");
  ETUDE_CHECK(self.is_floating_point(),
              "norm(): input dtype should be either floating point or complex. Got ",
              toString(self.scalar_type()), " instead.");
  check_in_place(self, needs_grad(self));
  if (recording({self}))
    throw NotImplementedError(
        "the derivative for 'embedding_renorm' is not implemented.\nhint: renormalise the table under a "
        "NoGradGuard");
  const Tensor ids = checked_ids(indices, self.size(0), /*from_the_end=*/false, [&](int64_t id, int64_t p) {
    refuse_row(
        str("select(): index ", id, " out of range for tensor of size ", self.sizes(), " at dimension 0"), id,
        p, indices, self.size(0));
  });
  const TensorImpl& table = impl(self);
  dispatch_any_floating("embedding_renorm_", table.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (const int64_t i : distinct(ids))
      renorm_row<T>({table.data<T>() + i * table.strides[0], table.sizes[1], table.strides[1]}, max_norm,
                    norm_type);
  });
  written(self);
  return self;
}

namespace {

// Row r of the result is for ids[r], at position r / together % positions.
struct Positioned {
  Tensor ids;
  int64_t words, width, together, positions, padding_idx;
  double scale, p;
  int64_t rows = ids.numel();
  Tensor kept = {};  // which elements dropout keeps, a byte per element; undefined if it keeps all
};

// Writes elements [from, from + count) of y.
template <typename T>
void write_sums(const Positioned& s, const T* weight, const T* table, T* y, int64_t from, int64_t count) {
  const T scale = static_cast<T>(s.scale), factor = T(1) / static_cast<T>(1 - s.p);
  const uint8_t* const kept = s.kept.defined() ? impl(s.kept).data<uint8_t>() : nullptr;
  for (int64_t i = from, n; i < from + count; i += n) {
    const int64_t row = i / s.width, column = i % s.width;
    n = std::min(s.width - column, from + count - i);
    const T* const word = weight + impl(s.ids).data<int64_t>()[row] * s.width + column;
    const T* const place = table + row / s.together % s.positions * s.width + column;
    vectorised<T>([=, out = y + i, stays = kept + i] {
      if (kept)
        for (int64_t j = 0; j < n; ++j)
          out[j] = (word[j] * scale + place[j]) * (static_cast<T>(stays[j]) * factor);
      else
        for (int64_t j = 0; j < n; ++j) out[j] = word[j] * scale + place[j];
    });
  }
}

// The rows of dy, and the step from one to the next: 0 if all elements are one number, as in the gradient of a sum.
template <typename T>
std::pair<Tensor, int64_t> rows_of(const Tensor& dy, int64_t width) {
  if (dy.numel() == 0 || impl(dy).strides != Shape{0, 0, 0}) return {dense(dy), width};
  const Tensor row = make_tensor({width}, dy.scalar_type());
  std::fill_n(impl(row).data<T>(), width, *impl(dy).data<T>());
  return {row, 0};
}

// Each thread adds some of the columns, so that the gradients of a row are added in the order of their positions.
template <typename T>
void add_gradients(const Positioned& s, const Tensor& ids, int64_t padding_idx, const Tensor& dy,
                   const Tensor& sums) {
  const std::pair<Tensor, int64_t> rows = rows_of<T>(dy, s.width);
  const T* const first = impl(rows.first).data<T>();
  T* const dweight = impl(sums).data<T>();
  const T scale = static_cast<T>(s.scale), factor = T(1) / static_cast<T>(1 - s.p);
  const uint8_t* const kept = s.kept.defined() ? impl(s.kept).data<uint8_t>() : nullptr;
  const int64_t* const id = impl(ids).data<int64_t>();
  constexpr int64_t kAhead = 2, kLine = 64 / static_cast<int64_t>(sizeof(T));
  // No two threads write to the same cache line.
  const int64_t lines = (s.width + kLine - 1) / kLine,
                grain = std::max<int64_t>(1, kGrain / kLine / std::max<int64_t>(s.rows, 1));
  parallel_for(0, lines, grain, [=, &s, step = rows.second](int64_t first_line, int64_t end_line) {
    const int64_t begin = first_line * kLine, end = std::min(s.width, end_line * kLine);
    for (int64_t row = 0; row < s.rows; ++row) {
      const T* const later = dweight + id[std::min(row + kAhead, s.rows - 1)] * s.width;
      for (int64_t j = begin; j < end; j += kLine) __builtin_prefetch(later + j, 1);
      if (id[row] == padding_idx) continue;
      vectorised<T>(
          [=, to = dweight + id[row] * s.width, from = first + row * step, stays = kept + row * s.width] {
            if (kept)
              for (int64_t j = begin; j < end; ++j)
                to[j] += from[j] * (static_cast<T>(stays[j]) * factor) * scale;
            else
              for (int64_t j = begin; j < end; ++j) to[j] += from[j] * scale;
          });
    }
  });
}

// Built from differentiable ops, so that it has a derivative.
Tensor differentiable_backward(const Positioned& s, const Tensor& dy) {
  Tensor g = s.kept.defined() ? dy * s.kept.to(dy.scalar_type()).div_(1 - s.p) : dy;
  g = (g * s.scale).masked_fill(s.ids.eq(s.padding_idx).unsqueeze(-1), 0);
  return zeros({s.words, s.width}, dy.scalar_type())
      .index_add(0, s.ids.flatten(), g.reshape({s.rows, s.width}));
}

Tensor positioned_backward(const Positioned& s, const Tensor& dy) {
  if (recording({dy})) return differentiable_backward(s, dy);
  const auto add_up = [&](const Tensor& ids, int64_t rows, int64_t padding_idx) {
    Tensor dweight = make_zeros({rows, s.width}, dy.scalar_type());
    dispatch_floating("embedding_backward", dy.scalar_type(),
                      [&](auto zero) { add_gradients<decltype(zero)>(s, ids, padding_idx, dy, dweight); });
    return dweight;
  };
  return gradient_of_rows(s.ids, s.words, s.padding_idx, add_up);
}

// The number of positions in a table [positions, width], [1, positions, width] or [positions, 1, width]; -1 for other sizes.
int64_t positions_of(const Shape& table) {
  if (table.size() == 3 && (table[0] == 1 || table[1] == 1)) return table[0] * table[1];
  return table.size() == 2 ? table[0] : -1;
}

// Throws an error about the first argument that does not fit.
void refuse_positioned(const Tensor& weight, const Tensor& ids, const Tensor& table, int64_t dim,
                       double dropout_p) {
  ETUDE_CHECK(weight.dim() == 2, "'weight' must be 2-D\nreceived a weight of sizes ", weight.sizes());
  ETUDE_CHECK(ids.dim() == 2, "positioned_embedding: expected ids of 2 dims, but got ", ids.sizes());
  ETUDE_CHECK(ids.size(dim) <= positions_of(impl(table).sizes) && table.size(-1) == weight.size(1),
              "positioned_embedding: expected a table of at least ", ids.size(dim), " positions as wide as ",
              weight.sizes(), ", but got ", table.sizes());
  ETUDE_CHECK(table.scalar_type() == weight.scalar_type(), "expected scalar type ",
              toString(weight.scalar_type()), " but found ", toString(table.scalar_type()));
  ETUDE_CHECK(dropout_p >= 0 && dropout_p < 1, "dropout probability has to be between 0 and 1, but got ",
              dropout_p);
  check_no_gradient("positioned_embedding", table, "table");
}

}  // namespace

Tensor positioned_embedding(const Tensor& weight, const Tensor& ids, const Tensor& table,
                            int64_t position_dim, int64_t padding_idx, double scale, double dropout_p) {
  ETUDE_OWN_OP(positioned_embedding, weight, ids, table, position_dim, padding_idx, scale, dropout_p);
  const Shape &words = impl(weight).sizes, &sizes = impl(ids).sizes;
  const int64_t dim = wrap_dim(position_dim, sizes.size()), positions = positions_of(impl(table).sizes);
  const bool fits = words.size() == 2 && sizes.size() == 2 && sizes[dim] <= positions &&
                    table.size(-1) == weight.size(1) && table.scalar_type() == weight.scalar_type() &&
                    dropout_p >= 0 && dropout_p < 1 && !recording({table});
  if (!fits) refuse_positioned(weight, ids, table, dim, dropout_p);
  const Tensor from = dense(weight), places = dense(table);
  Positioned s{embedding_ids(ids, words[0]),     words[0],    words[1], dim == 1 ? 1 : sizes[1],
               std::max<int64_t>(sizes[dim], 1), padding_idx, scale,    dropout_p};
  const Tensor y = make_tensor({sizes[0], sizes[1], s.width}, from.scalar_type());
  const int64_t n = impl(y).numel;
  if (dropout_p > 0) s.kept = make_tensor(y.sizes(), kByte);
  dispatch_floating("embedding", from.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    const auto write = [&](int64_t begin, int64_t count) {
      write_sums<T>(s, impl(from).data<T>(), impl(places).data<T>(), impl(y).data<T>(), begin, count);
    };
    if (dropout_p > 0) draw_kept(impl(s.kept).data<uint8_t>(), n, dropout_p, write);
    else parallel_for(0, n, kGrain, [&](int64_t begin, int64_t end) { write(begin, end - begin); });
  });
  // Printed under the node name of the last of the three ops.
  return recorded(dropout_p > 0 ? "MulBackward0" : "AddBackward0", {weight}, as_type(y, weight.scalar_type()),
                  {s.ids}, [s](const Tensor& dy, const Tensor&) { return positioned_backward(s, dy); });
}

}  // namespace etude
