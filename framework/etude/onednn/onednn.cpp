// The only code that calls oneDNN, versions 2.6 to 3.x.

#include <dnnl.hpp>

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "etude/core/detail/listen.h"
#include "etude/core/detail/vectorised.h"
#include "etude/core/error.h"
#include "etude/core/restoring.h"
#include "etude/onednn/backend.h"
#include "etude/onednn/detail/onednn.h"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace etude::onednn {
namespace {

// Keeps oneDNN on the calling thread: parallel_for splits the work. oneDNN would split sums by thread count, changing bits.
#ifdef _OPENMP
struct OneThread : detail::Restoring<omp_get_max_threads, omp_set_num_threads> {
  OneThread() : Restoring(1) {}
};
#else
struct [[maybe_unused]] OneThread {};
#endif

// Whether to call oneDNN. It is first limited to the instruction sets that the environment allows vectorised() to use.
bool ready() {
  static const bool told = [] {
    const detail::Isa most = detail::allowed_isa();
    if (most != detail::Isa::Avx512)
      dnnl::set_max_cpu_isa(most == detail::Isa::Avx2 ? dnnl::cpu_isa::avx2 : dnnl::cpu_isa::sse41);
    return true;
  }();
  return told && enabled();
}

// Reports to listeners which implementation oneDNN chose.
void note(const dnnl::primitive& primitive) {
  if (!detail::listen::is_heard()) return;
  const char* name = nullptr;
  dnnl_primitive_desc_query(primitive.get_primitive_desc(), dnnl_query_impl_info_str, 0, &name);
  if (name) detail::listen::note_kernel("oneDNN", name);
}

const dnnl::engine& processor() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

template <typename P, typename... Args>
typename P::primitive_desc described(const Args&... args) {
#if DNNL_VERSION_MAJOR >= 3
  return {processor(), args...};
#else
  return {{args...}, processor()};
#endif
}

}  // namespace

bool available() { return true; }

const char* version() {
  static const std::string text = [] {
    const dnnl_version_t* v = dnnl::version();
    return str("oneDNN ", v->major, ".", v->minor, ".", v->patch);
  }();
  return text.c_str();
}

bool multiplies_bfloat16() {
  if (!ready()) return false;
  static const bool has_them = [] {
    constexpr auto needed = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_bf16);
    return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & needed) == needed;
  }();
  return has_them;
}

bool gemm(int64_t n, int64_t m, int64_t k, float alpha, Matrix<float> a, Matrix<float> b, float beta,
          float* c, int64_t c_leading) {
  if (!ready()) return false;
  const OneThread alone;
  detail::listen::note_kernel("oneDNN", "sgemm");
  return dnnl::sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', n, m, k, alpha, a.data, a.leading,
                     b.data, b.leading, beta, c, c_leading) == dnnl::status::success;
}

bool gemm(int64_t n, int64_t m, int64_t k, Matrix<BFloat16> a, Matrix<BFloat16> b, const BFloat16* row,
          BFloat16* c, int64_t c_leading) {
  if (!multiplies_bfloat16()) return false;
  const OneThread alone;
  // Primitives of a thread share its scratch memory, so each thread has its own primitives.
  thread_local dnnl::stream stream(processor());
  thread_local std::map<std::array<int64_t, 9>, dnnl::matmul> made;
  if (made.size() >= 1024) made.clear();
  const auto desc_of = [](int64_t rows, int64_t columns, const auto& x) {
    return dnnl::memory::desc(
        {rows, columns}, dnnl::memory::data_type::bf16,
        x.transposed ? dnnl::memory::dims{1, x.leading} : dnnl::memory::dims{x.leading, 1});
  };
  const Matrix<BFloat16> y{c, false, c_leading}, bias{row, false, m};
  const dnnl::memory::desc of_a = desc_of(n, k, a), of_b = desc_of(k, m, b), of_y = desc_of(n, m, y),
                           of_bias = row ? desc_of(1, m, bias) : dnnl::memory::desc();
  dnnl::matmul& product =
      made[{n, m, k, a.transposed, a.leading, b.transposed, b.leading, row != nullptr, c_leading}];
  if (!product) product = dnnl::matmul(described<dnnl::matmul>(of_a, of_b, of_bias, of_y));
  const auto memory_of = [](const dnnl::memory::desc& desc, const BFloat16* data) {
    return dnnl::memory(desc, processor(),
                        const_cast<BFloat16*>(data));  // oneDNN has no read-only memory
  };
  std::unordered_map<int, dnnl::memory> arguments{{DNNL_ARG_SRC, memory_of(of_a, a.data)},
                                                  {DNNL_ARG_WEIGHTS, memory_of(of_b, b.data)},
                                                  {DNNL_ARG_DST, memory_of(of_y, c)}};
  if (row) arguments[DNNL_ARG_BIAS] = memory_of(of_bias, row);
  note(product);
  product.execute(stream, arguments);
  return true;
}

