// The random numbers, the state and the print of TokenEmbedding.
#include "etude/token_embedding.h"

#include <doctest/doctest.h>

#include "layers/golden.h"

using namespace etude;
using nn::TokenEmbedding;

TEST_SUITE("TokenEmbedding, as in Python") {
  TEST_CASE("is an Embedding under the name embedding") {
    manual_seed(4);
    TokenEmbedding tokens(9, 6);
    manual_seed(4);
    nn::Embedding table(9, 6);
    CHECK(tokens->state_dict().keys() == std::vector<std::string>{"embedding.weight"});
    CHECK(tokens->embedding->weight.equal(table->weight));
    const Tensor ids = etude::tensor({{3, 0}, {8, 3}});
    CHECK(tokens(ids).equal(table(ids)));
    CHECK(golden::text(tokens) == "TokenEmbedding(\n  (embedding): Embedding(9, 6)\n)");
  }
}
