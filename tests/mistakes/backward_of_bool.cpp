// hint: RetainIsSecond
#include "etude/etude.h"

using namespace etude;

int main() {
  Tensor x = ones({2, 3}, requires_grad());
#ifdef RIGHT
  x.sum().backward({}, true);
#else
  x.sum().backward(true);  // error
#endif
}
