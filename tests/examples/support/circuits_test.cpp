#include "support/circuits.h"

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <vector>

namespace {

namespace nn = etude::nn;
namespace F = etude::nn::functional;
using etude::Tensor;
using examples::Head;

nn::GPT small_model() {
  etude::manual_seed(4);
  nn::GPT model(nn::GPTOptions(9).context(8).d_model(12).layers(2).heads(3).dropout(0));
  const etude::NoGradGuard no_grad;
  for (Tensor& weight : model->parameters()) weight.mul_(10);
  return model;
}

examples::Repeated some_words() {
  etude::manual_seed(5);
  return examples::repeat_words(9, 8, etude::tensor({{3}, {4}, {6}}, etude::kLong));
}

int64_t at(const Tensor& ids, int64_t row, int64_t column) { return ids[row][column].item<int64_t>(); }

double loss_of(const Tensor& logits, const Tensor& next) {
  return F::cross_entropy(logits.flatten(0, 1), next.flatten()).item<double>();
}

TEST_SUITE("circuits") {
  TEST_CASE("words come again after their period, and are to be predicted from then on") {
    const examples::Repeated words = some_words();
    REQUIRE(words.ids.sizes().vec() == std::vector<int64_t>{3, 8});
    for (int64_t row = 0; row < 3; ++row) {
      const int64_t period = at(words.period, row, 0);
      std::set<int64_t> different;
      for (int64_t i = 0; i < period; ++i) different.insert(at(words.ids, row, i));
      CHECK(static_cast<int64_t>(different.size()) == period);
      for (int64_t i = period; i < 8; ++i) CHECK(at(words.ids, row, i) == at(words.ids, row, i - period));
      for (int64_t i = 0; i < 8; ++i)
        CHECK(at(words.next, row, i) == (i + 1 < period ? -100 : at(words.ids, row, (i + 1) % period)));
    }
  }

  TEST_CASE("scores are means of attention at the places in question") {
    nn::GPT model = small_model();
    const examples::Repeated words = some_words();
    const examples::HeadScores scores = examples::score_heads(model, words);
    const std::vector<Tensor> weights = model->self_attention(words.ids);
    for (int64_t layer = 0; layer < 2; ++layer)
      for (int64_t head = 0; head < 3; ++head) {
        double previous = 0, induction = 0, of_previous = 0, of_induction = 0;
        for (int64_t row = 0; row < 3; ++row)
          for (int64_t i = 1; i < 8; ++i) {
            const Tensor w = weights[static_cast<size_t>(layer)][row][head][i];
            const int64_t period = at(words.period, row, 0);
            previous += w[i - 1].item<double>();
            of_previous += 1;
            if (i < period) continue;
            induction += w[i - period + 1].item<double>();
            of_induction += 1;
          }
        CHECK(scores.previous[layer][head].item<double>() == doctest::Approx(previous / of_previous));
        CHECK(scores.induction[layer][head].item<double>() == doctest::Approx(induction / of_induction));
      }
  }

  TEST_CASE("heads above a bound, the highest first, or the highest one") {
    const Tensor scores = etude::tensor({{0.1, 0.5}, {0.9, 0.3}}, etude::kDouble);
    CHECK(examples::heads_above(scores, 0.4) == std::vector<Head>{{1, 0}, {0, 1}});
    CHECK(examples::heads_above(scores, 2) == std::vector<Head>{{1, 0}});
    CHECK(examples::name_of({1, 0}) == "1.0");
  }

  TEST_CASE("without a head the loss is that of a model that does not listen to it") {
    nn::GPT model = small_model();
    const examples::Repeated words = some_words();
    const etude::NoGradGuard no_grad;
    CHECK(examples::loss_without(model, words, {}) == doctest::Approx(loss_of(model(words.ids), words.next)));
    const double without = examples::loss_without(model, words, {{0, 1}, {0, 2}});
    model->h->at<nn::GPTBlockImpl>(0).attn->c_proj->weight.slice(0, 4).zero_();
    CHECK(without == doctest::Approx(loss_of(model(words.ids), words.next)));
  }

  TEST_CASE("read after the last block the model says what it says") {
    nn::GPT model = small_model();
    const examples::Repeated words = some_words();
    const examples::Lens lens = examples::read_early(model, words);
    REQUIRE(lens.loss.size() == 3);
    const etude::NoGradGuard no_grad;
    const Tensor logits = model(words.ids);
    CHECK(lens.loss[2] == doctest::Approx(loss_of(logits, words.next)));
    double sum = 0, count = 0;
    for (int64_t row = 0; row < 3; ++row)
      for (int64_t i = 0; i < 8; ++i) {
        if (at(words.next, row, i) < 0) continue;
        sum += logits[row][i].softmax(0)[at(words.next, row, i)].item<double>();
        count += 1;
      }
    CHECK(lens.probability[2] == doctest::Approx(sum / count));
    const Tensor first = model->positions->embed(model->wte(words.ids), 0);
    CHECK(lens.loss[0] ==
          doctest::Approx(loss_of(F::linear(model->ln_f.forward(first), model->wte->weight), words.next)));
  }

  TEST_CASE("prompts differ in the answer alone, which comes back with its position") {
    nn::GPT model = small_model();
    etude::manual_seed(6);
    const examples::Prompts prompts = examples::pair_prompts(5, 9, 5, 3);
    REQUIRE(prompts.clean.sizes().vec() == std::vector<int64_t>{5, 8});
    for (int64_t row = 0; row < 5; ++row) {
      CHECK(prompts.clean_answer[row].item<int64_t>() == at(prompts.clean, row, 3));
      CHECK(prompts.corrupt_answer[row].item<int64_t>() == at(prompts.corrupt, row, 3));
      CHECK(at(prompts.clean, row, 3) != at(prompts.corrupt, row, 3));
      CHECK(at(prompts.clean, row, 7) == at(prompts.clean, row, 2));
    }
    CHECK((prompts.clean != prompts.corrupt).sum().item<int64_t>() == 5);
    const Tensor restored =
        examples::patch_positions(model, prompts, {"blocks.0.hook_resid_pre", "blocks.1.hook_resid_post"});
    for (int64_t i = 0; i < 8; ++i) {
      CHECK(restored[0][i].item<double>() == doctest::Approx(i == 3 ? 1 : 0).epsilon(1e-3));
      CHECK(restored[1][i].item<double>() == doctest::Approx(i == 7 ? 1 : 0).epsilon(1e-3));
    }
  }
}

}  // namespace
