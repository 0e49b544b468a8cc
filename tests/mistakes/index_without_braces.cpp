// hint: IndicesGoInBraces
#include "etude/etude.h"

using namespace etude;

int main() {
  using indexing::Slice;
  Tensor x = ones({2, 3});
#ifdef RIGHT
  Tensor y = x.index({0, Slice(1, 3)});
#else
  Tensor y = x.index(0, Slice(1, 3));  // error
#endif
}
