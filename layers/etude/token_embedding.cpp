#include "etude/token_embedding.h"

namespace etude::nn {

void TokenEmbeddingImpl::reset() {
  embedding = register_module(
      "embedding",
      Embedding(
          EmbeddingOptions(options.vocab_size(), options.d_model()).padding_idx(options.padding_idx())));
}

}  // namespace etude::nn
