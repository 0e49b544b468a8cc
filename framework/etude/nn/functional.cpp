#include "etude/nn/functional.h"

#include "etude/autograd/grad_mode.h"
#include "etude/core/error.h"

namespace etude::nn::functional {

namespace {

// The row as the op takes it: counted from the start, or -1 for none.
int64_t padding_row(const optional<int64_t>& padding_idx, const Tensor& weight) {
  if (!padding_idx) return -1;
  const int64_t rows = weight.size(0);
  ETUDE_CHECK_VALUE(-rows <= *padding_idx && *padding_idx < rows,
                    "Padding_idx must be within num_embeddings\nembedding: padding_idx ", *padding_idx,
                    " of a weight of sizes ", weight.sizes());
  return *padding_idx < 0 ? *padding_idx + rows : *padding_idx;
}

}  // namespace

Tensor detail::embedding(const Tensor& input, const Tensor& weight, optional<int64_t> padding_idx,
                         optional<double> max_norm, double norm_type, bool scale_grad_by_freq, bool sparse) {
  const int64_t padding = padding_row(padding_idx, weight);
  if (max_norm) {
    NoGradGuard no_grad;
    Tensor rows = weight;
    embedding_renorm_(rows, input, *max_norm, norm_type);
  }
  return etude::embedding(weight, input, padding, scale_grad_by_freq, sparse);
}

Tensor normalize(const Tensor& input, NormalizeFuncOptions options) {
  const Tensor norms =
      norm(input, options.p(), options.dim(), /*keepdim=*/true).clamp_min(options.eps()).expand_as(input);
  if (!options.out()) return input / norms;
  ETUDE_CHECK(!GradMode::is_enabled() || !(norms.requires_grad() || options.out()->requires_grad()),
              "div(): functions with out=... arguments don't support automatic differentiation, but one of "
              "the arguments requires grad.");
  const Tensor y = input / norms;
  ETUDE_CHECK(can_cast(y.scalar_type(), options.out()->scalar_type()), "result type ",
              toString(y.scalar_type()), " can't be cast to the desired output type ",
              toString(options.out()->scalar_type()));
  return options.out()->resize_(input.sizes()).copy_(y);
}

}  // namespace etude::nn::functional
