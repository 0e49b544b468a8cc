#pragma once

#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "etude/core/restoring.h"
#include "etude/etude.h"
#include "framework/optim/every_optimizer.h"
#include "support/any_function.h"
#include "support/fingerprint.h"

namespace etude::families {

namespace F = nn::functional;

using Tensors = std::vector<Tensor>;

/// What the bits depend on, besides the inputs.
enum class By { Nothing, Form, OneDnn };

struct Family {
  By by;
  AnyFunction<Tensors()> run;
};

/// x and y are normal numbers, z positive numbers, [300, 131]: large enough for several threads.
inline Tensor x, y, z, ids, few;

inline Tensors learned(nn::Module& module, const Tensor& out) {
  out.backward(rand(out.sizes()));
  Tensors all = {out.detach()};
  for (const Tensor& p : module.parameters()) all.push_back(p.grad());
  return all;
}

/// Ops by kind. Without float64 functions, which come from the C library.
inline const std::map<std::string, Family>& all() {
  static const std::map<std::string, Family> of = {
      {"arithmetic",
       {By::Nothing,
        [] {
          return Tensors{x + y,
                         x - y,
                         x * y,
                         x / z,
                         x * 0.3,
                         addcmul(x, y, z, 0.3),
                         addcdiv(x, y, z, 0.3),
                         lerp(x, y, 0.3),
                         lerp(x, y, z),
                         remainder(x, z),
                         fmod(x, z),
                         floor(x / z),
                         maximum(x, y),
                         clamp(x, -0.5, 0.5),
                         where(x < y, x, y),
                         x.abs(),
                         x.square(),
                         x.reciprocal(),
                         z.sqrt(),
                         z.rsqrt()};
        }}},
      {"functions",
       {By::Nothing,
        [] {
          return Tensors{exp(x),  expm1(x),   log(z), log1p(z),        log2(z),   sin(x),    cos(x),   tan(x),
                         tanh(x), sigmoid(x), erf(x), erfinv(x * 0.1), pow(z, y), pow(x, 3), pow(2, y)};
        }}},
      {"activations",
       {By::Nothing,
        [] {
          return Tensors{relu(x),
                         F::elu(x),
                         F::selu(x),
                         F::celu(x),
                         F::silu(x),
                         F::mish(x),
                         F::softplus(x),
                         F::logsigmoid(x),
                         F::leaky_relu(x),
                         F::hardtanh(x),
                         F::glu(x.slice(1, 0, 130), F::GLUFuncOptions(1)),
                         F::softsign(x),
                         F::tanhshrink(x),
                         F::softshrink(x)};
        }}},
      {"`gelu`",
       {By::Form,
        [] {
          return Tensors{gelu(x), gelu(x, "tanh")};
        }}},
      {"`softmax`",
       {By::Form,
        [] {
          return Tensors{softmax(x, 1), softmax(x, 0)};
        }}},
      {"`log_softmax`",
       {By::Form,
        [] {
          return Tensors{log_softmax(x, 1), log_softmax(x, 0)};
        }}},
      {"`logsumexp`",
       {By::Nothing,
        [] {
          return Tensors{logsumexp(x, 1), logsumexp(x, 0)};
        }}},
      {"sums and norms",
       {By::Nothing,
        [] {
          return Tensors{x.sum(),
                         x.sum(0),
                         x.sum(1),
                         x.mean(1),
                         x.var(1),
                         x.std(0),
                         z.slice(1, 0, 9).prod(1),
                         x.cumsum(1),
                         x.norm(),
                         norm(x, 3, {1}),
                         norm(x, 1, {0})};
        }}},
      {"sorts and maxima",
       {By::Nothing,
        [] {
          return Tensors{x.max(),
                         std::get<0>(x.max(1)),
                         x.argmax(0),
                         x.amin(1),
                         std::get<0>(x.sort(1)),
                         argsort(x, int64_t{0}),
                         std::get<0>(x.topk(5, 1))};
        }}},
      {"`layer_norm`",
       {By::Nothing,
        [] {
          return Tensors{layer_norm(x, {131}, z[0], y[0]), layer_norm(x, {131})};
        }}},
      {"`cross_entropy_loss`",
       {By::Form,
        [] {
          return Tensors{cross_entropy_loss(x, ids),
                         cross_entropy_loss(x, ids, {}, Reduction::Sum, -100, 0.1)};
        }}},
      {"other losses",
       {By::Nothing,
        [] {
          return Tensors{mse_loss(x, y),
                         l1_loss(x, y),
                         F::smooth_l1_loss(x, y),
                         F::huber_loss(x, y),
                         F::binary_cross_entropy_with_logits(x, y.detach().sigmoid()),
                         F::kl_div(x, z.detach()),
                         F::nll_loss(x, ids),
                         F::cosine_similarity(x, y),
                         F::pairwise_distance(x, y),
                         F::triplet_margin_loss(x, y, z),
                         F::soft_margin_loss(x, y.detach().sign())};
        }}},
      {"`linear_cross_entropy`",
       {By::OneDnn,
        [] {
          return Tensors{F::linear_cross_entropy(x.slice(0, 0, 20), y.slice(0, 0, 131), ids.slice(0, 0, 20))};
        }}},
      {"large products",
       {By::Form,
        [] {
          return Tensors{x.mm(y.t()), linear(x, y), matmul(x.t(), y)};
        }}},
      {"small products",
       {By::OneDnn,
        [] {
          return Tensors{x.slice(0, 0, 20).mm(y.slice(0, 0, 20).t()),
                         x.view({100, 3, 131}).bmm(y.view({100, 131, 3}))};
        }}},
      {"products of one row",
       {By::OneDnn,
        [] {
          return Tensors{x.slice(0, 0, 1).mm(y.t()), y.mv(x[0]), x[0].dot(y[0]), x.t().slice(0, 0, 1).mm(y)};
        }}},
      {"products of float64",
       {By::Form, [] { return Tensors{(x.to(kDouble) / 3).mm(y.t().to(kDouble) / 3)}; }}},
      {"products of integers",
       {By::Nothing, [] { return Tensors{(x.detach() * 9).to(kLong).mm((y.detach().t() * 9).to(kLong))}; }}},
      {"products of bfloat16",
       {By::OneDnn, [] { return Tensors{x.to(kBFloat16).mm(y.t().to(kBFloat16)).to(kFloat)}; }}},
      {"`einsum`",
       {By::OneDnn,
        [] {
          return Tensors{einsum("ij,kj->ik", {x.slice(0, 0, 20), y.slice(0, 0, 20)})};
        }}},
      {"`attention`",
       {By::OneDnn,
        [] {
          return Tensors{F::scaled_dot_product_attention(x.view({1, 3, 100, 131}), y.view({1, 3, 100, 131}),
                                                         z.view({1, 3, 100, 131}))};
        }}},
      {"convolutions",
       {By::OneDnn,
        [] {
          return Tensors{conv2d(x.view({4, 3, 25, 131}),
                                y.slice(0, 0, 15).reshape({-1}).slice(0, 0, 5 * 3 * 9).view({5, 3, 3, 3})),
                         conv1d(x.view({3, 100, 131}),
                                y.slice(0, 0, 100).reshape({-1}).slice(0, 0, 900).view({3, 100, 3}))};
        }}},
      {"random numbers",
       {By::Nothing,
        [] {
          return Tensors{rand({39}),
                         randn({40000}),
                         randn({9}),
                         randint(100, {50}),
                         randperm(50),
                         bernoulli(z.detach() * 0.3),
                         zeros({50}).exponential_(),
                         multinomial(z.detach(), 5),
                         zeros({50}).uniform_(-1, 2),
                         zeros({50}).normal_(1, 3),
                         dropout(x, 0.3, true)};
        }}},
      {"indexing",
       {By::Nothing,
        [] {
          return Tensors{x.index_select(1, few),
                         x.gather(1, ids.view({300, 1})),
                         zeros({23, 131}).index_add(0, few, y),
                         x.index({few}),
                         zeros({23, 131}).scatter_add(0, few.view({300, 1}).expand({300, 131}), x),
                         x.tril(),
                         cat({x, y}),
                         x.masked_fill(y.detach() > 0, 0.1),
                         F::pad(x, F::PadFuncOptions({1, 2}))};
        }}},
      {"embeddings",
       {By::Nothing,
        [] {
          return Tensors{embedding(x, few),
                         positioned_embedding(x, few.view({1, 300}), y.detach(), 0, -1, 1.7, 0.3)};
        }}},
      {"`linspace`",
       {By::Nothing,
        [] {
          return Tensors{linspace(-3, 7, 1000), arange(0, 3, 0.01)};
        }}},
      {"`sinusoids`",
       {By::Nothing, [] { return Tensors{sinusoids(arange(300, kFloat), z.detach()[0], 261)}; }}},
      {"optimizers",
       {By::Nothing,
        [] {
          Tensors all;
          const auto step = [&](auto* kind) {
            using Optimizer = std::remove_pointer_t<decltype(kind)>;
            const Tensor p = every::leaf(x.detach(), y.detach().clone());
            Optimizer optimizer({p}, every::options_of<Optimizer>());
            for (int i = 0; i < 3; ++i) optimizer.step();
            all.push_back(p.detach());
          };
          step(static_cast<optim::SGD*>(nullptr));
          step(static_cast<optim::Adam*>(nullptr));
          step(static_cast<optim::AdamW*>(nullptr));
          step(static_cast<optim::RMSprop*>(nullptr));
          step(static_cast<optim::Adagrad*>(nullptr));
          const Tensor p = every::leaf(x.detach(), y.detach().clone());
          nn::utils::clip_grad_norm_(p, 1.0);
          all.push_back(p.grad());
          return all;
        }}},
      {"recurrent layers",
       {By::OneDnn,
        [] {
          nn::LSTM lstm(131, 8);
          return learned(*lstm, std::get<0>(lstm(x.view({30, 10, 131}))));
        }}},
      {"transformer layers",
       {By::OneDnn,
        [] {
          nn::TransformerDecoderLayer layer(nn::TransformerDecoderLayerOptions(131, 1).dim_feedforward(24));
          return learned(*layer, layer(x.view({20, 15, 131}), y.view({20, 15, 131})));
        }}},
      {"`GPT`",
       {By::OneDnn,
        [] {
          nn::GPT gpt(nn::GPTOptions(131).context(20).d_model(32).layers(2).heads(4));
          return learned(*gpt, gpt(ids.view({15, 20})));
        }}},
  };
  return of;
}

/// The fingerprint of a family's results and gradients.
inline std::string run(const Family& family, bool onednn_too = false, int threads = 2) {
  const onednn::EnabledGuard path(onednn_too);
  const detail::Restoring<get_num_threads, set_num_threads> restoring(threads);
  manual_seed(5);
  x = randn({300, 131}, requires_grad());
  y = randn({300, 131}, requires_grad());
  z = rand({300, 131}).add_(0.5).requires_grad_();
  ids = arange(300).mul(7).remainder(131);
  few = arange(300).mul(7).remainder(23);
  const Tensors results = family.run();
  Tensors roots, gradients;
  for (const Tensor& t : results)
    if (t.requires_grad()) {
      roots.push_back(t);
      gradients.push_back(rand(t.sizes()).to(t.dtype()));
    }
  if (!roots.empty()) autograd::backward(roots, gradients);
  Fingerprint f;
  for (const Tensor& t : results) f.add(t);
  for (const Tensor& t : {x, y, z})
    if (t.grad().defined()) f.add(t.grad());
  for (Tensor* const t : {&x, &y, &z, &ids, &few}) *t = {};
  return f.text();
}

}  // namespace etude::families
