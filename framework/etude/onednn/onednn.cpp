// The only code that knows oneDNN, 2.6 to 3.x.

#include <dnnl.hpp>

#include <array>
#include <map>
#include <string>
#include <unordered_map>

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

// Within its scope oneDNN works on the calling thread alone: parallel_for decides about threads. oneDNN would cut sums by their number, which changes bits.
#ifdef _OPENMP
struct OneThread : detail::Restoring<omp_get_max_threads, omp_set_num_threads> {
  OneThread() : Restoring(1) {}
};
#else
struct [[maybe_unused]] OneThread {};
#endif

// Whether to call oneDNN. What the environment does not allow vectorised(), oneDNN may not use either: it has to hear so first.
bool ready() {
  static const bool told = [] {
    const detail::Isa most = detail::allowed_isa();
    if (most != detail::Isa::Avx512)
      dnnl::set_max_cpu_isa(most == detail::Isa::Avx2 ? dnnl::cpu_isa::avx2 : dnnl::cpu_isa::sse41);
    return true;
  }();
  return told && enabled();
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
  return dnnl::sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', n, m, k, alpha, a.data, a.leading,
                     b.data, b.leading, beta, c, c_leading) == dnnl::status::success;
}

bool gemm(int64_t n, int64_t m, int64_t k, Matrix<BFloat16> a, Matrix<BFloat16> b, const BFloat16* row,
          BFloat16* c, int64_t c_leading) {
  if (!multiplies_bfloat16()) return false;
  const OneThread alone;
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  // Primitives of one thread share its scratch memory, so that each thread has its own.
  thread_local dnnl::stream stream(cpu);
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
  if (!product) {
#if DNNL_VERSION_MAJOR >= 3
    product = dnnl::matmul(dnnl::matmul::primitive_desc(cpu, of_a, of_b, of_bias, of_y));
#else
    product = dnnl::matmul(dnnl::matmul::primitive_desc({of_a, of_b, of_bias, of_y}, cpu));
#endif
  }
  const auto memory_of = [](const dnnl::memory::desc& desc, const BFloat16* data) {
    return dnnl::memory(desc, cpu, const_cast<BFloat16*>(data));  // oneDNN knows no memory that is only read
  };
  std::unordered_map<int, dnnl::memory> arguments{{DNNL_ARG_SRC, memory_of(of_a, a.data)},
                                                  {DNNL_ARG_WEIGHTS, memory_of(of_b, b.data)},
                                                  {DNNL_ARG_DST, memory_of(of_y, c)}};
  if (row) arguments[DNNL_ARG_BIAS] = memory_of(of_bias, row);
  product.execute(stream, arguments);
  return true;
}

}  // namespace etude::onednn
