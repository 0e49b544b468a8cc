// Selected elements of a tensor as a vector, or their coordinates.
//
//   masked_select:  y[p] = x at the p-th true element of the mask    dx is dy at these elements, zeros elsewhere
//   take:           y[...] = x.flatten()[k[...]]                     dx.flatten()[k[...]] += dy[...]
//   nonzero:        y[p] = the coordinates of the p-th nonzero element

#include <algorithm>
#include <numeric>

#include "etude/core/warning.h"
#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/indexed.h"

namespace etude {
namespace {

using namespace detail;

int64_t count_true(const Tensor& mask) {
  const bool* m = impl(mask).data<bool>();
  return std::count(m, m + mask.numel(), true);
}

// mask is contiguous and has the sizes to which x is broadcast.
Tensor masked_select_forward(const Tensor& x, const Tensor& mask) {
  Tensor y = make_tensor({count_true(mask)}, x.scalar_type());
  const Shape& sizes = impl(mask).sizes;
  const auto w = make_walk<2>(sizes, {impl(mask).strides, broadcast_strides(impl(x), sizes)});
  dispatch(x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    T *to = impl(y).data<T>(), *const end = to + y.numel();
    // Uses one thread, since the place of an element depends on all elements before it.
    for_each_row<2>(w, w.count, [&](const auto& at, int64_t n) {
      const bool* m = impl(mask).data<bool>() + at[0];
      const T* from = impl(x).data<T>() + at[1];
      // Writes every element, kept or not, since a branch would often be mispredicted.
      for (int64_t i = 0; i < n && to != end; ++i) {
        *to = from[i * w.stride(1)];
        to += m[i * w.stride(0)];
      }
    });
  });
  return y;
}

// The checked positions as contiguous int64, counted from 0.
Tensor checked_numbers(const Tensor& self, const Tensor& index) {
  ETUDE_CHECK(index.scalar_type() == kLong, "take(): Expected a long tensor for index, but got ",
              toString(index.scalar_type()));
  const int64_t size = self.numel();
  ETUDE_CHECK_INDEX(size > 0 || index.numel() == 0, "take(): tried to take from an empty tensor");
  return checked_ids(contiguous_copy(index), size, /*from_the_end=*/true, [&](int64_t k, int64_t) {
    throw IndexError(str("out of range: tried to access index ", k, " on a tensor of ", size, " elements."));
  });
}

// The offsets in the memory of x of the elements at these positions.
Tensor offsets(const TensorImpl& x, const Tensor& numbers) {
  if (x.contiguous) return numbers;
  Tensor result = contiguous_copy(numbers);
  int64_t* k = impl(result).data<int64_t>();
  for (int64_t p = 0; p < result.numel(); ++p) {
    const Shape at = position_of(k[p], x.sizes);
    k[p] = std::inner_product(at.begin(), at.end(), x.strides.begin(), int64_t{0});
  }
  return result;
}

Tensor take_forward(const Tensor& x, const Tensor& numbers) {
  Tensor y = make_tensor(numbers.sizes(), x.scalar_type());
  const Tensor places = offsets(impl(x), numbers);
  pick_by(known_ids(places, {1}, 1), {y.numel()}, y, x, {0});
  return y;
}

}  // namespace

Tensor masked_select(const Tensor& self, const Tensor& mask) {
  ETUDE_OP(masked_select, self, mask);
  ETUDE_CHECK(mask.scalar_type() == kBool, "masked_select: expected BoolTensor for mask\nreceived ",
              dtype_name(mask.scalar_type()), "\nhint: compare first, for example mask != 0");
  const Tensor m = mask.expand(broadcast_sizes(mask.sizes(), self.sizes())).contiguous();
  return recorded("MaskedSelectBackward0", {self}, masked_select_forward(self, m), {m},
                  [](const Tensor& dy, const Tensor& kept) -> Tensor {
                    const Tensor dx = zeros(kept.sizes(), dy.scalar_type());
                    return index_put_with(dx, {kept}, dy);
                  });
}

Tensor take(const Tensor& self, const Tensor& index) {
  ETUDE_OP(take, self, index);
  const Tensor numbers = checked_numbers(self, index);
  return recorded("TakeBackward0", {self}, take_forward(self, numbers),
                  [numbers, sizes = Shape(self.sizes())](const Tensor& dy) {
                    const Tensor terms = dy.to(product_type(dy.scalar_type()));
                    const Tensor dx = zeros({count_elements(sizes)}, terms.scalar_type())
                                          .index_add_(0, numbers.view({-1}), terms.reshape({-1}));
                    return recording({dx}) ? dx.view(sizes) : with_sizes(dx, sizes);
                  });
}

// The coordinates along one dim are adjacent in memory, as in PyTorch.
Tensor nonzero(const Tensor& self) {
  ETUDE_OP(nonzero, self);
  const Tensor set = as_type(self, kBool).contiguous();
  const int64_t count = count_true(set), dims = self.dim();
  const Tensor memory = make_tensor({dims, count}, kLong);
  const bool* m = impl(set).data<bool>();
  int64_t* to = impl(memory).data<int64_t>();
  Shape at = Shape::filled(dims, 0);
  for (int64_t i = 0, found = 0; found < count; ++i) {
    for (int64_t d = 0; d < dims; ++d) to[d * count + found] = at[d];
    found += m[i];
    for (int64_t d = dims - 1; d >= 0 && ++at[d] == impl(set).sizes[d]; --d) at[d] = 0;
  }
  return make_view(impl(memory).storage, {count, dims}, {1, std::max<int64_t>(count, 1)}, 0, kLong);
}

std::vector<Tensor> nonzero_numpy(const Tensor& self) {
  ETUDE_OP(nonzero_numpy, self);
  return (self.dim() == 0 ? self.unsqueeze(0) : self).nonzero().unbind(1);
}

std::vector<Tensor> Tensor::nonzero_numpy() const { return etude::nonzero_numpy(*this); }
Tensor Tensor::masked_select(const Tensor& mask) const { return etude::masked_select(*this, mask); }
Tensor Tensor::take(const Tensor& index) const { return etude::take(*this, index); }
Tensor Tensor::nonzero() const { return etude::nonzero(*this); }

}  // namespace etude
