// The windows of an image as the columns of a matrix, [c * kernel area, windows], and back:
//
//   im2col  y[c k, i] = x[c, place k of window i], zero outside the image       dx = col2im(dy)
//   col2im  y[c, p] = sum of x[c k, i] over all k and i with place p            dx = im2col(dy)

#include "etude/ops/convolution.h"
#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/windows.h"

namespace etude {
namespace {

using namespace detail;

void check_pair(const char* name, IntArrayRef pair) {
  ETUDE_CHECK(pair.size() == 2, "It is expected ", name, " equals to 2, but got size ", pair.size());
}

Windows2d image_windows(IntArrayRef kernel, IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride) {
  check_pair("kernel_size", kernel);
  check_pair("dilation", dilation);
  check_pair("padding", padding);
  check_pair("stride", stride);
  const auto check = [](const char* what, const char* short_name, IntArrayRef v, int64_t least) {
    ETUDE_CHECK(v[0] >= least && v[1] >= least, what, least ? " greater than zero" : " non-negative",
                ", but got ", short_name, "_height: ", v[0], " ", short_name, "_width: ", v[1]);
  };
  check("kernel size should be", "kernel", kernel, 1);
  check("dilation should be", "dilation", dilation, 1);
  check("padding should be", "pad", padding, 0);
  check("stride should be", "stride", stride, 1);
  return {{1, kernel[0], stride[0], padding[0], dilation[0]},
          {1, kernel[1], stride[1], padding[1], dilation[1]}};
}

Windows2d over_image(Windows2d w, int64_t height, int64_t width) {
  w.rows.size = height;
  w.columns.size = width;
  for (const Windows& each : {w.rows, w.columns}) {
    check_small(each);
    // If no window fits, the counts of both dims can be negative, and a message contains their product.
    ETUDE_CHECK(each.dilation * (each.kernel - 1) <= kMostPlaces, "windows of more than ", kMostPlaces,
                " places are not supported\nreceived kernel ", each.kernel, ", dilation ", each.dilation);
  }
  return w;
}

bool is_batch(const Tensor& t, int64_t dims) {
  if (t.dim() != dims && t.dim() != dims - 1) return false;
  for (int64_t d = t.dim() - dims + 1; d < t.dim(); ++d)
    if (t.size(d) == 0) return false;
  return true;
}

// Calls of_image for each channel of each image, from `from` consecutive elements to `to` consecutive elements.
template <typename Kernel>
Tensor for_each_channel(const char* op, const Tensor& self, const Shape& sizes, int64_t from, int64_t to,
                        const Kernel& of_image) {
  const Tensor x = widened(self).contiguous(), y = make_tensor(sizes, x.scalar_type());
  dispatch_floating(op, x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    parallel_for(0, x.numel() / from, std::max<int64_t>(1, kGrain / std::max(from, to)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i)
                     of_image(impl(x).data<T>() + i * from, impl(y).data<T>() + i * to);
                 });
  });
  return as_type(y, self.scalar_type());
}

// The numbers of a pair as text for a message.
std::string of_pair(int64_t height, int64_t width) { return str("(", height, ", ", width, ")"); }
template <typename Number>
std::string of_both(const Windows2d& w, Number number) {
  return of_pair(w.rows.*number, w.columns.*number);
}

}  // namespace

Tensor im2col(const Tensor& self, IntArrayRef kernel_size, IntArrayRef dilation, IntArrayRef padding,
              IntArrayRef stride) {
  ETUDE_OP(im2col, self, kernel_size, dilation, padding, stride);
  Windows2d w = image_windows(kernel_size, dilation, padding, stride);
  ETUDE_CHECK(is_batch(self, 4),
              "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
              "dimensions for input, but got: ",
              self.sizes());
  w = over_image(w, self.size(-2), self.size(-1));
  ETUDE_CHECK(w.rows.count() > 0 && w.columns.count() > 0, "Given input with spatial size ",
              of_both(w, &Windows::size), ", kernel_size=", of_both(w, &Windows::kernel),
              ", dilation=", of_both(w, &Windows::dilation), ", padding=", of_both(w, &Windows::padding),
              ", calculated shape of the array of sliding blocks as ",
              of_pair(w.rows.count(), w.columns.count()), ", but its components must be at least one.");
  Shape sizes = without(without(impl(self).sizes, self.dim() - 1), self.dim() - 2);
  sizes[sizes.size() - 1] = count_elements(Shape{sizes[sizes.size() - 1], w.kernel()});
  sizes.push_back(w.count());
  const Tensor y =
      for_each_channel("im2col_out_cpu", self.detach(), sizes, w.area(), w.kernel() * w.count(),
                       [&w](const auto* image, auto* matrix) { unfold_image(w, image, matrix); });
  return recorded("Im2ColBackward0", {self}, y, [w](const Tensor& dy) {
    return col2im(dy, {w.rows.size, w.columns.size}, {w.rows.kernel, w.columns.kernel},
                  {w.rows.dilation, w.columns.dilation}, {w.rows.padding, w.columns.padding},
                  {w.rows.stride, w.columns.stride});
  });
}

Tensor col2im(const Tensor& self, IntArrayRef output_size, IntArrayRef kernel_size, IntArrayRef dilation,
              IntArrayRef padding, IntArrayRef stride) {
  ETUDE_OP(col2im, self, output_size, kernel_size, dilation, padding, stride);
  check_pair("output_size", output_size);
  ETUDE_CHECK(std::min(output_size[0], output_size[1]) >= -kMostPlaces,
              "output_size must be positive, but got ", of_pair(output_size[0], output_size[1]));
  const Windows2d w =
      over_image(image_windows(kernel_size, dilation, padding, stride), output_size[0], output_size[1]);
  ETUDE_CHECK(is_batch(self, 3),
              "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
              "dimensions for input, but got: ",
              self.sizes());
  ETUDE_CHECK(self.size(-2) % w.kernel() == 0,
              "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
              "input.size(1)=",
              self.size(-2), " and kernel_size=", of_both(w, &Windows::kernel), ".");
  ETUDE_CHECK(w.rows.count() > 0 && w.columns.count() > 0 && self.size(-1) == w.count(),
              "Given output_size=", of_both(w, &Windows::size),
              ", kernel_size=", of_both(w, &Windows::kernel), ", dilation=", of_both(w, &Windows::dilation),
              ", padding=", of_both(w, &Windows::padding), ", stride=", of_both(w, &Windows::stride),
              ", expected size of input's dimension 2 to match the calculated number of sliding blocks ",
              w.rows.count(), " * ", w.columns.count(), " = ", w.count(),
              ", but got input.size(2)=", self.size(-1), ".");
  ETUDE_CHECK(w.rows.size > 0 && w.columns.size > 0, "output_size must be positive, but got ",
              of_both(w, &Windows::size));
  Shape sizes = without(impl(self).sizes, self.dim() - 1);
  sizes[sizes.size() - 1] /= w.kernel();
  sizes.push_back(w.rows.size);
  sizes.push_back(w.columns.size);
  const Tensor y = for_each_channel("col2im_out_cpu", self.detach(), sizes, w.kernel() * w.count(), w.area(),
                                    [&w](const auto* matrix, auto* image) { fold_image(w, matrix, image); });
  return recorded("Col2ImBackward0", {self}, y, [w](const Tensor& dy) {
    return im2col(dy, {w.rows.kernel, w.columns.kernel}, {w.rows.dilation, w.columns.dilation},
                  {w.rows.padding, w.columns.padding}, {w.rows.stride, w.columns.stride});
  });
}

}  // namespace etude
