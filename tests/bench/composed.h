#pragma once

// What LibTorch 1.13 lacks, composed of its modules. Etude runs its own code, and LibTorch 2 runs its own where it has some.

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "etude/etude.h"

namespace composed {

using etude::Tensor;

struct Sizes {
  int64_t vocabulary, context, layers, heads, width;
};

/// A model, as the functions that the cases call.
struct Model {
  std::vector<Tensor> parameters;
  std::function<void(etude::ScalarType)> convert;  // the weights, to another type
  std::function<Tensor(const Tensor& ids)> logits;
  std::function<Tensor(const Tensor& prompt, int64_t tokens)> generate;  // greedily, with a cache
};

struct Embedding {
  std::vector<Tensor> parameters;
  std::function<Tensor(const Tensor& ids)> f;
};

/// Gives a GPT's matrices the same numbers on both sides: those after the first two, which are tables, are (in, out)
/// in Etude and (out, in) in LibTorch's Linear.
inline void set_matrices(const std::vector<Tensor>& parameters, bool out_first) {
  const etude::NoGradGuard no_grad;
  etude::manual_seed(0);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].dim() != 2) continue;
    const bool turn = out_first && i >= 2;
    const Tensor numbers = etude::randn((turn ? parameters[i].t() : parameters[i]).sizes()) * 0.02;
    parameters[i].copy_(turn ? numbers.t() : numbers);
  }
}

#if defined(etude) && TORCH_VERSION_MAJOR >= 2
#define BENCH_LIBTORCH_2
#endif

/// A step of AdamW over parameters that have gradients.
inline std::function<void()> adamw(const std::vector<Tensor>& parameters, double lr) {
#ifdef BENCH_LIBTORCH_2
  struct State {
    std::vector<Tensor> means, squares, steps;
  };
  const auto state = std::make_shared<State>();
  for (const Tensor& p : parameters) {
    state->means.push_back(etude::zeros_like(p));
    state->squares.push_back(etude::zeros_like(p));
    state->steps.push_back(etude::zeros({}));
  }
  return [=] {
    const etude::NoGradGuard no_grad;
    std::vector<Tensor> gradients;
    for (const Tensor& p : parameters) gradients.push_back(p.grad());
    at::_foreach_add_(state->steps, 1);
    at::_fused_adamw_(parameters, gradients, state->means, state->squares, {}, state->steps, lr, 0.9, 0.999,
                      /*weight_decay=*/0.01, 1e-8, /*amsgrad=*/false, /*maximize=*/false);
  };
#else
  const auto optimizer = std::make_shared<etude::optim::AdamW>(parameters, etude::optim::AdamWOptions(lr));
  return [=] { optimizer->step(); };
#endif
}

#ifndef etude

inline Tensor causal_attention(const Tensor& q, const Tensor& k, const Tensor& v) {
  return etude::nn::functional::scaled_dot_product_attention(q, k, v, {}, 0.0, /*is_causal=*/true);
}

inline Tensor table_of_sines(int64_t positions, int64_t width) {
  return etude::nn::sinusoidal_table(positions, width);
}

inline Tensor linear_cross_entropy(const Tensor& x, const Tensor& weight, const Tensor& goal) {
  return etude::nn::functional::linear_cross_entropy(x, weight, goal);
}

inline Embedding input_embedding(int64_t words, int64_t width) {
  etude::nn::InputEmbedding embed(
      etude::nn::InputEmbeddingOptions(words, width, etude::nn::kBatchFirst).dropout(0.1));
  return {embed->parameters(), [=](const Tensor& ids) mutable { return embed(ids); }};
}

inline Model make_gpt(const Sizes& s) {
  using namespace etude::nn;
  GPT gpt(GPTOptions(s.vocabulary)
              .context(s.context)
              .d_model(s.width)
              .layers(s.layers)
              .heads(s.heads)
              .dropout(0.0));
  set_matrices(gpt->parameters(), false);
  return {gpt->parameters(),
          [=](etude::ScalarType type) mutable { type == etude::kChar ? void(quantize(gpt)) : gpt->to(type); },
          [=](const Tensor& ids) mutable { return gpt(ids); },
          [=](const Tensor& prompt, int64_t tokens) mutable {
            return etude::nn::generate(gpt, prompt, GenerateOptions(tokens));
          }};
}

#else

/// Attention. With a mask, which is always that of a whole sequence, queries do not see later keys.
inline Tensor attended(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask) {
#ifdef BENCH_LIBTORCH_2
  return at::scaled_dot_product_attention(q, k, v, {}, 0.0, /*is_causal=*/mask.defined());
#else
  Tensor scores = etude::matmul(q * (1 / std::sqrt(static_cast<double>(q.size(-1)))), k.transpose(-2, -1));
  if (mask.defined()) scores = scores + mask;
  return etude::matmul(etude::softmax(scores, -1), v);
#endif
}

inline Tensor later_keys(int64_t tokens) {
  return etude::full({tokens, tokens}, -std::numeric_limits<float>::infinity()).triu(1);
}

inline Tensor causal_attention(const Tensor& q, const Tensor& k, const Tensor& v) {
  static Tensor mask;  // as a model keeps it
  if (!mask.defined() || mask.size(0) != q.size(-2)) mask = later_keys(q.size(-2));
  return attended(q, k, v, mask);
}

