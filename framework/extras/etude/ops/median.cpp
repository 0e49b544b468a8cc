// The middle element in ascending order, the lower one of two: y = x[k]. If there is a nan, the first nan is the median, while
// nanmedian leaves every nan out. Equal elements are ordered by their places. The median of a whole tensor shares dy evenly among
// all elements equal to y; the median along a dim gives it to x[k].

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/search.h"

namespace etude {
namespace {

using namespace detail;

// How a nan is treated: median returns it, nanmedian leaves it out.
struct Median {
  const char *whole, *along;  // the names of their nodes
  bool skips_nan;
};
constexpr Median kMedian{"MedianBackward0", "MedianBackward1", false},
    kNanMedian{"NanmedianBackward0", "NanmedianBackward1", true};

// The position of the median of a lane.
template <typename T>
int64_t middle_of(const Lane<const T>& x, bool skips_nan) {
  using Wide = std::conditional_t<is_floating<T>, double, int64_t>;
  struct Placed {
    Wide value;
    int64_t place;
  };
  std::vector<Placed> lane;
  lane.reserve(static_cast<size_t>(x.size));
  for (int64_t i = 0; i < x.size; ++i) {
    const auto v = static_cast<Wide>(x[i]);
    if (v == v) lane.push_back({v, i});
    else if (!skips_nan) return i;
  }
  if (lane.empty()) return 0;
  const auto middle = lane.begin() + (static_cast<std::ptrdiff_t>(lane.size()) - 1) / 2;
  std::nth_element(lane.begin(), middle, lane.end(), [](const Placed& a, const Placed& b) {
    return a.value < b.value || (a.value == b.value && a.place < b.place);
  });
  return middle->place;
}

// The positions of the medians along d, which keeps the size 1.
Tensor middles(const char* op, const Tensor& x, int64_t d, bool skips_nan) {
  if (x.scalar_type() == kBool) refuse_dtype(op, kBool);
  Shape sizes = impl(x).sizes;
  sizes[d] = 1;
  Tensor places = make_tensor(sizes, kLong);
  const TensorImpl &in = impl(x), &out = impl(places);
  dispatch(x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    for_each_strided_lane<2>(in.sizes, d, {in.strides, out.strides}, [&](const auto& at) {
      out.data<int64_t>()[at[1]] =
          middle_of<T>({in.data<T>() + at[0], in.sizes[d], in.strides[d]}, skips_nan);
    });
  });
  return places;
}

Tensor median_of_all(const Median& how, const Tensor& self) {
  const Tensor x = alias(self).reshape({-1});
  const int64_t least =
      x.scalar_type() == kInt ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int64_t>::min();
  Tensor y = x.is_floating_point() ? x.new_full({}, std::nan(""))  // of no elements
                                   : full({}, least).to(x.scalar_type());
  if (x.numel() > 0) y = x.index_select(0, middles("median_cpu", x, 0, how.skips_nan)).reshape({});
  return recorded(how.whole, {self}, y, {self, kResult},
                  [](const Tensor& dy, const Tensor& elements, const Tensor& found) {
                    const Tensor mask =
                        std::isnan(found.item<double>()) ? elements.isnan() : elements.eq(found);
                    return where(mask, dy / mask.sum(), 0);
                  });
}

std::tuple<Tensor, Tensor> median_along(const Median& how, const Tensor& self, int64_t dim, bool keepdim) {
  const int64_t d = wrap_dim(dim, self.dim());
  const Shape sizes = impl(self).sizes;
  const Tensor x = sizes.empty() ? alias(self).reshape({1}) : alias(self);
  ETUDE_CHECK_INDEX(x.size(d) > 0, "median(): Expected reduction dim ", d,
                    " to have non-zero size.\nreceived a tensor of sizes ", x.sizes());
  const Tensor places = middles("median_out", x, d, how.skips_nan);
  const bool drops = sizes.empty() || !keepdim;
  const auto result = [&](const Tensor& t) { return drops ? with_sizes(t, without(impl(t).sizes, d)) : t; };
  const Tensor y = result(x.gather(d, places)), index = result(places);
  if (recording({self}))
    record_outputs(
        how.along, {self}, {y, index}, [d, drops, sizes, saved = Saved(places)](const Gradients& dy) {
          if (sizes.empty()) return dy;
          return Gradients{
              zeros(sizes, dy[0].scalar_type()).scatter(d, saved.get(), drops ? dy[0].unsqueeze(d) : dy[0])};
        });
  return {y, index};
}

}  // namespace

#define ETUDE_MEDIAN(name, how)                                                    \
  Tensor name(const Tensor& self) {                                                \
    ETUDE_OP(name, self);                                                          \
    return median_of_all(how, self);                                               \
  }                                                                                \
  std::tuple<Tensor, Tensor> name(const Tensor& self, int64_t dim, bool keepdim) { \
    ETUDE_OP(name, self, dim, keepdim);                                            \
    return median_along(how, self, dim, keepdim);                                  \
  }                                                                                \
  Tensor Tensor::name() const { return etude::name(*this); }                       \
  ETUDE_METHOD(name, (int64_t dim, bool keepdim), dim, keepdim)
ETUDE_MEDIAN(median, kMedian)
ETUDE_MEDIAN(nanmedian, kNanMedian)

}  // namespace etude
