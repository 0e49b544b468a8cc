// attention(q, k, v) = P v,   P = softmax(s) row by row,   s = scale q k^T + mask
//
//   dv = P^T dy,   dP = dy v^T,   ds = P (dP - sum(dP P)),   dq = scale ds k,   dk = scale ds^T q
//
// where sum(dP P) over a row is sum(dy y). s has an element for each pair of a query and a key. So the kernel computes a few
// rows of s at a time, computes them again in backward, and keeps two numbers per row (Rabe and Staats 2021, "Self-attention
// does not need O(n^2) memory"; Dao et al. 2022, section 3.1). It skips keys that none of these rows may see.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "etude/ops/attention_scores.h"
#include "etude/ops/detail/autocast.h"
#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/gemm.h"
#include "etude/ops/detail/lanes.h"

namespace etude {
namespace {

using namespace detail;

// Matrices [..., L, d], [..., S, d], [..., S, e], and a mask that is undefined or [..., L, S].
struct Operands {
  Tensor q, k, v, mask;
  optional<int64_t> causal_from;
  double scale;
};

// P composed of ops, so that it can be differentiated.
Tensor probabilities(const Operands& in) {
  return softmax(attention_scores(in.q, in.k, in.mask, in.causal_from, in.scale), -1);
}

double scale_for(const Tensor& query, optional<double> scale) {
  return scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
}

// The inputs as the kernels use them: every matrix has unit stride along one dim, and the leading dims are broadcast, except that
// adjacent matrices of queries may share one of keys and one of values.
template <typename T>
struct Problem {
  Tensor q, k, v, mask;
  T scale;
  int64_t from;  // query i sees keys 0 to from + i
  int64_t queries = q.size(-2), keys = k.size(-2), matrices = q.numel() / (queries * q.size(-1));
  int64_t sharing = q.dim() < 3 ? 1 : q.size(-3) / k.size(-3);
  // The number of rows of s computed at a time, so that they stay in the cache.
  int64_t height = std::min(queries, std::clamp<int64_t>((1 << 16) / keys, 16, 64)),
          tiles = (queries + height - 1) / height;

  explicit Problem(const Operands& in)
      : q(with_unit_stride<T>(in.q)),
        k(with_unit_stride<T>(in.k)),
        v(with_unit_stride<T>(in.v)),
        mask(in.mask),
        scale(static_cast<T>(in.scale)),
        from(in.causal_from.value_or(in.k.size(-2))) {}

  std::unique_ptr<T[]> scratch() const {
    return std::unique_ptr<T[]>(new T[static_cast<size_t>(height * keys)]);
  }
  // How many matrices (or tiles) of this many rows a thread takes at least.
  int64_t grain(int64_t rows) const {
    return std::max<int64_t>(1, kGrain * 8 / (rows * keys * (q.size(-1) + v.size(-1))));
  }
};

// Some rows of s. Row r sees the first length(r) keys; the last row sees all columns.
template <typename T>
struct Tile {
  int64_t matrix, of_keys, first, count, seen;
  MatrixView<T> s;

  Tile(const Problem<T>& p, int64_t number, T* to)
      : matrix(number / p.tiles),
        of_keys(matrix / p.sharing),
        first(number % p.tiles * p.height),
        count(std::min(p.height, p.queries - first)),
        seen(std::min(p.keys, p.from + first + 1)) {
    const int64_t columns = std::min(p.keys, seen + count - 1);
    s = {to, count, columns, columns, 1};
    gemm_block<T>(rows_of(p.q), keys_of(p.k).turned(), s, p.scale, T(0));
    if (!p.mask.defined()) return;
    const auto mask = rows_of(p.mask);
    vectorised<T>([=, *this] {
      for (int64_t r = 0; r < count; ++r)
        for (int64_t j = 0; j < s.columns; ++j) s.row(r)[j] += mask.row(r)[j * mask.column_stride];
    });
  }

