// hint: EtudeHasNoLinearAlgebra
#include "etude/etude.h"

using namespace etude;

int main() {
  Tensor x = eye(2);
#ifdef RIGHT
  Tensor y = x.diagonal().prod();
#else
  Tensor y = x.det();  // error
#endif
}
