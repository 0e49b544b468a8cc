// repeat_interleave(x, r): along one dim, row 0 r[0] times, then row 1 r[1] times, ... index_select provides the gradient.

#include <algorithm>

#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

// The numbers i = 0, 1, ..., each r[i] times, for contiguous r.
template <typename T>
Tensor repeated_numbers(const Tensor& repeats, const optional<int64_t>& output_size) {
  const T* r = impl(repeats).data<T>();
  int64_t total = 0;
  for (int64_t i = 0; i < repeats.numel(); ++i) {
    ETUDE_CHECK(r[i] >= 0, "repeats can not be negative\nreceived ", r[i], " at position ", i);
    ETUDE_CHECK(!__builtin_add_overflow(total, static_cast<int64_t>(r[i]), &total),
                "repeat_interleave: the number of rows does not fit into 64 bits");
  }
  ETUDE_CHECK(!output_size || *output_size == total, "allocated size does not match required size\nreceived ",
              output_size.value_or(0), " for repeats whose sum is ", total);
  Tensor result = empty({total}, repeats.scalar_type());
  T* to = impl(result).data<T>();
  for (int64_t i = 0; i < repeats.numel(); ++i) to = std::fill_n(to, r[i], static_cast<T>(i));
  return result;
}

}  // namespace

Tensor repeat_interleave(const Tensor& repeats, optional<int64_t> output_size) {
  ETUDE_OP(repeat_interleave, repeats, output_size);
  ETUDE_CHECK(repeats.dim() == 1, "repeat_interleave only accept 1D vector as repeat\nreceived sizes ",
              repeats.sizes());
  const ScalarType type = repeats.scalar_type();
  ETUDE_CHECK(type == kLong || type == kInt, "\"repeat_interleave_cpu\" not implemented for '",
              toString(type), "'");
  const Tensor r = repeats.contiguous();
  return type == kLong ? repeated_numbers<int64_t>(r, output_size)
                       : repeated_numbers<int32_t>(r, output_size);
}

Tensor repeat_interleave(const Tensor& self, const Tensor& repeats, optional<int64_t> dim,
                         optional<int64_t> output_size) {
  ETUDE_OP(repeat_interleave, self, repeats, dim, output_size);
  const Tensor x = dim ? self : self.flatten();
  ETUDE_CHECK_INDEX(x.dim() > 0, "Dimension specified as ", dim.value_or(0), " but tensor has no dimensions");
  const int64_t d = wrap_dim(dim.value_or(0), x.dim());
  ETUDE_CHECK(repeats.dim() <= 1, "repeats must be 0-dim or 1-dim tensor\nreceived sizes ", repeats.sizes());
  const bool same = repeats.dim() == 0 || repeats.size(0) == 1;
  ETUDE_CHECK(same || repeats.size(0) == x.size(d),
              "repeats must have the same size as input along dim\nreceived ", repeats.numel(),
              " repeats for dim ", d, " of a tensor of sizes ", x.sizes());
  const Tensor each = same ? repeats.reshape({1}).expand({x.size(d)}) : repeats;
  return x.index_select(d, repeat_interleave(each, output_size));
}

Tensor repeat_interleave(const Tensor& self, int64_t repeats, optional<int64_t> dim,
                         optional<int64_t> output_size) {
  return repeat_interleave(self, full({1}, repeats, kLong), dim, output_size);
}

ETUDE_METHOD(repeat_interleave, (const Tensor& repeats, optional<int64_t> dim, optional<int64_t> output_size),
             repeats, dim, output_size)
ETUDE_METHOD(repeat_interleave, (int64_t repeats, optional<int64_t> dim, optional<int64_t> output_size),
             repeats, dim, output_size)

}  // namespace etude
