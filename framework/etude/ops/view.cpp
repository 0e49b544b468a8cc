// Views share the memory of their input: sizes, strides and offset change, but no element moves. A write through
// one view is visible in all of them.
//
// The gradient of a view has dy at the elements of the input that the view shows, and zeros elsewhere.

#include <algorithm>

#include "etude/ops/detail/arithmetic.h"
#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

// Strides wrap around, as in PyTorch, where no element depends on them.
constexpr Plus wrapping_sum;
constexpr Times wrapping_product;

Tensor view_of(const Tensor& self, const Shape& sizes, const Shape& strides, int64_t offset) {
  return make_view(impl(self).storage, sizes, strides, offset, impl(self).dtype);
}

// Records y, a view of a part of self. look(t) returns the same part of a tensor t with the sizes of self.
template <typename Look>
Tensor part_viewed(const char* name, const Tensor& self, const Tensor& y, Look look) {
  return record_view(name, self, y, [before = impl(self).sizes, look](const Tensor& dy) {
    Tensor whole = autograd::detail::waiting_gradient(0);
    whole.defined() ? look(whole).add_(dy) : look(whole = zeros(before, dy.scalar_type())).copy_(dy);
    return whole;
  });
}

Tensor viewed(const char* name, const Tensor& self, const Shape& sizes, const Shape& strides) {
  const Tensor y = view_of(self, sizes, strides, impl(self).offset);
  return record_view(name, self, y,
                     [before = impl(self).sizes](const Tensor& dy) { return dy.reshape(before); });
}

// The sizes into which unflatten splits a dim.
Shape unflattened(IntArrayRef sizes, int64_t d, int64_t length) {
  try {
    return infer_sizes(sizes, length);
  } catch (const Error& error) {
    ETUDE_CHECK(error.msg().rfind("shape '", 0) != 0, "unflatten: Provided sizes ", sizes,
                " don't multiply up to the size of dim ", d, " (", length, ") in the input tensor");
    throw Error(str("unflatten got an unexpected error:\n", error.msg()));
  }
}

}  // namespace

Tensor Tensor::view(IntArrayRef sizes) const {
  ETUDE_METHOD_OP(view, sizes);
  const TensorImpl& x = impl(*this);
  const Shape target = infer_sizes(sizes, x.numel);
  Shape strides;
  ETUDE_CHECK(view_strides(x.sizes, x.strides, target, strides),
              "view size is not compatible with input tensor's size and stride (at least one dimension spans "
              "across two contiguous subspaces). Use .reshape(...) instead.\nreceived sizes ",
              x.sizes.ref(), " with strides ", x.strides.ref(), " to view as ", sizes);
  return viewed("ViewBackward0", *this, target, strides);
}

Tensor reshape(const Tensor& self, IntArrayRef sizes) {
  ETUDE_OP(reshape, self, sizes);
  const TensorImpl& x = impl(self);
  const Shape target = infer_sizes(sizes, x.numel);
  Shape strides;
  if (view_strides(x.sizes, x.strides, target, strides))
    return viewed("ViewBackward0", self, target, strides);
  const Tensor copy = self.contiguous();
  return recorded("UnsafeViewBackward0", {copy}, view_of(copy, target, contiguous_strides(target), 0),
                  [before = x.sizes](const Tensor& dy) { return dy.reshape(before); });
}