inline Tensor table_of_sines(int64_t positions, int64_t width) {
  Tensor table = etude::zeros({positions, width});
  const Tensor position = etude::arange(0, positions, etude::kFloat).unsqueeze(1);
  const Tensor factor = etude::exp(etude::arange(0, width, 2, etude::kFloat) * (-std::log(10000.0) / width));
  using etude::indexing::None;
  using etude::indexing::Slice;
  table.index_put_({Slice(), Slice(0, None, 2)}, etude::sin(position * factor));
  table.index_put_({Slice(), Slice(1, None, 2)}, etude::cos(position * factor));
  return table;
}

inline Tensor linear_cross_entropy(const Tensor& x, const Tensor& weight, const Tensor& goal) {
  namespace F = etude::nn::functional;
  return F::cross_entropy(F::linear(x, weight), goal);
}

inline Embedding input_embedding(int64_t words, int64_t width) {
  etude::nn::Embedding embed(words, width);
  etude::nn::Dropout dropout(0.1);
  const Tensor table = table_of_sines(5000, width);
  return {embed->parameters(),
          [=](const Tensor& ids) mutable { return dropout(embed(ids) + table.narrow(0, 0, ids.size(1))); }};
}

struct BlockImpl : etude::nn::Module {
  explicit BlockImpl(const Sizes& s) : heads(s.heads) {
    using etude::nn::LayerNormOptions;
    before = register_module("before", etude::nn::LayerNorm(LayerNormOptions({s.width})));
    project = register_module("project", etude::nn::Linear(s.width, 3 * s.width));
    join = register_module("join", etude::nn::Linear(s.width, s.width));
    between = register_module("between", etude::nn::LayerNorm(LayerNormOptions({s.width})));
    widen = register_module("widen", etude::nn::Linear(s.width, 4 * s.width));
    narrow = register_module("narrow", etude::nn::Linear(4 * s.width, s.width));
    for (const auto& linear : {project, join, widen, narrow}) etude::nn::init::zeros_(linear->bias);
  }
  Tensor forward(const Tensor& x, std::pair<Tensor, Tensor>* cache, const Tensor& mask) {
    const int64_t batch = x.size(0), tokens = x.size(1), width = x.size(2);
    const std::vector<Tensor> qkv = project(before(x)).chunk(3, -1);
    auto by_head = [&](const Tensor& t) {
      return t.view({batch, tokens, heads, width / heads}).transpose(1, 2);
    };
    Tensor k = by_head(qkv[1]), v = by_head(qkv[2]);
    if (cache) {
      if (cache->first.defined()) {
        k = etude::cat({cache->first, k}, 2);
        v = etude::cat({cache->second, v}, 2);
      }
      *cache = {k, v};
    }
    const Tensor y = attended(by_head(qkv[0]), k, v, mask).transpose(1, 2).reshape({batch, tokens, width});
    const Tensor middle = x + join(y);
    return middle + narrow(etude::gelu(widen(between(middle)), "tanh"));
  }
  int64_t heads;
  etude::nn::LayerNorm before = nullptr, between = nullptr;
  etude::nn::Linear project = nullptr, join = nullptr, widen = nullptr, narrow = nullptr;
};
TORCH_MODULE(Block);

struct GPTImpl : etude::nn::Module {
  using Cache = std::vector<std::pair<Tensor, Tensor>>;

  explicit GPTImpl(const Sizes& s) : mask(later_keys(s.context)) {
    words = register_module("words", etude::nn::Embedding(s.vocabulary, s.width));
    places = register_module("places", etude::nn::Embedding(s.context, s.width));
    for (int64_t i = 0; i < s.layers; ++i)
      blocks.push_back(register_module("block" + std::to_string(i), Block(s)));
    last = register_module("last", etude::nn::LayerNorm(etude::nn::LayerNormOptions({s.width})));
    set_matrices(parameters(), true);
  }
  Tensor forward(const Tensor& ids, Cache* cache = nullptr, bool last_alone = false) {
    const int64_t tokens = ids.size(1),
                  past = cache && (*cache)[0].first.defined() ? (*cache)[0].first.size(2) : 0;
    Tensor x = words(ids) + places(etude::arange(past, past + tokens, etude::kLong));
    const Tensor hidden = tokens > 1 ? mask.narrow(0, 0, tokens).narrow(1, 0, tokens) : Tensor();
    for (size_t i = 0; i < blocks.size(); ++i)
      x = blocks[i]->forward(x, cache ? &(*cache)[i] : nullptr, hidden);
    if (last_alone) x = x.narrow(1, tokens - 1, 1);
    return etude::nn::functional::linear(last(x), words->weight);
  }
  Tensor generate(Tensor ids, int64_t tokens) {
    Cache cache(blocks.size());
    Tensor next = ids;
    for (int64_t i = 0; i < tokens; ++i) {
      next = forward(next, &cache, true).argmax(-1);
      ids = etude::cat({ids, next}, 1);
    }
    return ids;
  }

  Tensor mask;
  etude::nn::Embedding words = nullptr, places = nullptr;
  std::vector<Block> blocks;
  etude::nn::LayerNorm last = nullptr;
};
TORCH_MODULE(GPT);

inline Model make_gpt(const Sizes& s) {
  GPT gpt(s);
  const auto convert = [=](etude::ScalarType type) mutable {
    if (type == etude::kChar) return;  // LibTorch has no int8 weights by groups: they stay floats
    gpt->to(type);
    gpt->mask = gpt->mask.to(type);
  };
  return {gpt->parameters(), convert, [=](const Tensor& ids) mutable { return gpt->forward(ids); },
          [=](const Tensor& prompt, int64_t tokens) mutable { return gpt->generate(prompt, tokens); }};
}

#endif

}  // namespace composed
