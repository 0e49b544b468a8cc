#include "etude/loss.h"

namespace etude {
namespace nn {

namespace {

// A handle of the module's own: setting the data of a clone's buffer leaves the options of both alone.
Tensor own(const Tensor& weight) {
  return weight.defined() ? weight.detach().set_requires_grad(weight.requires_grad()) : weight;
}

}  // namespace

void CrossEntropyLossImpl::reset() { weight = register_buffer("weight", own(options.weight())); }
Tensor CrossEntropyLossImpl::forward(const Tensor& input, const Tensor& target) {
  CrossEntropyLossOptions with_buffers = options;
  return functional::cross_entropy(input, target, with_buffers.weight(weight));
}

void NLLLossImpl::reset() { weight = register_buffer("weight", own(options.weight())); }
Tensor NLLLossImpl::forward(const Tensor& input, const Tensor& target) {
  NLLLossOptions with_buffers = options;
  return functional::nll_loss(input, target, with_buffers.weight(weight));
}

void MSELossImpl::reset() {}
Tensor MSELossImpl::forward(const Tensor& input, const Tensor& target) {
  return functional::mse_loss(input, target, options);
}

void L1LossImpl::reset() {}
Tensor L1LossImpl::forward(const Tensor& input, const Tensor& target) {
  return functional::l1_loss(input, target, options);
}

void SmoothL1LossImpl::reset() {}
Tensor SmoothL1LossImpl::forward(const Tensor& input, const Tensor& target) {
  return functional::smooth_l1_loss(input, target, options, options.beta());
}

void HuberLossImpl::reset() {}
Tensor HuberLossImpl::forward(const Tensor& input, const Tensor& target) {
  return functional::huber_loss(input, target, options);
}

void KLDivLossImpl::reset() {}
Tensor KLDivLossImpl::forward(const Tensor& input, const Tensor& target) {
  return functional::kl_div(input, target, options);
}

void BCELossImpl::reset() { weight = register_buffer("weight", own(options.weight())); }
Tensor BCELossImpl::forward(const Tensor& input, const Tensor& target) {
  BCELossOptions with_buffers = options;
  return functional::binary_cross_entropy(input, target, with_buffers.weight(weight));
}

void BCEWithLogitsLossImpl::reset() {
  weight = register_buffer("weight", own(options.weight()));
  pos_weight = register_buffer("pos_weight", own(options.pos_weight()));
}
Tensor BCEWithLogitsLossImpl::forward(const Tensor& input, const Tensor& target) {
  BCEWithLogitsLossOptions with_buffers = options;
  return functional::binary_cross_entropy_with_logits(input, target,
                                                      with_buffers.weight(weight).pos_weight(pos_weight));
}

void PoissonNLLLossImpl::reset() {}
Tensor PoissonNLLLossImpl::forward(const Tensor& log_input, const Tensor& targets) {
  return functional::poisson_nll_loss(log_input, targets, options);
}

}  // namespace nn
}  // namespace etude
