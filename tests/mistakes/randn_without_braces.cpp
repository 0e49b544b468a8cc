// hint: SizesGoInBraces
#include "etude/etude.h"

using namespace etude;

int main() {
#ifdef RIGHT
  Tensor x = randn({2, 3, 4});
#else
  Tensor x = randn(2, 3, 4);  // error
#endif
}