  int64_t length(int64_t r) const { return std::min(s.columns, seen + r); }
  // Extends a row to the end of its last vector, since leftover elements would be computed one by one.
  int64_t whole_length(int64_t r) const {
    return std::min(s.columns, (length(r) + kLanes - 1) / kLanes * kLanes);
  }
  MatrixView<T> rows_of(const Tensor& t) const {
    return view_of<T>(t, matrix).block(first, count, 0, t.size(-1));
  }
  MatrixView<T> keys_of(const Tensor& t) const { return view_of<T>(t, of_keys).first_rows(s.columns); }
};

// Turns rows [first, first + count) of s into rows of P. The elements that extend a row to its last vector get probability 0.
template <typename T, typename Form>
void softmax_rows(const Tile<T>& tile, int64_t first, int64_t count, T* kept, Form form) {
  const auto row = [&](int64_t r) { return tile.s.row(first + r); };
  const auto length = [&](int64_t r) { return tile.whole_length(first + r); };
  for (int64_t r = 0; r < count; ++r)
    std::fill(row(r) + tile.length(first + r), row(r) + length(r), -std::numeric_limits<T>::infinity());
  for (int64_t r = 0; r < count; ++r) kept[2 * r] = largest_of(row(r), length(r));
  for (int64_t r = 0; r < count; ++r)
    for (int64_t j = 0; j < length(r); ++j) row(r)[j] = fast_exp(form, row(r)[j] - kept[2 * r]);
  for (int64_t r = 0; r < count; ++r) kept[2 * r + 1] = factor_of(row(r), length(r));
  for (int64_t r = 0; r < count; ++r) {
    for (int64_t j = 0; j < length(r); ++j) row(r)[j] *= kept[2 * r + 1];
    std::fill(row(r) + length(r), row(r) + tile.s.columns, T(0));
  }
}

// kept is [matrices, queries, 2]: the numbers that turn each row of s into a row of P.
template <typename T>
void forward_kernel(const Problem<T>& p, const Tensor& y, T* kept) {
  parallel_for(0, p.matrices * p.tiles, p.grain(p.height), [&](int64_t begin, int64_t end) {
    const auto scratch = p.scratch();
    for (int64_t t = begin; t < end; ++t) {
      const Tile<T> tile(p, t, scratch.get());
      vectorised<T>([=, to = kept + 2 * (tile.matrix * p.queries + tile.first)](auto form) {
        const int64_t step = Lanes::together(tile.s.columns);
        for (int64_t r = 0; r < tile.count; r += step)
          softmax_rows(tile, r, std::min(step, tile.count - r), to + 2 * r, form);
      });
      gemm_block<T>(tile.s, tile.keys_of(p.v), tile.rows_of(y), T(1), T(0));
    }
  });
}

// Given s and dP, writes P in place of s and ds in place of dP.
template <typename T, typename Form>
void backward_rows(const Tile<T>& tile, MatrixView<T> y, MatrixView<T> dy, const T* kept, T* ds, Form form) {
  for (int64_t r = 0; r < tile.count; ++r, ds += tile.s.columns) {
    T* const p = tile.s.row(r);
    const T *const of_y = y.row(r), *const of_dy = dy.row(r);
    const Shares<T> shares{kept[2 * r], kept[2 * r + 1]};
    const auto dot = static_cast<T>(
        sum_lane<T>(y.columns, [=](int64_t i) { return of_y[i] * of_dy[i * dy.column_stride]; }));
    for (int64_t j = 0; j < tile.whole_length(r); ++j) p[j] = shares.share(form, p[j]);
    std::fill(p + tile.length(r), p + tile.s.columns, T(0));
    for (int64_t j = 0; j < tile.s.columns; ++j) ds[j] = p[j] * (ds[j] - dot);
  }
}

// Only defined gradients are computed; dk and dv hold zeros at the start. One thread processes all tiles of a matrix
// of keys in order, so that dk and dv are the same for any number of threads.
template <typename T>
void backward_kernel(const Problem<T>& p, const Tensor& y, const Tensor& dy, const T* kept,
                     const Gradients& into) {
  const Tensor &dq = into[0], &dk = into[1], &dv = into[2];
  const int64_t tiles = p.sharing * p.tiles;
  parallel_for(0, p.matrices / p.sharing, p.grain(p.sharing * p.queries), [&](int64_t begin, int64_t end) {
    const auto scratch = p.scratch(), more = p.scratch();
    for (int64_t t = begin * tiles; t < end * tiles; ++t) {
      const Tile<T> tile(p, t, scratch.get());
      const MatrixView<T> ds = {more.get(), tile.count, tile.s.columns, tile.s.columns, 1};
      const auto of_dy = tile.rows_of(dy);
      gemm_block<T>(of_dy, tile.keys_of(p.v).turned(), ds, T(1), T(0));
      vectorised<T>([=, of_y = tile.rows_of(y), from = kept + 2 * (tile.matrix * p.queries + tile.first)](
                        auto form) { backward_rows(tile, of_y, of_dy, from, ds.data, form); });
      if (dq.defined()) gemm_block<T>(ds, tile.keys_of(p.k), tile.rows_of(dq), p.scale, T(0));
      if (dk.defined()) gemm_block<T>(ds.turned(), tile.rows_of(p.q), tile.keys_of(dk), p.scale, T(1));
      if (dv.defined()) gemm_block<T>(tile.s.turned(), of_dy, tile.keys_of(dv), T(1), T(1));
    }
  });
}

enum class Start { Unset, Zeros };

// A tensor with a contiguous last dim. The other dims have the same memory order as in `like`, so that splitting rows into
// heads and joining the heads moves no data.
Tensor laid_out_as(const Tensor& like, int64_t width, Start start) {
  Shape sizes = impl(like).sizes, strides = sizes;
  const int64_t last = sizes.size() - 1;
  sizes[last] = width;
  std::vector<int64_t> order(static_cast<size_t>(last));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return like.stride(a) < like.stride(b); });
  strides[last] = 1;
  int64_t apart = width;
  for (const int64_t d : order) {
    strides[d] = apart;
    apart *= sizes[d];
  }
  const Tensor memory =
      start == Start::Zeros ? zeros({apart}, like.options()) : make_tensor({apart}, like.scalar_type());
  return make_view(impl(memory).storage, sizes, strides, 0, like.scalar_type());
}

