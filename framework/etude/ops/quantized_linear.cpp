// y = x W^T + b, where W[o][i] = values[o][i] scales[o][i / group]
//
// With few rows of x the product waits for W, so W is read once, as it lies in memory. Pieces of x are rounded to integers of
// 16 bits: their products and sums within a piece are exact, and vectors compute twice as many of them as of floats. With more
// rows, blocks of W become floats in the cache, for gemm.

#include "etude/ops/quantized_linear.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/gemm.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace etude {
namespace {

using namespace detail;

constexpr float kLargestValue = 127, kLargestRounded = 32767;
constexpr int64_t kPiece = 32;  // larger groups are cut into pieces of the same scale

// kRowsTogether rows of W are multiplied at a time: with one, each sum would wait for the sum before. W is prefetched kAhead
// bytes ahead.
constexpr int64_t kRowsTogether = 2, kAhead = 4096;

int64_t group_of(const QuantizedWeight& w) {
  const int64_t groups = w.scales.size(1);
  return groups == 0 ? 1 : w.values.size(1) / groups;
}

void check_weight(const QuantizedWeight& w) {
  ETUDE_CHECK(w.values.defined() && w.scales.defined() && w.values.scalar_type() == kChar &&
                  w.values.dim() == 2 && w.scales.is_floating_point() && w.scales.dim() == 2 &&
                  w.scales.size(0) == w.values.size(0) && group_of(w) > 0 &&
                  w.scales.size(1) * group_of(w) == w.values.size(1),
              "quantized weight: expected int8 values [out, in] and floating scales [out, in / group]",
              "\nreceived ", w.values.defined() ? dtype_name(w.values.scalar_type()) : "undefined",
              " values of sizes ", w.values.defined() ? w.values.sizes() : IntArrayRef(), " and ",
              w.scales.defined() ? dtype_name(w.scales.scalar_type()) : "undefined", " scales of sizes ",
              w.scales.defined() ? w.scales.sizes() : IntArrayRef());
}

// Calls f with a pointer to the scales, which are float16 or float32.
template <typename F>
void with_scales(const QuantizedWeight& w, const F& f) {
  const Tensor scales = (w.scales.scalar_type() == kHalf ? w.scales : as_type(w.scales, kFloat)).contiguous();
  if (scales.scalar_type() == kHalf) f(impl(scales).data<Half>());
  else f(impl(scales).data<float>());
}

// Writes `count` rows of W, from `first` on, as floats.
void widen_rows(const QuantizedWeight& w, int64_t first, int64_t count, float* to) {
  const int64_t in = w.values.size(1), groups = w.scales.size(1), group = group_of(w);
  const Tensor values = w.values.contiguous();
  with_scales(w, [&, from = impl(values).data<int8_t>() + first * in](const auto* scales) {
    parallel_for(0, count * groups, std::max<int64_t>(1, kGrain / group), [=](int64_t begin, int64_t end) {
      vectorised([=] {
        for (int64_t g = begin; g < end; ++g) {
          const auto scale = static_cast<float>(scales[first * groups + g]);
          int64_t i = g * group;
          for (const int64_t end_of_pieces = i + group / kPiece * kPiece; i < end_of_pieces; i += kPiece)
            for (int64_t k = i; k < i + kPiece; ++k) to[k] = static_cast<float>(from[k]) * scale;
          for (; i < (g + 1) * group; ++i) to[i] = static_cast<float>(from[i]) * scale;
        }
      });
    });
  });
}

// Rows of x, each piece as integers of 16 bits times a scale; where a number is not finite, the scale is nan. The scales of a
// row are repeated for each of the kRowsTogether rows of W that are multiplied at a time.
struct Rounded {
  Tensor numbers, scales;
  int16_t* number(int64_t i) const { return reinterpret_cast<int16_t*>(impl(numbers).bytes()) + i; }
  float* scale(int64_t i) const { return impl(scales).data<float>() + i; }
};

Rounded rounded(const Tensor& x) {
  const int64_t rows = x.size(0), pieces = x.size(1) / kPiece;
  Rounded y{make_tensor({2 * x.numel()}, kChar), make_tensor({rows, kRowsTogether, pieces}, kFloat)};
  vectorised([=, row = impl(x).data<float>(), to = y.number(0), scales = y.scale(0)] {
    for (int64_t p = 0; p < rows * pieces; ++p) {
      const float* const from = row + p * kPiece;
      uint32_t bits = 0;  // as integers, the bits of positive floats have the order of the floats, nan last
      for (int64_t i = 0; i < kPiece; ++i) bits = std::max(bits, bits_of(from[i]) & 0x7fffffffu);
      const float largest = float_of(bits);
      const bool finite = largest <= std::numeric_limits<float>::max();
      for (int64_t r = 0; r < kRowsTogether; ++r)
        scales[(p / pieces * kRowsTogether + r) * pieces + p % pieces] =
            finite ? largest / kLargestRounded : std::numeric_limits<float>::quiet_NaN();
      for (int64_t i = 0; i < kPiece; ++i) {
        const float v = finite && largest > 0 ? from[i] / largest * kLargestRounded : 0;
        to[p * kPiece + i] = static_cast<int16_t>(v + (v < 0 ? -0.5f : 0.5f));
      }
    }
  });
  return y;
}

template <typename Form>
struct Lanes32 {
  typedef int32_t Ints __attribute__((vector_size(Form::bytes)));
  typedef float Floats __attribute__((vector_size(Form::bytes)));
  static constexpr int64_t count = Form::bytes / 4;
};

// Adds w[i] x[i] to the lanes of `sums`, for as many i as numbers of 16 bits fill a vector. It does not matter which lane gets
// a product.
#ifdef __x86_64__
inline void add_products(BaselineForm, const int8_t* w, const int16_t* x, Lanes32<BaselineForm>::Ints& sums) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(w)),
                wide = _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8),
                numbers = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x));
  sums += reinterpret_cast<Lanes32<BaselineForm>::Ints>(_mm_madd_epi16(wide, numbers));
}
#else
template <typename Form>
void add_products(Form, const int8_t* w, const int16_t* x, typename Lanes32<Form>::Ints& sums) {
  constexpr int64_t n = Lanes32<Form>::count;
  int32_t products[n];
  for (int64_t i = 0; i < n; ++i) products[i] = int32_t{w[i]} * x[i] + int32_t{w[n + i]} * x[n + i];
  typename Lanes32<Form>::Ints more;
  std::memcpy(&more, products, sizeof more);
  sums += more;
}
#endif
#ifdef ETUDE_HAS_WIDE_VECTORS
using Form256 = Form<32, true>;
__attribute__((target("avx2"))) inline void add_products(Form256, const int8_t* w, const int16_t* x,
                                                         Lanes32<Form256>::Ints& sums) {
  const __m256i wide = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(w))),
                numbers = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x));
  sums += reinterpret_cast<Lanes32<Form256>::Ints>(_mm256_madd_epi16(wide, numbers));
}
using Form512 = Form<64, true>;
__attribute__((target("avx512f,avx512bw"))) inline void add_products(Form512, const int8_t* w,
                                                                     const int16_t* x,
                                                                     Lanes32<Form512>::Ints& sums) {
  const __m512i wide = _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(w)));
  sums += reinterpret_cast<Lanes32<Form512>::Ints>(_mm512_madd_epi16(wide, _mm512_loadu_si512(x)));
}
#endif

