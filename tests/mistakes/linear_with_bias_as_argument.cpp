// hint: UseOptionsOrArgsOfImpl
#include "etude/etude.h"

using namespace etude;

int main() {
#ifdef RIGHT
  nn::Linear linear(nn::LinearOptions(3, 4).bias(false));
#else
  nn::Linear linear(3, 4, false);  // error
#endif
}