// The same gradients composed of ops, which can be differentiated again.
Gradients backward_of_ops(const Operands& in, const Tensor& y, const Tensor& dy) {
  const Tensor p = probabilities(in), ds = p * (dy.matmul(in.v.mT()) - (dy * y).sum(-1, true));
  return {in.scale * ds.matmul(in.k), in.scale * ds.mT().matmul(in.q), p.mT().matmul(dy)};
}

Tensor by_kernel(const Operands& in) {
  const Operands x{widened(in.q), widened(in.k), widened(in.v), widened(in.mask), in.causal_from, in.scale};
  const Tensor y = laid_out_as(x.q, x.v.size(-1), Start::Unset);
  Tensor kept = make_tensor({x.q.numel() / x.q.size(-1), 2}, y.scalar_type());
  dispatch_floating("attention", y.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    forward_kernel<T>(Problem<T>(x), y, impl(kept).data<T>());
  });
  return recorded(
      "AttentionBackward0", {in.q, in.k, in.v}, as_type(y, in.q.scalar_type()),
      {in.q, in.k, in.v, in.mask, kResult},
      [kept, from = in.causal_from, scale = in.scale, on_q = needs_grad(in.q), on_k = needs_grad(in.k),
       on_v = needs_grad(in.v)](const Tensor& dy, const Tensor& q, const Tensor& k, const Tensor& v,
                                const Tensor& mask, const Tensor& result) {
        const Operands again{q, k, v, mask, from, scale};
        if (recording({q, k, v, dy})) return backward_of_ops(again, result, dy);
        Gradients into{on_q ? laid_out_as(q, q.size(-1), Start::Unset) : Tensor(),
                       on_k ? laid_out_as(k, k.size(-1), Start::Zeros) : Tensor(),
                       on_v ? laid_out_as(v, v.size(-1), Start::Zeros) : Tensor()};
        dispatch_floating("attention", result.scalar_type(), [&](auto zero) {
          using T = decltype(zero);
          backward_kernel<T>(Problem<T>(again), result, with_unit_stride<T>(dy), impl(kept).data<T>(), into);
        });
        return into;
      });
}

