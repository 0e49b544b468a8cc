// Sums of products of filters w with each window of an image x. Let X be the matrix of windows (ops/detail/windows.h) of the
// channels of a group, [in / groups kernel area, windows]. Then
//
//   y = w X + bias,   dX = w^T dy,   dw = dy X^T,   dbias = sum of dy
//
// where dw is summed over images, and dx folds dX. All three are linear in two of x, w and dy, and they are each other's
// gradients. A signal is an image of height 1. oneDNN computes the three without X.

#include <algorithm>
#include <atomic>

#include "etude/core/warning.h"
#include "etude/onednn/backend.h"
#include "etude/onednn/detail/onednn.h"
#include "etude/ops/convolution.h"
#include "etude/ops/detail/arithmetic.h"
#include "etude/ops/detail/autocast.h"
#include "etude/ops/detail/convolution_sizes.h"
#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/gemm.h"

namespace etude {
namespace {

using namespace detail;

// The matrices of one group of an image. Those of all groups are consecutive.
template <typename T>
struct Parts {
  MatrixView<T> w, x, y;
};
template <typename T>
Parts<T> parts_of(const Convolution& c, int64_t group, T* w, T* x, T* y) {
  const int64_t out = c.y[1] / c.groups, in = c.w[1] * c.windows.kernel(), windows = c.windows.count();
  return {{w + group * out * in, out, in, in, 1},
          {x + group * in * windows, in, windows, windows, 1},
          {y + group * out * windows, out, windows, windows, 1}};
}

// Calls f(image of a channel, its matrix) for each channel of an image.
template <typename T, typename F>
void for_each_channel_of(const Convolution& c, T* image, T* matrices, const F& f) {
  const int64_t area = c.windows.area(), size = c.windows.kernel() * c.windows.count();
  parallel_for(0, c.x[1], std::max<int64_t>(1, kGrain / size), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(image + i * area, matrices + i * size);
  });
}

// The windows of all channels of an image, written to `memory` unless they equal the image.
template <typename T>
T* unfolded(const Convolution& c, T* image, T* memory) {
  if (c.windows.are_places()) return image;
  for_each_channel_of(c, image, memory, [&](T* from, T* to) { unfold_image(c.windows, from, to); });
  return memory;
}

template <typename T>
Tensor memory_for(const Convolution& c) {
  return make_tensor({c.windows.are_places() ? 0 : c.matrix()}, CppTypeToScalarType<T>::value);
}

// Calls f(image, memory for its windows) for all images, one at a time if each has enough work for several threads.
template <typename T, typename F>
void for_each_image(const Convolution& c, const F& f) {
  const bool large = c.steps() > kSerialWork * 8 && c.images() < 16;
  parallel_for(0, c.images(), large ? c.images() : std::max<int64_t>(1, kSerialWork / c.steps()),
               [&](int64_t begin, int64_t end) {
                 const Tensor memory = memory_for<T>(c);
                 for (int64_t i = begin; i < end; ++i) f(i, impl(memory).data<T>());
               });
}

template <typename T>
void convolve(const Convolution& c, T* x, T* w, const T* bias, T* y) {
  for_each_image<T>(c, [&](int64_t i, T* memory) {
    T *const image = unfolded(c, x + i * c.image(), memory), *const to = y + i * c.result();
    for (int64_t o = 0; bias && o < c.y[1]; ++o)
      std::fill_n(to + o * c.windows.count(), c.windows.count(), bias[o]);
    for (int64_t g = 0; g < c.groups; ++g) {
      const auto m = parts_of(c, g, w, image, to);
      gemm<T, T>(m.w, m.x, m.y, 1, bias ? 1 : 0);
    }
  });
}

template <typename T>
void spread(const Convolution& c, T* x, T* w, T* y) {
  for_each_image<T>(c, [&](int64_t i, T* memory) {
    T* const image = x + i * c.image();
    T* const to = c.windows.are_places() ? image : memory;
    for (int64_t g = 0; g < c.groups; ++g) {
      const auto m = parts_of(c, g, w, to, y + i * c.result());
      gemm<T, T>(m.w.turned(), m.y, m.x, 1, 0);
    }
    if (to != image)
      for_each_channel_of(c, image, to, [&](T* sums, T* from) { fold_image(c.windows, from, sums); });
  });
}

// Adds up the images in `shares` parts; the number of parts does not depend on the number of threads.
template <typename T>
void correlate(const Convolution& c, T* x, T* w, T* y, int64_t shares) {
  const int64_t size = count_elements(c.w);
  std::fill_n(w, shares * size, T(0));
  parallel_for(0, shares, 1, [&](int64_t begin, int64_t end) {
    const Tensor memory = memory_for<T>(c);
    for (int64_t s = begin; s < end; ++s)
      for (int64_t i = c.images() * s / shares; i < c.images() * (s + 1) / shares; ++i) {
        T* const image = unfolded(c, x + i * c.image(), impl(memory).data<T>());
        for (int64_t g = 0; g < c.groups; ++g) {
          const auto m = parts_of(c, g, w + s * size, image, y + i * c.result());
          gemm<T, T>(m.y, m.x.turned(), m.w, 1, 1);
        }
      }
  });
}

// Whether oneDNN is faster: for windows that overlap in both dims, with several images because oneDNN processes an image on one
// thread; or with groups, for windows that overlap in any dim.
bool uses_onednn(const Convolution& c, const Tensor& x) {
  const auto overlap = [](const Windows& w) { return w.dilation * (w.kernel - 1) + 1 > w.stride; };
  const bool high = overlap(c.windows.rows), wide = overlap(c.windows.columns);
  return x.scalar_type() == kFloat && onednn::enabled() && c.result() > 0 &&
         c.steps() * c.images() > kSerialWork &&
         (c.groups > 1 ? high || wide : high && wide && c.images() > 1);
}

// The number of parts of the images that threads work on. It does not depend on the number of threads.
int64_t count_parts(const Convolution& c) {
  return std::clamp<int64_t>(c.steps() * c.images() / kSerialWork, 1, std::clamp<int64_t>(c.images(), 1, 8));
}

// If `made` is the weight, w has one weight for each part.
bool by_onednn(onednn::Made made, const Convolution& c, const Tensor& x, const Tensor& w, const Tensor& bias,
               const Tensor& y) {
  if (!uses_onednn(c, x)) return false;
  const Windows &rows = c.windows.rows, &columns = c.windows.columns;
  const int64_t parts = count_parts(c), step = made == onednn::Made::Weight ? count_elements(c.w) : 0;
  const auto data = [](const Tensor& t) { return t.defined() ? impl(t).data<float>() : nullptr; };
  std::atomic<bool> done{true};
  parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t first = c.images() * p / parts, n = c.images() * (p + 1) / parts - first;
      const onednn::Convolution part{{n, c.x[1], rows.size, columns.size},
                                     {c.groups, c.y[1] / c.groups, c.w[1], rows.kernel, columns.kernel},
                                     {n, c.y[1], rows.count(), columns.count()},
                                     {rows.stride, columns.stride},
                                     {rows.padding, columns.padding},
                                     {rows.dilation, columns.dilation}};
      if (!onednn::convolve(made, part, data(x) + first * c.image(), data(w) + p * step, data(bias),
                            data(y) + first * c.result()))
        done = false;
    }
  });
  return done;
}

