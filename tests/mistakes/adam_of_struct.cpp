// hint: UseItsParameters
#include "etude/etude.h"

using namespace etude;

struct Net : nn::Module {};

int main() {
  Net net;
#ifdef RIGHT
  optim::AdamW adam(net.parameters(), 0.1);
#else
  optim::AdamW adam(net, 0.1);  // error
#endif
}
