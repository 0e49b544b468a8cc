// hint: functional::cross_entropy
#include "etude/etude.h"

using namespace etude;

int main() {
  Tensor x = ones({2, 3}), target = zeros({2}, kLong);
#ifdef RIGHT
  Tensor loss = nn::functional::cross_entropy(x, target);
#else
  Tensor loss = cross_entropy(x, target);  // error
#endif
}
