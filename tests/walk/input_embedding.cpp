// The walk whose lines are counted: ids through InputEmbedding, a sum, and back.
#include "etude/etude.h"

// gcov's functions: the first sets the counters to zero, the second writes them.
extern "C" void __gcov_reset();
extern "C" void __gcov_dump();

int main() {
  etude::manual_seed(0);
  etude::nn::InputEmbedding embed(etude::nn::InputEmbeddingOptions(100, 16, etude::nn::kBatchFirst));
  const etude::Tensor ids = etude::randint(0, 100, {2, 5});
  __gcov_reset();
  embed(ids).sum().backward();
  __gcov_dump();
}
