// hint: SizesGoInBraces
#include "etude/etude.h"

using namespace etude;

int main() {
  Tensor x = ones({2, 3});
#ifdef RIGHT
  Tensor y = x.view({3, -1});
#else
  Tensor y = x.view(3, -1);  // error
#endif
}
