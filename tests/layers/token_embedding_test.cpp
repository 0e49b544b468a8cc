#include "etude/token_embedding.h"

#include <doctest/doctest.h>

#include "layers/golden.h"

using namespace etude;
using nn::TokenEmbedding;
using nn::TokenEmbeddingOptions;

TEST_SUITE("TokenEmbedding") {
  TEST_CASE("is an Embedding under the name embedding") {
    manual_seed(4);
    TokenEmbedding tokens(9, 6);
    manual_seed(4);
    nn::Embedding table(9, 6);
    CHECK(tokens->state_dict().keys() == std::vector<std::string>{"embedding.weight"});
    CHECK(tokens->embedding->weight.equal(table->weight));
    const Tensor ids = tensor({{3, 0}, {8, 3}});
    CHECK(tokens(ids).equal(table(ids)));
    CHECK(golden::text(tokens) == "TokenEmbedding(\n  (embedding): Embedding(9, 6)\n)");
  }

  TEST_CASE("keeps the padding at zero") {
    TokenEmbedding tokens(TokenEmbeddingOptions(5, 3).padding_idx(1));
    CHECK(tokens(tensor({1})).equal(zeros({1, 3})));
    tokens(tensor({1, 2})).sum().backward();
    CHECK(tokens->embedding->weight.grad()[1].equal(zeros({3})));
  }
}