Tensor flatten(const Tensor& self, int64_t start_dim, int64_t end_dim) {
  ETUDE_OP(flatten, self, start_dim, end_dim);
  const Shape& sizes = impl(self).sizes;
  const int64_t first = wrap_dim(start_dim, sizes.size()), last = wrap_dim(end_dim, sizes.size());
  ETUDE_CHECK(first <= last, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (sizes.empty()) return self.reshape(Shape{1});
  if (first == last) return self;
  Shape target;
  int64_t joined = 1;
  for (int64_t d = 0; d < sizes.size(); ++d) {
    if (d < first || d > last) target.push_back(sizes[d]);
    else joined = count_elements({joined, sizes[d]});
    if (d == last) target.push_back(joined);
  }
  return self.reshape(target);
}

Tensor Tensor::unflatten(int64_t d, IntArrayRef sizes) const {
  ETUDE_METHOD_OP(unflatten, d, sizes);
  ETUDE_CHECK(!sizes.empty(), "unflatten: sizes must be non-empty");
  const int64_t length = size(d), at = wrap_dim(d, dim());
  Shape target = impl(*this).sizes;
  const Shape parts = unflattened(sizes, at, length);
  target.erase(at);
  for (int64_t i = 0; i < parts.size(); ++i) target.insert(at + i, parts[i]);
  return view(target);
}

Tensor permute(const Tensor& self, IntArrayRef dims) {
  ETUDE_OP(permute, self, dims);
  const TensorImpl& x = impl(self);
  ETUDE_CHECK(static_cast<int64_t>(dims.size()) == x.sizes.size(),
              "permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
              "the desired ordering of dimensions i.e. input.dim() = ",
              x.sizes.size(), " is not equal to len(dims) = ", dims.size());
  Shape sizes = x.sizes, strides = x.strides, inverse = x.sizes;
  bool seen[kMaxDims] = {};
  for (int64_t i = 0; i < sizes.size(); ++i) {
    const int64_t d = wrap_dim(dims[static_cast<size_t>(i)], x.sizes.size());
    ETUDE_CHECK(!seen[d], "permute(): duplicate dims are not allowed.\nreceived dims ", dims);
    seen[d] = true;
    sizes[i] = x.sizes[d];
    strides[i] = x.strides[d];
    inverse[d] = i;
  }
  return record_view("PermuteBackward0", self, view_of(self, sizes, strides, x.offset),
                     [inverse](const Tensor& dy) { return dy.permute(inverse); });
}

Tensor transpose(const Tensor& self, int64_t dim0, int64_t dim1) {
  ETUDE_OP(transpose, self, dim0, dim1);
  const TensorImpl& x = impl(self);
  const int64_t a = wrap_dim(dim0, x.sizes.size()), b = wrap_dim(dim1, x.sizes.size());
  if (a == b && x.sizes.empty()) return self;
  Shape sizes = x.sizes, strides = x.strides;
  std::swap(sizes[a], sizes[b]);
  std::swap(strides[a], strides[b]);
  return record_view("TransposeBackward0", self, view_of(self, sizes, strides, x.offset),
                     [a, b](const Tensor& dy) { return dy.transpose(a, b); });
}

Tensor swapaxes(const Tensor& self, int64_t dim0, int64_t dim1) { return transpose(self, dim0, dim1); }

Tensor t(const Tensor& self) {
  ETUDE_OP(t, self);
  const TensorImpl& x = impl(self);
  ETUDE_CHECK(x.sizes.size() <= 2, "t() expects a tensor with <= 2 dimensions, but self is ", x.sizes.size(),
              "D");
  Shape sizes = x.sizes, strides = x.strides;
  std::reverse(sizes.begin(), sizes.end());
  std::reverse(strides.begin(), strides.end());
  return record_view("TBackward0", self, view_of(self, sizes, strides, x.offset),
                     [](const Tensor& dy) { return dy.t(); });
}

Tensor Tensor::numpy_T() const {
  ETUDE_METHOD_OP(numpy_T, );
  Shape dims = Shape::filled(dim(), 0);
  for (int64_t d = 0; d < dims.size(); ++d) dims[d] = dims.size() - 1 - d;
  return permute(dims);
}

Tensor Tensor::mT() const {
  ETUDE_METHOD_OP(mT, );
  if (dim() == 0) return *this;
  ETUDE_CHECK(dim() >= 2, "tensor.mT is only supported on matrices or batches of matrices. Got ", dim(),
              "-D tensor.");
  return transpose(-2, -1);
}

[[noreturn]] static void refuse_to_expand(const TensorImpl& x, IntArrayRef sizes) {
  throw Error(str("expand(torch.", toString(x.dtype), "Tensor{", x.sizes.ref(), "}, size=", sizes,
                  "): the number of sizes provided (", sizes.size(),
                  ") must be greater or equal to the number of dimensions in the tensor (", x.sizes.size(),
                  ")"));
}

// Throws the error for the size that was requested for dim d.
[[noreturn]] static void refuse_to_expand(const Shape& x, IntArrayRef sizes, int64_t d) {
  const int64_t target = sizes[static_cast<size_t>(d)],
                own = d + x.size() - static_cast<int64_t>(sizes.size());
  ETUDE_CHECK(target >= 0, "The expanded size of the tensor (", target,
              ") isn't allowed in a leading, non-existing dimension ", d);
  throw Error(str("The expanded size of the tensor (", target, ") must match the existing size (",
                  own >= 0 ? x[own] : 1, ") at non-singleton dimension ", d, ".  Target sizes: ", sizes,
                  ".  Tensor sizes: ", x.ref()));
}

Tensor Tensor::expand(IntArrayRef sizes, bool) const {
  ETUDE_METHOD_OP(expand, sizes, false);
  const TensorImpl& x = impl(*this);
  const auto count = static_cast<int64_t>(sizes.size());
  if (count < x.sizes.size()) refuse_to_expand(x, sizes);
  Shape target(sizes), strides = target;
  for (int64_t d = count - 1; d >= 0; --d) {
    const int64_t own = d - (count - x.sizes.size());
    const int64_t size = own >= 0 ? x.sizes[own] : 1;
    if (target[d] == -1 && own >= 0) target[d] = size;
    if (target[d] < 0 || (target[d] != size && size != 1)) refuse_to_expand(x.sizes, sizes, d);
    if (target[d] != size || x.sizes.empty()) strides[d] = 0;
    else strides[d] = own >= 0 ? x.strides[own] : wrapping_product(target[d + 1], strides[d + 1]);
  }
  return record_view("ExpandBackward0", *this, view_of(*this, target, strides, x.offset),
                     [](const Tensor& dy) { return dy; });  // which the engine sums over repeated elements
}

Tensor squeeze(const Tensor& self) {
  ETUDE_OP(squeeze, self);
  const TensorImpl& x = impl(self);
  Shape sizes, strides;
  for (int64_t d = 0; d < x.sizes.size(); ++d)
    if (x.sizes[d] != 1) {
      sizes.push_back(x.sizes[d]);
      strides.push_back(x.strides[d]);
    }
  return viewed("SqueezeBackward0", self, sizes, strides);
}

Tensor squeeze(const Tensor& self, int64_t dim) {
  ETUDE_OP(squeeze, self, dim);
  const TensorImpl& x = impl(self);
  const int64_t d = wrap_dim(dim, x.sizes.size());
  if (x.sizes.empty() || x.sizes[d] != 1) return viewed("SqueezeBackward1", self, x.sizes, x.strides);
  return viewed("SqueezeBackward1", self, without(x.sizes, d), without(x.strides, d));
}

Tensor unsqueeze(const Tensor& self, int64_t dim) {
  ETUDE_OP(unsqueeze, self, dim);
  const TensorImpl& x = impl(self);
  const int64_t d = wrap_dim(dim, x.sizes.size() + 1);
  Shape sizes = x.sizes, strides = x.strides;
  sizes.insert(d, 1);
  strides.insert(d, d < x.sizes.size() ? wrapping_product(x.sizes[d], x.strides[d]) : 1);
  return record_view("UnsqueezeBackward0", self, view_of(self, sizes, strides, x.offset),
                     [d](const Tensor& dy) { return dy.squeeze(d); });
}

Tensor select(const Tensor& self, int64_t dim, int64_t index) {
  ETUDE_OP(select, self, dim, index);
  const TensorImpl& x = impl(self);
  ETUDE_CHECK_INDEX(!x.sizes.empty(), "select() cannot be applied to a 0-dim tensor.");
  const int64_t d = wrap_dim(dim, x.sizes.size()), size = x.sizes[d];
  ETUDE_CHECK_INDEX(index >= -size && index < size, "select(): index ", index,
                    " out of range for tensor of size ", x.sizes.ref(), " at dimension ", d,
                    "\nhint: indices run from 0 to ", size - 1, ", or from -", size, " counted from the end");
  const int64_t i = index < 0 ? index + size : index;
  const Tensor y = view_of(self, without(x.sizes, d), without(x.strides, d), x.offset_of(d, i));
  return part_viewed("SelectBackward0", self, y, [d, i](const Tensor& whole) { return whole.select(d, i); });
}

Tensor slice(const Tensor& self, int64_t dim, optional<int64_t> start, optional<int64_t> end, int64_t step) {
  ETUDE_OP(slice, self, dim, start, end, step);
  const TensorImpl& x = impl(self);
  ETUDE_CHECK_INDEX(!x.sizes.empty(), "slice() cannot be applied to a 0-dim tensor.");
  const int64_t d = wrap_dim(dim, x.sizes.size()), size = x.sizes[d];
  ETUDE_CHECK(step > 0, "slice step must be positive");
  auto clipped = [size](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size); };
  const int64_t from = clipped(start.value_or(0)), to = std::max(from, clipped(end.value_or(size)));
  Shape sizes = x.sizes, strides = x.strides;
  sizes[d] = from == to ? 0 : (to - from - 1) / step + 1;
  strides[d] = wrapping_product(strides[d], step);
  return part_viewed("SliceBackward0", self, view_of(self, sizes, strides, x.offset_of(d, from)),
                     [d, from, to, step](const Tensor& whole) { return whole.slice(d, from, to, step); });
}

