// hint: UseOptionsOrArgsOfImpl
#include "etude/etude.h"

using namespace etude;

int main() {
#ifdef RIGHT
  nn::MultiheadAttention attention(8, 2);
#else
  nn::MultiheadAttention attention(8);  // error
#endif
}
