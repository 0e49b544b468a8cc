// hint: DimIsMissing
#include "etude/etude.h"

using namespace etude;

int main() {
  Tensor x = ones({2, 3});
#ifdef RIGHT
  Tensor y = softmax(x, -1);
#else
  Tensor y = softmax(x);  // error
#endif
}
