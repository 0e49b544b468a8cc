#include "etude/look_inside.h"

#include <doctest/doctest.h>

#include "etude/generate.h"
#include "layers/models_golden.h"
#include "layers/plain_gpt.h"
#include "support/on_threads.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("look inside") {
  namespace {

  using Activations = OrderedDict<std::string, Tensor>;
  using Names = std::vector<std::string>;

  constexpr int64_t kHeads = 2, kHeadWidth = 4, kWidth = kHeads * kHeadWidth;

  GPTOptions small() { return GPTOptions(11).context(7).d_model(kWidth).layers(2).heads(kHeads).dropout(0); }

  GPTOptions modern() {
    return small().rms_norm(true).swiglu(true).bias(false).tied_head(false).dim_feedforward(12);
  }

  // Large weights, so that everything matters.
  GPT make(const GPTOptions& options, ScalarType dtype = kDouble) {
    manual_seed(3);
    GPT model(options);
    model->to(dtype);
    const NoGradGuard no_grad;
    for (Tensor& p : model->parameters()) p.add_(0.3 * randn(p.sizes()).to(dtype));
    return model;
  }

  Tensor some_ids() { return etude::tensor({{3, 0, 10, 3, 7}, {1, 9, 9, 2, 4}}, kLong); }

  std::vector<std::shared_ptr<Positions>> kinds_of_positions() {
    return {nullptr,
            NoPositions().ptr(),
            SinusoidalPositions(kWidth).ptr(),
            RotaryPositions(kHeadWidth, RotaryPairs::Half).ptr(),
            ALiBiPositions(kHeads).ptr(),
            T5Positions(T5PositionsOptions(kHeads)).ptr()};
  }

  const HookNames everything([](const std::string&) { return true; });

  void check_same(const Activations& found, const Activations& expected, double tolerance = 1e-10) {
    CHECK(found.keys() == expected.keys());
    for (const auto& item : expected) {
      CAPTURE(item.key());
      CHECK(found[item.key()].sizes() == item->sizes());
      CHECK(allclose(found[item.key()], *item, tolerance, tolerance));
    }
  }

  Tensor without_head(const Tensor& z, int64_t head) {
    Tensor changed = z.clone();
    changed.select(2, head).zero_();
    return changed;
  }

  }  // namespace

  TEST_CASE("every activation of a GPT-2 is that of one written with PyTorch, by its name and in its order") {
    GPT model(small());
    model->to(kDouble);
    const Recorded recorded = golden_json("layers/gpt.json"),
                   seen = golden_json("layers/gpt_activations.json");
    Activations state;
    for (const auto& entry : recorded.at("state"))
      state.insert(entry[0].get<std::string>(), golden::tensor(entry[1]));
    model->load_state_dict(state);
    const auto found = run_with_cache(model, some_ids(), everything);
    const Activations& cache = found.second;
    CHECK(golden::close(found.first, recorded.at("logits"), 1e-10));
    REQUIRE(cache.size() == seen.size());
    for (size_t i = 0; i < cache.size(); ++i) {
      CAPTURE(cache[i].key());
      CHECK(cache[i].key() == seen[i][0].get<std::string>());
      CHECK(golden::close(cache[i]->clamp_min(-1e300), seen[i][1], 1e-10));
    }
  }

  TEST_CASE("every activation is that of plain ops, for all kinds of positions, norms, MLPs and heads") {
    for (const GPTOptions& form :
         {small(), modern(), small().rms_norm(true), modern().rms_norm(false).bias(true),
          modern().kv_heads(1), modern().qk_norm(true).qkv_bias(true), small().kv_heads(1).qkv_bias(false)})
      for (const auto& positions : kinds_of_positions()) {
        GPT model = make(GPTOptions(form).positions(positions));
        const PlainGPT expected(model, some_ids());
        const auto [logits, cache] = run_with_cache(model, some_ids(), everything);
        check_same(cache, expected.all);
        CHECK(allclose(logits, expected.logits, 1e-10, 1e-10));
        CHECK(hook_names(model) == expected.all.keys());
      }
  }

  TEST_CASE("names are asked for one by one, as a list or by a function, and all are all but hook_result") {
    GPT model = make(small());
    const auto names = [&](const HookNames& meant) {
      return run_with_cache(model, some_ids(), meant).second.keys();
    };
    CHECK(names("blocks.1.attn.hook_z") == Names{"blocks.1.attn.hook_z"});
    CHECK(names({"blocks.1.hook_resid_post", "hook_embed"}) ==
          Names{"hook_embed", "blocks.1.hook_resid_post"});
    CHECK(names(Names{"hook_embed"}) == Names{"hook_embed"});
    CHECK(names(Names{}) == Names{});
    CHECK(names([](const std::string& name) { return name.find("attn.hook_r") != std::string::npos; }) ==
          Names{"blocks.0.attn.hook_result", "blocks.1.attn.hook_result"});
    Names all = hook_names(model);
    CHECK(all.size() == 2 + 2 * 18 + 2);
    all.erase(
        std::remove_if(all.begin(), all.end(),
                       [](const std::string& name) { return name.find("hook_result") != std::string::npos; }),
        all.end());
    CHECK(names({}) == all);
  }

  TEST_CASE("what is not looked into is computed as ever, bit by bit") {
    for (const auto& positions : kinds_of_positions()) {
      GPT model = make(modern().positions(positions), kFloat);
      const NoGradGuard no_grad;
      const auto [logits, cache] = run_with_cache(model, some_ids(), [](const std::string& name) {
        for (const char* inside : {"scale", "normalized", "scores", "pattern", "result"})
          if (name.find(inside) != std::string::npos) return false;
        return true;
      });
      CHECK(logits.equal(model(some_ids())));
      CHECK(cache.size() > 20);
    }
  }

  TEST_CASE("computes in float32 and bfloat16, under autocast and for a batch of nothing") {
    const NoGradGuard no_grad;
    for (const GPTOptions& form : {small(), modern()}) {
      GPT model = make(form, kFloat);
      const Tensor y = model(some_ids());
      CHECK(allclose(run_with_cache(model, some_ids(), everything).first, y, 1e-4, 1e-4));
      CHECK(run_with_cache(model, some_ids().narrow(0, 0, 0)).second["blocks.0.attn.hook_pattern"].sizes() ==
            IntArrayRef({0, kHeads, 5, 5}));
      {
        autocast::set_cpu_enabled(true);
        const Tensor cast = run_with_cache(model, some_ids(), everything).first;
        autocast::set_cpu_enabled(false);
        CHECK(cast.scalar_type() == kBFloat16);
        CHECK_FALSE(equal(cast.to(kFloat), y.to(kBFloat16).to(kFloat)));
        CHECK(allclose(cast.to(kFloat), y, 0.2, 0.2));
      }
      model->to(kBFloat16);
      const auto [logits, cache] = run_with_cache(model, some_ids(), everything);
      CHECK(logits.scalar_type() == kBFloat16);
      CHECK(cache["ln_final.hook_normalized"].scalar_type() == kFloat);
      CHECK(cache["blocks.0.hook_resid_mid"].scalar_type() == kBFloat16);
      CHECK(allclose(logits.to(kFloat), y, 0.2, 0.3));
    }
  }

  TEST_CASE("a continued sequence has the activations of the whole one, by the same names") {
    const NoGradGuard no_grad;
    for (const auto& positions : kinds_of_positions()) {
      GPT model = make(small().positions(positions));
      const auto whole = run_with_cache(model, some_ids(), everything).second;
      KeyValueCache past = model->make_cache(2, 7);
      run_with_hooks(model, some_ids().slice(1, 0, 3), {}, &past);
      const auto end = run_with_cache(model, some_ids().slice(1, 3), everything, &past).second;
      CHECK(past.length() == 5);
      CHECK(end.keys() == whole.keys());
      for (const auto& item : whole) {
        CAPTURE(item.key());
        const bool by_query =
            item.key().find("pattern") != std::string::npos || item.key().find("scores") != std::string::npos;
        CHECK(allclose(end[item.key()], item->slice(by_query ? 2 : 1, 3), 1e-9, 1e-9));
      }
    }
  }

  TEST_CASE("in training dropout drops the same, and what is cached is what goes on") {
    GPT model = make(small().dropout(0.5));
    manual_seed(5);
    const Tensor y = model(some_ids());
    manual_seed(5);
    const auto [logits, cache] = run_with_cache(model, some_ids(), everything);
    CHECK(allclose(logits, y, 1e-10, 1e-10));
    CHECK(allclose(cache["blocks.1.attn.hook_pattern"].sum(-1), ones({2, kHeads, 5}, kDouble)));
    CHECK(cache["blocks.0.hook_resid_mid"].equal(cache["blocks.0.hook_resid_pre"] +
                                                 cache["blocks.0.hook_attn_out"]));
    CHECK((cache["blocks.0.hook_mlp_out"] == 0).any().item<bool>());
  }

  TEST_CASE("a head whose z is zero is a model whose rows of the output are zero") {
    const NoGradGuard no_grad;
    GPT model = make(small());
    const Tensor ablated = run_with_hooks(
        model, some_ids(), {{"blocks.1.attn.hook_z", [](const Tensor& z, const std::string& name) {
                               CHECK(name == "blocks.1.attn.hook_z");
                               return without_head(z, 1);
                             }}});
    const Tensor same = run_with_hooks(
        model, some_ids(), {{"blocks.1.attn.hook_result", [](const Tensor& r, const std::string&) {
                               return without_head(r, 1);
                             }}});
    const Tensor y = model(some_ids());
    CHECK_FALSE(allclose(ablated, y, 1e-3, 1e-3));
    CHECK(allclose(ablated, same, 1e-10, 1e-10));
    model->h->at<GPTBlockImpl>(1).attn->c_proj->weight.slice(0, kHeadWidth).zero_();
    CHECK(allclose(ablated, model(some_ids()), 1e-10, 1e-10));
  }

  TEST_CASE("each point takes what it is given: what comes later is made of it") {
    const NoGradGuard no_grad;
    for (const auto& positions : kinds_of_positions()) {
      GPT model = make(modern().positions(positions));
      const auto before = run_with_cache(model, some_ids(), everything).second;
      for (const std::string& name : hook_names(model)) {
        CAPTURE(name);
        Activations after("Activation");
        const Hooks hooks = {
            {name, [](const Tensor& x,
                      const std::string&) { return x * linspace(0.5, 1.5, x.size(-1), kDouble) + 0.1; }},
            {everything, [&](const Tensor& x, const std::string& at) {
               after.insert(at, x);
               return Tensor();
             }}};
        const Tensor logits = run_with_hooks(model, some_ids(), hooks);
        CHECK_FALSE(logits.allclose(model(some_ids())));
        bool is_later = false;
        for (const auto& item : before) {
          is_later = is_later || item.key() == name;
          if (!is_later) CHECK(after[item.key()].equal(*item));
        }
      }
    }
  }

  TEST_CASE("a clean run patched into a corrupt one gives the clean logits, exactly if all is patched") {
    const NoGradGuard no_grad;
    GPT model = make(small(), kFloat);
    const Tensor corrupt = (some_ids() + 1).remainder(11);
    const auto [clean, cache] = run_with_cache(model, some_ids(), everything);
    const auto patch = [cache = cache](const Tensor&, const std::string& name) { return cache[name]; };
    CHECK(run_with_hooks(model, corrupt, {{everything, patch}}).equal(clean));
    CHECK_FALSE(run_with_hooks(model, corrupt, {}).allclose(clean));
    for (const char* name :
         {"blocks.0.hook_resid_pre", "blocks.0.hook_resid_post", "blocks.1.hook_resid_post"})
      CHECK(allclose(run_with_hooks(model, corrupt, {{name, patch}}), clean, 1e-4, 1e-4));
    CHECK_FALSE(
        allclose(run_with_hooks(model, corrupt, {{"blocks.1.hook_attn_out", patch}}), clean, 1e-4, 1e-4));
  }

  TEST_CASE("hooks of one point run in their order, and those that give nothing change nothing") {
    GPT model = make(small());
    const auto times = [](double factor) {
      return [factor](const Tensor& x, const std::string&) { return x * factor; };
    };
    const auto plus = [](const Tensor& x, const std::string&) { return x + 1; };
    const auto nothing = [](const Tensor&, const std::string&) { return Tensor(); };
    const auto seen = [&](Hooks hooks) {
      Tensor last;
      hooks.push_back({"hook_embed", [&](const Tensor& x, const std::string&) { return last = x, x; }});
      run_with_hooks(model, some_ids(), hooks);
      return last;
    };
    const Tensor e = seen({});
    CHECK(seen({{"hook_embed", nothing}}).equal(e));
    CHECK(seen({{"hook_embed", times(2)}, {{"hook_embed", "hook_pos_embed"}, plus}}).equal(e * 2 + 1));
    CHECK(seen({{"hook_embed", plus}, {"hook_embed", nothing}, {"hook_embed", times(2)}}).equal((e + 1) * 2));
  }

  TEST_CASE("gradients reach what is cached, and go through hooks to every parameter") {
    GPT model = make(modern().positions(RotaryPositions(kHeadWidth, RotaryPairs::Half).ptr()));
    const auto [logits, cache] = run_with_cache(model, some_ids(), everything);
    const Tensor loss = logits.logsumexp(-1).sum();
    for (const auto& item : cache) {
      if (item.key().find("blocks.1") == std::string::npos) continue;
      CAPTURE(item.key());
      CHECK(autograd::grad({loss}, {*item}, {}, true)[0].abs().sum().item<double>() > 0);
    }
    // By hand: d loss / d factor, where a head's z is multiplied by factor.
    const auto loss_with = [&](const Tensor& factor) {
      return run_with_hooks(
                 model, some_ids(),
                 {{"blocks.0.attn.hook_z", [&](const Tensor& z, const std::string&) { return z * factor; }}})
          .logsumexp(-1)
          .sum();
    };
    Tensor factor = ones({kHeads, 1}, kDouble).requires_grad_();
    model->zero_grad();
    loss_with(factor).backward();
    const double h = 1e-6;
    const Tensor step = etude::tensor({{h}, {0.0}}, kDouble);
    const double slope =
        (loss_with(ones({kHeads, 1}, kDouble) + step) - loss_with(ones({kHeads, 1}, kDouble) - step))
            .item<double>() /
        (2 * h);
    CHECK(factor.grad()[0][0].item<double>() == doctest::Approx(slope).epsilon(1e-6));
    for (const auto& p : model->named_parameters()) {
      CAPTURE(p.key());
      CHECK(p->grad().abs().sum().item<double>() > 0);
    }
    const NoGradGuard no_grad;
    CHECK_FALSE(run_with_cache(model, some_ids()).second["hook_embed"].requires_grad());
  }

  TEST_CASE("hooks act in a loss and in generate too") {
    GPT model = make(small());
    const Hooks hooks = {
        {"blocks.1.hook_resid_post", [](const Tensor& x, const std::string&) { return -x; }}};
    const Tensor next = some_ids().roll(1, 1), logits = run_with_hooks(model, some_ids(), hooks);
    const Tensor loss = run_with_hooks(
        model, [&] { return model->loss(some_ids(), next); }, hooks);
    CHECK(allclose(loss, functional::cross_entropy(logits.flatten(0, 1), next.flatten())));
    Tensor by_hand = some_ids();
    for (int i = 0; i < 2; ++i)
      by_hand = cat({by_hand, run_with_hooks(model, by_hand, hooks).select(1, -1).argmax(-1, true)}, 1);
    const Tensor longer = run_with_hooks(
        model, [&] { return generate(model, some_ids(), GenerateOptions(2)); }, hooks);
    CHECK(longer.equal(by_hand));
    CHECK_FALSE(generate(model, some_ids(), GenerateOptions(2)).equal(longer));
  }

  TEST_CASE("a hook may run the model itself, and what it throws leaves nothing behind") {
    GPT model = make(small());
    const Tensor y = model(some_ids());
    int calls = 0;
    run_with_hooks(model, some_ids(),
                   {{"hook_embed", [&](const Tensor& x, const std::string&) {
                       ++calls;
                       CHECK(model(some_ids()).equal(y));
                       CHECK(run_with_cache(model, some_ids(), "hook_embed").second["hook_embed"].equal(x));
                       return Tensor();
                     }}});
    CHECK(calls == 1);
    const Hooks thrown = {{"blocks.1.mlp.hook_pre", [](const Tensor&, const std::string&) -> Tensor {
                             throw std::runtime_error("enough");
                           }}};
    CHECK_THROWS_WITH(run_with_hooks(model, some_ids(), thrown), "enough");
    CHECK(model(some_ids()).equal(y));
    CHECK(run_with_cache(model, some_ids()).second.contains("blocks.1.mlp.hook_pre"));
  }

  TEST_CASE("a hook that throws once is forgotten by the next run of the model") {
    GPT model = make(small());
    int thrown = 0;
    std::vector<std::string> heard;
    const Hooks hooks{{"blocks.0.attn.hook_q",
                       [&](const Tensor&, const std::string&) {
                         if (thrown++ == 0) throw std::runtime_error("enough");
                         return Tensor();
                       }},
                      {everything, [&](const Tensor&, const std::string& name) {
                         heard.push_back(name);
                         return Tensor();
                       }}};
    const auto twice = [&] {
      try {
        return model->forward(some_ids());
      } catch (const std::runtime_error&) {
        heard.clear();
        return model->forward(some_ids());
      }
    };
    run_with_hooks(model, twice, hooks);
    CHECK(thrown == 2);
    CHECK(heard == hook_names(model));
  }

  TEST_CASE("a block that stands twice in a model has the names of both places") {
    GPT model = make(small());
    model->h->push_back(model->h->ptr<GPTBlockImpl>(0));
    const auto names = hook_names(model);
    for (const char* name : {"blocks.0.hook_mlp_out", "blocks.1.hook_mlp_out", "blocks.2.hook_mlp_out"})
      CHECK(std::count(names.begin(), names.end(), name) == 1);
    const auto cache = run_with_cache(model, some_ids(), everything).second;
    CHECK(cache["blocks.2.hook_resid_pre"].equal(cache["blocks.1.hook_resid_post"]));
  }

  TEST_CASE("a listener of one's own does not hear what is inside of layers") {
    std::vector<std::string> heard;
    const HookListener listener(
        [&](const std::string& name) {
          heard.push_back(name);
          return false;
        },
        nullptr);
    make(small())->forward(some_ids());
    CHECK(heard.empty());
  }

  TEST_CASE("threads look into one model, each with its own hooks") {
    GPT model = make(small());
    const NoGradGuard no_grad;
    std::vector<Tensor> alone;
    const auto run = [&](int i) {
      const NoGradGuard on_this_thread;
      return i == 2 ? model(some_ids())
                    : run_with_hooks(model, some_ids(),
                                     {{"blocks.0.attn.hook_z", [i](const Tensor& z, const std::string&) {
                                         return without_head(z, i);
                                       }}});
    };
    for (int i = 0; i < 3; ++i) alone.push_back(run(i));
    CHECK_FALSE(alone[0].equal(alone[1]));
    on_threads(3, [&](int i) {
      for (int round = 0; round < 20; ++round) REQUIRE(run(i).equal(alone[static_cast<size_t>(i)]));
    });
  }

  TEST_CASE("modes, names and printing of the model stay as they are") {
    GPT model = make(small().dropout(0.5));
    std::ostringstream text;
    text << model;
    hook_names(model);
    run_with_cache(model, some_ids());
    std::ostringstream again;
    again << model;
    CHECK(again.str() == text.str());
    CHECK(again.str().find("ook") == std::string::npos);
    CHECK(model->is_training());
    CHECK(model->state_dict().size() == 2 + 2 * 12 + 2);
  }

  TEST_CASE("names that no point has are refused, and those most like them are named") {
    GPT model = make(small());
    CHECK(refusal_lines([&] { run_with_cache(model, some_ids(), "blocks.1.attn.hook_patern"); }) ==
          "there is no hook point 'blocks.1.attn.hook_patern' in this model\nhint: like it are "
          "blocks.1.attn.hook_pattern, blocks.1.attn.hook_q, blocks.1.attn.hook_k");
    CHECK(refusal_lines([&] {
            run_with_hooks(model, some_ids(), {{"blocks.2.hook_resid_pre", nullptr}});
          }) == "run_with_hooks: a hook's function is empty");
    const Hooks wrong = {
        {{"hook_embed", "blocks.2.hook_resid_pre"}, [](const Tensor& x, const std::string&) { return x; }}};
    CHECK(refusal([&] { run_with_hooks(model, some_ids(), wrong); }) ==
          "ValueError: there is no hook point 'blocks.2.hook_resid_pre' in this model");
    const auto wrong_sizes = [](const Tensor& x, const std::string&) { return x[0]; };
    CHECK(refusal_lines([&] {
            run_with_hooks(model, some_ids(), {{"hook_embed", wrong_sizes}});
          }) ==
          "a hook must return a tensor of the sizes and type that it receives, or nothing\nreceived [5, 8] "
          "of torch.float64 "
          "in "
          "place of "
          "[2, 5, 8] of torch.float64 at hook_embed\nin wte (Embedding) of GPT");
    CHECK(refusal([&] { run_with_cache(model, zeros({3}, kLong)); }) ==
          "Error: GPT: expected ids of sizes [batch, sequence], but got [3]");
    CHECK(refusal([&] { run_with_cache(model, some_ids()).second["hook_nothing"]; }) ==
          "Error: Activation 'hook_nothing' is not defined");
  }
}