bool expands_to(const Tensor& t, const Shape& sizes) {
  bool does = t.dim() <= sizes.size();
  for (int64_t d = 1; does && d <= t.dim(); ++d)
    does = t.size(-d) == 1 || t.size(-d) == sizes[sizes.size() - d];
  return does;
}

// Whether by_kernel supports the operands: matching matrices of one floating type, with elements, and a mask that needs no
// gradient.
bool fits_kernel(const Operands& in, const Shape& scores) {
  const auto& [q, k, v, mask, from, scale] = in;
  const ScalarType dtype = q.scalar_type();
  return isFloatingType(dtype) && k.scalar_type() == dtype && v.scalar_type() == dtype &&
         q.size(-1) == k.size(-1) && k.size(-2) == v.size(-2) && q.numel() * k.numel() * v.numel() != 0 &&
         from.value_or(0) >= 0 && (!mask.defined() || (expands_to(mask, scores) && !recording({mask})));
}

// attention() without groups.
std::pair<Tensor, Tensor> attended(Operands in, double dropout_p, bool need_weights) {
  if (dropout_p == 0 && !need_weights && in.q.dim() >= 2 && in.k.dim() >= 2 && in.v.dim() >= 2) {
    auto leading = [](const Tensor& t) { return t.sizes().slice(0, static_cast<size_t>(t.dim() - 2)); };
    const Shape batch = broadcast_sizes(broadcast_sizes(leading(in.q), leading(in.k)), leading(in.v));
    auto matrices = [&](Shape sizes, int64_t rows, int64_t columns) {
      sizes.push_back(rows);
      sizes.push_back(columns);
      return sizes;
    };
    const Shape scores = matrices(batch, in.q.size(-2), in.k.size(-2));
    if (fits_kernel(in, scores)) {
      auto expand = [](Tensor& t, const Shape& sizes) {
        if (!(impl(t).sizes == sizes)) t = t.expand(sizes);
      };
      auto is_one = [](const Tensor& t) { return t.dim() < 3 || t.size(-3) == 1; };
      Shape of_keys = batch;
      if (!batch.empty() && is_one(in.k) && is_one(in.v)) of_keys[batch.size() - 1] = 1;
      expand(in.q, matrices(batch, in.q.size(-2), in.q.size(-1)));
      for (Tensor* t : {&in.k, &in.v}) expand(*t, matrices(of_keys, t->size(-2), t->size(-1)));
      if (in.mask.defined()) expand(in.mask = in.mask.to(in.q.scalar_type()), scores);
      return {by_kernel(in), Tensor()};
    }
  }
  Tensor weights = probabilities(in);
  if (dropout_p != 0) weights = dropout(weights, dropout_p, true);
  return {matmul(weights, in.v), need_weights ? weights : Tensor()};
}

// Whether there are fewer heads of keys or values than of queries, so that n query heads share one: head h uses head h / n.
bool has_groups(const Tensor& query, const Tensor& key, const Tensor& value) {
  const int64_t heads = query.size(-3), of_keys = key.size(-3), of_values = value.size(-3);
  if (heads == of_keys && heads == of_values) return false;
  ETUDE_CHECK(of_keys > 0 && of_values > 0 && heads % of_keys == 0 && heads % of_values == 0,
              "Number of heads in key and value must divide the number of heads in query\nreceived ", of_keys,
              ", ", of_values, " and ", heads);
  return true;
}

