// hint: SizesOrSizeOfADim
#include "etude/etude.h"

using namespace etude;

int main() {
  Tensor x = ones({2, 3});
#ifdef RIGHT
  print(x.sizes());
#else
  print(x.size());  // error
#endif
}