Tensor as_operand(const Tensor& t) {
  return t.defined() ? as_type(t.detach(), product_type(t.scalar_type())).contiguous() : t;
}

Tensor make_result(const Convolution& c, const Tensor& input, const Tensor& weight, const Tensor& bias) {
  const Tensor x = as_operand(input), w = as_operand(weight), b = as_operand(bias),
               y = make_tensor(c.y, x.scalar_type());
  if (!by_onednn(onednn::Made::Result, c, x, w, b, y))
    dispatch_products("slow_conv2d_cpu", x.scalar_type(), [&](auto zero) {
      using T = decltype(zero);
      convolve<T>(c, impl(x).data<T>(), impl(w).data<T>(), b.defined() ? impl(b).data<T>() : nullptr,
                  impl(y).data<T>());
    });
  return as_type(y, input.scalar_type());
}

Tensor make_input(const Convolution& c, const Tensor& result, const Tensor& weight, const Tensor& bias) {
  const Tensor y = as_operand(result), w = as_operand(weight), x = make_tensor(c.x, y.scalar_type());
  if (!by_onednn(onednn::Made::Input, c, x, w, {}, y))
    dispatch_products("slow_conv_transpose2d_out_cpu", y.scalar_type(), [&](auto zero) {
      using T = decltype(zero);
      spread<T>(c, impl(x).data<T>(), impl(w).data<T>(), impl(y).data<T>());
    });
  if (bias.defined()) unrecorded([&] { return x.add_(seen_along(as_operand(bias), x.dim(), 1)); });
  return as_type(x, result.scalar_type());
}

