// hint: LearningRateIsMissing
#include "etude/etude.h"

using namespace etude;

int main() {
  nn::Linear linear(3, 4);
#ifdef RIGHT
  optim::SGD sgd(linear->parameters(), 0.1);
#else
  optim::SGD sgd(linear->parameters());  // error
#endif
}