// to[i] = w[i] x[i], for the scales of n pieces.
template <typename Form, typename Scale>
void multiply_scales(Form, const Scale* w, const float* x, int64_t n, float* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(w[i]) * x[i];
}
#ifdef ETUDE_HAS_WIDE_VECTORS
// Every processor with AVX2 also has the instruction that converts float16, as x86-64-v3 requires.
__attribute__((target("avx2,f16c"))) inline void multiply_scales(Form256, const Half* w, const float* x,
                                                                 int64_t n, float* to) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256 scales = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(w + i)));
    _mm256_storeu_ps(to + i, _mm256_mul_ps(scales, _mm256_loadu_ps(x + i)));
  }
  for (; i < n; ++i) to[i] = static_cast<float>(w[i]) * x[i];
}
#endif

// The dot products of a row of x with kRowsTogether rows of W. The factor of a piece is the product of both scales.
template <typename Form>
ETUDE_INLINE void some_dots(Form form, const int8_t* w, const float* factors, const int16_t* x,
                            int64_t pieces, float* dots) {
  typename Lanes32<Form>::Floats sums[kRowsTogether] = {};
  for (int64_t p = 0; p < pieces; ++p)
#pragma GCC unroll 4
    for (int64_t r = 0; r < kRowsTogether; ++r) {
      const int8_t* const from = w + (r * pieces + p) * kPiece;
      __builtin_prefetch(from + kAhead);
      typename Lanes32<Form>::Ints of_piece = {};
#pragma GCC unroll 4
      for (int64_t i = 0; i < kPiece; i += Form::bytes / 2)
        add_products(form, from + i, x + p * kPiece + i, of_piece);
      const auto floats = __builtin_convertvector(of_piece, typename Lanes32<Form>::Floats);
      sums[r] += floats * factors[r * pieces + p];
    }
  for (int64_t r = 0; r < kRowsTogether; ++r) {
    constexpr int64_t kSums = Form::bytes / 4;
    float lanes[kSums];
    std::memcpy(lanes, &sums[r], sizeof lanes);
#pragma GCC unroll 4
    for (int64_t width = kSums / 2; width > 0; width /= 2)
      for (int64_t l = 0; l < width; ++l) lanes[l] += lanes[l + width];
    dots[r] = lanes[0];
  }
}