Tensor make_weight(const Convolution& c, const Tensor& input, const Tensor& result) {
  const Tensor x = as_operand(input), y = as_operand(result);
  const int64_t shares = c.steps() > kSerialWork && !uses_onednn(c, x) ? 1 : count_parts(c);
  Shape sizes = c.w;
  sizes.insert(0, shares);
  Tensor w = make_tensor(sizes, x.scalar_type());
  if (!by_onednn(onednn::Made::Weight, c, x, w, {}, y))
    dispatch_floating("slow_conv2d_cpu_grad_weight", x.scalar_type(), [&](auto zero) {
      using T = decltype(zero);
      correlate<T>(c, impl(x).data<T>(), impl(w).data<T>(), impl(y).data<T>(), shares);
    });
  w = shares == 1 ? with_sizes(w, c.w) : unrecorded([&] { return w.sum(0); });
  return as_type(w, input.scalar_type());
}

// The three as differentiable ops.

Tensor deconvolved(const char* node, const Convolution& c, const Tensor& y, const Tensor& w,
                   const Tensor& bias);
Tensor correlated(const Convolution& c, const Tensor& x, const Tensor& y);

Tensor sum_of_channels(const Tensor& t) { return t.transpose(0, 1).flatten(1).sum(1); }

Tensor convolved(const Convolution& c, const Tensor& x, const Tensor& w, const Tensor& bias) {
  return recorded("ConvolutionBackward0", {x, w, bias}, make_result(c, x, w, bias),
                  {{x, needs_grad(w)}, {w, needs_grad(x)}},
                  [c, on_bias = needs_grad(bias)](const Tensor& dy, const Tensor& x_, const Tensor& w_) {
                    return Gradients{
                        w_.defined() ? deconvolved("ConvolutionBackwardBackward0", c, dy, w_, {}) : Tensor(),
                        x_.defined() ? correlated(c, x_, dy) : Tensor(),
                        on_bias ? sum_of_channels(dy) : Tensor()};
                  });
}

Tensor deconvolved(const char* node, const Convolution& c, const Tensor& y, const Tensor& w,
                   const Tensor& bias) {
  return recorded(node, {y, w, bias}, make_input(c, y, w, bias), {{y, needs_grad(w)}, {w, needs_grad(y)}},
                  [c, on_bias = needs_grad(bias)](const Tensor& dx, const Tensor& y_, const Tensor& w_) {
                    return Gradients{w_.defined() ? convolved(c, dx, w_, {}) : Tensor(),
                                     y_.defined() ? correlated(c, dx, y_) : Tensor(),
                                     on_bias ? sum_of_channels(dx) : Tensor()};
                  });
}

Tensor correlated(const Convolution& c, const Tensor& x, const Tensor& y) {
  return recorded(
      "ConvolutionBackwardBackward0", {x, y}, make_weight(c, x, y), {{x, needs_grad(y)}, {y, needs_grad(x)}},
      [c](const Tensor& dw, const Tensor& x_, const Tensor& y_) {
        return Gradients{y_.defined() ? deconvolved("ConvolutionBackwardBackward0", c, y_, dw, {}) : Tensor(),
                         x_.defined() ? convolved(c, x_, dw, {}) : Tensor()};
      });
}

Tensor padded_convolution(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
                          IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
  const Steps s = steps_of(weight, stride, padding, dilation, 0);
  return convolved(convolution_of(input, weight, bias, s, false, groups), input, weight, bias);
}

