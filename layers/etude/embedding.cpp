#include "etude/embedding.h"

namespace etude::nn {

void EmbeddingImpl::reset() {
  const int64_t rows = options.num_embeddings();
  if (optional<int64_t>& padding_idx = options.padding_idx()) {
    ETUDE_CHECK_VALUE(-rows <= *padding_idx && *padding_idx < rows,
                      "Padding_idx must be within num_embeddings\nEmbedding: padding_idx ", *padding_idx,
                      ", num_embeddings ", rows);
    if (*padding_idx < 0) *padding_idx += rows;
  }
  ETUDE_CHECK_WITH(NotImplementedError, !options.sparse(),
                   "Embedding: sparse gradients are not supported\nhint: leave sparse at false; the gradient "
                   "is a dense tensor");
  if (options._weight().defined()) {
    ETUDE_CHECK_VALUE(
        options._weight().sizes() == IntArrayRef({rows, options.embedding_dim()}),
        "Shape of _weight does not match num_embeddings and embedding_dim\nEmbedding: _weight has sizes ",
        options._weight().sizes(), ", num_embeddings ", rows, ", embedding_dim ", options.embedding_dim());
    weight = register_parameter("weight", options._weight().detach());
    return;
  }
  detail::register_weight(*this, {rows, options.embedding_dim()});
  if (weight.defined()) reset_parameters();
}

Tensor EmbeddingImpl::forward(const Tensor& indices) {
  if (quantized.defined()) return dequantize(quantized, indices);
  return functional::detail::embedding(indices, weight, options.padding_idx(), options.max_norm(),
                                       options.norm_type(), options.scale_grad_by_freq(), options.sparse());
}

std::string EmbeddingImpl::extra_repr() const {
  std::string text = str(options.num_embeddings(), ", ", options.embedding_dim());
  if (options.padding_idx()) text += str(", padding_idx=", *options.padding_idx());
  if (options.max_norm()) text += ", max_norm=" + python_float(*options.max_norm());
  if (options.norm_type() != 2) text += ", norm_type=" + python_float(options.norm_type());
  if (options.scale_grad_by_freq()) text += ", scale_grad_by_freq=True";
  return text + detail::quantized_repr(quantized);
}

Embedding Embedding::from_pretrained(const Tensor& embeddings,
                                     const EmbeddingFromPretrainedOptions& options) {
  ETUDE_CHECK_VALUE(
      embeddings.dim() == 2,
      "Embeddings parameter is expected to be 2-dimensional\nEmbedding::from_pretrained: received sizes ",
      embeddings.sizes());
  Embedding embedding(EmbeddingOptions(embeddings.size(0), embeddings.size(1))
                          ._weight(embeddings)
                          .padding_idx(options.padding_idx())
                          .max_norm(options.max_norm())
                          .norm_type(options.norm_type())
                          .scale_grad_by_freq(options.scale_grad_by_freq())
                          .sparse(options.sparse()));
  embedding->weight.set_requires_grad(!options.freeze());
  return embedding;
}

}  // namespace etude::nn
