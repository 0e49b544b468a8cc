#include "support/attention.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "support/temporary_folder.h"

namespace {

namespace nn = etude::nn;
using etude::Tensor;

nn::GPT small_model(const std::shared_ptr<nn::Positions>& positions) {
  etude::manual_seed(4);
  nn::GPTOptions options(11);
  options.context(8).d_model(12).layers(2).heads(3).dropout(0.5).positions(positions);
  nn::GPT model(options);
  const etude::NoGradGuard no_grad;
  for (Tensor& weight : model->parameters()) weight.mul_(10);
  return model;
}

TEST_SUITE("attention") {
  TEST_CASE("the weights are those with which the model's layer mixes values") {
    for (const std::shared_ptr<nn::Positions>& positions :
         {std::shared_ptr<nn::Positions>(), std::shared_ptr<nn::Positions>(new nn::ALiBiPositionsImpl(3)),
          std::shared_ptr<nn::Positions>(new nn::RotaryPositionsImpl(4, nn::RotaryPairs::Interleaved))}) {
      nn::GPT model = small_model(positions);
      const Tensor ids = etude::tensor({{1, 5, 2, 9, 0}});
      const Tensor weights = examples::attention_weights(model, ids, 1);
      REQUIRE(weights.sizes().vec() == std::vector<int64_t>{3, 5, 5});
      CHECK(model->is_training());
      model->eval();
      CHECK(weights.sum(-1).allclose(etude::ones({3, 5})));
      CHECK(weights.triu(1).sum().item<float>() == 0);

      auto& block = model->h->at<nn::GPTBlockImpl>(1);
      const Tensor x = model->h->at<nn::GPTBlockImpl>(0).forward(model->positions->embed(model->wte(ids), 0),
                                                                 *model->positions);
      const Tensor v =
          block.attn->c_attn(block.ln_1.forward(x)).chunk(3, -1)[2].view({5, 3, 4}).transpose(0, 1);
      const Tensor mixed = block.attn->c_proj(weights.matmul(v).transpose(0, 1).reshape({1, 5, 12}));
      const Tensor expected = block.attn->forward(block.ln_1.forward(x), *model->positions);
      CHECK(mixed.allclose(expected, 1e-4, 1e-5));
      CHECK_FALSE(etude::full({3, 5, 5}, 0.2).tril().matmul(v).allclose(weights.matmul(v)));
    }
  }

  TEST_CASE("a picture shows the tokens at both sides") {
    const etude::TemporaryFolder folder;
    const Tensor weights = etude::tensor({{1.0, 0.0}, {0.25, 0.75}});
    examples::save_attention(folder / "attention.svg", "Layer 1", weights, {"a", "<"});
    const std::string svg = etude::read_bytes(folder / "attention.svg");
    CHECK(svg.find(">Layer 1</text>") != std::string::npos);
    size_t names = 0;
    for (size_t at = svg.find(">&lt;</text>"); at != std::string::npos; at = svg.find(">&lt;</text>", at + 1))
      ++names;
    CHECK(names == 2);
    examples::save_attention(folder / "attention.svg", "Layer 1", weights, {" ", "\n"});
    CHECK(etude::read_bytes(folder / "attention.svg").find(">␣</text>") != std::string::npos);
    CHECK(etude::read_bytes(folder / "attention.svg").find(">⏎</text>") != std::string::npos);
  }
}

}  // namespace
