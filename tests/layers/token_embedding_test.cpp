#include "etude/token_embedding.h"

#include <doctest/doctest.h>

#include "layers/golden.h"

using namespace etude;
using nn::TokenEmbedding;
using nn::TokenEmbeddingOptions;

TEST_SUITE("TokenEmbedding") {
  TEST_CASE("is an Embedding under the name embedding") {
    TokenEmbedding tokens(9, 6);
    nn::Embedding table(9, 6);
    CHECK(tokens->named_parameters().keys() == std::vector<std::string>{"embedding.weight"});
    NoGradGuard no_grad;
    table->weight.copy_(tokens->embedding->weight);
    const Tensor ids = etude::tensor({{3, 0}, {8, 3}});
    CHECK(tokens(ids).equal(table(ids)));
  }

  TEST_CASE("keeps the padding at zero") {
    TokenEmbedding tokens(TokenEmbeddingOptions(5, 3).padding_idx(1));
    CHECK(tokens(etude::tensor({1})).equal(etude::zeros({1, 3})));
    tokens(etude::tensor({1, 2})).sum().backward();
    CHECK(tokens->embedding->weight.grad()[1].equal(etude::zeros({3})));
  }
}
