// The walk whose lines are counted: ids through InputEmbedding, a sum, and back.
#include "etude/etude.h"

// What gcov counts from here on, and what it has counted until here.
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
