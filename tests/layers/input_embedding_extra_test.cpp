// What InputEmbedding draws for a seed, saves and prints.
#include "etude/input_embedding.h"

#include <doctest/doctest.h>

#include "layers/golden.h"

using namespace etude;
using namespace etude::nn;
using Strings = std::vector<std::string>;

TEST_SUITE("InputEmbedding, as in Python") {
  TEST_CASE("has PyTorch's names, values, gradients and text for a seed") {
    const auto& expected = golden::layers().at("input_embedding");
    const Tensor ids = etude::tensor({{3, 0, 3, 7}, {1, 0, 8, 2}});
    manual_seed(9);
    InputEmbedding module(
        InputEmbeddingOptions(9, 6, kBatchFirst).max_len(10).dropout(0.3).scale(true).padding_idx(0));
    const Tensor y = module(ids);
    y.sum().backward();
    CHECK(module->state_dict().keys() == expected.at("names").get<Strings>());
    CHECK(golden::close(y, expected.at("y")));
    CHECK(golden::close(module->token_embedding->embedding->weight.grad(), expected.at("grad")));
    module->eval();
    CHECK(golden::close(module(ids), expected.at("eval")));
    CHECK(golden::text(module) == expected.at("text").get<std::string>());
    CHECK(etude::rand({1}).item<float>() == expected.at("next").get<float>());
  }

  TEST_CASE("a call makes one pass over memory and gives the bits that forward's steps give") {
    const Tensor ids = etude::tensor({{3, 0, 3}, {1, 0, 8}});
    for (const auto layout : {kBatchFirst, kSequenceFirst})
      for (const double p : {0.0, 0.3, 1.0})
        for (const auto dtype : {kFloat, kDouble}) {
          InputEmbedding module(InputEmbeddingOptions(9, 6, layout).dropout(p).scale(p > 0).padding_idx(0));
          module->to(dtype);
          const auto run = [&](const auto& forward) {
            manual_seed(4);
            module->zero_grad();
            const Tensor y = forward();
            (y * arange(6)).sum().backward();
            return std::pair(y, module->token_embedding->embedding->weight.grad().clone());
          };
          const auto [y, gradient] = run([&] { return module(ids); });
          const auto [expected, expected_gradient] = run([&] { return module->forward(ids); });
          CHECK(y.equal(expected));
          CHECK(allclose(gradient, expected_gradient, 1e-6, 1e-6));
          CHECK(module->fast_path(ids).has_value() == (p < 1));
        }
  }

  TEST_CASE("a hook of a part hears it, and what it gives goes on") {
    const Tensor ids = etude::tensor({{3, 0, 3, 7}});
    InputEmbedding module(InputEmbeddingOptions(9, 6, kBatchFirst).dropout(0.5));
    module->eval();
    const Tensor before = module(ids);
    for (const auto& part : module->modules(/*include_self=*/false)) {
      const auto hook = part->register_forward_hook(
          [](Module&, const std::vector<Tensor>&, const std::vector<Tensor>& y) { return y[0] + 1; });
      CAPTURE(part->name());
      CHECK_FALSE(module->fast_path(ids).has_value());
      CHECK(allclose(module(ids), before + 1));
      hook.remove();
    }
  }

  TEST_CASE("the table can be left out of the state") {
    InputEmbedding module(InputEmbeddingOptions(4, 6, kBatchFirst).persistent(false));
    CHECK(module->state_dict().keys() == Strings{"token_embedding.embedding.weight"});
  }
}
