// hint: UseOptionsOrArgsOfImpl
#include "etude/etude.h"

using namespace etude;

int main() {
#ifdef RIGHT
  nn::InputEmbedding embedding(100, 16, nn::SequenceLayout::BatchFirst);
#else
  nn::InputEmbedding embedding(100, 16);  // error
#endif
}
