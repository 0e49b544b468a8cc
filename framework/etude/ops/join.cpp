// Tensors joined from others, or rearranged, without arithmetic:
//
//   cat, stack  the parts side by side          dx_i = the part of dy that came from x_i
//   repeat      tiles of x                      dx = the sum over the tiles of dy
//   flip        y[i] = x[n - 1 - i]             dx = flip(dy)
//   roll        y[(i + shift) mod n] = x[i]     dx = roll(dy, -shift)

#include <algorithm>

#include "etude/ops/detail/arithmetic.h"
#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

// cat accepts 1-D tensors without elements next to tensors of any sizes, and skips them.
bool is_skipped(const Tensor& t) { return t.dim() == 1 && t.numel() == 0; }

int64_t joined_length(TensorList tensors, int64_t d, const Tensor& model) {
  int64_t length = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i];
    if (is_skipped(t)) continue;
    ETUDE_CHECK(t.dim() == model.dim(), "Tensors must have same number of dimensions: got ", model.dim(),
                " and ", t.dim(), "\nreceived sizes ", model.sizes(), " and, at position ", i, ", ",
                t.sizes());
    for (int64_t k = 0; k < t.dim(); ++k)
      ETUDE_CHECK(k == d || t.size(k) == model.size(k), "Sizes of tensors must match except in dimension ", d,
                  ". Expected size ", model.size(k), " but got size ", t.size(k), " for tensor number ", i,
                  " in the list.\nreceived sizes ", model.sizes(), " and ", t.sizes(),
                  ", which differ in dim ", k);
    ETUDE_CHECK(!__builtin_add_overflow(length, t.size(d), &length),
                "Storage size calculation overflowed\nreceived a tensor of sizes ", t.sizes(),
                " at position ", i);
  }
  return length;
}

Tensor cat_forward(TensorList tensors, int64_t d, const Tensor& model) {
  const NoGradGuard no_grad;
  Shape sizes = impl(model).sizes;
  sizes[d] = joined_length(tensors, d, model);
  ScalarType dtype = model.scalar_type();
  for (const Tensor& t : tensors) dtype = promote_types(dtype, t.scalar_type());
  Tensor y = make_tensor(sizes, dtype);
  int64_t at = 0;
  for (const Tensor& t : tensors) {
    if (is_skipped(t)) continue;
    y.narrow(d, at, t.size(d)).copy_(t);
    at += t.size(d);
  }
  impl(y).storage->version = 0;
  return y;
}

Shape product_sizes(const Shape& sizes, IntArrayRef repeats) {
  Shape result(repeats);
  const int64_t extra = result.size() - sizes.size();
  bool overflow = false;
  for (int64_t d = extra; d < result.size(); ++d)
    overflow |= __builtin_mul_overflow(result[d], sizes[d - extra], &result[d]);
  ETUDE_CHECK(!overflow, "numel: integer multiplication overflow\nreceived repeats ", repeats, " for sizes ",
              sizes.ref());
  for (int64_t s : result)
    ETUDE_CHECK(s >= 0, "Trying to create tensor with negative dimension ", s, ": ", result.ref(),
                "\nreceived repeats ", repeats);
  return result;
}

// sizes with ones in front, so that there are as many dims as repeats.
Shape padded(const Shape& sizes, IntArrayRef repeats) {
  Shape result = sizes;
  while (result.size() < static_cast<int64_t>(repeats.size())) result.insert(0, 1);
  return result;
}

