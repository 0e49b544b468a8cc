#include "etude/nn/functional.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
namespace F = etude::nn::functional;

TEST_SUITE("functional") {
  TEST_CASE("every function with every option gives PyTorch's values") {
    const Tensor x = golden::ramp({4, 3}), classes = etude::tensor({2, 0, 1, 0}),
                 weight = etude::tensor({0.5, 1.0, 2.0});
    const Tensor logp = F::log_softmax(x, 1);
    const std::map<std::string, Tensor> values = {
        {"cross_entropy", F::cross_entropy(x, classes)},
        {"cross_entropy sum", F::cross_entropy(x, classes, F::CrossEntropyFuncOptions().reduction(kSum))},
        {"cross_entropy none", F::cross_entropy(x, classes, F::CrossEntropyFuncOptions().reduction(kNone))},
        {"cross_entropy weight", F::cross_entropy(x, classes, F::CrossEntropyFuncOptions().weight(weight))},
        {"cross_entropy ignore", F::cross_entropy(x, classes, F::CrossEntropyFuncOptions().ignore_index(0))},
        {"cross_entropy smoothing",
         F::cross_entropy(x, classes, F::CrossEntropyFuncOptions().label_smoothing(0.2))},
        {"cross_entropy all",
         F::cross_entropy(
             x, classes,
             F::CrossEntropyFuncOptions().weight(weight).ignore_index(1).reduction(kSum).label_smoothing(
                 0.1))},
        {"nll_loss", F::nll_loss(logp, classes)},
        {"nll_loss all",
         F::nll_loss(logp, classes, F::NLLLossFuncOptions().weight(weight).ignore_index(2).reduction(kSum))},
        {"mse_loss", F::mse_loss(x, 2 * x + 1)},
        {"mse_loss none", F::mse_loss(x, 2 * x + 1, kNone)},
        {"mse_loss sum", F::mse_loss(x, 2 * x + 1, F::MSELossFuncOptions().reduction(kSum))},
        {"softmax", F::softmax(x, 0)},
        {"log_softmax double", F::log_softmax(x, F::LogSoftmaxFuncOptions(-1).dtype(kDouble))},
        {"relu", F::relu(x)},
        {"gelu", F::gelu(x)},
        {"gelu tanh", F::gelu(x, F::GELUFuncOptions().approximate("tanh"))},
        {"linear", F::linear(x, golden::ramp({2, 3}), golden::ramp({2}))},
    };
    const auto& expected = golden::layers().at("functional").at("values");
    CHECK(values.size() == expected.size());
    for (const auto& [name, value] : values) {
      CAPTURE(name);
      CHECK(golden::close(value, expected.at(name)));
    }
    CHECK((F::log_softmax(x, F::LogSoftmaxFuncOptions(-1).dtype(kDouble)).dtype() == kDouble));
  }

  TEST_CASE("relu writes into its input only if it is told to") {
    const Tensor x = etude::tensor({-1.0, 2.0});
    CHECK(F::relu(x, F::ReLUFuncOptions()).equal(etude::tensor({0.0, 2.0})));
    CHECK(x.equal(etude::tensor({-1.0, 2.0})));
    CHECK(F::relu(x, /*inplace=*/true).is_same(x));
    CHECK(x.equal(etude::tensor({0.0, 2.0})));
  }

  TEST_CASE("dropout draws in training only, and in place only if it is told to") {
    const Tensor x = etude::ones({100});
    CHECK(F::dropout(x, F::DropoutFuncOptions().training(false)).is_same(x));
    manual_seed(1);
    const Tensor y = F::dropout(x, F::DropoutFuncOptions().p(0.25));
    CHECK(((y == 0) | isclose(y, etude::full({}, 1 / 0.75))).all().item<bool>());
    CHECK(x.equal(etude::ones({100})));
    manual_seed(1);
    CHECK(F::dropout(x, F::DropoutFuncOptions().p(0.25).inplace(true)).is_same(x));
    CHECK(x.equal(y));
    CHECK(refusal([&] {
            F::dropout(x, F::DropoutFuncOptions().p(-0.5));
          }).find("dropout probability has to be between 0 and 1, but got -0.5") != std::string::npos);
  }

  TEST_CASE("embedding counts a negative padding_idx from the end and refuses one outside the table") {
    const Tensor weight = golden::ramp({5, 2}).requires_grad_();
    const Tensor ids = etude::tensor({4, 0});
    const Tensor y = F::embedding(ids, weight, F::EmbeddingFuncOptions().padding_idx(-1));
    CHECK(y.equal(stack({weight[4], weight[0]})));
    y.sum().backward();
    CHECK(weight.grad()[4].equal(etude::zeros({2})));
    CHECK(weight.grad()[0].equal(etude::ones({2})));
    CHECK(refusal_text([&] { F::embedding(ids, weight, F::EmbeddingFuncOptions().padding_idx(5)); }) ==
          "Padding_idx must be within num_embeddings");
    CHECK(refusal_text([&] {
            F::embedding(ids, weight, F::EmbeddingFuncOptions().padding_idx(-6));
          }).rfind("Padding_idx must be within num_embedding", 0) == 0);
  }

  TEST_CASE("embedding shortens the rows it uses to max_norm, whatever the grad mode") {
    const Tensor weight = etude::tensor({{3.0, 4.0}, {6.0, 8.0}}).requires_grad_();
    const Tensor y = F::embedding(etude::tensor({0}), weight, F::EmbeddingFuncOptions().max_norm(1.0));
    CHECK(y.allclose(etude::tensor({{0.6, 0.8}}), 1e-5));
    CHECK(weight[0].allclose(etude::tensor({0.6, 0.8}), 1e-5));
    CHECK(weight[1].equal(etude::tensor({6.0, 8.0})));
    CHECK(weight.is_leaf());
    const Tensor sum = etude::tensor({{3.0, 4.0}});
    CHECK(F::embedding(etude::tensor({0}), sum, F::EmbeddingFuncOptions().max_norm(0.7).norm_type(1.0))
              .allclose(etude::tensor({{0.3, 0.4}}), 1e-5));
  }

  TEST_CASE("embedding divides gradients by how often an id occurs") {
    const Tensor weight = etude::ones({3, 1}).requires_grad_();
    F::embedding(etude::tensor({2, 2, 0, 2}), weight, F::EmbeddingFuncOptions().scale_grad_by_freq(true))
        .sum()
        .backward();
    CHECK(weight.grad().equal(etude::tensor({{1.0}, {0.0}, {1.0}})));
  }

  TEST_CASE("one_hot has a column per class") {
    CHECK(F::one_hot(etude::tensor({2, 0})).equal(etude::tensor({{0, 0, 1}, {1, 0, 0}})));
    CHECK(F::one_hot(etude::tensor({1}), 4).equal(etude::tensor({{0, 1, 0, 0}})));
  }
}
