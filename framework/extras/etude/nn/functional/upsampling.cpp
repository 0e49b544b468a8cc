#include "etude/nn/functional/upsampling.h"

#include <cctype>
#include <cmath>

#include "etude/io/print.h"

namespace etude::nn {
namespace functional {
namespace {

// The sizes that spatial dims have afterwards.
std::vector<int64_t> sizes_of(const Tensor& input, const InterpolateFuncOptions& options) {
  const auto& scales = options.scale_factor();
  ETUDE_CHECK(options.size() || scales, "either size or scale_factor should be defined");
  ETUDE_CHECK(!options.size() || !scales, "only one of size or scale_factor should be defined");
  if (options.size()) return *options.size();
  const auto dims = static_cast<size_t>(input.dim() - 2);
  ETUDE_CHECK(scales->size() == dims, "scale_factor shape must match input shape. Input is ", dims,
              "D, scale_factor size is [", Join(", ", *scales), "]");
  std::vector<int64_t> sizes(dims);
  for (size_t d = 0; d < dims; ++d) {
    const double size = std::floor(static_cast<double>(input.sizes()[d + 2]) * (*scales)[d]);
    ETUDE_CHECK(std::abs(size) < 1e18, "scale_factor ", (*scales)[d], " is out of range");
    sizes[d] = static_cast<int64_t>(size);
  }
  return sizes;
}

}  // namespace

Tensor interpolate(const Tensor& input, const InterpolateFuncOptions& options) {
  const auto& mode = options.mode();
  const auto is = [&mode](auto kind) { return std::holds_alternative<decltype(kind)>(mode); };
  const bool nearest = is(kNearest), signal = input.dim() == 3;
  ETUDE_CHECK(!options.align_corners() || !(nearest || is(kArea)),
              "align_corners option can only be set with the interpolating modes: "
              "linear | bilinear | bicubic | trilinear");
  ETUDE_CHECK(input.dim() >= 3 && input.dim() <= 5,
              "Input Error: Only 3D, 4D and 5D input Tensors supported (got ", input.dim(),
              "D) for the modes: nearest | linear | bilinear | bicubic | trilinear (got ",
              enumtype::get_enum_name(mode), ")\nreceived sizes ", input.sizes());
  ETUDE_CHECK(!options.antialias() || (input.dim() == 4 && (is(kBilinear) || is(kBicubic))),
              "Anti-alias option is only supported for bilinear and bicubic modes");
  const int64_t needed = is(kLinear) ? 3 : is(kBilinear) ? 4 : is(kTrilinear) ? 5 : input.dim();
  ETUDE_CHECK(input.dim() == needed, "Got ", input.dim(), "D input, but ",
              needed == 3   ? "linear"
              : needed == 4 ? "bilinear"
                            : "trilinear",
              " mode needs ", needed, "D input\nreceived sizes ", input.sizes());
  ETUDE_CHECK_WITH(NotImplementedError,
                   !options.antialias() && input.dim() < 5 && (nearest || is(kLinear) || is(kBilinear)),
                   "interpolate: mode ", enumtype::get_enum_name(mode),
                   options.antialias() ? " with antialias" : "", " of ", input.dim(),
                   "D input is not implemented\nhint: kNearest and kLinear take signals "
                   "[n, c, length], kNearest and kBilinear images [n, c, height, width]");
  const std::vector<int64_t> sizes = sizes_of(input, options);
  const auto scale = [&options](size_t d) {
    const bool given = options.scale_factor() && !options.recompute_scale_factor().value_or(false);
    return given ? optional<double>((*options.scale_factor())[d]) : nullopt;
  };
  const bool align = options.align_corners().value_or(false);
  if (nearest)
    return signal ? upsample_nearest1d(input, sizes, scale(0))
                  : upsample_nearest2d(input, sizes, scale(0), scale(1));
  return signal ? upsample_linear1d(input, sizes, align, scale(0))
                : upsample_bilinear2d(input, sizes, align, scale(0), scale(1));
}

}  // namespace functional

namespace detail {

Tensor upsample(const Tensor& input, const UpsampleOptions& options) {
  functional::InterpolateFuncOptions given;
  given.size(options.size()).scale_factor(options.scale_factor()).align_corners(options.align_corners());
  std::visit([&given](auto mode) { given.mode(mode); }, options.mode());
  return functional::interpolate(input, given);
}

std::string upsample_repr(const UpsampleOptions& options) {
  using namespace etude::detail;
  const auto one_or_all = [](const auto& list) {
    std::string text;
    for (const auto& v : list) text += (text.empty() ? "" : ", ") + python_str(v);
    return list.size() == 1 ? text : "(" + text + ")";
  };
  std::string mode = enumtype::get_enum_name(options.mode()).substr(1);
  mode[0] = static_cast<char>(std::tolower(mode[0]));
  if (options.scale_factor())
    return str("scale_factor=", one_or_all(*options.scale_factor()), ", mode='", mode, "'");
  return str("size=", options.size() ? one_or_all(*options.size()) : "None", ", mode='", mode, "'");
}

}  // namespace detail
}  // namespace etude::nn
