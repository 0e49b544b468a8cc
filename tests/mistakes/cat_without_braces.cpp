// hint: TensorsGoInBraces
#include "etude/etude.h"

using namespace etude;

int main() {
  Tensor x = ones({2, 3});
#ifdef RIGHT
  Tensor y = cat({x, x});
#else
  Tensor y = cat(x, x);  // error
#endif
}
