// hint: InheritNnModuleWithForward
#include "etude/etude.h"

using namespace etude;

int main() {
#ifdef RIGHT
  nn::Sequential net(nn::Linear(3, 4), nn::Functional(relu));
#else
  nn::Sequential net(nn::Linear(3, 4), relu);  // error
#endif
}
