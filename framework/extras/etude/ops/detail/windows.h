#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "etude/core/error.h"

namespace etude::detail {

/// How a kernel moves over one dim of an image: its element k in window i lies at place(i, k). The image is zero outside its
/// size.
struct Windows {
  int64_t size = 1, kernel = 1, stride = 1, padding = 0, dilation = 1;

  /// The number of windows; 0 or less if none fits.
  int64_t count() const { return (size + 2 * padding - dilation * (kernel - 1) - 1 + stride) / stride; }
  int64_t place(int64_t i, int64_t k) const { return i * stride - padding + k * dilation; }
  /// The windows whose element k lies inside the image: the first one, and one past the last.
  std::pair<int64_t, int64_t> inside(int64_t k) const {
    const int64_t before = place(0, k), all = count();
    const auto up_to = [&](int64_t end) {
      return end <= before ? 0 : std::min(all, (end - before - 1) / stride + 1);
    };
    return {up_to(0), up_to(size)};
  }
};

/// The limit for the size, windows, steps and padding of a dim, below which their sums and products do not overflow.
constexpr int64_t kMostPlaces = int64_t{1} << 29;

/// Throws on numbers whose sums and products could overflow.
inline void check_small(const Windows& w) {
  ETUDE_CHECK(std::max({w.size, w.kernel, w.stride, w.padding, w.dilation}) <= kMostPlaces,
              "windows over a dim of more than ", kMostPlaces, " are not supported\nreceived size ", w.size,
              ", kernel ", w.kernel, ", stride ", w.stride, ", padding ", w.padding, ", dilation ",
              w.dilation);
}

/// How a kernel moves over an image with one channel.
struct Windows2d {
  Windows rows, columns;

  int64_t area() const { return rows.size * columns.size; }
  int64_t kernel() const { return rows.kernel * columns.kernel; }
  int64_t count() const { return rows.count() * columns.count(); }
  /// Whether the matrix of windows is the image itself.
  bool are_places() const {
    const auto is_place = [](const Windows& w) { return w.kernel == 1 && w.stride == 1 && w.padding == 0; };
    return is_place(rows) && is_place(columns);
  }
};

/// Calls row(line, first, last, place) for each row [columns.count()] of the matrix [kernel, windows] of an image. The elements
/// from first to last lie at place, place + columns.stride, ... of the image; the others lie outside the image.
template <typename F>
void for_each_line(const Windows2d& w, F&& row) {
  const int64_t height = w.rows.count(), width = w.columns.count();
  int64_t line = 0;
  for (int64_t k = 0; k < w.rows.kernel; ++k)
    for (int64_t l = 0; l < w.columns.kernel; ++l) {
      const auto [top, bottom] = w.rows.inside(k);
      const auto [left, right] = w.columns.inside(l);
      for (int64_t i = 0; i < height; ++i, line += width) {
        const bool inside = top <= i && i < bottom && left < right;
        row(line, inside ? left : 0, inside ? right : 0,
            inside ? w.rows.place(i, k) * w.columns.size + w.columns.place(left, l) : 0);
      }
    }
}

/// The matrix [kernel, windows] of an image, with each window as a column.
template <typename T>
void unfold_image(const Windows2d& w, const T* image, T* matrix) {
  const int64_t width = w.columns.count(), stride = w.columns.stride;
  for_each_line(w, [=](int64_t line, int64_t first, int64_t last, int64_t place) {
    T* const to = matrix + line;
    std::fill(to, to + first, T(0));
    if (stride == 1) std::copy_n(image + place, last - first, to + first);
    else
      for (int64_t j = first; j < last; ++j) to[j] = image[place + (j - first) * stride];
    std::fill(to + last, to + width, T(0));
  });
}

/// Turns a matrix of windows back into an image, where each pixel is the sum of its entries in the matrix.
template <typename T>
void fold_image(const Windows2d& w, const T* matrix, T* image) {
  const int64_t stride = w.columns.stride;
  std::fill_n(image, w.area(), T(0));
  for_each_line(w, [=](int64_t line, int64_t first, int64_t last, int64_t place) {
    const T* const from = matrix + line;
    for (int64_t j = first; j < last; ++j) image[place + (j - first) * stride] += from[j];
  });
}

}  // namespace etude::detail
