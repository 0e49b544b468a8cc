// hint: ArgumentsOfForward
#include "etude/etude.h"

using namespace etude;

int main() {
  Tensor x = ones({2, 3});
#ifdef RIGHT
  Tensor loss = nn::MSELoss()(x, x);
#else
  Tensor loss = nn::MSELoss()(x);  // error
#endif
}
