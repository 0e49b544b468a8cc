// Compiled in place of onednn.cpp where oneDNN is absent.

#include "etude/onednn/backend.h"
#include "etude/onednn/detail/onednn.h"

namespace etude::onednn {

bool available() { return false; }
const char* version() { return "none"; }
bool multiplies_bfloat16() { return false; }
bool gemm(int64_t, int64_t, int64_t, float, Matrix<float>, Matrix<float>, float, float*, int64_t) {
  return false;
}
bool gemm(int64_t, int64_t, int64_t, Matrix<BFloat16>, Matrix<BFloat16>, const BFloat16*, BFloat16*,
          int64_t) {
  return false;
}
bool convolve(Made, const Convolution&, float*, float*, const float*, float*) { return false; }

}  // namespace etude::onednn