// Whether by_pieces can multiply, and takes less time than converting W to floats: up to about 10 rows, measured with AVX-512
// and AVX2.
bool has_pieces(int64_t rows, const QuantizedWeight& w) {
  return rows <= kFewRows && w.values.size(0) >= kRowsTogether && w.scales.size(1) > 0 &&
         group_of(w) % kPiece == 0;
}

void by_pieces(const Tensor& x, const QuantizedWeight& w, const Tensor& y) {
  const Rounded numbers = rounded(x);
  const Tensor values = w.values.contiguous();
  const int64_t rows = x.size(0), in = x.size(1), out = y.size(1), pieces = in / kPiece,
                groups = w.scales.size(1), per_group = pieces / groups, together = kRowsTogether * pieces,
                count = (out + kRowsTogether - 1) / kRowsTogether,
                grain = std::max<int64_t>(1, kSerialWork / (kRowsTogether * in * rows));
  with_scales(w, [&, from = impl(values).data<int8_t>(), to = impl(y).data<float>()](const auto* scales) {
    parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
      std::vector<float> factors(static_cast<size_t>(together));
      vectorised([&, factor = factors.data()](auto form) {
        for (int64_t i = begin; i < end; ++i) {
          // The last rows may be computed twice.
          const int64_t o = std::min(i * kRowsTogether, out - kRowsTogether);
          const auto* const of_w = scales + o * groups;
          for (int64_t m = 0; m < rows; ++m) {
            const float* const of_x = numbers.scale(m * together);
            if (per_group == 1) multiply_scales(form, of_w, of_x, together, factor);
            else
              for (int64_t p = 0; p < together; ++p)
                factor[p] = static_cast<float>(of_w[p / per_group]) * of_x[p];
            some_dots(form, from + o * in, factor, numbers.number(m * in), pieces, to + m * out + o);
          }
        }
      });
    });
  });
}

// About how many elements of W become floats at a time, to be multiplied while they are in the cache.
constexpr int64_t kScratch = 1 << 20;

void by_gemm(const Tensor& x, const QuantizedWeight& w, const Tensor& y) {
  const int64_t in = x.size(1), out = y.size(1),
                block = std::max<int64_t>(128, kScratch / std::max<int64_t>(in, 1) / 128 * 128);
  const Tensor scratch = make_tensor({std::min(block, out), in}, kFloat);
  for (int64_t first = 0; first < out; first += block) {
    const int64_t count = std::min(block, out - first);
    widen_rows(w, first, count, impl(scratch).data<float>());
    gemm<float>(view_of<const float>(x), view_of<const float>(scratch).first_rows(count).turned(),
                view_of<float>(y).block(0, y.size(0), first, count), 1, 0);
  }
}

}  // namespace

