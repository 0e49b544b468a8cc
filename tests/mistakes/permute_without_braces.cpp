// hint: DimsGoInBraces
#include "etude/etude.h"

using namespace etude;

int main() {
  Tensor x = ones({2, 3, 4});
#ifdef RIGHT
  Tensor y = x.permute({0, 2, 1});
#else
  Tensor y = x.permute(0, 2, 1);  // error
#endif
}
