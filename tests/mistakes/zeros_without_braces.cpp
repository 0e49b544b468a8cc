// hint: SizesGoInBraces
#include "etude/etude.h"

using namespace etude;

int main() {
#ifdef RIGHT
  Tensor x = zeros({2, 3});
#else
  Tensor x = zeros(2, 3);  // error
#endif
}
