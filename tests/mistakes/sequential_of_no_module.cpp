// hint: InheritNnModuleWithForward
#include "etude/etude.h"

using namespace etude;

#ifdef RIGHT
struct Double : nn::Module {
#else
struct Double {
#endif
  Tensor forward(Tensor x) { return x * 2; }
};

int main() {
  nn::Sequential net(nn::Linear(3, 4), Double());  // error
}
