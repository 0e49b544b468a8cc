#include "etude/positions.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "etude/hook_point.h"
#include "etude/positional_encoding.h"

namespace etude::nn {
namespace {

Tensor add_rows(const Tensor& x, const Tensor& table, int64_t first) {
  ETUDE_CHECK(x.dim() >= 2 && x.size(-1) == table.size(1), "expected embeddings of sizes [..., sequence, ",
              table.size(1), "], but got ", x.sizes());
  ETUDE_CHECK(first + x.size(-2) <= table.size(0), "position ", first + x.size(-2) - 1,
              " is out of range: there are ", table.size(0), " positions");
  return detail::add_positions(x, table.to(x.scalar_type()), -2, first);
}

// key - query, int64 [queries, keys], where the last query and the last key are at the same position.
Tensor distances(int64_t queries, int64_t keys) {
  return arange(keys).unsqueeze(0) - arange(keys - queries, keys).unsqueeze(1);
}

// Angles per position, reduced by the scaling `s`.
Tensor scaled(const Tensor& angles, const RotaryScaling& s) {
  if (s.kind() == RotaryScaling::Kind::kNone) return angles;
  ETUDE_CHECK_VALUE(s.factor() > 0, "RotaryScaling: factor must be positive, but got ", s.factor());
  if (s.kind() == RotaryScaling::Kind::kLinear) return angles / s.factor();
  const double low = s.low_freq_factor(), high = s.high_freq_factor();
  ETUDE_CHECK_VALUE(s.original_context() > 0 && high > low,
                    "RotaryScaling: original_context must be positive and high_freq_factor above "
                    "low_freq_factor, but got ",
                    s.original_context(), ", ", high, " and ", low);
  const Tensor turns = angles * (static_cast<double>(s.original_context()) / (2 * std::acos(-1.0))),
               kept = ((turns - low) / (high - low)).clamp(0, 1);
  return angles * (kept + (1 - kept) / s.factor());
}

}  // namespace

Tensor detail::add_positions(const Tensor& x, Positions& positions, int64_t first) {
  if (!inner_points_are_heard()) return positions.embed(x, first);
  const Tensor nothing = zeros_like(x), added = positions.embed(nothing, first);
  return added.is_same(nothing) ? x : x + hook_point("hook_pos_embed", added);
}

Tensor detail::turn_heads(const char* name, const Tensor& x, Positions& positions, int64_t first) {
  Tensor y = positions.turn(x, first);
  if (y.is_same(x) || !inner_points_are_heard()) return y;
  return hook_point(name, y.transpose(1, 2)).transpose(1, 2);
}

// Threads that share a model grow its table one at a time; each goes on reading the tensor that it got.
Tensor SinusoidalPositionsImpl::table(int64_t rows, ScalarType dtype) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  Tensor& all = table_.rows;
  const int64_t known = all.defined() ? all.size(0) : -1,
                length = known < rows ? std::max<int64_t>({rows, 2 * known, 64}) : known;
  if (length != known || all.scalar_type() != dtype) all = sinusoidal_table(length, d_model_).to(dtype);
  return all;
}

Tensor SinusoidalPositionsImpl::embed(const Tensor& x, int64_t first) {
  return add_rows(x, table(first + x.size(-2), x.scalar_type()), first);
}

void LearnedPositionsImpl::reset() {
  weight = register_parameter("weight", etude::empty({max_length_, d_model_}));
  reset_parameters();
}

Tensor LearnedPositionsImpl::embed(const Tensor& x, int64_t first) { return add_rows(x, weight, first); }

RotaryPositionsImpl::RotaryPositionsImpl(const RotaryPositionsOptions& options_) : options(options_) {
  const int64_t width = options.head_width();
  ETUDE_CHECK_VALUE(width > 0 && width % 2 == 0,
                    "RotaryPositions: the width of a head must be even, but got ", width);
  ETUDE_CHECK_VALUE(options.base() > 0 && std::isfinite(options.base()),
                    "RotaryPositions: base must be positive, but got ", options.base());
  const Tensor angles =
      exp(arange(0, width, 2, kDouble) * (-std::log(options.base()) / static_cast<double>(width)));
  frequencies_ = scaled(angles, options.scaling());
}

