// Binary search: the number of elements of an ascending sequence that are less than a value, or, from the right, not greater. A
// nan counts as larger than everything.

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/search.h"

namespace etude {
namespace {

using namespace detail;

// `order` has the places of the elements in ascending order; without it they are in order.
template <typename T>
int64_t place_of(T value, const T* sequence, const int64_t* order, int64_t n, bool right) {
  int64_t low = 0;
  while (low < n) {
    const int64_t middle = low + (n - low) / 2;
    const T element = sequence[order ? order[middle] : middle];
    if (right ? !(element > value) : !(element >= value)) low = middle + 1;
    else n = middle;
  }
  return low;
}

constexpr const char* kSearch = "torch.searchsorted(): ";

void check_sequences(const Tensor& sequence, const Tensor& values) {
  const int64_t dims = sequence.dim();
  ETUDE_CHECK(dims > 0, kSearch, "boundaries tensor should have positive dimension, but got 0 dimension");
  ETUDE_CHECK(values.dim() > 0 || dims == 1, kSearch,
              "input value can be a scalar only when boundaries tensor dimension is ",
              "1, but we got boundaries tensor dim(", dims, ") and input value's dim(0) numel(1)");
  Shape rows = impl(sequence).sizes;
  if (values.dim() == dims) rows[dims - 1] = values.size(-1);
  ETUDE_CHECK(dims == 1 || rows.ref() == values.sizes(), kSearch,
              "boundaries tensor should be 1 dimension or the first N-1 dimensions of ",
              "boundaries tensor and input value tensor must match, but we got boundaries tensor ",
              sequence.sizes(), " and input value tensor ", values.sizes());
}

void check_sorter(const Tensor& sequence, const Tensor& sorter) {
  ETUDE_CHECK(sorter.sizes() == sequence.sizes(), kSearch,
              "boundary and sorter must have the same size, but got boundary tensor ", sequence.sizes(),
              "and got sorter tensor ", sorter.sizes());
  ETUDE_CHECK(sorter.scalar_type() == kLong, kSearch, "sorter must be a tensor of long dtype but got dtype ",
              toString(sorter.scalar_type()));
  const bool all = sorter.ge(0).logical_and(sorter.lt(sorter.size(-1))).all().item<bool>();
  ETUDE_CHECK(all, kSearch, "sorter index out of range");
}

Tensor searched(const Tensor& sequence, const Tensor& values, bool out_int32, bool right,
                const Tensor& sorter = {}) {
  check_sequences(sequence, values);
  if (sorter.defined()) check_sorter(sequence, sorter);
  const ScalarType common = common_type({&impl(sequence), &impl(values)});
  if (common == kBool) refuse_dtype("searchsorted_out_cpu", common);
  const ScalarType type = isFloatingType(common) ? common == kDouble ? kDouble : kFloat : kLong;
  const Tensor ascending = contiguous_copy(as_type(as_type(sequence, common), type)),
               wanted = contiguous_copy(as_type(as_type(values, common), type)),
               order = sorter.defined() ? contiguous_copy(sorter) : Tensor();
  Tensor places = make_tensor(values.sizes(), kLong);
  const int64_t n = ascending.size(-1), row = sequence.dim() == 1 ? places.numel() : wanted.size(-1);
  dispatch_products("searchsorted_out_cpu", type, [&](auto zero) {
    using T = decltype(zero);
    const T *from = impl(ascending).data<T>(), *value = impl(wanted).data<T>();
    const int64_t* const by = order.defined() ? impl(order).data<int64_t>() : nullptr;
    auto* const to = impl(places).data<int64_t>();
    parallel_for(0, places.numel(), kGrain / 16, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        to[i] = place_of(value[i], from + i / row * n, by ? by + i / row * n : nullptr, n, right);
    });
  });
  return as_type(places, out_int32 ? kInt : kLong);
}

}  // namespace

Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& self, bool out_int32, bool right,
                    optional<std::string_view> side, const optional<Tensor>& sorter) {
  ETUDE_OP(searchsorted, sorted_sequence, self, out_int32, right, side, sorter);
  const bool after = right || side == "right";
  ETUDE_CHECK(!side || after || side == "left", kSearch, "side can only be 'left' or 'right' but got ",
              *side);
  ETUDE_CHECK(!(right && side == "left"), kSearch,
              "side and right can't be set to opposites, got side of left while right was True");
  return searched(sorted_sequence, self, out_int32, after, sorter.value_or(Tensor()));
}

Tensor searchsorted(const Tensor& sorted_sequence, const Scalar& self, bool out_int32, bool right,
                    optional<std::string_view> side, const optional<Tensor>& sorter) {
  return searchsorted(sorted_sequence, detail::wrapped(self), out_int32, right, side, sorter);
}

Tensor bucketize(const Tensor& self, const Tensor& boundaries, bool out_int32, bool right) {
  ETUDE_OP(bucketize, self, boundaries, out_int32, right);
  ETUDE_CHECK(boundaries.dim() == 1, "boundaries tensor must be 1 dimension, but got dim(", boundaries.dim(),
              ")");
  return searched(boundaries, self, out_int32, right);
}

Tensor bucketize(const Scalar& self, const Tensor& boundaries, bool out_int32, bool right) {
  return bucketize(detail::wrapped(self), boundaries, out_int32, right);
}

}  // namespace etude
