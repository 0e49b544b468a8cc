// hint: UseOptionsOrArgsOfImpl
#include "etude/etude.h"

using namespace etude;

int main() {
#ifdef RIGHT
  nn::LayerNorm norm(nn::LayerNormOptions({16}));
#else
  nn::LayerNorm norm(16);  // error
#endif
}
