// hint: ArgumentsOfForward
#include "etude/etude.h"

using namespace etude;

int main() {
  nn::Linear linear(3, 4);
  Tensor x = ones({2, 3});
#ifdef RIGHT
  Tensor y = linear(x);
#else
  Tensor y = linear(x, x);  // error
#endif
}