Tensor RotaryPositionsImpl::turn(const Tensor& x, int64_t first) {
  const int64_t width = options.head_width();
  ETUDE_CHECK(x.dim() >= 2 && x.size(-1) == width, "expected heads of sizes [..., sequence, ", width,
              "], but got ", x.sizes());
  const Tensor angle = arange(first, first + x.size(-2), kDouble).unsqueeze(1) * frequencies_;
  const Tensor c = cos(angle).to(x.scalar_type()), s = sin(angle).to(x.scalar_type());
  const bool half = options.pairs() == RotaryPairs::Half;
  const Tensor a = half ? x.narrow(-1, 0, width / 2) : x.slice(-1, 0, nullopt, 2),
               b = half ? x.narrow(-1, width / 2, width / 2) : x.slice(-1, 1, nullopt, 2);
  const Tensor turned_a = a * c - b * s, turned_b = a * s + b * c;
  return half ? cat({turned_a, turned_b}, -1) : stack({turned_a, turned_b}, -1).flatten(-2);
}

ALiBiPositionsImpl::ALiBiPositionsImpl(int64_t heads) : heads_(heads) {
  ETUDE_CHECK_VALUE(heads > 0, "ALiBiPositions: there must be at least one head, but got ", heads);
  ALiBiPositionsImpl::reset();
}

void ALiBiPositionsImpl::reset() {
  int64_t power = 1;
  while (2 * power <= heads_) power *= 2;
  std::vector<double> values;
  for (int64_t i = 1; i <= power; ++i)
    values.push_back(std::exp2(-8.0 * static_cast<double>(i) / static_cast<double>(power)));
  for (int64_t i = 1; static_cast<int64_t>(values.size()) < heads_; i += 2)
    values.push_back(std::exp2(-4.0 * static_cast<double>(i) / static_cast<double>(power)));
  slopes =
      register_buffer("slopes", etude::tensor(values, kDouble).to(get_default_dtype()), /*persistent=*/false);
}

Tensor ALiBiPositionsImpl::bias(int64_t queries, int64_t keys) {
  return slopes.view({heads_, 1, 1}) * distances(queries, keys).clamp_max(0);
}

T5PositionsImpl::T5PositionsImpl(const T5PositionsOptions& options_) : options(options_) {
  ETUDE_CHECK_VALUE(options.heads() > 0, "T5Positions: there must be at least one head, but got ",
                    options.heads());
  ETUDE_CHECK_VALUE(options.buckets() >= 4 && options.buckets() % 4 == 0,
                    "T5Positions: the number of buckets must be a multiple of 4, but got ",
                    options.buckets());
  ETUDE_CHECK_VALUE(options.max_distance() > options.buckets() / 2,
                    "T5Positions: max_distance must be above half the number of buckets, but got ",
                    options.max_distance(), " and ", options.buckets());
  T5PositionsImpl::reset();
}

void T5PositionsImpl::reset() {
  weight = register_parameter("weight", etude::empty({options.buckets(), options.heads()}));
  reset_parameters();
}

// Let e be half the buckets of a side. Distance n has bucket n if n < e, otherwise bucket
// e + floor(e * log(n / e) / log(max_distance / e)), but at most 2 e - 1.
Tensor T5PositionsImpl::bias(int64_t queries, int64_t keys) {
  const Tensor distance = distances(queries, keys);
  const int64_t side = options.bidirectional() ? options.buckets() / 2 : options.buckets(), exact = side / 2;
  const Tensor n = options.bidirectional() ? distance.abs() : (-distance).clamp_min(0);
  // In float32 and in this order, to round as T5's code does: log(64 / 8) / log(128 / 8) * 8 is 6 and not a little less.
  const double whole = std::log(static_cast<double>(options.max_distance()) / static_cast<double>(exact));
  const Tensor part = log(n.clamp_min(1).to(kFloat) / exact) / whole,
               far = exact + (part * (side - exact)).to(kLong);
  Tensor bucket = where(n < exact, n, far.clamp_max(side - 1));
  if (options.bidirectional()) bucket = bucket + (distance > 0).to(kLong) * side;
  return functional::embedding(bucket, weight).permute({2, 0, 1});
}

Tensor sinusoidal_table_2d(int64_t height, int64_t width, int64_t d_model) {
  ETUDE_CHECK_VALUE(d_model > 0 && d_model % 2 == 0, "sinusoidal_table_2d: d_model must be even, but got ",
                    d_model);
  const int64_t half = d_model / 2;
  const Tensor rows = sinusoidal_table(height, half).unsqueeze(1).expand({height, width, half}),
               columns = sinusoidal_table(width, half).unsqueeze(0).expand({height, width, half});
  return cat({rows, columns}, -1);
}

Tensor Sinusoidal2DPositionsImpl::embed(const Tensor& x, int64_t first) { return add_rows(x, table_, first); }

}  // namespace etude::nn
