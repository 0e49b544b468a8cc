// Padding around the last dims.
//
//   constant     y = value outside x          dx = the part of dy that is x: constant_pad_nd with the padding negated
//   the others   y[i] = x[source(i - front)]  dx = dy added up at the sources
//
// Inside x, source(i) is i. Outside it is the position mirrored at the first or last one (reflect), the first or last position
// (replicate), or i modulo the size that remains after cropping (circular).

#include "etude/ops/convolution.h"
#include "etude/ops/detail/function.h"

namespace etude {
namespace {

using namespace detail;

enum class Border { Reflect, Replicate, Circular };

// Throws on numbers with which a size could overflow.
void check_border(IntArrayRef padding) {
  constexpr int64_t kMost = int64_t{1} << 60;
  for (const int64_t p : padding)
    ETUDE_CHECK(-kMost <= p && p <= kMost, "padding is out of range, got ", padding);
}

Tensor sources(Border border, int64_t size, int64_t front, int64_t back) {
  const int64_t cut = -std::min<int64_t>(front, 0), rest = size - cut + std::min<int64_t>(back, 0);
  const auto source = [=](int64_t i) {
    if (border == Border::Reflect) return i < 0 ? -i : i >= size ? 2 * (size - 1) - i : i;
    if (border == Border::Replicate) return std::clamp<int64_t>(i, 0, size - 1);
    return cut + ((i - cut) % rest + rest) % rest;
  };
  Tensor index = make_tensor({size + front + back}, kLong);
  auto* const to = impl(index).data<int64_t>();
  for (int64_t i = 0; i < index.numel(); ++i) to[i] = source(i - front);
  return index;
}

// Selects elements of x along the last dims, by the pairs of `padding`.
Tensor bordered(const char* node, Border border, const Tensor& x, IntArrayRef padding) {
  std::vector<Tensor> picked(padding.size() / 2);  // undefined for a dim that does not change
  Tensor y = x.detach();
  for (size_t i = 0; i < picked.size(); ++i) {
    const int64_t front = padding[2 * i], back = padding[2 * i + 1],
                  dim = x.dim() - 1 - static_cast<int64_t>(i);
    if (front == 0 && back == 0) continue;
    picked[i] = sources(border, x.size(dim), front, back);
    y = y.index_select(dim, picked[i]);
  }
  if (y.is_alias_of(x)) y = y.clone();
  // In PyTorch the gradient of circular padding does not depend on x, not even with a derivative of zero.
  return recorded(node, {x}, y, {{x, border != Border::Circular}},
                  [picked, sizes = impl(x).sizes](const Tensor& dy, const Tensor& given) {
                    Tensor dx = dy;
                    for (size_t i = 0; i < picked.size(); ++i) {
                      if (!picked[i].defined()) continue;
                      const int64_t dim = sizes.size() - 1 - static_cast<int64_t>(i);
                      Shape before = impl(dx).sizes;
                      before[dim] = sizes[dim];
                      dx = zeros(before, dx.scalar_type()).index_add(dim, picked[i], dx);
                    }
                    return given.defined() ? constant_in(given, dx) : dx;
                  });
}

// The size of a dim with its padding, which may be negative.
int64_t bordered_size(const Tensor& x, IntArrayRef padding, int64_t from_last) {
  const auto i = static_cast<size_t>(2 * from_last);
  return x.size(-1 - from_last) + padding[i] + padding[i + 1];
}

// Checks the arguments of image and signal padding: [channels, ...] or [n, channels, ...] with `dims` spatial dims.
void check_bordered(const char* op, Border border, const Tensor& x, IntArrayRef padding, int64_t dims) {
  ETUDE_CHECK(static_cast<int64_t>(padding.size()) == 2 * dims, "padding size is expected to be ", 2 * dims,
              "\nreceived ", padding, " for ", dims, " dims of space: a number for each end");
  check_border(padding);
  bool fits = x.dim() == dims + 1 || x.dim() == dims + 2;
  for (int64_t d = fits ? x.dim() - dims - 1 : 0; d < x.dim(); ++d) fits = fits && x.size(d) > 0;
  ETUDE_CHECK(fits, "Expected ", dims + 1, "D or ", dims + 2,
              "D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but "
              "got: ",
              x.sizes());
  for (int64_t i = 0; border == Border::Reflect && i < dims; ++i) {
    const int64_t dim = x.dim() - 1 - i, front = padding[static_cast<size_t>(2 * i)],
                  back = padding[static_cast<size_t>(2 * i + 1)];
    ETUDE_CHECK(front < x.size(dim) && back < x.size(dim), "Argument #", 4 + 2 * i,
                ": Padding size should be less than the corresponding input dimension, but got: padding (",
                front, ", ", back, ") at dimension ", dim, " of input ", x.sizes());
  }
  if (x.scalar_type() == kBool) refuse_dtype(op, kBool);
}

// Throws if the padding leaves nothing. As in PyTorch, one dim of an image may become empty where it is mirrored.
void check_remains(Border border, const Tensor& x, IntArrayRef padding, int64_t dims) {
  Shape sizes = impl(x).sizes;
  std::string before, after;
  int64_t left = 0;  // dims that are not empty
  for (int64_t d = 0; d < dims; ++d) {
    const char name = "DHW"[3 - dims + d];
    int64_t& size = sizes[x.dim() - dims + d];
    before += str(d > 0 ? ", " : "", name, ": ", size);
    size = bordered_size(x, padding, dims - 1 - d);
    after += str(" ", name, ": ", size);
    left += size > 0;
  }
  if (border == Border::Replicate && dims > 1)
    ETUDE_CHECK(left == dims, "Calculated output", after, " must be >= 1 in every dimension (input ", before,
                ")");
  ETUDE_CHECK(left > 0, "input (", before, ") is too small. Calculated output", after);
  for (const int64_t size : sizes)
    ETUDE_CHECK(size >= 0, "Trying to create tensor with negative dimension ", size, ": ", sizes.ref());
}

Tensor circular_pad(const Tensor& x, IntArrayRef padding) {
  const int64_t dims = static_cast<int64_t>(padding.size()) / 2;
  check_border(padding);
  for (int64_t i = 0; i < dims; ++i) {
    const int64_t front = padding[static_cast<size_t>(2 * i)], back = padding[static_cast<size_t>(2 * i + 1)],
                  rest = x.size(-1 - i) + std::min<int64_t>(front, 0) + std::min<int64_t>(back, 0);
    ETUDE_CHECK(
        front <= x.size(-1 - i) && back <= x.size(-1 - i) && (rest < 0 || std::max(front, back) <= rest),
        "Padding value causes wrapping around more than once.\nreceived sizes ", x.sizes(), " and padding ",
        padding);
    ETUDE_CHECK(bordered_size(x, padding, i) >= 0,
                "Negative padding value is resulting in an empty dimension\nreceived sizes ", x.sizes(),
                " and padding ", padding);
  }
  return bordered("CopySlices", Border::Circular, x, padding);
}

}  // namespace

Tensor constant_pad_nd(const Tensor& self, IntArrayRef pad, const Scalar& value) {
  ETUDE_OP(constant_pad_nd, self, pad, value);
  ETUDE_CHECK(pad.size() % 2 == 0, "Length of pad must be even but instead it equals ", pad.size());
  const auto dims = static_cast<int64_t>(pad.size() / 2);
  ETUDE_CHECK(dims <= self.dim(),
              "Length of pad should be no more than twice the number of dimensions of the input. Pad length "
              "is ",
              pad.size(), "while the input has ", self.dim(), "dimensions.");
  check_border(pad);
  Shape negated(pad);
  for (int64_t& p : negated) p = -p;
  const Tensor y = unrecorded([&] {
    Tensor part = self;  // the part that is not cropped
    Shape sizes = impl(self).sizes;
    for (int64_t i = 0; i < dims; ++i) {
      const int64_t dim = self.dim() - 1 - i, front = -negated[2 * i], back = -negated[2 * i + 1];
      if (front < 0) part = part.narrow(dim, -front, part.size(dim) + front);
      if (back < 0) part = part.narrow(dim, 0, part.size(dim) + back);
      sizes[dim] = part.size(dim) + std::max<int64_t>(front, 0) + std::max<int64_t>(back, 0);
    }
    Tensor whole = full(sizes, value, self.scalar_type());
    Tensor inner = alias(whole);
    for (int64_t i = 0; i < dims; ++i) {
      const int64_t dim = self.dim() - 1 - i;
      inner = inner.narrow(dim, std::max<int64_t>(-negated[2 * i], 0), part.size(dim));
    }
    inner.copy_(part);
    return whole;
  });
  return recorded("ConstantPadNdBackward0", {self}, y,
                  [negated](const Tensor& dy) { return constant_pad_nd(dy, negated); });
}

#define ETUDE_SPACE_PAD(name, node, border, dims)               \
  Tensor name(const Tensor& self, IntArrayRef padding) {        \
    ETUDE_OP(name, self, padding);                              \
    check_bordered(#name, Border::border, self, padding, dims); \
    check_remains(Border::border, self, padding, dims);         \
    return bordered(node, Border::border, self, padding);       \
  }
ETUDE_SPACE_PAD(reflection_pad1d, "ReflectionPad1DBackward0", Reflect, 1)
ETUDE_SPACE_PAD(reflection_pad2d, "ReflectionPad2DBackward0", Reflect, 2)
ETUDE_SPACE_PAD(reflection_pad3d, "ReflectionPad3DBackward0", Reflect, 3)
ETUDE_SPACE_PAD(replication_pad1d, "ReplicationPad1DBackward0", Replicate, 1)
ETUDE_SPACE_PAD(replication_pad2d, "ReplicationPad2DBackward0", Replicate, 2)
ETUDE_SPACE_PAD(replication_pad3d, "ReplicationPad3DBackward0", Replicate, 3)
#undef ETUDE_SPACE_PAD

Tensor pad(const Tensor& self, IntArrayRef pad, std::string_view mode, optional<double> value) {
  ETUDE_OP(pad, self, pad, mode, value);
  ETUDE_CHECK(pad.size() % 2 == 0, "Padding length must be divisible by 2");
  const auto dims = static_cast<int64_t>(pad.size() / 2);
  ETUDE_CHECK(
      dims <= self.dim(),
      "Padding length should be less than or equal to two times the input dimension but got padding length ",
      pad.size(), " and input of dimension ", self.dim());
  if (mode == "constant") return constant_pad_nd(self, pad, value.value_or(0));
  ETUDE_CHECK(value.value_or(0) == 0, "Padding mode \"", mode, "\" doesn't take in value argument");
  const bool circular = mode == "circular", reflect = mode == "reflect";
  ETUDE_CHECK_WITH(NotImplementedError, circular || reflect || mode == "replicate",
                   "Unrecognised padding mode ", mode);
  ETUDE_CHECK_WITH(
      NotImplementedError, 1 <= dims && dims <= 3 && (self.dim() == dims + 1 || self.dim() == dims + 2),
      "Padding size ", pad.size(), " is not supported for ", self.dim(), "D input tensor.\nreceived sizes ",
      self.sizes(),
      "\nhint: give two numbers for each spatial dim; the input has one or two dims before them");
  if (circular) return circular_pad(self, pad);
  if (dims == 1) return reflect ? reflection_pad1d(self, pad) : replication_pad1d(self, pad);
  if (dims == 2) return reflect ? reflection_pad2d(self, pad) : replication_pad2d(self, pad);
  return reflect ? reflection_pad3d(self, pad) : replication_pad3d(self, pad);
}

}  // namespace etude
