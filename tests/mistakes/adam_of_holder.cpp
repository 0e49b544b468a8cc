// hint: UseItsParameters
#include "etude/etude.h"

using namespace etude;

int main() {
  nn::Linear linear(3, 4);
#ifdef RIGHT
  optim::Adam adam(linear->parameters(), 0.1);
#else
  optim::Adam adam(linear, 0.1);  // error
#endif
}
