#include "etude/embedding.h"

#include <doctest/doctest.h>

#include "layers/embedding_variants.h"
#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using nn::Embedding;
using nn::EmbeddingFromPretrainedOptions;
using nn::EmbeddingOptions;

TEST_SUITE("Embedding") {
  TEST_CASE("has PyTorch's outputs and gradients, with every option") {
    const Tensor ids = etude::tensor({{1, 4, 1}, {0, 1, 2}});
    const auto& rows = golden::layers().at("embedding");
    CHECK(rows.size() == golden::embedding_variants().size());
    for (const auto& row : rows) {
      const auto name = row.at("name").get<std::string>();
      CAPTURE(name);
      Embedding table(golden::embedding_variants().at(name));
      {
        NoGradGuard no_grad;
        table->weight.copy_(golden::tensor(row.at("before")));
      }
      const Tensor y = table(ids);
      CHECK(golden::close(y, row.at("y"), 1e-6));
      CHECK(golden::close(table->weight, row.at("after"), 1e-6));
      (y * golden::ramp({2, 3, 4})).sum().backward();
      CHECK(golden::close(table->weight.grad(), row.at("grad"), 1e-6));
    }
  }

  TEST_CASE("picks rows by ids of any shape") {
    Embedding table(5, 3);
    const Tensor ids = etude::tensor({{{4, 0}, {2, 2}}});
    const Tensor y = table(ids);
    CHECK(y.sizes() == IntArrayRef({1, 2, 2, 3}));
    CHECK(y[0][0][0].equal(table->weight[4]));
    CHECK(y[0][1][0].equal(table->weight[2]));
    CHECK(table(etude::tensor(3)).equal(table->weight[3]));
    CHECK(table(ids.to(kInt)).equal(y));
  }

  TEST_CASE("the row of the padding starts as zeros and is not trained") {
    Embedding table(EmbeddingOptions(4, 2).padding_idx(2));
    CHECK(table->weight[2].equal(etude::zeros({2})));
    table(etude::tensor({2, 1})).sum().backward();
    CHECK(table->weight.grad()[2].equal(etude::zeros({2})));
    CHECK(table->weight.grad()[1].equal(etude::ones({2})));
  }

  TEST_CASE("from_pretrained shares the given rows and freezes them unless told otherwise") {
    const Tensor rows = etude::tensor({{1.0, 2.3, 3.0}, {4.0, 5.1, 6.3}});
    Embedding table = Embedding::from_pretrained(rows);
    CHECK(table(etude::tensor({1})).equal(rows[1].unsqueeze(0)));
    CHECK(table->weight.is_alias_of(rows));
    CHECK_FALSE(table->weight.requires_grad());
    CHECK(table->named_parameters().keys() == std::vector<std::string>{"weight"});

    Embedding trained = Embedding::from_pretrained(
        rows, EmbeddingFromPretrainedOptions().freeze(false).padding_idx(-1).max_norm(2.5));
    CHECK(trained->weight.requires_grad());
    CHECK(trained->weight[1].equal(rows[1]));
  }

  TEST_CASE("padding_idx has to name a row") {
    for (const int64_t index : {5, -6}) {
      CAPTURE(index);
      CHECK(refusal_text([&] {
              Embedding(EmbeddingOptions(5, 2).padding_idx(index));
            }).rfind("Padding_idx must be within num_embedding", 0) == 0);
    }
  }

  TEST_CASE("an id outside the table is refused") {
    CHECK(refusal([] {
            Embedding(10, 4)(etude::tensor({{1, 2}, {3, 12}}));
          }) == "IndexError: index out of range in self");
  }

  TEST_CASE("from_pretrained checks what it is given") {
    CHECK(refusal_text([] { Embedding::from_pretrained(etude::ones({3})); }) ==
          "Embeddings parameter is expected to be 2-dimensional");
    CHECK(refusal_text([] {
            Embedding(EmbeddingOptions(5, 2)._weight(etude::ones({3, 3})));
          }) == "Shape of _weight does not match num_embeddings and embedding_dim");
  }

  TEST_CASE("a clone has memory of its own") {
    Embedding table(2, 3);
    Embedding copy = std::dynamic_pointer_cast<nn::EmbeddingImpl>(table->clone());
    CHECK_FALSE(copy->weight.is_alias_of(table->weight));
    CHECK(copy->weight.equal(table->weight));
  }
}
