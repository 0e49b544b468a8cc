// hint: InheritNnModuleWithForward
#include "etude/etude.h"

using namespace etude;

#ifdef RIGHT
class Double : public nn::Module {
#else
class Double : nn::Module {
#endif
 public:
  Tensor forward(Tensor x) { return x * 2; }
};

int main() {
  nn::Sequential net(nn::Linear(3, 4), Double());  // error
}
