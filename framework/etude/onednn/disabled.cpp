// What is compiled in place of the onednn*.cpp files where oneDNN is absent.

#include "etude/onednn/backend.h"
#include "etude/onednn/detail/onednn.h"

namespace etude::onednn {

bool available() { return false; }
const char* version() { return "none"; }
bool gemm(int64_t, int64_t, int64_t, float, Matrix, Matrix, float, float*, int64_t) { return false; }

}  // namespace etude::onednn
