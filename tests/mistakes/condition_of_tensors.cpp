// hint: UseItemOrEqual
#include "etude/etude.h"

using namespace etude;

int main() {
  Tensor x = ones({2, 3});
#ifdef RIGHT
  if (equal(x, x)) print("equal");
#else
  if (x == x) print("equal");  // error
#endif
}
