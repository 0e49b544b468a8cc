#include "etude/gpt.h"

#include <doctest/doctest.h>

#include <cmath>

#include "etude/look_inside.h"
#include "layers/models_golden.h"
#include "layers/plain_gpt.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("GPT") {
  namespace {

  GPTOptions tiny() { return GPTOptions(11).context(7).d_model(8).layers(2).heads(2).dropout(0); }

  const golden::Recorded& recorded() {
    static const golden::Recorded data = golden_json("layers/gpt.json");
    return data;
  }

  GPT with_recorded_weights() {
    GPT model(tiny());
    model->to(kDouble);
    OrderedDict<std::string, Tensor> state;
    for (const auto& entry : recorded().at("state"))
      state.insert(entry[0].get<std::string>(), golden::tensor(entry[1]));
    model->load_state_dict(state);
    return model;
  }

  Tensor recorded_ids() {
    const auto rows = recorded().at("ids").get<std::vector<std::vector<int64_t>>>();
    return stack({etude::tensor(rows.at(0), kLong), etude::tensor(rows.at(1), kLong)});
  }

  }  // namespace

  TEST_CASE(
      "has the logits and gradients of a GPT-2 written with PyTorch, under the names of its checkpoints") {
    GPT model = with_recorded_weights();
    const Tensor y = model(recorded_ids());
    CHECK(golden::close(y, recorded().at("logits"), 1e-10));
    (y * golden::ramp(y.sizes()).to(kDouble)).sum().backward();
    const auto parameters = model->named_parameters();
    CHECK(parameters.size() == recorded().at("grads").size());
    for (size_t i = 0; i < parameters.size(); ++i) {
      CAPTURE(parameters[i].key());
      CHECK(parameters[i].key() == recorded().at("grads")[i][0].get<std::string>());
      CHECK(golden::close(parameters[i]->grad(), recorded().at("grads")[i][1], 1e-10));
    }
  }

  TEST_CASE("the modern form has the logits and gradients of RMS norm, SwiGLU and rotary heads in PyTorch") {
    GPT model(tiny().rms_norm(true).swiglu(true).bias(false).tied_head(false).dim_feedforward(12).positions(
        RotaryPositions(4, RotaryPairs::Half).ptr()));
    const auto& recorded_form = golden::models().at("modern_gpt");
    golden::fill(*model, recorded_form);
    const Tensor ids = golden::ids("src"), y = model(ids);
    CHECK(golden::close(y, recorded_form.at("logits"), 1e-10));
    (y * golden::ramp(y.sizes()).to(kDouble)).sum().backward();
    golden::check_gradients(*model, recorded_form, 1e-9);
    const NoGradGuard no_grad;
    CHECK(equal(std::dynamic_pointer_cast<GPTImpl>(model->clone())->forward(ids), y));
    model->reset_parameters();
    CHECK(model->lm_head->weight.std().item<double>() == doctest::Approx(0.02).scale(0).epsilon(0.5));
  }

  /// Families as transformers names them, in the sizes of make_families.py.
  std::vector<std::pair<std::string, GPTOptions>> model_families() {
    const auto rotary = [](int64_t head_width) { return RotaryPositionsOptions(head_width); };
    const auto form =
        GPTOptions(11).d_model(16).layers(2).heads(4).kv_heads(2).dim_feedforward(12).dropout(0);
    const auto modern = [&](const RotaryPositionsOptions& positions) {
      return GPTOptions(form).rms_norm(true).swiglu(true).bias(false).tied_head(false).positions(
          RotaryPositions(positions).ptr());
    };
    const auto llama3 = RotaryScaling().kind(RotaryScaling::Kind::kLlama3).factor(8).original_context(16);
    return {{"llama", modern(rotary(4).base(50).scaling(llama3))},
            {"mistral", modern(rotary(4)).kv_heads(1)},
            {"qwen2", modern(rotary(4)).qkv_bias(true)},
            {"qwen3", modern(rotary(6)).head_dim(6).qk_norm(true)}};
  }

  TEST_CASE("models of other families have transformers' logits, also behind padding") {
    const golden::Recorded recorded_forms = golden_json("layers/families.json").at("models");
    const Tensor ids = etude::tensor({{3, 0, 10, 3, 7, 2}, {5, 5, 1, 9, 9, 4}}, kLong),
                 padded = etude::tensor({{3, 0, 10, 3, 7, 2}, {0, 0, 1, 9, 9, 4}}, kLong),
                 left = etude::tensor({0, 2}, kLong);
    const NoGradGuard no_grad;
    for (const auto& family : model_families()) {
      const std::string& name = family.first;
      CAPTURE(name);
      GPT model(family.second);
      golden::fill(*model, recorded_forms.at(name));
      CHECK(golden::close(model(ids), recorded_forms.at(name).at("logits"), 1e-5));
      const Tensor expected = golden::tensor(recorded_forms.at(name).at("padded")),
                   found = model->forward(padded, nullptr, left);
      CHECK(allclose(found[0], expected[0], 1e-5, 1e-5));
      CHECK(allclose(found[1].slice(0, 2), expected[1].slice(0, 2), 1e-5, 1e-5));
      CHECK(found.isfinite().all().item<bool>());
    }
  }

  TEST_CASE("every family is a block of plain ops, with a cache and without, and can be looked into") {
    auto all = model_families();
    all.emplace_back("uneven",
                     GPTOptions(11).d_model(10).layers(2).heads(6).kv_heads(3).head_dim(5).dropout(0));
    for (const auto& family : all) {
      const std::string& name = family.first;
      CAPTURE(name);
      GPT model(family.second);
      model->to(kDouble);
      NoGradGuard no_grad;
      for (Tensor& p : model->parameters()) p.add_(0.2 * randn(p.sizes(), kDouble));
      const PlainGPT plain(model, recorded_ids());
      CHECK(allclose(model(recorded_ids()), plain.logits, 1e-10, 1e-10));
      KeyValueCache cache = model->make_cache(2, 5);
      std::vector<Tensor> parts;
      for (const auto& [from, count] : std::vector<std::pair<int64_t, int64_t>>{{0, 2}, {2, 1}, {3, 2}})
        parts.push_back(model(recorded_ids().narrow(1, from, count), &cache));
      CHECK(allclose(cat(parts, 1), plain.logits, 1e-10, 1e-10));
      const int64_t kv_heads = name == "mistral" ? 1 : name == "uneven" ? 3 : 2;
      CHECK(cache.layer(0, 2).all().first.sizes() == IntArrayRef({2, kv_heads, 5,
                                                                  name == "uneven"  ? 5
                                                                  : name == "qwen3" ? 6
                                                                                    : 4}));
      const auto seen = run_with_cache(model, recorded_ids()).second;
      CHECK(seen["blocks.1.attn.hook_k"].size(2) == kv_heads);
      CHECK(allclose(model->self_attention(recorded_ids()).at(1), seen["blocks.1.attn.hook_pattern"], 1e-10));
      CHECK(allclose(seen["blocks.1.attn.hook_pattern"], plain.all["blocks.1.attn.hook_pattern"], 1e-10));
      CHECK(summary(model, recorded_ids()).parameters == [&] {
        int64_t sum = 0;
        for (const Tensor& p : model->parameters()) sum += p.numel();
        return sum;
      }());
      std::ostringstream lines;
      explain(lines);
      model(recorded_ids());
      explain(false);
      CHECK(lines.str().find("etude::attention") != std::string::npos);
      const auto copy = std::dynamic_pointer_cast<GPTImpl>(model->clone());
      REQUIRE(copy);
      CHECK(copy->forward(recorded_ids()).equal(model(recorded_ids())));
    }
  }

  TEST_CASE("a family's state, start and gradients: norms of ones, biases of zeros, and all are reached") {
    GPT model(model_families().at(3).second.qkv_bias(true).dropout(0.1));
    const auto state = model->state_dict();
    const std::string attn = "h.0.attn.";
    CHECK(state[attn + "c_attn.weight"].sizes() == IntArrayRef({16, (4 + 2 * 2) * 6}));
    CHECK(state[attn + "c_attn.bias"].equal(zeros({48})));
    CHECK(state[attn + "c_proj.weight"].sizes() == IntArrayRef({24, 16}));
    CHECK_FALSE(state.contains(attn + "c_proj.bias"));
    CHECK(state[attn + "q_norm.weight"].equal(ones({6})));
    CHECK(state[attn + "k_norm.weight"].equal(ones({6})));
    CHECK_FALSE(GPT(tiny().qkv_bias(false))->state_dict().contains(attn + "c_attn.bias"));
    CHECK(GPT(tiny().qkv_bias(false))->state_dict().contains(attn + "c_proj.bias"));
    for (Tensor& p : model->parameters()) p.data().add_(0.2 * randn(p.sizes()));
    model(recorded_ids()).logsumexp(-1).sum().backward();
    for (const auto& p : model->named_parameters()) {
      CAPTURE(p.key());
      CHECK(p->grad().abs().sum().item<double>() > 0);
    }
  }

  TEST_CASE("kv_heads and head_dim of zero are those of GPT-2, to the last byte") {
    manual_seed(5);
    GPT plain(tiny().dropout(0.1));
    const Tensor y = plain(recorded_ids()), after = rand({3});
    manual_seed(5);
    GPT spelled(tiny().dropout(0.1).kv_heads(2).head_dim(4).qkv_bias(true));
    CHECK(spelled(recorded_ids()).equal(y));
    CHECK(rand({3}).equal(after));
    CHECK(spelled->state_dict().keys() == plain->state_dict().keys());
  }

  TEST_CASE("left padding changes nothing behind it, for all kinds of positions, with a cache and without") {
    const NoGradGuard no_grad;
    const std::vector<std::shared_ptr<Positions>> kinds = {
        nullptr,
        NoPositions().ptr(),
        SinusoidalPositions(8).ptr(),
        RotaryPositions(4, RotaryPairs::Interleaved).ptr(),
        ALiBiPositions(2).ptr(),
        T5Positions(T5PositionsOptions(2).buckets(8).max_distance(16)).ptr()};
    const Tensor ids = (arange(3 * 7).view({3, 7}) * 5).remainder(11), left = etude::tensor({0, 3, 6}, kLong);
    for (const auto& kind : kinds)
      for (const int64_t kv_heads : {1, 2}) {
        GPT model(tiny().kv_heads(kv_heads).positions(kind));
        model->to(kDouble);
        for (Tensor& p : model->parameters()) p.add_(0.3 * randn(p.sizes(), kDouble));
        const Tensor whole = model->forward(ids, nullptr, left);
        CHECK(whole.isfinite().all().item<bool>());
        for (int64_t row = 0; row < 3; ++row) {
          const Tensor alone = model(ids.narrow(0, row, 1).slice(1, 3 * row))[0];
          CHECK(allclose(whole[row].slice(0, 3 * row), alone, 1e-9, 1e-9));
        }
        CHECK(allclose(model->next_logits(ids, nullptr, left), whole.select(1, -1), 1e-10, 1e-10));
        for (const std::vector<int64_t>& cut :
             std::vector<std::vector<int64_t>>{{1, 1, 1, 1, 1, 1, 1}, {4, 3}}) {
          KeyValueCache cache = model->make_cache(3, 7);
          std::vector<Tensor> parts;
          parts.reserve(cut.size());
          for (const int64_t n : cut)
            parts.push_back(model->forward(ids.narrow(1, cache.length(), n), &cache, left));
          CHECK(allclose(cat(parts, 1), whole, 1e-9, 1e-9));
        }
        const auto seen = run_with_hooks(
            model, [&] { return model->forward(ids, nullptr, left); },
            {{[](const std::string&) { return true; }, [](const Tensor&, const auto&) { return Tensor(); }}});
        CHECK(allclose(seen, whole, 1e-9, 1e-9));
      }
    GPT model(tiny());
    CHECK(same(model->forward(ids, nullptr, zeros({3}, kLong)), model(ids)));
    CHECK(model->forward(ids.narrow(0, 0, 0), nullptr, zeros({0}, kLong)).sizes() == IntArrayRef({0, 7, 11}));
    CHECK(model->forward(ids, nullptr, full({3}, 100, kLong)).isfinite().all().item<bool>());
    CHECK(refusal([&] { model->forward(ids, nullptr, zeros({2}, kLong)); }) ==
          "Error: GPT: expected int64 left_padding of sizes [3], but got torch.int64 of sizes [2]");
    CHECK(refusal([&] { model->forward(ids, nullptr, zeros({3})); }) ==
          "Error: GPT: expected int64 left_padding of sizes [3], but got torch.float32 of sizes [3]");
    CHECK(refusal([&] { model->forward(ids, nullptr, left - 1); }) ==
          "ValueError: GPT: left_padding must not be negative");
  }

  TEST_CASE("a padded batch is trained on what is not padding") {
    GPT model(tiny());
    model->to(kDouble);
    const Tensor ids = recorded_ids(), left = etude::tensor({2, 0}, kLong);
    const auto gradients = [&](const Tensor& logits) {
      model->zero_grad();
      (logits * golden::ramp(logits.sizes()).to(kDouble)).sum().backward();
      std::vector<Tensor> all;
      for (const Tensor& p : model->parameters()) all.push_back(p.grad().clone());
      return all;
    };
    const auto padded = gradients(model->forward(ids, nullptr, left)[0].slice(0, 2)),
               alone = gradients(model(ids.narrow(0, 0, 1).slice(1, 2))[0]);
    for (size_t i = 0; i < alone.size(); ++i) CHECK(allclose(padded[i], alone[i], 1e-9, 1e-11));
  }

  TEST_CASE("a token changes nothing before it") {
    GPT model = with_recorded_weights();
    NoGradGuard no_grad;
    Tensor ids = recorded_ids();
    const Tensor y = model(ids);
    ids.index_put_({0, 3}, 5);
    const Tensor z = model(ids);
    CHECK(same(y[0].slice(0, 0, 3), z[0].slice(0, 0, 3)));
    CHECK_FALSE(allclose(y[0].slice(0, 3), z[0].slice(0, 3)));
    CHECK(same(y[1], z[1]));
  }

  TEST_CASE("a cache gives the logits of the whole sequence, however it is cut") {
    GPT model = with_recorded_weights();
    NoGradGuard no_grad;
    const Tensor ids = recorded_ids(), whole = model(ids);
    for (const std::vector<int64_t>& cut :
         std::vector<std::vector<int64_t>>{{1, 1, 1, 1, 1}, {3, 2}, {2, 1, 2}, {5}}) {
      KeyValueCache cache = model->make_cache(2, 7);
      std::vector<Tensor> parts;
      int64_t at = 0;
      for (const int64_t n : cut) {
        parts.push_back(model(ids.narrow(1, at, n), &cache));
        at += n;
        CHECK(cache.length() == at);
      }
      CHECK(allclose(cat(parts, 1), whole, 1e-10, 1e-10));
    }
  }

  TEST_CASE("the logits of the next token are the last ones, with a cache and without") {
    GPT model = with_recorded_weights();
    NoGradGuard no_grad;
    const Tensor ids = recorded_ids(), last = model(ids).select(1, -1);
    CHECK(allclose(model->next_logits(ids), last, 1e-10, 1e-10));
    KeyValueCache cache = model->make_cache(2, 7);
    model->next_logits(ids.narrow(1, 0, 2), &cache);
    CHECK(allclose(model->next_logits(ids.narrow(1, 2, 3), &cache), last, 1e-10, 1e-10));
    CHECK(model->next_logits(ids.narrow(0, 0, 0)).sizes() == IntArrayRef({0, last.size(1)}));
  }

  TEST_CASE("its loss is the cross entropy of its logits, in as many parts as it takes") {
    for (const bool tied : {true, false})
      for (const int64_t batch : {2, 200}) {
        GPT model(tiny().tied_head(tied));
        model->to(kDouble);
        const Tensor ids = (arange(batch * 6).view({batch, 6}) * 7).remainder(11), input = ids.slice(1, 0, 5);
        Tensor next = ids.slice(1, 1).clone();
        next[0].fill_(-100);
        const auto gradients = [&](const Tensor& loss) {
          model->zero_grad();
          loss.backward();
          std::vector<Tensor> all{loss.detach()};
          for (const Tensor& p : model->parameters()) all.push_back(p.grad().clone());
          return all;
        };
        const auto expected =
                       gradients(functional::cross_entropy(model(input).flatten(0, 1), next.flatten())),
                   found = gradients(model->loss(input, next));
        for (size_t i = 0; i < expected.size(); ++i) CHECK(allclose(found[i], expected[i], 1e-10, 1e-12));
      }
    GPT model(tiny());
    CHECK(refusal([&] { model->loss(recorded_ids(), recorded_ids().slice(1, 1)); }) ==
          "Error: Expected target size [2, 5], got [2, 4]");
  }

  TEST_CASE("without oneDNN a cache gives the logits of the whole sequence, bit by bit") {
    const onednn::EnabledGuard plain(false);
    const NoGradGuard no_grad;
    const Tensor ids = (arange(3 * 21).view({3, 21}) * 7).remainder(11);
    for (const std::shared_ptr<Positions>& positions :
         {std::shared_ptr<Positions>(), std::shared_ptr<Positions>(new ALiBiPositionsImpl(2)),
          std::shared_ptr<Positions>(new RotaryPositionsImpl(6, RotaryPairs::Half))})
      for (const int64_t kv_heads : {1, 2}) {
        manual_seed(4);
        GPT model(tiny().context(21).d_model(12).kv_heads(kv_heads).positions(positions));
        const Tensor whole = model(ids);
        KeyValueCache cache = model->make_cache(3, 21);
        for (const auto& [from, count] :
             std::vector<std::pair<int64_t, int64_t>>{{0, 1}, {1, 1}, {2, 17}, {19, 2}})
          CHECK(same(model(ids.narrow(1, from, count), &cache), whole.narrow(1, from, count)));
      }
  }

  TEST_CASE("shows what each head looks at") {
    GPT model(tiny().dropout(0.5));
    const std::vector<Tensor> weights = model->self_attention(recorded_ids());
    CHECK(model->is_training());
    REQUIRE(weights.size() == 2);
    for (const Tensor& w : weights) {
      CHECK(w.sizes() == IntArrayRef({2, 2, 5, 5}));
      CHECK(allclose(w.sum(-1), ones({2, 2, 5})));
      CHECK(w.triu(1).abs().max().item<double>() == 0);
    }
    CHECK(equal(model->self_attention(recorded_ids())[1], weights[1]));
  }

  TEST_CASE("starts small: normal weights of deviation 0.02, less where sums collect, biases of zero") {
    GPT model(GPTOptions(50).context(40).d_model(64).layers(8).heads(4));
    for (const auto& p : model->named_parameters()) {
      CAPTURE(p.key());
      const std::string& name = p.key();
      auto ends = [&](const std::string& end) {
        return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
      };
      if (name.find("ln_") != std::string::npos) CHECK(same(*p, ends("weight") ? ones({64}) : zeros({64})));
      else if (ends("bias")) CHECK(p->abs().max().item<double>() == 0);
      else
        CHECK(p->std().item<double>() ==
              doctest::Approx(ends("c_proj.weight") ? 0.02 / std::sqrt(16.0) : 0.02).scale(0).epsilon(0.1));
    }
    CHECK(model->named_parameters().find("lm_head.weight") == nullptr);
  }

  TEST_CASE("a gradient reaches every parameter, in train mode with dropout") {
    GPT model(tiny().dropout(0.1));
    model(recorded_ids()).logsumexp(-1).sum().backward();
    for (const auto& p : model->named_parameters()) {
      CAPTURE(p.key());
      CHECK(p->grad().abs().sum().item<double>() > 0);
    }
  }

  TEST_CASE("drops in train mode alone") {
    GPT model(tiny().dropout(0.5));
    NoGradGuard no_grad;
    CHECK_FALSE(same(model(recorded_ids()), model(recorded_ids())));
    model->eval();
    CHECK(same(model(recorded_ids()), model(recorded_ids())));
  }

  TEST_CASE("each dropout follows its own mode") {
    GPT model(tiny().dropout(0.5));
    model->eval();
    NoGradGuard no_grad;
    model->h->at<GPTBlockImpl>(0).attn->attn_dropout->train();
    CHECK_FALSE(same(model(recorded_ids()), model(recorded_ids())));
    model->train();
    for (const auto& module : model->modules())
      if (module->as<Dropout>()) module->eval();
    CHECK(same(model(recorded_ids()), model(recorded_ids())));
  }

  TEST_CASE("goes out as a state dict and in again, and its clone is trained alone") {
    GPT model(tiny()), other(tiny());
    NoGradGuard no_grad;
    other->load_state_dict(model->state_dict());
    const Tensor y = model(recorded_ids());
    CHECK(same(other(recorded_ids()), y));
    const auto copy = std::dynamic_pointer_cast<GPTImpl>(model->clone());
    REQUIRE(copy);
    CHECK(same(copy->forward(recorded_ids()), y));
    copy->wte->weight.zero_();
    CHECK(same(model(recorded_ids()), y));
  }

  TEST_CASE("computes in float64 and for a batch of nothing") {
    GPT model(tiny());
    model->to(kDouble);
    NoGradGuard no_grad;
    CHECK(model(recorded_ids()).dtype() == kDouble);
    CHECK(model(zeros({0, 3}, kLong)).sizes() == IntArrayRef({0, 3, 11}));
    KeyValueCache cache = model->make_cache(2, 7);
    CHECK(model(recorded_ids(), &cache).dtype() == kDouble);
  }

  TEST_CASE("refuses what does not fit, and says so") {
    GPT model(tiny());
    CHECK(refusal([&] {
            model(zeros({1, 8}, kLong));
          }) == "Error: GPT: a sequence of 8 tokens is longer than the context of 7");
    CHECK(refusal([&] { model(zeros({3}, kLong)); }) ==
          "Error: GPT: expected ids of sizes [batch, sequence], but got [3]");
    CHECK(refusal([&] { GPT(tiny().heads(3)); }) == "Error: embed_dim must be divisible by num_heads");
    CHECK(refusal([&] { GPT(tiny().kv_heads(3)); }) ==
          "ValueError: GPT: heads must be divisible by kv_heads, but got 2 and 3");
    CHECK(refusal([&] { GPT(tiny().kv_heads(-2)); }) ==
          "ValueError: GPT: heads must be divisible by kv_heads, but got 2 and -2");
    CHECK(refusal([&] { GPT(tiny().head_dim(-4)); }) ==
          "ValueError: GPT: d_model and head_dim must not be negative, but got 8 and -4");
    CHECK(refusal([&] { GPT(tiny().heads(0)); }) == "Error: embed_dim must be divisible by num_heads");
    const int64_t huge = int64_t{1} << 62;
    CHECK(refusal([&] { GPTBlock(tiny().heads(huge).head_dim(2)); }) ==
          "Error: numel: integer multiplication overflow");
    CHECK(refusal([&] { GPTBlock(tiny().head_dim(huge)); }) ==
          "Error: numel: integer multiplication overflow");
    CHECK(GPT(tiny().heads(3).head_dim(5))(zeros({1, 2}, kLong)).sizes() == IntArrayRef({1, 2, 11}));
    CHECK(refusal([&] {
            GPT(tiny().head_dim(6).positions(RotaryPositions(4, RotaryPairs::Half).ptr()))
            (zeros({1, 2}, kLong));
          }) == "Error: expected heads of sizes [..., sequence, 4], but got [1, 2, 2, 6]");
    CHECK(refusal([&] {
            GPT(tiny().heads(4).kv_heads(2).positions(ALiBiPositions(2).ptr()))(zeros({1, 2}, kLong));
          }) != "");
    CHECK(refusal([&] { GPT(tiny().layers(-1)); }) ==
          "ValueError: GPT: layers must not be negative, but got -1");
    CHECK(refusal([&] { GPT(tiny().dim_feedforward(-1)); }) ==
          "ValueError: GPT: dim_feedforward must not be negative, but got -1");
    CHECK(GPT(tiny().layers(0))->h->is_empty());
    KeyValueCache cache = model->make_cache(2, 7);
    CHECK(refusal([&] { model(recorded_ids(), &cache); }) == "Error: a key-value cache holds no graph");
  }
}