namespace {

using Desc = dnnl::memory::desc;
using Tag = dnnl::memory::format_tag;

Desc floats(const std::vector<int64_t>& sizes, Tag tag) { return {sizes, dnnl::memory::data_type::f32, tag}; }

// A convolution primitive and the layouts that oneDNN prefers for it.
struct Convolver {
  dnnl::primitive primitive;
  Desc x, w, y;
};

// As described(), for a gradient: oneDNN needs the description of the forward convolution.
template <typename P, typename... Args>
typename P::primitive_desc described_gradient(const dnnl::convolution_forward::primitive_desc& of,
                                              const Args&... args) {
#if DNNL_VERSION_MAJOR >= 3
  return {processor(), args..., of};
#else
  return {{args...}, processor(), of};
#endif
}

// The convolver has no primitive if oneDNN offers only its slow reference implementation.
template <typename P>
Convolver convolver(const typename P::primitive_desc& d, const Desc& x, const Desc& w, const Desc& y) {
  const bool slow = std::string(d.impl_info_str()).rfind("ref", 0) == 0;
  return {slow ? dnnl::primitive() : P(d), x, w, y};
}

Convolver convolver_of(Made made, const Convolution& c, bool with_bias) {
  constexpr auto kDirect = dnnl::algorithm::convolution_direct;
  const Desc x = floats(c.x, Tag::any), w = floats(c.w, Tag::any), y = floats(c.y, Tag::any),
             bias = with_bias ? floats({c.y[1]}, Tag::x) : Desc();
  const dnnl::memory::dims between{c.dilation[0] - 1, c.dilation[1] - 1};
  const auto result = described<dnnl::convolution_forward>(dnnl::prop_kind::forward_training, kDirect, x, w,
                                                           bias, y, c.stride, between, c.padding, c.padding);
  if (made == Made::Result)
    return convolver<dnnl::convolution_forward>(result, result.src_desc(), result.weights_desc(),
                                                result.dst_desc());
  if (made == Made::Input) {
    const auto input = described_gradient<dnnl::convolution_backward_data>(result, kDirect, x, w, y, c.stride,
                                                                           between, c.padding, c.padding);
    return convolver<dnnl::convolution_backward_data>(input, input.diff_src_desc(), input.weights_desc(),
                                                      input.diff_dst_desc());
  }
  const auto weight = described_gradient<dnnl::convolution_backward_weights>(
      result, kDirect, x, w, y, c.stride, between, c.padding, c.padding);
  return convolver<dnnl::convolution_backward_weights>(weight, weight.src_desc(), weight.diff_weights_desc(),
                                                       weight.diff_dst_desc());
}

// The cached convolver of this thread.
const Convolver& kept_convolver(Made made, const Convolution& c, bool with_bias) {
  thread_local std::map<std::tuple<Made, bool, std::array<std::vector<int64_t>, 6>>, Convolver> kept;
  if (kept.size() >= 1024) kept.clear();
  const auto [found, is_new] =
      kept.try_emplace({made, with_bias, {c.x, c.w, c.y, c.stride, c.padding, c.dilation}});
  if (is_new) found->second = convolver_of(made, c, with_bias);
  return found->second;
}

// An operand in its plain layout and in the layout that oneDNN prefers, which may be the same memory.
struct Operand {
  Operand(float* data, const Desc& plain, const Desc& liked)
      : given(plain, processor(), data), used(plain == liked ? given : dnnl::memory(liked, processor())) {}
  dnnl::memory given, used;
};

void copy(dnnl::memory& from, dnnl::memory& to, dnnl::stream& stream) {
  if (from.get_data_handle() != to.get_data_handle()) dnnl::reorder(from, to).execute(stream, from, to);
}

}  // namespace

bool convolve(Made made, const Convolution& c, float* x, float* w, const float* bias, float* y) try {
  if (!ready()) return false;
  const OneThread alone;
  thread_local dnnl::stream stream(processor());
  const Convolver& with = kept_convolver(made, c, bias != nullptr);
  if (!with.primitive) return false;
  Operand of_x(x, floats(c.x, Tag::abcd), with.x), of_w(w, floats(c.w, Tag::abcde), with.w),
      of_y(y, floats(c.y, Tag::abcd), with.y);
  Operand& result = made == Made::Result ? of_y : made == Made::Input ? of_x : of_w;
  for (Operand* operand : {&of_x, &of_w, &of_y})
    if (operand != &result) copy(operand->given, operand->used, stream);
  std::unordered_map<int, dnnl::memory> arguments{
      {made == Made::Input ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, of_x.used},
      {made == Made::Weight ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS, of_w.used},
      {made == Made::Result ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, of_y.used}};
  if (bias)
    arguments[DNNL_ARG_BIAS] = dnnl::memory(floats({c.y[1]}, Tag::x), processor(), const_cast<float*>(bias));
  note(with.primitive);
  with.primitive.execute(stream, arguments);
  copy(result.used, result.given, stream);
  return true;
} catch (const dnnl::error&) {
  return false;
}

}  // namespace etude::onednn
