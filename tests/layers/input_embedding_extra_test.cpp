// The random numbers, the state and the print of InputEmbedding.
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

  TEST_CASE("the table can be left out of the state") {
    InputEmbedding module(InputEmbeddingOptions(4, 6, kBatchFirst).persistent(false));
    CHECK(module->state_dict().keys() == Strings{"token_embedding.embedding.weight"});
  }
}