QuantizedWeight quantize_per_group(const Tensor& weight, int64_t group, ScalarType scales) {
  ETUDE_HEARD("etude::quantize_per_group", ::etude::quantize_per_group(weight, group, scales), weight);
  ETUDE_CHECK(weight.dim() == 2 && weight.is_floating_point(),
              "quantize_per_group: expected floats [out, in], but got ", dtype_name(weight.scalar_type()),
              " of sizes ", weight.sizes());
  const int64_t out = weight.size(0), in = weight.size(1);
  ETUDE_CHECK_VALUE(group > 0 && in % group == 0, "quantize_per_group: ", in,
                    " numbers in a row are not a multiple of a group of ", group);
  ETUDE_CHECK_TYPE(scales == kHalf || scales == kFloat,
                   "quantize_per_group: scales are float16 or float32, but got ", dtype_name(scales));
  const NoGradGuard no_grad;
  const Tensor x = as_type(weight, kFloat).contiguous(),
               exact = x.view({out, in / group, group}).abs().amax(-1) / kLargestValue;
  QuantizedWeight result{make_tensor({out, in}, kChar), exact.to(scales)};
  ETUDE_CHECK_VALUE(result.scales.isfinite().all().item<bool>(),
                    "quantize_per_group: a scale is not a finite ", dtype_name(scales),
                    "\nthe largest number of a group, divided by 127, is too large, or nan");
  parallel_for(0, exact.numel(), std::max<int64_t>(1, kGrain / group), [&](int64_t begin, int64_t end) {
    vectorised([=, from = impl(x).data<float>(), scale = impl(exact).data<float>(),
                to = impl(result.values).data<int8_t>()] {
      for (int64_t g = begin; g < end; ++g) {
        // The inverse of a subnormal scale would be infinite.
        const float inverse = scale[g] < std::numeric_limits<float>::min() ? 0 : 1 / scale[g];
        for (int64_t i = g * group; i < (g + 1) * group; ++i) {
          const float v = from[i] * inverse;
          const auto whole = static_cast<int32_t>(v);
          const float rest = v - static_cast<float>(whole);  // exact; a half is rounded away from zero
          to[i] = static_cast<int8_t>(whole + (rest >= 0.5f) - (rest <= -0.5f));
        }
      }
    });
  });
  return result;
}

Tensor dequantize(const QuantizedWeight& weight) {
  ETUDE_HEARD("etude::dequantize", ::etude::dequantize(weight), weight.values, weight.scales);
  check_weight(weight);
  Tensor y = make_tensor(weight.values.sizes(), kFloat);
  widen_rows(weight, 0, y.size(0), impl(y).data<float>());
  return y;
}

Tensor dequantize(const QuantizedWeight& weight, const Tensor& rows) {
  ETUDE_HEARD("etude::dequantize", ::etude::dequantize(weight, rows), weight.values, rows, weight.scales);
  check_weight(weight);
  const Tensor list = rows.flatten();
  std::vector<int64_t> sizes = rows.sizes().vec();
  sizes.push_back(weight.values.size(1));
  return dequantize({weight.values.index_select(0, list), weight.scales.index_select(0, list)}).view(sizes);
}

Tensor quantized_linear(const Tensor& input, const QuantizedWeight& weight, const Tensor& bias) {
  ETUDE_HEARD("etude::quantized_linear", ::etude::quantized_linear(input, weight, bias), input, weight.values,
              bias, weight.scales);
  check_weight(weight);
  const int64_t out = weight.values.size(0), in = weight.values.size(1);
  if (input.scalar_type() != kFloat && !isReducedFloatingType(input.scalar_type()))
    refuse_dtype("quantized_linear", input.scalar_type());
  ETUDE_CHECK(input.dim() > 0 && input.size(-1) == in, "mat1 and mat2 shapes cannot be multiplied (",
              input.dim() > 1 ? input.numel() / std::max<int64_t>(input.size(-1), 1) : 1, "x",
              input.dim() > 0 ? input.size(-1) : 1, " and ", in, "x", out, ")\nreceived an input of sizes ",
              input.sizes());
  ETUDE_CHECK(!bias.defined() || (bias.is_floating_point() && bias.sizes() == IntArrayRef{out}),
              "quantized_linear: expected a floating bias of sizes [", out, "], but got ",
              bias.defined() ? str(dtype_name(bias.scalar_type()), " of ", bias.sizes()) : "");
  ETUDE_CHECK_WITH(
      NotImplementedError, !recording({input, bias}),
      "derivative for etude::quantized_linear is not implemented\nweights of 8 bits are for use, "
      "not for training\nhint: compute under NoGradGuard; train before quantize()");
  Shape sizes(input.sizes());
  sizes[sizes.size() - 1] = out;
  const int64_t rows = in == 0 ? count_elements(without(sizes, sizes.size() - 1)) : input.numel() / in;
  const Tensor x = with_sizes(dense(input.detach()), {rows, in}), y = make_tensor({rows, out}, kFloat);
  if (rows > 0) has_pieces(rows, weight) ? by_pieces(x, weight, y) : by_gemm(x, weight, y);
  if (bias.defined()) alias(y).add_(widened(bias.detach()));
  impl(y).storage->version = 0;
  return as_type(with_sizes(y, sizes), input.scalar_type());
}

}  // namespace etude
