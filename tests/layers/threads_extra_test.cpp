// What threads may share of a model, as in docs/threads.md; tests/threads/run also runs this under a sanitizer.
#include <doctest/doctest.h>

#include <thread>

#include "etude/etude.h"
#include "support/on_threads.h"

using namespace etude;
using namespace etude::nn;

namespace {

GPT some_model(const std::shared_ptr<Positions>& positions) {
  manual_seed(4);
  return GPT(GPTOptions(9).context(40).d_model(16).layers(2).heads(2).dropout(0.5).positions(positions));
}

Tensor some_prompt(int i) { return etude::tensor({{1, 2, i}}, kLong); }

}  // namespace

TEST_SUITE("threads and models") {
  TEST_CASE("threads continue texts with one model in training mode, as one thread does") {
    GPT model = some_model(nullptr);
    const GenerateOptions options(8);
    std::vector<Tensor> alone, together(3);
    for (int i = 0; i < 3; ++i) alone.push_back(generate(model, some_prompt(i), options));
    for (int round = 0; round < 5; ++round) {
      on_threads(3,
                 [&](int i) { together[static_cast<size_t>(i)] = generate(model, some_prompt(i), options); });
      for (size_t i = 0; i < 3; ++i) REQUIRE(equal(together[i], alone[i]));
      for (const auto& module : model->modules()) REQUIRE(module->is_training());
    }
  }

  TEST_CASE("while a text is continued, other threads see the model in its own mode") {
    GPT model = some_model(nullptr);
    bool here = true, elsewhere = false;
    generate(model, some_prompt(0), GenerateOptions(1).on_token([&](const Tensor&) {
      here = model->is_training();
      std::thread([&] { elsewhere = model->is_training() && model->h->is_training(); }).join();
      return true;
    }));
    CHECK_FALSE(here);
    CHECK(elsewhere);
  }

  TEST_CASE("threads train one model and evaluate it, each gradient whole") {
    GPT model = some_model(nullptr);
    const Tensor ids = etude::tensor({{1, 2, 3, 4}}, kLong);
    const auto gradients = [&](int threads) {
      model->zero_grad(/*set_to_none=*/true);
      on_threads(threads, [&](int) {
        const EvalMode no_dropout(*model);
        model(ids).pow(2).sum().backward();
      });
      std::vector<Tensor> result;
      for (const Tensor& p : model->parameters()) result.push_back(p.grad() / threads);
      return result;
    };
    const std::vector<Tensor> alone = gradients(1), together = gradients(3);
    for (size_t i = 0; i < alone.size(); ++i) CHECK(together[i].allclose(alone[i], 1e-4, 1e-5));
  }

  TEST_CASE("positions that know longer and longer sequences do so for several threads") {
    for (int round = 0; round < 10; ++round) {
      SinusoidalPositions sinusoidal(4);
      RotaryPositions rotary(4, RotaryPairs::Half);
      const Tensor expected = sinusoidal_table(2000, 4), x = etude::zeros({1, 1, 4}),
                   one = etude::ones({1, 1, 4});
      on_threads(3, [&](int i) {
        for (int64_t first = i; first < 2000; first = 2 * first + 50) {
          if (!equal(sinusoidal->embed(x, first)[0][0], expected[first]))
            throw std::runtime_error("sinusoidal");
          if (!rotary->turn(one, first)[0][0].pow(2).sum().allclose(etude::tensor(4.0)))
            throw std::runtime_error("rotary");
        }
      });
    }
  }

  TEST_CASE("a model is copied while another thread uses it") {
    GPT model = some_model(SinusoidalPositions(16).ptr());
    const Tensor ids = etude::tensor({{1, 2, 3, 4}}, kLong);
    const EvalMode no_dropout(*model);
    const Tensor expected = model(ids);
    on_threads(2, [&](int i) {
      const NoGradGuard no_grad;
      if (i == 0) model(etude::zeros({1, 30}, kLong));
      auto copy = std::dynamic_pointer_cast<GPTImpl>(model->clone());
      copy->eval();
      if (!equal(copy->forward(ids), expected)) throw std::runtime_error("another model");
    });
  }
}