Tensor narrow(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
  ETUDE_OP(narrow, self, dim, start, length);
  const Shape& sizes = impl(self).sizes;
  ETUDE_CHECK(!sizes.empty(), "narrow() cannot be applied to a 0-dim tensor.");
  ETUDE_CHECK(length >= 0, "narrow(): length must be non-negative.");
  const int64_t d = wrap_dim(dim, sizes.size()), size = sizes[d];
  ETUDE_CHECK_INDEX(start >= -size && start <= size, "start out of range (expected to be in range of [",
                    -size, ", ", size, "], but got ", start, ")");
  const int64_t from = start < 0 ? start + size : start;
  ETUDE_CHECK(length <= size - from, "start (", from, ") + length (", length, ") exceeds dimension size (",
              size, ").");
  return etude::slice(self, d, from, from + length, 1);
}

Tensor diagonal(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  ETUDE_OP(diagonal, self, offset, dim1, dim2);
  const TensorImpl& x = impl(self);
  const int64_t a = wrap_dim(dim1, x.sizes.size()), b = wrap_dim(dim2, x.sizes.size());
  ETUDE_CHECK(a != b, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  const int64_t length = std::max<int64_t>(
      0, offset >= 0 ? std::min(x.sizes[a], x.sizes[b] - offset) : std::min(x.sizes[a] + offset, x.sizes[b]));
  const int64_t start = length == 0   ? x.offset
                        : offset >= 0 ? x.offset_of(b, offset)
                                      : x.offset_of(a, -offset);
  const int64_t later = std::max(a, b), earlier = std::min(a, b);
  Shape sizes = without(without(x.sizes, later), earlier),
        strides = without(without(x.strides, later), earlier);
  sizes.push_back(length);
  strides.push_back(wrapping_sum(x.strides[a], x.strides[b]));
  return part_viewed("DiagonalBackward0", self, view_of(self, sizes, strides, start),
                     [offset, a, b](const Tensor& whole) { return whole.diagonal(offset, a, b); });
}

ETUDE_METHOD(reshape, (IntArrayRef sizes), sizes)
ETUDE_METHOD(flatten, (int64_t start_dim, int64_t end_dim), start_dim, end_dim)
ETUDE_METHOD(permute, (IntArrayRef dims), dims)
ETUDE_METHOD(transpose, (int64_t dim0, int64_t dim1), dim0, dim1)
Tensor Tensor::t() const { return etude::t(*this); }
Tensor Tensor::squeeze() const { return etude::squeeze(*this); }
ETUDE_METHOD(squeeze, (int64_t dim), dim)
ETUDE_METHOD(unsqueeze, (int64_t dim), dim)
ETUDE_METHOD(select, (int64_t dim, int64_t index), dim, index)
ETUDE_METHOD(narrow, (int64_t dim, int64_t start, int64_t length), dim, start, length)
ETUDE_METHOD(slice, (int64_t dim, optional<int64_t> start, optional<int64_t> end, int64_t step), dim, start,
             end, step)
ETUDE_METHOD(diagonal, (int64_t offset, int64_t dim1, int64_t dim2), offset, dim1, dim2)

}  // namespace etude