int64_t product(const Shape& sizes, int64_t begin, int64_t end) {
  return count_elements(sizes.ref().slice(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
}

// Repeats one dim after the other, starting with the last. A dim and the dims after it form blocks, and each block is copied
// several times in a row.
Tensor repeat_forward(const Tensor& self, IntArrayRef repeats) {
  const NoGradGuard no_grad;
  const Shape target = product_sizes(impl(self).sizes, repeats);
  if (count_elements(target) == 0) return make_tensor(target, self.scalar_type());
  Shape sizes = padded(impl(self).sizes, repeats);
  Tensor y = alias(self).contiguous();
  for (int64_t d = sizes.size() - 1; d >= 0; --d) {
    if (target[d] == sizes[d]) continue;
    const int64_t outer = product(sizes, 0, d), block = product(sizes, d, sizes.size()),
                  times = repeats[static_cast<size_t>(d)];
    y = y.view({outer, 1, block}).expand({outer, times, block}).contiguous();
    sizes[d] = target[d];
  }
  return with_sizes(y.is_alias_of(self) ? y.clone() : y, target);
}

Tensor sum_of_tiles(const Tensor& dy, const Shape& x_sizes, const std::vector<int64_t>& repeats) {
  const Shape originals = padded(x_sizes, repeats);
  Shape sizes(dy.sizes());
  Tensor dx = dy;
  for (int64_t d = 0; d < sizes.size(); ++d) {
    const int64_t times = repeats[static_cast<size_t>(d)];
    if (times == 1) continue;
    const int64_t outer = product(sizes, 0, d);
    sizes[d] = originals[d];
    dx = dx.reshape({outer, times, product(sizes, d, sizes.size())}).sum(1);
  }
  return recording({dx}) ? dx.reshape(x_sizes) : with_sizes(dx.contiguous(), x_sizes);
}

Tensor flip_forward(const Tensor& self, const bool* flipped) {
  const TensorImpl& x = impl(self);
  Tensor y = output_for({}, x.sizes, x.dtype, {&x});
  if (x.numel == 0) return y;
  Shape strides = x.strides;
  int64_t start = 0;
  for (int64_t d = 0; d < strides.size(); ++d) {
    if (!flipped[d]) continue;
    start += (x.sizes[d] - 1) * strides[d];
    strides[d] = -strides[d];
  }
  const int64_t bytes = elementSize(x.dtype);
  move_rows(x.sizes, impl(y).bytes(), impl(y).strides, x.bytes() + start * bytes, strides, bytes);
  return y;
}

Tensor rolled(const Tensor& x, int64_t shift, int64_t d) {
  const int64_t rest = x.size(d) - shift;
  return cat_forward({x.narrow(d, rest, shift), x.narrow(d, 0, rest)}, d, x);
}

// Shifts lie in [0, size). Without dims, the tensor is rolled as if flattened.
Tensor roll_forward(const Tensor& self, IntArrayRef shifts, IntArrayRef dims) {
  const NoGradGuard no_grad;
  if (self.numel() == 0) return alias(self).clone();
  if (dims.empty()) return with_sizes(rolled(alias(self).reshape({-1}), shifts[0], 0), impl(self).sizes);
  Tensor y = alias(self);
  for (size_t i = 0; i < dims.size(); ++i) y = rolled(y, shifts[i], wrap_dim(dims[i], y.dim()));
  return y;
}

}  // namespace

Tensor cat(TensorList tensors, int64_t dim) {
  ETUDE_OP(cat, tensors, dim);
  ETUDE_CHECK_VALUE(!tensors.empty(), "torch.cat(): expected a non-empty list of Tensors");
  for (size_t i = 0; i < tensors.size(); ++i)
    ETUDE_CHECK(tensors[i].dim() > 0, "zero-dimensional tensor (at position ", i, ") cannot be concatenated",
                "\nhint: stack() makes a dim of its own for the tensors it joins");
  const Tensor* model = std::find_if_not(tensors.begin(), tensors.end(), is_skipped);
  const int64_t d = model == tensors.end() ? 0 : wrap_dim(dim, model->dim());
  Tensor y = cat_forward(tensors, d, model == tensors.end() ? tensors[0] : *model);
  if (!recording(tensors)) return y;
  std::vector<int64_t> lengths;  // -1 for a skipped tensor
  for (const Tensor& t : tensors) lengths.push_back(is_skipped(t) ? -1 : t.size(d));
  return record("CatBackward0", tensors, y, WithoutTensors([d, lengths](const Tensor& dy) {
                  Gradients dx;
                  int64_t at = 0;
                  for (const int64_t length : lengths) {
                    dx.push_back(length < 0 ? zeros({0}, dy.scalar_type()) : dy.narrow(d, at, length));
                    at += std::max<int64_t>(length, 0);
                  }
                  return dx;
                }));
}

Tensor stack(TensorList tensors, int64_t dim) {
  ETUDE_OP(stack, tensors, dim);
  ETUDE_CHECK(!tensors.empty(), "stack expects a non-empty TensorList");
  const int64_t d = wrap_dim(dim, tensors[0].dim() + 1);
  std::vector<Tensor> parts;
  for (size_t i = 0; i < tensors.size(); ++i) {
    ETUDE_CHECK(tensors[i].sizes() == tensors[0].sizes(),
                "stack expects each tensor to be equal size, but got ", tensors[0].sizes(),
                " at entry 0 and ", tensors[i].sizes(), " at entry ", i);
    parts.push_back(alias(tensors[i]).unsqueeze(d));
  }
  return recorded("StackBackward0", tensors, cat_forward(parts, d, parts[0]),
                  WithoutTensors([d](const Tensor& dy) { return dy.unbind(d); }));
}

Tensor hstack(TensorList tensors) {
  ETUDE_OP(hstack, tensors);
  ETUDE_CHECK(!tensors.empty(), "hstack expects a non-empty TensorList");
  std::vector<Tensor> parts;
  for (const Tensor& t : tensors) parts.push_back(t.dim() == 0 ? t.reshape({1}) : t);
  return cat(parts, parts[0].dim() == 1 ? 0 : 1);
}

Tensor vstack(TensorList tensors) {
  ETUDE_OP(vstack, tensors);
  ETUDE_CHECK(!tensors.empty(), "vstack expects a non-empty TensorList");
  std::vector<Tensor> parts;
  for (const Tensor& t : tensors) parts.push_back(t.dim() < 2 ? t.reshape({1, t.numel()}) : t);
  return cat(parts, 0);
}

Tensor Tensor::repeat(IntArrayRef repeats) const {
  ETUDE_METHOD_OP(repeat, repeats);
  ETUDE_CHECK(
      static_cast<int64_t>(repeats.size()) >= dim(),
      "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor\nreceived ",
      repeats.size(), " repeats for sizes ", sizes());
  return recorded("RepeatBackward0", {*this}, repeat_forward(*this, repeats),
                  WithoutTensors([sizes = impl(*this).sizes, repeats = repeats.vec()](const Tensor& dy) {
                    return sum_of_tiles(dy, sizes, repeats);
                  }));
}

Tensor flip(const Tensor& self, IntArrayRef dims) {
  ETUDE_OP(flip, self, dims);
  bool flipped[kMaxDims] = {};
  for (int64_t dim : dims) {
    const int64_t d = wrap_dim(dim, self.dim());
    ETUDE_CHECK(!flipped[d], "dim ", d, " appears multiple times in the list of dims\nreceived dims ", dims);
    flipped[d] = true;
  }
  return recorded("FlipBackward0", {self}, flip_forward(self, flipped),
                  WithoutTensors([dims = dims.vec()](const Tensor& dy) { return dy.flip(dims); }));
}

Tensor roll(const Tensor& self, IntArrayRef shifts, IntArrayRef dims) {
  ETUDE_OP(roll, self, shifts, dims);
  ETUDE_CHECK(!shifts.empty(), "`shifts` required");
  ETUDE_CHECK(shifts.size() == dims.size() || (dims.empty() && shifts.size() == 1),
              "shifts and dimensions must align. shifts: ", shifts.size(), ", dims:", dims.size());
  std::vector<int64_t> by(shifts.size()), back(shifts.size());
  for (size_t i = 0; i < shifts.size() && self.numel() > 0; ++i) {
    by[i] = floor_remainder(shifts[i], dims.empty() ? self.numel() : self.size(dims[i]));
    back[i] = -by[i];
  }
  return recorded(
      "RollBackward0", {self}, roll_forward(self, by, dims),
      WithoutTensors([back, dims = dims.vec()](const Tensor& dy) { return dy.roll(back, dims); }));
}

Tensor Tensor::flip(IntArrayRef dims) const { return etude::flip(*this, dims); }
Tensor Tensor::roll(IntArrayRef shifts, IntArrayRef dims) const { return etude::roll(*this, shifts, dims); }

}  // namespace etude