// Splits the query heads into groups, so that broadcasting shares keys and values within a group: q is [..., heads, group, L, d],
// k and v are [..., heads, 1, S, d].
Operands by_group(Operands in) {
  const std::vector<int64_t> groups = {in.k.size(-3), in.q.size(-3) / in.k.size(-3)};
  in.q = in.q.unflatten(-3, groups);
  for (Tensor* t : {&in.k, &in.v}) *t = t->unsqueeze(-3);
  if (in.mask.defined() && in.mask.dim() >= 3)
    in.mask = in.mask.size(-3) == 1 ? in.mask.unsqueeze(-3) : in.mask.unflatten(-3, groups);
  return in;
}

}  // namespace

Tensor attention_scores(const Tensor& query, const Tensor& key, const Tensor& mask,
                        optional<int64_t> causal_from, optional<double> scale, bool enable_gqa) {
  ETUDE_OWN_OP(attention_scores, query, key, mask, causal_from, scale, enable_gqa);
  Operands in{query * scale_for(query, scale), key, key, mask, causal_from, 1};
  const bool grouped = enable_gqa && has_groups(query, key, key);
  if (grouped) in = by_group(in);
  Tensor scores = matmul(in.q, in.k.mT());
  const int64_t queries = scores.size(-2), keys = scores.size(-1);
  Tensor added = mask.defined() ? in.mask.to(scores.scalar_type()) : mask;
  if (causal_from && *causal_from + 1 < keys) {
    const double hidden = -std::numeric_limits<double>::infinity();
    const Tensor later = full({queries, keys}, hidden, scores.scalar_type()).triu(*causal_from + 1);
    added = added.defined() ? added + later : later;
  }
  if (added.defined()) scores = scores + added;
  return grouped ? scores.flatten(-4, -3) : scores;
}

std::pair<Tensor, Tensor> attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& mask, optional<int64_t> causal_from, optional<double> scale,
                                    double dropout_p, bool need_weights, bool enable_gqa) {
  ETUDE_OWN_OP(attention, query, key, value, mask, causal_from, scale, dropout_p, need_weights, enable_gqa);
  if (casts_to(kBFloat16, {query, key, value}))
    return attention(cast_to(kBFloat16, query), cast_to(kBFloat16, key), cast_to(kBFloat16, value), mask,
                     causal_from, scale, dropout_p, need_weights, enable_gqa);
  Operands in{query, key, value, mask, causal_from, scale_for(query, scale)};
  if (!enable_gqa || !has_groups(query, key, value)) return attended(in, dropout_p, need_weights);
  if (key.size(-3) != value.size(-3))  // rare, so they may be copied
    for (Tensor* t : {&in.k, &in.v}) *t = t->repeat_interleave(query.size(-3) / t->size(-3), -3);
  in = by_group(in);
  // If each head has a single query, and it sees all keys, the queries of a group are the rows of one product.
  const int64_t keys = key.size(-2);
  const bool as_rows = query.size(-2) == 1 && causal_from.value_or(keys) + 1 >= keys;
  if (as_rows) {
    in.causal_from = nullopt;
    in.q = in.q.squeeze(-2);
    for (Tensor* t : {&in.k, &in.v}) *t = t->squeeze(-3);
    if (mask.defined() && mask.dim() >= 3) in.mask = in.mask.squeeze(-2);
  }
  auto by_head = [=](const Tensor& t) { return (as_rows ? t.unsqueeze(-2) : t).flatten(-4, -3); };
  const auto [y, weights] = attended(in, dropout_p, need_weights);
  return {by_head(y), need_weights ? by_head(weights) : weights};
}

}  // namespace etude
