#include "etude/generate.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>

#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("generate") {
  namespace {

  constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

  GPT some_model(int64_t context = 12) {
    manual_seed(4);
    GPT model(GPTOptions(9).context(context).d_model(16).layers(2).heads(2));
    const NoGradGuard no_grad;
    for (Tensor& p : model->parameters())
      if (p.dim() > 1) p.mul_(20);  // far from uniform, so that the order of tokens is clear
    return model;
  }

  Tensor prompt() { return etude::tensor({{1, 2, 3}, {4, 4, 0}}, kLong); }

  // The log-probability of a continuation, computed token by token.
  double log_probability(GPT& model, const Tensor& ids, int64_t from) {
    NoGradGuard no_grad;
    model->eval();
    const Tensor all = etude::log_softmax(model(ids.unsqueeze(0))[0], -1);
    double sum = 0;
    for (int64_t i = from; i < ids.size(0); ++i) sum += all[i - 1][ids[i].item<int64_t>()].item<double>();
    return sum;
  }

  }  // namespace

  TEST_CASE("takes the most probable token, one after the other") {
    GPT model = some_model();
    const Tensor found = generate(model, prompt(), GenerateOptions(5));
    Tensor expected = prompt();
    model->eval();
    NoGradGuard no_grad;
    for (int i = 0; i < 5; ++i) expected = cat({expected, model(expected).select(1, -1).argmax(-1, true)}, 1);
    CHECK(same(found, expected));
  }

  TEST_CASE("an exception in a block leaves the cache as it was") {
    GPT model = some_model();
    model->eval();
    const NoGradGuard no_grad;
    KeyValueCache cache = model->make_cache(2, 12);
    const Tensor expected = model(cat({prompt(), prompt()}, 1)).slice(1, 3);
    model(prompt(), &cache);
    auto hook = model->h->ptr(1)->register_forward_pre_hook(
        [](Module&, const std::vector<Tensor>&) { throw Error("stop"); });
    CHECK(refusal([&] { model(prompt(), &cache); }) == "Error: stop");
    hook.remove();
    CHECK(cache.length() == 3);
    CHECK(allclose(model(prompt(), &cache), expected, 1e-4, 1e-4));
  }

  TEST_CASE("under autocast, the cache takes keys of bfloat16") {
    GPT model = some_model();
    autocast::set_cpu_enabled(true);
    const Tensor with = generate(model, prompt(), GenerateOptions(5)),
                 without = generate(model, prompt(), GenerateOptions(5).use_cache(false));
    autocast::set_cpu_enabled(false);
    CHECK(same(with, without));
  }

  TEST_CASE("a block may stand in a model twice") {
    GPT model = some_model();
    model->h->push_back(model->h->ptr<GPTBlockImpl>(0));
    CHECK(same(generate(model, prompt(), GenerateOptions(5)),
               generate(model, prompt(), GenerateOptions(5).use_cache(false))));
  }

  TEST_CASE("a hook of an output layer that is not tied is called") {
    GPT model(GPTOptions(9).context(12).d_model(16).layers(1).heads(2).tied_head(false));
    int calls = 0;
    model->lm_head->register_forward_hook(
        [&](Module&, const std::vector<Tensor>&, const std::vector<Tensor>&) { ++calls; });
    model(prompt());
    CHECK(calls == 1);
  }

  TEST_CASE("a model in bfloat16 takes words that are the most probable within its rounding") {
    GPT model = some_model();
    model->to(kBFloat16);
    const Tensor found = generate(model, prompt(), GenerateOptions(9));
    NoGradGuard no_grad;
    model->eval();
    CHECK(model(found).scalar_type() == kBFloat16);
    for (int64_t length = 3; length < 12; ++length) {
      const Tensor logits = model(found.narrow(1, 0, length)).select(1, -1).to(kFloat),
                   taken = logits.gather(1, found.narrow(1, length, 1));
      CHECK((taken >= logits.amax({1}, true) - logits.abs().max() * 0x1p-5).all().item<bool>());
    }
  }

  TEST_CASE("with and without a cache the tokens are the same, beyond the context too") {
    for (const int64_t context : {6, 30}) {
      GPT model = some_model(context);
      for (const bool sample : {false, true})
        for (const int64_t beams : {1, 3}) {
          if (sample && beams > 1) continue;
          CAPTURE(context);
          CAPTURE(sample);
          CAPTURE(beams);
          const auto options =
              GenerateOptions(12).sample(sample).beams(beams).top_k(5).repetition_penalty(1.3);
          manual_seed(8);
          const Tensor with_cache = generate(model, prompt(), options);
          manual_seed(8);
          CHECK(same(with_cache, generate(model, prompt(), GenerateOptions(options).use_cache(false))));
          CHECK(with_cache.size(1) == 15);
        }
    }
  }

  TEST_CASE("a row behind padding goes on as it would alone, beyond the context too") {
    const std::vector<Tensor> rows = {etude::tensor({1, 2, 3, 8}, kLong), etude::tensor({4, 0}, kLong),
                                      etude::tensor({5, 0, 7, 7, 0, 1}, kLong)};
    const auto batch = [&](int64_t pad) {
      std::vector<Tensor> all;
      all.reserve(rows.size());
      for (const Tensor& row : rows) all.push_back(cat({full({6 - row.size(0)}, pad, kLong), row}));
      return stack(all);
    };
    const std::vector<std::shared_ptr<Positions>> kinds = {
        nullptr,
        NoPositions().ptr(),
        SinusoidalPositions(16).ptr(),
        LearnedPositions(30, 16).ptr(),
        RotaryPositions(8, RotaryPairs::Half).ptr(),
        ALiBiPositions(2).ptr(),
        T5Positions(T5PositionsOptions(2).buckets(8).max_distance(16)).ptr()};
    const auto some = GenerateOptions(9);
    const std::vector<GenerateOptions> forms = {
        some, GenerateOptions(some).beams(3), GenerateOptions(some).repetition_penalty(1.5),
        GenerateOptions(some).beams(2).repetition_penalty(1.5).length_penalty(0.5)};
    for (const auto& kind : kinds) {
      manual_seed(4);
      GPT model(GPTOptions(9).context(8).d_model(16).layers(2).heads(2).kv_heads(1).positions(kind));
      {
        const NoGradGuard no_grad;
        for (Tensor& p : model->parameters())
          if (p.dim() > 1) p.mul_(20);
      }
      for (const GenerateOptions& form : forms)
        for (const bool use_cache : {true, false})
          for (const int64_t pad : {6, 9, -100}) {
            const auto options = GenerateOptions(form).use_cache(use_cache);
            const Tensor found = generate(model, batch(pad), GenerateOptions(options).pad_token(pad));
            CHECK(found.narrow(1, 0, 6).equal(batch(pad)));
            for (size_t i = 0; i < rows.size(); ++i)
              CHECK(found[static_cast<int64_t>(i)]
                        .slice(0, 6 - rows[i].size(0))
                        .equal(generate(model, rows[i].unsqueeze(0), options)[0]));
          }
    }
    GPT model = some_model();
    const Tensor ids = batch(0).narrow(0, 2, 1);  // begins with another token
    CHECK(generate(model, ids, GenerateOptions(some).pad_token(0)).equal(generate(model, ids, some)));
    CHECK(generate(model, batch(6), GenerateOptions(0).pad_token(6)).equal(batch(6)));
    CHECK(refusal([&] {
            generate(model, etude::tensor({{0, 0}, {0, 1}}, kLong), GenerateOptions(1).pad_token(0));
          }) == "ValueError: generate: a sequence is nothing but padding");
    EncoderDecoder other(EncoderDecoderOptions(9, 9).d_model(8).heads(2));
    CHECK(refusal([&] { generate(other, ids, 1, GenerateOptions(1).pad_token(0)); }) ==
          "ValueError: generate: pad_token is for a GPT, but got an EncoderDecoder");
  }

  TEST_CASE("samples are those of a seed or of a generator, and leave the mode of the model as it was") {
    GPT model = some_model();
    const auto options = GenerateOptions(8).sample(true).temperature(2);
    manual_seed(1);
    const Tensor a = generate(model, prompt(), options);
    CHECK_FALSE(same(a, generate(model, prompt(), options)));
    manual_seed(1);
    CHECK(same(a, generate(model, prompt(), options)));
    CHECK(same(a, generate(model, prompt(), GenerateOptions(options).generator(Generator(1)))));
    CHECK(model->is_training());
    model->eval();
    generate(model, prompt(), options);
    CHECK_FALSE(model->is_training());
    model->train();
    model->drop->eval();
    model->h->at<GPTBlockImpl>(1).mlp->eval();
    generate(model, prompt(), options);
    CHECK((model->is_training() && model->h->is_training()));
    CHECK_FALSE(model->drop->is_training());
    CHECK_FALSE(model->h->at<GPTBlockImpl>(1).mlp->dropout->is_training());
    CHECK(model->h->at<GPTBlockImpl>(1).attn->is_training());
  }

  TEST_CASE("samples as often as the model says, and a low temperature is nearly greedy") {
    GPT model = some_model();
    NoGradGuard no_grad;
    const Tensor many = etude::tensor({{1, 2, 3}}, kLong).expand({4000, 3}).contiguous();
    manual_seed(2);
    const Tensor drawn = generate(model, many, GenerateOptions(1).sample(true).temperature(5)).select(1, 3);
    model->eval();
    const Tensor p = etude::softmax(model(prompt().slice(0, 0, 1))[0][2] / 5, -1);
    for (int64_t t = 0; t < 9; ++t) {
      const double share = drawn.eq(t).to(kDouble).mean().item<double>(), expected = p[t].item<double>();
      CHECK(share == doctest::Approx(expected).epsilon(4 * std::sqrt(expected * (1 - expected) / 4000) /
                                                       (1 + expected)));
    }
    const Tensor cold = generate(model, prompt(), GenerateOptions(6).sample(true).temperature(1e-3));
    CHECK(same(cold, generate(model, prompt(), GenerateOptions(6))));
    CHECK(same(generate(model, prompt(), GenerateOptions(6).sample(true).top_k(1)), cold));
    for (const double share : {1e-9, 1e-300})
      CHECK(same(generate(model, prompt(), GenerateOptions(6).sample(true).top_p(share)), cold));
  }

  TEST_CASE("many beams find the most probable continuation of all") {
    GPT model = some_model();
    const Tensor start = etude::tensor({{1, 2, 3}}, kLong);
    const Tensor found = generate(model, start, GenerateOptions(2).beams(81))[0];
    double best = kMinusInfinity;
    for (int64_t i = 0; i < 9; ++i)
      for (int64_t j = 0; j < 9; ++j)
        best = std::max(best, log_probability(model, cat({start[0], etude::tensor({i, j}, kLong)}), 3));
    CHECK(log_probability(model, found, 3) == doctest::Approx(best).epsilon(1e-5));
    const Tensor greedy = generate(model, start, GenerateOptions(2))[0];
    CHECK(log_probability(model, found, 3) >= log_probability(model, greedy, 3) - 1e-5);
    CHECK(same(generate(model, prompt(), GenerateOptions(4).beams(3))[1],
               generate(model, prompt().slice(0, 1), GenerateOptions(4).beams(3))[0]));
  }

  TEST_CASE("stop tokens end a sequence, which is filled up with them") {
    GPT model = some_model();
    const Tensor free = generate(model, prompt(), GenerateOptions(6));
    const int64_t stop = free[0][4].item<int64_t>();
    const Tensor found = generate(model, prompt(), GenerateOptions(6).stop_tokens({stop}));
    int64_t first = 3;
    while (free[0][first].item<int64_t>() != stop) ++first;
    for (int64_t i = 0; i < found.size(1); ++i)
      CHECK(found[0][i].item<int64_t>() == (i <= first ? free[0][i] : free[0][first]).item<int64_t>());
    const Tensor alone = generate(model, prompt().slice(0, 0, 1), GenerateOptions(6).stop_tokens({stop}));
    CHECK(alone.size(1) == first + 1);
    // Beams that have ended are padded until the others end.
    const Tensor beams = generate(model, prompt(), GenerateOptions(6).stop_tokens({stop}).beams(4));
    for (int64_t row = 0; row < 2; ++row) {
      bool ended = false;
      for (int64_t i = 3; i < beams.size(1); ++i) {
        if (ended) CHECK(beams[row][i].item<int64_t>() == stop);
        ended = ended || beams[row][i].item<int64_t>() == stop;
      }
    }
  }

  TEST_CASE("a callback sees every token at once and can end it") {
    GPT model = some_model();
    std::vector<Tensor> seen;
    const Tensor all = generate(model, prompt(), GenerateOptions(5).on_token([&](const Tensor& next) {
      seen.push_back(next);
      return seen.size() < 3;
    }));
    CHECK(all.size(1) == 6);
    for (int64_t i = 0; i < 3; ++i) CHECK(same(seen.at(static_cast<size_t>(i)), all.select(1, 3 + i)));
    CHECK(same(generate(model, prompt(), GenerateOptions(0)), prompt()));
  }

  TEST_CASE(
      "top k keeps the k largest, top p the fewest that make up p, and a penalty pushes down what occurred") {
    const Tensor logits = log(etude::tensor({{0.1, 0.4, 0.2, 0.3}}, kDouble));
    CHECK(same(keep_top_k(logits, 2),
               etude::tensor({{kMinusInfinity, std::log(0.4), kMinusInfinity, std::log(0.3)}})
                   .to(kDouble)
                   .where(etude::tensor({{true, false, true, false}}), logits)));
    CHECK(same(keep_top_k(logits, 9), logits));
    CHECK(keep_top_p(logits, 0.39).isinf().sum().item<int64_t>() == 3);
    CHECK(keep_top_p(logits, 0.41).isinf().sum().item<int64_t>() == 2);
    CHECK(keep_top_p(logits, 0.69).isinf().sum().item<int64_t>() == 2);
    CHECK(keep_top_p(logits, 0.71).isinf().sum().item<int64_t>() == 1);
    CHECK(keep_top_p(logits, 0.41)[0][3].item<double>() == logits[0][3].item<double>());
    const Tensor pushed =
        penalize_repetition(etude::tensor({{2.0, -2.0, 4.0}}), etude::tensor({{0, 1, 0}}, kLong), 2);
    CHECK(same(pushed, etude::tensor({{1.0, -4.0, 4.0}})));
  }

  TEST_CASE("refuses options that make no sense") {
    GPT model = some_model();
    auto refused = [&](const GenerateOptions& o) { return refusal([&] { generate(model, prompt(), o); }); };
    CHECK(refused(GenerateOptions(-1)) ==
          "ValueError: generate: max_new_tokens must not be negative, but got -1");
    CHECK(refused(GenerateOptions(std::numeric_limits<int64_t>::max())) ==
          "ValueError: generate: max_new_tokens must be below 2^31, but got 9223372036854775807");
    CHECK(refusal([] {
            keep_top_k(zeros({1, 3}), 0);
          }) == "ValueError: keep_top_k: k must be positive, but got 0");
    CHECK(refused(GenerateOptions(1).temperature(0)) ==
          "ValueError: generate: temperature must be positive, but got 0");
    CHECK(refused(GenerateOptions(1).top_p(0)) ==
          "ValueError: generate: top_p must be above 0 and at most 1, but got 0");
    CHECK(refused(GenerateOptions(1).top_k(-1)) ==
          "ValueError: generate: top_k must not be negative, but got -1");
    CHECK(refused(GenerateOptions(1).repetition_penalty(0)) ==
          "ValueError: generate: repetition_penalty must be positive, but got 0");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(refused(GenerateOptions(1).beams(2).length_penalty(nan)) ==
          "ValueError: generate: length_penalty must be a number, but got nan");
    for (const double small : {1e-42, 1e-300}) {
      const auto sampled = GenerateOptions(1).sample(true);
      CHECK(refused(GenerateOptions(sampled).temperature(small))
                .rfind(str("ValueError: generate: temperature ", small, " makes infinities of logits"), 0) ==
            0);
      CHECK(refused(GenerateOptions(sampled).repetition_penalty(small))
                .rfind(str("ValueError: generate: repetition_penalty ", small, " makes infinities of logits"),
                       0) == 0);
    }
    CHECK(refused(GenerateOptions(1).beams(0)) ==
          "ValueError: generate: beams must be at least 1, but got 0");
    CHECK(
        refused(GenerateOptions(1).beams(2).sample(true)) ==
        "ValueError: generate: beams are compared at the end: they go neither with sample nor with on_token");
    CHECK(refusal([&] {
            generate(model, zeros({2, 0}, kLong), GenerateOptions(1));
          }) ==
          "Error: generate: expected int64 ids of sizes [batch, sequence] with at least one token, but got "
          "torch.int64 of sizes [2, 0]");
  }
}
