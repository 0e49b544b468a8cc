// hint: UseOptionsOrArgsOfImpl
#include "etude/etude.h"

using namespace etude;

int main() {
  nn::TransformerEncoderLayer layer(8, 2);
#ifdef RIGHT
  nn::TransformerEncoder encoder(layer, 6);
#else
  nn::TransformerEncoder encoder(layer);  // error
#endif
}
