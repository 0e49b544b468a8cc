#include "train_writer.h"

#include <algorithm>

namespace live {

namespace nn = etude::nn;
using etude::Tensor;

CharWriter::CharWriter(const nn::GPT& model, const Tensor& ids, const nn::GenerateOptions& options)
    : model_(model),
      ids_(ids.unsqueeze(0)),
      options_(options),
      cache_(
          model->make_cache(1, std::min(ids.size(0) + options.max_new_tokens(), model->options.context()))) {}

void CharWriter::read() {
  const etude::NoGradGuard no_grad;
  const int64_t length = ids_.size(1), known = cache_.length(), longest = cache_.capacity();
  Tensor logits = is_beyond_cache() ? model_->next_logits(ids_.narrow(1, length - longest, longest))
                                    : model_->next_logits(ids_.narrow(1, known, length - known), &cache_);
  plain_ = etude::softmax(logits, -1)[0];
  if (options_.repetition_penalty() != 1.0)
    logits = nn::penalize_repetition(logits, ids_, options_.repetition_penalty());
  logits = logits / options_.temperature();
  if (options_.top_k() > 0) logits = nn::keep_top_k(logits, options_.top_k());
  if (options_.top_p() < 1) logits = nn::keep_top_p(logits, options_.top_p());
  drawn_from_ = etude::softmax(logits, -1)[0];
}

int64_t CharWriter::draw() {
  const Tensor token = etude::multinomial(drawn_from_.unsqueeze(0), 1, false, options_.generator());
  ids_ = etude::cat({ids_, token}, 1);
  ++drawn_;
  return token.item<int64_t>();
}

}  // namespace live
