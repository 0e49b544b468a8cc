// positioned_embedding: y[p] = (weight[id[p]] scale + table[position of p]) noise,  dweight[i] = scale sum of dy[p] noise
//
// over the positions p with id[p] = i, where noise is that of dropout. Embedding, sum and dropout run in one pass over the rows
// and give the same bits as three passes.

#include <algorithm>

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/indexed.h"
#include "etude/ops/detail/random.h"

namespace etude {
namespace {

using namespace detail;

// Row r of the result is for ids[r], at position r / together % positions.
struct Positioned {
  Tensor ids;
  int64_t words, width, together, positions, padding_idx;
  double scale, p;
  int64_t rows = ids.numel();
  Tensor kept = {};  // which elements dropout keeps, a byte per element; undefined if it keeps all
};

template <typename T>
T noise_factor(double p) {
  return T(1) / static_cast<T>(1 - p);
}

// Writes elements [from, from + count) of y.
template <typename T>
void write_sums(const Positioned& s, const T* weight, const T* table, T* y, int64_t from, int64_t count) {
  const T scale = static_cast<T>(s.scale), factor = noise_factor<T>(s.p);
  const uint8_t* const kept = s.kept.defined() ? impl(s.kept).data<uint8_t>() : nullptr;
  for (int64_t i = from; i < from + count;) {
    const int64_t row = i / s.width, column = i % s.width, n = std::min(s.width - column, from + count - i);
    const T* const word = weight + impl(s.ids).data<int64_t>()[row] * s.width + column;
    const T* const place = table + row / s.together % s.positions * s.width + column;
    vectorised<T>([=, out = y + i, stays = kept + i] {
      if (kept)
        for (int64_t j = 0; j < n; ++j)
          out[j] = (word[j] * scale + place[j]) * (static_cast<T>(stays[j]) * factor);
      else
        for (int64_t j = 0; j < n; ++j) out[j] = word[j] * scale + place[j];
    });
    i += n;
  }
}

// The rows of dy, and the step from one to the next: 0 if all elements are one number, as in the gradient of a sum.
template <typename T>
std::pair<Tensor, int64_t> rows_of(const Tensor& dy, int64_t width) {
  if (dy.numel() == 0 || impl(dy).strides != Shape{0, 0, 0}) return {dy.contiguous(), width};
  const Tensor row = make_tensor({width}, dy.scalar_type());
  std::fill_n(impl(row).data<T>(), width, *impl(dy).data<T>());
  return {row, 0};
}

// Threads share out the columns, so that the places that name a row are added in their order.
template <typename T>
void add_gradients(const Positioned& s, const Tensor& ids, int64_t padding_idx, const T* dy, int64_t step,
                   T* dweight) {
  const T scale = static_cast<T>(s.scale), factor = noise_factor<T>(s.p);
  const uint8_t* const kept = s.kept.defined() ? impl(s.kept).data<uint8_t>() : nullptr;
  const int64_t* const id = impl(ids).data<int64_t>();
  constexpr int64_t kAhead = 2, kLine = 64 / static_cast<int64_t>(sizeof(T));
  const auto add_columns = [=, &s](int64_t begin, int64_t end) {
    for (int64_t row = 0; row < s.rows; ++row) {
      const T* const later = dweight + id[std::min(row + kAhead, s.rows - 1)] * s.width;
      for (int64_t j = begin; j < end; j += kLine) __builtin_prefetch(later + j, 1);
      if (id[row] == padding_idx) continue;
      vectorised<T>(
          [=, to = dweight + id[row] * s.width, from = dy + row * step, stays = kept + row * s.width] {
            if (kept)
              for (int64_t j = begin; j < end; ++j)
                to[j] += from[j] * (static_cast<T>(stays[j]) * factor) * scale;
            else
              for (int64_t j = begin; j < end; ++j) to[j] += from[j] * scale;
          });
    }
  };
  // No two threads write to the same cache line.
  const int64_t lines = (s.width + kLine - 1) / kLine,
                grain = std::max<int64_t>(1, kGrain / kLine / std::max<int64_t>(s.rows, 1));
  parallel_for(0, lines, grain, [&](int64_t begin, int64_t end) {
    add_columns(begin * kLine, std::min(s.width, end * kLine));
  });
}

// Built from differentiable ops when a second derivative may be needed, otherwise by the kernel.
Tensor backward(const Positioned& s, const Tensor& dy) {
  if (recording({dy})) {
    Tensor g = s.kept.defined() ? dy * s.kept.to(dy.scalar_type()).div_(1 - s.p) : dy;
    g = (g * s.scale).masked_fill(s.ids.eq(s.padding_idx).unsqueeze(-1), 0);
    return zeros({s.words, s.width}, dy.scalar_type())
        .index_add(0, s.ids.flatten(), g.reshape({s.rows, s.width}));
  }
  return gradient_of_rows(s.ids, s.words, s.padding_idx,
                          [&](const Tensor& ids, int64_t rows, int64_t padding_idx) {
                            Tensor dweight = zeros({rows, s.width}, dy.scalar_type());
                            dispatch_floating("embedding_backward", dy.scalar_type(), [&](auto zero) {
                              using T = decltype(zero);
                              const std::pair<Tensor, int64_t> from = rows_of<T>(dy, s.width);
                              add_gradients<T>(s, ids, padding_idx, impl(from.first).data<T>(), from.second,
                                               impl(dweight).data<T>());
                            });
                            return dweight;
                          });
}

}  // namespace

Tensor positioned_embedding(const Tensor& weight, const Tensor& ids, const Tensor& table,
                            int64_t position_dim, int64_t padding_idx, double scale, double dropout_p) {
  ETUDE_OWN_OP(positioned_embedding, weight, ids, table, position_dim, padding_idx, scale, dropout_p);
  const int64_t dim = wrap_dim(position_dim, ids.dim());
  ETUDE_CHECK(ids.dim() == 2, "positioned_embedding: expected ids of 2 dims, but got ", ids.sizes());
  ETUDE_CHECK(table.dim() == 2 && table.size(1) == weight.size(1) && ids.size(dim) <= table.size(0),
              "positioned_embedding: expected a table of at least ", ids.size(dim), " positions as wide as ",
              weight.sizes(), ", but got ", table.sizes());
  ETUDE_CHECK(table.scalar_type() == weight.scalar_type(), "expected scalar type ",
              toString(weight.scalar_type()), " but found ", toString(table.scalar_type()));
  ETUDE_CHECK(dropout_p >= 0 && dropout_p < 1, "dropout probability has to be between 0 and 1, but got ",
              dropout_p);
  check_no_gradient("positioned_embedding", table, "table");
  const Tensor from = widened(weight.detach()).contiguous(), places = widened(table).contiguous();
  Positioned s{
      embedding_ids(ids, weight.size(0)),  weight.size(0), weight.size(1), dim == 1 ? 1 : ids.size(1),
      std::max<int64_t>(ids.size(dim), 1), padding_idx,    scale,          dropout_p};
  const Tensor y = make_tensor({ids.size(0), ids.size(1), s.width}, from.scalar_type());
  const int64_t n = y.numel();
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
                  {s.ids}, [s](const Tensor& dy, const Tensor&) { return backward(s, dy); });
}

}  // namespace etude
