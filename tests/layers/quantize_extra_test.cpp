// Models with weights of 8 bits, against the same models with the floats that these weights represent.
#include "etude/quantize.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "etude/generate.h"
#include "etude/look_inside.h"
#include "support/pt_files.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("quantize") {
  namespace {

  GPTOptions small() { return GPTOptions(96).context(24).d_model(64).layers(2).heads(4).dropout(0); }
  GPTOptions modern() {
    return small().rms_norm(true).swiglu(true).bias(false).tied_head(false).dim_feedforward(96).positions(
        RotaryPositions(16, RotaryPairs::Half).ptr());
  }

  // Weights large enough for logits that differ.
  GPT made(const GPTOptions& options) {
    GPT model(options);
    const NoGradGuard no_grad;
    for (const Tensor& p : model->parameters())
      if (p.dim() == 2) p.mul_(8);
    model->eval();
    return model;
  }
  GPT copy_of(const GPT& model) { return GPT(std::dynamic_pointer_cast<GPTImpl>(model->clone())); }
  GPT quantized(const GPT& model) {
    GPT copy = copy_of(model);
    CHECK(quantize(copy).empty());
    return copy;
  }

  // The same model with floats: the numbers that the int8 weights represent, by definition.
  GPT with_floats(const GPT& model, const GPT& original) {
    GPT copy = copy_of(original);
    const NoGradGuard no_grad;
    const auto state = model->state_dict();
    for (const auto& item : copy->named_parameters()) {
      const Tensor* const values = state.find(item.key() + "_values");
      if (!values) continue;
      const Tensor scales = state[item.key() + "_scales"].to(kFloat).repeat_interleave(32, 1),
                   w = values->to(kFloat) * scales;
      item->copy_(w.sizes() == item->sizes() && item.key().find("h.") != 0 ? w : w.t());
    }
    return copy;
  }

  int64_t bytes_of(const GPT& model) {
    int64_t bytes = 0;
    for (const auto& item : model->state_dict()) bytes += item->nbytes();
    return bytes;
  }

  Tensor some_ids(int64_t length = 20) {
    return etude::arange(2 * length).mul(37).remainder(96).view({2, length});
  }

  double apart(const Tensor& a, const Tensor& b) { return (a - b).abs().max().item<double>(); }

  }  // namespace

  TEST_CASE("a quantized model computes what its int8 weights stand for, of any form and length") {
    const NoGradGuard no_grad;
    for (const GPTOptions& options : {small(), modern(), small().bias(false).tied_head(false)}) {
      const GPT original = made(options);
      GPT model = quantized(original), floats = with_floats(model, original);
      for (const int64_t length : {1, 3, 20}) {
        const Tensor ids = some_ids(length), expected = floats->forward(ids);
        CHECK(apart(model->forward(ids), expected) < 2e-3 * expected.abs().max().item<double>());
        CHECK(apart(model->next_logits(ids), expected.select(1, -1)) <
              2e-3 * expected.abs().max().item<double>());
      }
      const Tensor y = model->forward(some_ids());
      CHECK(apart(y, GPT(original)->forward(some_ids())) < 0.1 * y.abs().max().item<double>());
      Tensor next = some_ids().roll({1}, {1});
      next[0][3] = -100;
      const Tensor by_hand = functional::cross_entropy(y.flatten(0, 1), next.flatten());
      CHECK(model->loss(some_ids(), next).item<double>() == doctest::Approx(by_hand.item<double>()));
    }
  }

  TEST_CASE("its weights take little more than a quarter of the memory") {
    const GPT original = made(modern()), model = quantized(original);
    CHECK(static_cast<double>(bytes_of(model)) < 0.28 * static_cast<double>(bytes_of(original)));
  }

  TEST_CASE("the state has int8 values and scales under the name of each weight") {
    const GPT model = quantized(made(small()));
    const auto state = model->state_dict();
    const auto check = [&](const std::string& name, ScalarType type, IntArrayRef sizes) {
      CAPTURE(name);
      REQUIRE(state.contains(name));
      CHECK((state[name].scalar_type() == type && state[name].sizes() == sizes));
    };
    check("wte.weight_values", kChar, {96, 64});
    check("wte.weight_scales", kHalf, {96, 2});
    check("h.1.attn.c_attn.weight_values", kChar, {192, 64});
    check("h.1.attn.c_attn.bias", kFloat, {192});
    check("h.0.mlp.c_proj.weight_values", kChar, {64, 256});
    check("h.0.mlp.c_proj.weight_scales", kHalf, {64, 8});
    check("wpe.weight", kFloat, {24, 64});
    CHECK_FALSE((state.contains("wte.weight") || state.contains("h.0.attn.c_attn.weight")));
    int64_t parameters = 0, before = 0;
    for (const Tensor& p : model->parameters()) parameters += p.numel();
    for (const Tensor& p : made(small())->parameters()) before += p.numel();
    CHECK(parameters == before);
  }

  TEST_CASE("it is saved and loaded into a quantized model, and not into one of floats") {
    const TemporaryFolder folder;
    const GPT original = made(modern()), model = quantized(original);
    const NoGradGuard no_grad;
    const Tensor y = GPT(model)->forward(some_ids());
    for (const char* name : {"x.safetensors", "x.pt"}) {
      if (std::string(name) == "x.pt" && !has_pt_files()) continue;
      save(model, folder / name);
      GPT other = quantized(made(modern()));
      CHECK_FALSE(equal(other->forward(some_ids()), y));
      load(other, folder / name);
      CHECK(equal(other->forward(some_ids()), y));
    }
    GPT other = copy_of(original);
    const std::string missing = refusal_lines([&] { other->load_state_dict(model->state_dict()); });
    CHECK(missing.find("Missing key(s) in state_dict: \"wte.weight\"") != std::string::npos);
    CHECK(missing.find("\"wte.weight_values\"") != std::string::npos);
    CHECK(refusal_lines([&] {
            GPT(model)->load_state_dict(original->state_dict());
          }).find("Missing key(s) in state_dict: \"wte.weight_values\", \"wte.weight_scales\"") !=
          std::string::npos);
    CHECK(equal(GPT(model)->forward(some_ids()), y));
  }

  TEST_CASE("a clone has weights of its own") {
    const GPT model = quantized(made(small()));
    const NoGradGuard no_grad;
    GPT copy = copy_of(model);
    const Tensor y = GPT(model)->forward(some_ids());
    CHECK(equal(copy->forward(some_ids()), y));
    CHECK(copy->state_dict().size() == model->state_dict().size());
    copy->wte->quantized.values.zero_();
    copy->h->at<GPTBlockImpl>(0).attn->c_attn->quantized.scales.zero_();
    CHECK(equal(GPT(model)->forward(some_ids()), y));
    CHECK(copy->forward(some_ids()).abs().max().item<float>() == 0);
  }

  TEST_CASE("it generates the same tokens with and without a cache, for one sequence and for several") {
    for (const GPTOptions& options : {small(), modern()}) {
      GPT model = quantized(made(options));
      for (const int64_t rows : {1, 2}) {
        const Tensor ids = some_ids(4).slice(0, 0, rows);
        const Tensor tokens = generate(model, ids, GenerateOptions(18));
        CHECK(tokens.sizes() == IntArrayRef({rows, 22}));
        CHECK(equal(tokens, generate(model, ids, GenerateOptions(18).use_cache(false))));
      }
    }
  }

  TEST_CASE("its activations can be read and replaced") {
    const NoGradGuard no_grad;
    for (const GPTOptions& options : {small(), modern()}) {
      GPT model = quantized(made(options));
      const Tensor ids = some_ids(6), y = model->forward(ids);
      const double scale = y.abs().max().item<double>();
      const auto [logits, cache] = run_with_cache(model, ids, [](const std::string&) { return true; });
      CHECK(apart(logits, y) < 2e-3 * scale);
      const Tensor results = cache["blocks.0.attn.hook_result"].sum(2), out = cache["blocks.0.hook_attn_out"],
                   bias = model->h->at<GPTBlockImpl>(0).attn->c_proj->bias;
      CHECK(apart(bias.defined() ? results + bias : results, out) < 1e-3 * out.abs().max().item<double>());
      const Tensor changed = run_with_hooks(
          model, ids, {{"blocks.1.hook_mlp_out", [](const Tensor& x, const std::string&) { return x * 0; }}});
      CHECK(apart(changed, y) > 0.01 * scale);
      CHECK(model->self_attention(ids).size() == 2);
    }
  }

  TEST_CASE("weights that the group does not divide stay floats, and are named") {
    GPT model = made(small().dim_feedforward(80));
    CHECK(quantize(model) == std::vector<std::string>{"h.0.mlp.c_proj.weight", "h.1.mlp.c_proj.weight"});
    CHECK((model->h->at<GPTBlockImpl>(0).mlp->c_proj->weight.scalar_type() == kFloat));
    CHECK((model->wte->quantized.defined() && model(some_ids()).sizes() == IntArrayRef({2, 20, 96})));
    GPT odd = made(small());
    CHECK(quantize(odd, kChar, 48).size() == 9);
    CHECK((odd->wte->weight.defined() && odd->loss(some_ids(), some_ids()).item<float>() > 0));
    GPT wide = made(small());
    CHECK(quantize(wide, kChar, 64, kFloat).empty());
    CHECK((wide->wte->quantized.scales.scalar_type() == kFloat));
    CHECK(wide->wte->quantized.scales.sizes() == IntArrayRef({96, 1}));
  }

  TEST_CASE("a model of 16-bit floats becomes one of int8 and float32") {
    GPT model = made(small());
    model->to(kBFloat16);
    quantize(model);
    for (const Tensor& p : model->parameters())
      CHECK((p.scalar_type() == kFloat || p.scalar_type() == kChar));
    CHECK((model(some_ids()).scalar_type() == kFloat));
  }

  TEST_CASE("a layer alone is quantized, too, and prints how") {
    Linear linear(LinearOptions(64, 3));
    Conv1D conv(64, 3);
    const Tensor x = randn({5, 64}), w = linear->weight.detach().clone(), v = conv->weight.detach().clone();
    quantize(linear);
    quantize(conv, kChar, 64, kFloat);
    CHECK(equal(dequantize(linear->quantized), dequantize(quantize_per_group(w))));
    CHECK(equal(dequantize(conv->quantized), dequantize(quantize_per_group(v.t(), 64, kFloat))));
    CHECK(equal(linear(x), quantized_linear(x, quantize_per_group(w), linear->bias)));
    CHECK(equal(conv(x), quantized_linear(x, quantize_per_group(v.t(), 64, kFloat), conv->bias)));
    CHECK((!linear->weight.defined() && !linear->bias.requires_grad()));
    CHECK(str(*linear) == "Linear(in_features=64, out_features=3, bias=True, dtype=torch.int8, group=32)");
    CHECK(str(*conv) == "Conv1D(in_features=64, out_features=3, dtype=torch.int8, group=64)");
    CHECK(str(*quantized(made(small()))->wte) == "Embedding(96, 64, dtype=torch.int8, group=32)");
    const auto copy = std::dynamic_pointer_cast<LinearImpl>(linear->clone());
    CHECK((equal(copy->forward(x), linear(x)) && str(*copy) == str(*linear)));
  }

  TEST_CASE("what cannot be quantized is refused") {
    GPT model = made(small());
    Linear odd(48, 2);
    CHECK(refusal([&] { quantize(model, kByte); }) ==
          "Error: quantize: weights become int8, but got torch.uint8");
    CHECK(refusal([&] { quantize(model, kChar, 0); }) ==
          "ValueError: quantize: expected a positive group, but got 0");
    CHECK(refusal([&] { quantize(odd); }) ==
          "ValueError: quantize_per_group: 48 numbers in a row are not a multiple of a group of 32");
    CHECK(odd(etude::ones({1, 48})).requires_grad());
    quantize(model->h->at<GPTBlockImpl>(0).mlp->c_fc);
    CHECK(refusal([&] { quantize(model); }) == "Error: Conv1D: its weight is quantized already");
    CHECK(model->wte->weight.defined());  // nothing has changed before
    model = made(small());
    quantize(model);
    CHECK(refusal([&] { quantize(model); }) == "Error: Embedding: its weight is quantized already");
    CHECK(refusal([&] { quantize(model->h->at<GPTBlockImpl>(0).attn->c_attn); }) ==
          "Error: Conv1D: its weight is quantized already");
    CHECK(refusal([&] { model(etude::tensor({{96}})); }) == "IndexError: index out of range in self");
    CHECK(refusal([&] { model(etude::tensor({{-1}})); }) == "IndexError: index out of range in self");
  }

  TEST_CASE(
      "a block that stands in a model twice is quantized once, and a loss needs a next token for each") {
    GPT model = made(small());
    model->h->push_back(model->h->ptr<GPTBlockImpl>(0));
    CHECK(quantize(model).empty());
    CHECK(refusal([&] {
            model->loss(etude::zeros({2, 3}, kLong), etude::zeros({3, 2}, kLong));
          }) == "Error: Expected target size [2, 3], got [3, 2]");
  }

  TEST_CASE("training it is refused") {
    GPT model = quantized(made(small()));
    model->train();
    for (const Tensor& p : model->parameters()) CHECK_FALSE(p.requires_grad());
    const Tensor loss = model->loss(some_ids(), some_ids());
    CHECK(refusal([&] { loss.backward(); }) ==
          "Error: element 0 of tensors does not require grad and does not have a grad_fn");
    for (const Tensor& p : model->parameters())
      if (p.is_floating_point()) p.set_requires_grad(true);
    CHECK(refusal_text([&] { model->loss(some_ids(), some_ids()); }) ==
          "derivative for etude::quantized_linear is not implemented");
    CHECK(refusal([&] { model->reset_parameters(); }).find("not implemented for 'Char'") !=
          std::string::npos);
  }
}
