// hint: UseAnArrow
#include "etude/etude.h"

using namespace etude;

int main() {
  nn::Linear linear(3, 4);
  Tensor x = ones({2, 3});
#ifdef RIGHT
  Tensor y = linear->forward(x);
#else
  Tensor y = linear.forward(x);  // error
#endif
}
