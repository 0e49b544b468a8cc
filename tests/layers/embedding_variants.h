#pragma once

#include <map>
#include <string>

#include "etude/embedding.h"

namespace golden {

/// The options of the recorded embeddings, by their names in golden/layers/make.py.
inline const std::map<std::string, etude::nn::EmbeddingOptions>& embedding_variants() {
  using etude::nn::EmbeddingOptions;
  static const std::map<std::string, EmbeddingOptions> variants = {
      {"plain", EmbeddingOptions(6, 4)},
      {"padding", EmbeddingOptions(6, 4).padding_idx(1)},
      {"padding from the end", EmbeddingOptions(6, 4).padding_idx(-5)},
      {"max_norm", EmbeddingOptions(6, 4).max_norm(1.0)},
      {"max_norm 1", EmbeddingOptions(6, 4).max_norm(1.5).norm_type(1.0)},
      {"freq", EmbeddingOptions(6, 4).scale_grad_by_freq(true)},
      {"all", EmbeddingOptions(6, 4).padding_idx(2).max_norm(1.0).scale_grad_by_freq(true)},
  };
  return variants;
}

}  // namespace golden
