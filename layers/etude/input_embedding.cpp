#include "etude/input_embedding.h"

#include <cmath>

namespace etude::nn {

void InputEmbeddingImpl::reset() {
  token_embedding = register_module(
      "token_embedding",
      TokenEmbedding(
          TokenEmbeddingOptions(options.vocab_size(), options.d_model()).padding_idx(options.padding_idx())));
  pos_encoding = register_module(
      "pos_encoding", PositionalEncoding(PositionalEncodingOptions(options.d_model(), options.layout())
                                             .max_len(options.max_len())
                                             .persistent(options.persistent())));
  dropout = options.dropout() == 0 ? Dropout(nullptr) : Dropout(options.dropout());
  if (dropout) register_module("dropout", dropout);
}

Tensor InputEmbeddingImpl::forward(const Tensor& ids) {
  ETUDE_CHECK(ids.dim() == 2, "InputEmbedding: expected ids of 2 dims ",
              options.layout() == kBatchFirst ? "[batch, sequence]" : "[sequence, batch]", ", but got ",
              ids.dim(), "\nreceived sizes ", ids.sizes(), "\nhint: unsqueeze(",
              options.layout() == kBatchFirst ? 0 : 1, ") makes a batch of a single sequence");
  Tensor x = token_embedding(ids);
  if (options.scale()) x = x * std::sqrt(static_cast<double>(options.d_model()));
  x = pos_encoding(x);
  return dropout ? dropout(x) : x;
}

}  // namespace etude::nn