Tensor same_convolution(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
                        IntArrayRef dilation, int64_t groups) {
  const Steps s = steps_of(weight, stride, 0, dilation, 0);
  const int64_t dims = weight.dim() - 2;
  ETUDE_CHECK(input.dim() == weight.dim(), "Expected ", weight.dim(), "-dimensional input for ", weight.dim(),
              "-dimensional weight", weight.sizes(), ", but got ", input.dim(), "-dimensional input of size ",
              input.sizes(), " instead");
  for (const int64_t n : s.stride)
    ETUDE_CHECK(n == 1, "padding='same' is not supported for strided convolutions\nreceived stride ", stride);
  Shape padding = s.padding, behind = Shape::filled(2 * dims, 0);
  for (int64_t d = 0; d < dims; ++d) {
    Windows w{1, weight.size(2 + d), 1, 0, s.dilation[d]};
    check_small(w);
    const int64_t total = w.dilation * std::max<int64_t>(w.kernel - 1, 0);
    padding[d] = total / 2;
    behind[2 * (dims - 1 - d) + 1] = total % 2;
  }
  if (behind == Shape::filled(2 * dims, 0))
    return padded_convolution(input, weight, bias, stride, padding, dilation, groups);
  ETUDE_WARN_ONCE(
      "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the "
      "input be created");
  return padded_convolution(constant_pad_nd(input, behind), weight, bias, stride, padding, dilation, groups);
}

Tensor padded_convolution(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
                          std::string_view padding, IntArrayRef dilation, int64_t groups) {
  if (padding == "same") return same_convolution(input, weight, bias, stride, dilation, groups);
  ETUDE_CHECK(padding == "valid", "Invalid padding string: '", padding, "'\nhint: it is 'same' or 'valid'");
  return padded_convolution(input, weight, bias, stride, IntArrayRef(0), dilation, groups);
}

// Treats an input without a batch dim as a batch of one.
template <typename Padding>
Tensor batched_convolution(int64_t dims, const Tensor& input, const Tensor& weight, const Tensor& bias,
                           IntArrayRef stride, Padding padding, IntArrayRef dilation, int64_t groups) {
  ETUDE_AUTOCAST(kBFloat16, batched_convolution<Padding>, dims, input, weight, bias, stride, padding,
                 dilation, groups);
  ETUDE_CHECK(input.dim() == dims + 1 || input.dim() == dims + 2, "Expected ", dims + 1, "D (unbatched) or ",
              dims + 2, "D (batched) input to conv", dims, "d, but got input of size: ", input.sizes());
  if (input.dim() == dims + 2)
    return padded_convolution(input, weight, bias, stride, padding, dilation, groups);
  return padded_convolution(input.unsqueeze(0), weight, bias, stride, padding, dilation, groups).squeeze(0);
}

}  // namespace

#define ETUDE_CONV(name, dims, Given, Padding)                                                             \
  Tensor name(const Tensor& input, const Tensor& weight, const optional<Tensor>& bias, IntArrayRef stride, \
              Given padding, IntArrayRef dilation, int64_t groups) {                                       \
    ETUDE_OP(name, input, weight, bias, stride, padding, dilation, groups);                                \
    return batched_convolution<Padding>(dims, input, weight, bias.value_or(Tensor()), stride, padding,     \
                                        dilation, groups);                                                 \
  }
ETUDE_CONV(conv1d, 1, IntArrayRef, IntArrayRef)
ETUDE_CONV(conv1d, 1, detail::PaddingName, std::string_view)
ETUDE_CONV(conv2d, 2, IntArrayRef, IntArrayRef)
ETUDE_CONV(conv2d, 2, detail::PaddingName, std::string_view)
#undef ETUDE_CONV

Tensor convolution(const Tensor& input, const Tensor& weight, const optional<Tensor>& bias,
                   IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed,
                   IntArrayRef output_padding, int64_t groups) {
  ETUDE_OP(convolution, input, weight, bias, stride, padding, dilation, transposed, output_padding, groups);
  const Tensor b = bias.value_or(Tensor());
  const Steps s = steps_of(weight, stride, padding, dilation, output_padding);
  const Convolution c = convolution_of(input, weight, b, s, transposed, groups);
  return transposed ? deconvolved("ConvolutionBackward0", c, input, weight, b)
                    : convolved(c, input, weight, b);
}

}  // namespace etude
