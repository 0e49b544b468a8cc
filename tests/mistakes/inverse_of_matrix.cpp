// hint: EtudeHasNoLinearAlgebra
#include "etude/etude.h"

using namespace etude;

int main() {
  Tensor x = eye(2), b = ones({2});
#ifdef RIGHT
  Tensor y = x.t().mv(b);
#else
  Tensor y = inverse(x).mv(b);  // error
#endif
}
