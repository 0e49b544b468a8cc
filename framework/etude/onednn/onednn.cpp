// The only code that knows oneDNN, 2.6 to 3.x.

#include <dnnl.hpp>

#include <string>

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

}  // namespace

bool available() { return true; }

const char* version() {
  static const std::string text = [] {
    const dnnl_version_t* v = dnnl::version();
    return str("oneDNN ", v->major, ".", v->minor, ".", v->patch);
  }();
  return text.c_str();
}

bool gemm(int64_t n, int64_t m, int64_t k, float alpha, Matrix a, Matrix b, float beta, float* c,
          int64_t c_leading) {
  if (!enabled()) return false;
  const OneThread alone;
  return dnnl::sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', n, m, k, alpha, a.data, a.leading,
                     b.data, b.leading, beta, c, c_leading) == dnnl::status::success;
}

}  // namespace etude::onednn
