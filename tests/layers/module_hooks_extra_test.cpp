// The layers call their submodules so that hooks run, in Python's order, which was recorded from PyTorch 1.13.1.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/etude.h"

using namespace etude;

TEST_SUITE("hooks of layers") {
  namespace {

  using Names = std::vector<std::string>;

  // The modules whose hooks run when the model is called, in this order.
  template <typename Holder, typename... Args>
  Names called(Holder model, const Args&... args) {
    Names names;
    std::vector<nn::RemovableHandle> handles;
    for (const auto& item : model->named_modules())
      handles.push_back((*item)->register_forward_hook(
          [&names, name = item.key()](nn::Module&, const std::vector<Tensor>&, const std::vector<Tensor>&) {
            names.push_back(name.empty() ? "self" : name);
          }));
    model(args...);
    for (const nn::RemovableHandle& handle : handles) handle.remove();
    return names;
  }

  Names below(const std::string& prefix, Names names) {
    for (std::string& name : names) name = name == "self" ? prefix : prefix + "." + name;
    return names;
  }
  Names joined(const std::vector<Names>& lists) {
    Names all;
    for (const Names& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
  }

  const Names kEncoderLayer = {"self_attn", "dropout1", "norm1", "linear1", "dropout",
                               "linear2",   "dropout2", "norm2", "self"};
  const Names kDecoderLayer = {"self_attn", "dropout1", "norm1",   "multihead_attn", "dropout2", "norm2",
                               "linear1",   "dropout",  "linear2", "dropout3",       "norm3",    "self"};

  Tensor sequence() { return etude::ones({3, 1, 4}); }
  Tensor memory() { return etude::ones({2, 1, 4}); }

  nn::TransformerEncoderLayerOptions encoder_layer() {
    return nn::TransformerEncoderLayerOptions(4, 2).dim_feedforward(8);
  }
  nn::TransformerDecoderLayerOptions decoder_layer() {
    return nn::TransformerDecoderLayerOptions(4, 2).dim_feedforward(8);
  }

  }  // namespace

  TEST_CASE("Sequential") {
    const nn::Sequential model{nn::Linear(2, 2), nn::Sequential{nn::ReLU(), nn::Linear(2, 1)}};
    CHECK(called(model, etude::ones({1, 2})) == Names{"0", "1.0", "1.1", "1", "self"});
  }

  TEST_CASE("encoder and decoder layers, with norms last and first") {
    CHECK(called(nn::TransformerEncoderLayer(encoder_layer()), sequence()) == kEncoderLayer);
    CHECK(called(nn::TransformerDecoderLayer(decoder_layer()), sequence(), memory()) == kDecoderLayer);
    CHECK(called(nn::TransformerEncoderLayer(encoder_layer().norm_first(true)), sequence()) ==
          Names{"norm1", "self_attn", "dropout1", "norm2", "linear1", "dropout", "linear2", "dropout2",
                "self"});
    CHECK(called(nn::TransformerDecoderLayer(decoder_layer().norm_first(true)), sequence(), memory()) ==
          Names{"norm1", "self_attn", "dropout1", "norm2", "multihead_attn", "dropout2", "norm3", "linear1",
                "dropout", "linear2", "dropout3", "self"});
  }

  TEST_CASE("stacks and the whole transformer") {
    const nn::AnyModule norm(nn::LayerNorm(nn::LayerNormOptions({4})));
    CHECK(called(nn::TransformerEncoder(nn::TransformerEncoderOptions(encoder_layer(), 2).norm(norm)),
                 sequence()) ==
          joined({below("layers.0", kEncoderLayer), below("layers.1", kEncoderLayer), {"norm", "self"}}));
    const nn::TransformerOptions options = nn::TransformerOptions(4, 2, 1, 1).dim_feedforward(8);
    CHECK(called(nn::Transformer(options), sequence(), memory()) ==
          joined({below("encoder.layers.0", kEncoderLayer),
                  {"encoder.norm", "encoder"},
                  below("decoder.layers.0", kDecoderLayer),
                  {"decoder.norm", "decoder", "self"}}));
  }

  // As in Python, the output projection is part of the attention function and runs no hooks.
  TEST_CASE("attention, which hands back two tensors of which one may be undefined") {
    nn::MultiheadAttention attention(nn::MultiheadAttentionOptions(4, 2));
    CHECK(called(attention, sequence(), sequence(), sequence()) == Names{"self"});
    std::vector<bool> seen;
    attention->register_full_backward_hook(
        [&](nn::Module&, const std::vector<Tensor>& dx, const std::vector<Tensor>& dy) {
          for (const Tensor& t : dx) seen.push_back(t.defined());
          for (const Tensor& t : dy) seen.push_back(t.defined());
        });
    const Tensor q = etude::ones({3, 1, 4}, TensorOptions().requires_grad(true));
    const auto [y, weights] = attention(q, q, q, Tensor(), false);
    CHECK_FALSE(weights.defined());
    CHECK(std::string(y.grad_fn_name()) == "BackwardHookFunctionBackward");
    y.sum().backward();
    CHECK(seen == std::vector<bool>{true, true, true, false, false, true, false});
  }

  TEST_CASE("GPT") {
    nn::GPT model(nn::GPTOptions(5).d_model(4).layers(1).heads(2).context(8));
    const Names names = called(model, etude::tensor({{1, 2, 3}}));
    CHECK(names == Names{"wte", "drop", "h.0.ln_1", "h.0.attn.c_attn", "h.0.attn.c_proj",
                         "h.0.attn.resid_dropout", "h.0.attn", "h.0.ln_2", "h.0.mlp.c_fc", "h.0.mlp.c_proj",
                         "h.0.mlp.dropout", "h.0.mlp", "h.0", "ln_f", "self"});
  }

  TEST_CASE("an input embedding takes its steps one by one for hooks, and with the same result") {
    manual_seed(0);
    nn::InputEmbedding embed(nn::InputEmbeddingOptions(5, 4, nn::kBatchFirst).dropout(0.5));
    const Tensor ids = etude::tensor({{1, 2, 3}});
    manual_seed(1);
    const Tensor expected = embed(ids);
    manual_seed(1);
    Tensor found;
    embed->register_forward_hook(
        [&](nn::Module&, const std::vector<Tensor>&, const std::vector<Tensor>& y) { found = y[0]; });
    const Names names = called(embed, ids);
    CHECK(names == Names{"token_embedding.embedding", "token_embedding", "pos_encoding", "dropout", "self"});
    CHECK(found.allclose(expected));
  }

  TEST_CASE("a hook of a member of a ModuleList runs where the member is called") {
    nn::ModuleList list(nn::Linear(2, 2), nn::Linear(2, 2));
    int calls = 0;
    for (const auto& module : *list)
      module->register_forward_hook(
          [&](nn::Module&, const std::vector<Tensor>&, const std::vector<Tensor>&) { ++calls; });
    const Tensor x = etude::ones({1, 2});
    nn::call(list->at<nn::LinearImpl>(0), x);
    nn::Linear(list->ptr<nn::LinearImpl>(1))(x);
    list->at<nn::LinearImpl>(1).forward(x);
    CHECK(calls == 2);
  }

  TEST_CASE("checkpoint of layers gives the gradients of all parameters") {
    const auto gradients = [](bool checkpointed) {
      manual_seed(2);
      nn::TransformerEncoderLayer layer(encoder_layer());
      const Tensor x = etude::randn({3, 2, 4}).requires_grad_();
      manual_seed(5);
      const Tensor y = checkpointed ? utils::checkpoint(layer, x) : layer(x);
      y.square().sum().backward();
      std::vector<Tensor> all = {y.detach(), x.grad()};
      for (const Tensor& p : layer->parameters()) all.push_back(p.grad());
      return all;
    };
    const std::vector<Tensor> expected = gradients(false), found = gradients(true);
    REQUIRE(found.size() == expected.size());
    for (size_t i = 0; i < found.size(); ++i) CHECK(found[i].equal(expected[i]));
    nn::Sequential model{nn::Linear(4, 4), nn::Tanh(), nn::Linear(4, 4)};
    const Tensor x = etude::ones({2, 4}, TensorOptions().requires_grad(true));
    utils::checkpoint_sequential(model, 3, x).sum().backward();
    for (const Tensor& p : model->parameters()) CHECK(p.grad().defined());
  }
}
