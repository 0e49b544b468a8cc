// Views with given strides: as_strided and unfold; and methods that change the view of a tensor itself (squeeze_, t_, ...).
//
// The gradient of as_strided adds each element of dy to the memory location that it has in the input. A location seen
// several times gets the sum, and a location outside the input is left out. The gradient of unfold does the same in
// memory of its own, in which each element of the input has its own location.

#include <algorithm>
#include <numeric>

#include "etude/ops/detail/arithmetic.h"
#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

struct Placement {
  Shape sizes, strides;
  int64_t offset;

  int64_t end() const { return span(sizes, strides, offset); }
};

// Whether elements may share memory. They do not if each stride, in ascending order, exceeds the span of the smaller ones.
bool may_overlap(const Placement& p) {
  Shape order = Shape::filled(p.sizes.size(), 0);
  std::iota(order.begin(), order.end(), int64_t{0});
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return p.strides[a] < p.strides[b]; });
  int64_t span = 0;
  for (const int64_t d : order) {
    if (p.sizes[d] <= 1) continue;
    if (p.strides[d] <= span) return true;
    span += (p.sizes[d] - 1) * p.strides[d];
  }
  return false;
}

// Adds g to memory at the locations of `at`, in one thread, because two elements may have the same location.
template <typename T>
void add_at(T* memory, const Tensor& g, const Placement& at) {
  const T* from = impl(g).data<T>();
  const auto w = make_walk<2>(at.sizes, {at.strides, impl(g).strides});
  for_each_row<2>(w, w.count + 1, [&](const auto& i, int64_t n) {
    for (int64_t k = 0; k < n; ++k) memory[i[0] + k * w.stride(0)] += from[i[1] + k * w.stride(1)];
  });
}

// Writes g to memory at the locations of `from` and reads it at those of `to`. Elements of the input that share memory,
// as in an expanded tensor, share its gradient evenly; memory outside the input does not count.
Tensor moved(const Tensor& g, const Placement& from, const Placement& to, const Placement& input) {
  if (isReducedFloatingType(g.scalar_type())) return moved(g.to(kFloat), from, to, input).to(g.scalar_type());
  const int64_t start = std::min(from.offset, to.offset);
  const int64_t end = std::max(from.end(), to.end());
  const Tensor memory = zeros(Shape{std::max<int64_t>(end - start, 0)}, g.scalar_type());
  dispatch_floating("as_strided", g.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    add_at(impl(memory).data<T>() + (from.offset - start), g, from);
    if (!may_overlap(input)) return;
    const Tensor sharers = zeros_like(memory);
    add_at(impl(sharers).data<T>() + (input.offset - start), ones(input.sizes, g.scalar_type()), input);
    memory.div_(sharers.clamp_min(1));
  });
  return recorded(
      "AsStridedBackward0", {g},
      make_view(impl(memory).storage, to.sizes, to.strides, to.offset - start, g.scalar_type()).contiguous(),
      [from, to, input](const Tensor& dy) { return moved(dy, to, from, input); });
}

// The windows along dim d of a tensor with the placement `input`.
Placement windows_along(Placement input, int64_t d, int64_t size, int64_t step) {
  const int64_t stride = input.sizes.empty() ? 1 : input.strides[d];
  if (!input.sizes.empty()) {
    // Sizes that wrap around here are refused when the view is made.
    input.sizes[d] = Plus()(Minus()(input.sizes[d], size) / step, int64_t{1});
    input.strides[d] = Times()(stride, step);
  }
  input.sizes.push_back(size);
  input.strides.push_back(stride);
  return input;
}

Tensor view_of_memory(const Tensor& self, const Placement& view) {
  return make_view(impl(self).storage, view.sizes, view.strides, view.offset, impl(self).dtype);
}

// Makes self the given view of itself, in place.
template <typename View>
Tensor& change_view(const Tensor& self, View&& view) {
  check_inference(self);
  if (recording({self})) check_history(self);
  const Tensor v = view(self);
  TensorImpl& to = impl(self);
  const GraphEdge edge = edge_of(v);
  to.sizes = impl(v).sizes;
  to.strides = impl(v).strides;
  to.refresh();
  autograd::detail::tell_accumulator(to);
  if (edge.node) set_edge(self, edge.node, edge.output);
  return const_cast<Tensor&>(self);
}

}  // namespace

Tensor as_strided(const Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                  optional<int64_t> storage_offset) {
  ETUDE_OP(as_strided, self, sizes, strides, storage_offset);
  ETUDE_CHECK(sizes.size() == strides.size(), "mismatch in length of strides and shape");
  const TensorImpl& x = impl(self);
  const Placement view{Shape(sizes), Shape(strides), storage_offset.value_or(x.offset)};
  return record_view("AsStridedBackward0", self, view_of_memory(self, view),
                     [view, input = Placement{x.sizes, x.strides, x.offset}](const Tensor& dy) {
                       return moved(dy, view, input, input);
                     });
}

ETUDE_METHOD(as_strided, (IntArrayRef sizes, IntArrayRef strides, optional<int64_t> storage_offset), sizes,
             strides, storage_offset)

Tensor Tensor::unfold(int64_t dimension, int64_t size, int64_t step) const {
  ETUDE_METHOD_OP(unfold, dimension, size, step);
  const TensorImpl& x = impl(*this);
  const int64_t d = wrap_dim(dimension, x.sizes.size());
  const int64_t length = x.sizes.empty() ? 1 : x.sizes[d];
  ETUDE_CHECK(size <= length, "maximum size for tensor at dimension ", d, " is ", length, " but size is ",
              size);
  ETUDE_CHECK(size >= 0, "size is ", size, " but must be >= 0");
  ETUDE_CHECK(step > 0, "step is ", step, " but must be > 0");
  return record_view("UnfoldBackward0", *this,
                     view_of_memory(*this, windows_along({x.sizes, x.strides, x.offset}, d, size, step)),
                     [before = x.sizes, d, size, step](const Tensor& dy) {
                       const Placement apart{before, contiguous_strides(before), 0};
                       return moved(dy, windows_along(apart, d, size, step), apart, apart);
                     });
}

#define ETUDE_CHANGE_VIEW(name, parameters, ...)                                     \
  Tensor& Tensor::name##_ parameters const {                                         \
    ETUDE_METHOD_OP(name##_, __VA_ARGS__);                                           \
    return change_view(*this, [=](const Tensor& t) { return t.name(__VA_ARGS__); }); \
  }
ETUDE_CHANGE_VIEW(squeeze, (), )
ETUDE_CHANGE_VIEW(squeeze, (int64_t d), d)
ETUDE_CHANGE_VIEW(unsqueeze, (int64_t d), d)
ETUDE_CHANGE_VIEW(transpose, (int64_t dim0, int64_t dim1), dim0, dim1)
#undef ETUDE_CHANGE_VIEW

Tensor& Tensor::t_() const {
  ETUDE_METHOD_OP(t_, );
  return change_view(*this, [](const Tensor& t) {
    ETUDE_CHECK(t.dim() <= 2, "t_() expects a tensor with <= 2 dimensions, but self is ", t.dim(), "D");
    return t.t();
  });
}

}  // namespace etude
