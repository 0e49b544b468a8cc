// hint: InheritNnModuleWithForward
#include "etude/etude.h"

using namespace etude;

struct Double : nn::Module {
#ifdef RIGHT
  Tensor forward(Tensor x) { return x * 2; }
#else
  Tensor operator()(Tensor x) { return x * 2; }
#endif
};

int main() {
  nn::Sequential net(std::make_shared<Double>(), nn::ReLU());  // error
}
