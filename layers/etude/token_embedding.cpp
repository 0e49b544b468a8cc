#include "etude/token_embedding.h"

namespace etude::nn {

void TokenEmbeddingImpl::reset() {
  embedding = register_module(
      "embedding",
      Embedding(
          EmbeddingOptions(options.vocab_size(), options.d_model()).padding_idx(options.padding_idx())));
}

Tensor TokenEmbeddingImpl::forward(const Tensor& ids) { return embedding(ids); }

}  // namespace etude::nn
