// GGUF files that llama.cpp's converter made from folders of transformers (golden/models/make_gguf.py), and Etude's own.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "etude/io/gguf.h"
#include "etude/quantize.h"
#include "etude/text/byte_pair_tokenizer.h"
#include "etude/text/word_tokenizer.h"
#include "layers/pretrained_models.h"
#include "support/has.h"

TEST_SUITE("GGUF models") {
  using namespace pretrained;

  namespace {

  constexpr const char* kConverted[] = {"gpt2", "llama2", "llama3", "smollm2", "qwen2", "qwen3"};

  GPT loaded_as_float(const std::string& path) {
    return from_pretrained(path, PretrainedOptions().dtype(kFloat));
  }

  Tensor logits_of_whole(GPT& model) {
    const NoGradGuard no_grad;
    return model(recorded_logits().at("ids"));
  }

  /// The error of loading a golden file after a change of its metadata or tensors.
  template <typename F>
  std::string refusal_after(const std::string& name, const F& change) {
    const GgufFile file = load_gguf(recorded_model(name + ".gguf"));
    auto metadata = file.metadata;
    OrderedDict<std::string, QuantizedWeight> tensors;
    for (const auto& item : file.entries) tensors.insert(item.key(), {file.tensor(item.key()), {}});
    change(metadata, tensors);
    const TemporaryFolder folder;
    save_gguf(folder / "x.gguf", tensors, metadata);
    const std::string text = refusal_lines([&] { from_pretrained(folder / "x.gguf"); });
    const size_t at = text.find(folder.path());
    return at == text.npos ? text : std::string(text).replace(at, folder.path().size(), "DIR");
  }

  }  // namespace

  TEST_CASE("of llama.cpp's converter have the logits of transformers") {
    for (const std::string name : kConverted) {
      CAPTURE(name);
      GPT model = loaded_as_float(recorded_model(name + ".gguf"));
      CHECK_FALSE(model->is_training());
      CHECK(as_recorded(logits_of_whole(model), name + ".whole"));
    }
    // The weights of this one were rounded to float16.
    GPT mistral = from_pretrained(recorded_model("mistral.gguf"));
    CHECK(mistral->wte->weight.scalar_type() == kFloat);
    CHECK(allclose(logits_of_whole(mistral), recorded_logits().at("mistral.whole"), 1e-2, 1e-2));
  }

  // save_gguf writes what llama.cpp's converter writes for the same model.
  TEST_CASE("have the tensors and metadata of llama.cpp's converter") {
    const std::map<std::string, ScalarType> dtypes = {{"mistral", kHalf}, {"smollm2", kBFloat16}};
    for (const std::string name : {"gpt2", "llama2", "llama3", "mistral", "smollm2", "qwen2", "qwen3"}) {
      const ScalarType dtype = dtypes.count(name) ? dtypes.at(name) : kFloat;
      const GgufFile golden = load_gguf(recorded_model(name + ".gguf"));
      for (const bool from_folder : {true, false}) {
        CAPTURE(name);
        CAPTURE(from_folder);
        const TemporaryFolder folder;
        const GPT model =
            from_pretrained(from_folder ? recorded_model(name) : recorded_model(name + ".gguf"));
        nn::save_gguf(model, nullptr, folder / "x.gguf", dtype);
        const GgufFile own = load_gguf(folder / "x.gguf");
        CHECK(own.entries.size() == golden.entries.size());
        for (const auto& item : golden.entries) {
          CAPTURE(item.key());
          REQUIRE(own.entries.contains(item.key()));
          const Tensor a = golden.tensor(item.key()), b = own.tensor(item.key());
          if (item.key() == "rope_freqs.weight") CHECK(allclose(a, b, 1e-6));
          else CHECK(same(a, b));
        }
        for (const auto& item : golden.metadata) {
          const std::string& key = item.key();
          if (key == "general.type" || key == "general.name" || key == "general.size_label") continue;
          CAPTURE(key);
          REQUIRE(own.metadata.contains(key));
          if (item->isInt()) CHECK(own.metadata[key].toInt() == item->toInt());
          else if (item->isDouble()) CHECK(own.metadata[key].toDouble() == item->toDouble());
          else CHECK(own.metadata[key].toStringRef() == item->toStringRef());
        }
      }
    }
  }

  TEST_CASE("of Llama 3 have its settings for scaled angles") {
    const TemporaryFolder folder;
    auto rotary = RotaryPositionsOptions(128).base(500000.0);
    rotary.scaling().kind(RotaryScaling::Kind::kLlama3).factor(32);
    const auto positions = [&](GPTOptions options) {
      GPT model(options.head_dim(128).positions(RotaryPositions(rotary).ptr()));
      nn::save_gguf(model, nullptr, folder / "x.gguf", kFloat);
      const auto back = from_pretrained(folder / "x.gguf")->positions;
      return std::dynamic_pointer_cast<RotaryPositionsImpl>(back)->options;
    };
    const RotaryScaling scaling = positions(small_llama()).scaling();
    CHECK(scaling.kind() == RotaryScaling::Kind::kLlama3);
    CHECK(scaling.factor() == 32);
    CHECK(scaling.low_freq_factor() == doctest::Approx(1).epsilon(1e-4));
    CHECK(scaling.high_freq_factor() == doctest::Approx(4).epsilon(1e-4));
    CHECK(scaling.original_context() == 8192);
    // From Llama 3's code: the angle of a pair of wavelength w is divided, for a context c, by 32 if w > c and by 1 if w < c / 4.
    const Tensor factors = load_gguf(folder / "x.gguf").tensor("rope_freqs.weight").to(kDouble);
    for (int64_t i = 0; i < 64; ++i) {
      const double wave = 2 * M_PI * std::pow(500000.0, static_cast<double>(i) / 64),
                   smooth = (8192 / wave - 1) / 3;
      const double expected = wave > 8192 ? 32 : wave < 2048 ? 1 : 1 / ((1 - smooth) / 32 + smooth);
      CHECK(factors[i].item<double>() == doctest::Approx(expected).epsilon(1e-6));
    }
  }

  TEST_CASE("are quantised where rows are multiples of 32") {
    const TemporaryFolder folder;
    manual_seed(1);
    GPT model(small_options().d_model(32).dim_feedforward(48).tied_head(false));
    nn::save_gguf(model, nullptr, folder / "x.gguf", kChar);
    const GgufFile file = load_gguf(folder / "x.gguf");
    for (const auto& item : file.entries) {
      CAPTURE(item.key());
      const bool is_vector = item->sizes.size() == 1 || item.key() == "position_embd.weight";
      CHECK(item->type == (is_vector ? "F32" : item->sizes.back() == 48 ? "F16" : "Q8_0"));
    }
    const GPT back = from_pretrained(folder / "x.gguf");
    const auto before = model->state_dict(), after = back->state_dict();
    for (const auto& item : before) {
      CAPTURE(item.key());
      // The error is half a step, of which the largest number has 127; rounding the scale to float16 adds up to 127 * 2^-11 steps.
      const double step = item->abs().max().item<double>() / 127;
      CHECK((after[item.key()] - item.value()).abs().max().item<double>() <= 0.563 * step);
    }
    CHECK(after["wpe.weight"].equal(before["wpe.weight"]));
  }

  TEST_CASE("have the int8 numbers and the scales of a quantised model") {
    const NoGradGuard no_grad;
    const TemporaryFolder folder;
    const Tensor ids = tensor({{3, 30, 11, 0, 7, 9, 1, 2, 30, 4}});
    const auto wide = [](GPTOptions options) { return GPT(options.d_model(64).dim_feedforward(96)); };
    auto positions = RotaryPositions(16, RotaryPairs::Half).ptr();
    for (GPT model : {wide(small_options()), wide(small_llama().positions(positions).tied_head(false))}) {
      model->eval();
      CHECK(quantize(model).empty());
      nn::save_gguf(model, nullptr, folder / "x.gguf", kChar);
      const QuantizedWeight embedding = load_gguf(folder / "x.gguf").quantized("token_embd.weight"),
                            down = load_gguf(folder / "x.gguf").quantized("blk.1.ffn_down.weight");
      const auto state = model->state_dict();
      CHECK(same(embedding.values, state["wte.weight_values"]));
      CHECK(same(embedding.scales, state["wte.weight_scales"]));
      CHECK(same(down.values, state["h.1.mlp.c_proj.weight_values"]));
      CHECK(same(down.scales, state["h.1.mlp.c_proj.weight_scales"]));
      CHECK(allclose(from_pretrained(folder / "x.gguf")(ids), model(ids), 1e-5, 1e-5));
    }
  }

  TEST_CASE("take any form of heads and positions with them") {
    const NoGradGuard no_grad;
    const Tensor ids = tensor({{3, 30, 11, 0, 7}});
    for (const GPTOptions& options :
         {small_options(), small_options().tied_head(false), small_llama(),
          small_llama(RotaryPairs::Interleaved).tied_head(false), small_llama().bias(true).qkv_bias(true),
          small_llama().qkv_bias(true), small_llama().qk_norm(true),
          small_llama(RotaryPairs::Interleaved).qk_norm(true)}) {
      manual_seed(2);
      GPT model(options);
      for (auto& item : model->named_parameters()) item->uniform_(-0.5, 1);
      model->eval();
      const TemporaryFolder folder;
      nn::save_gguf(model, nullptr, folder / "x.gguf", kFloat);
      GPT back = from_pretrained(folder / "x.gguf");
      CHECK(back->options.tied_head() == options.tied_head());
      CHECK(allclose(back(ids), model(ids), 1e-5, 1e-5));
      // Also after another way through the format of transformers.
      save_pretrained(back, nullptr, folder / "x");
      CHECK(allclose(from_pretrained(folder / "x")(ids), model(ids), 1e-5, 1e-5));
    }
  }

  TEST_CASE("come with their tokenizer") {
    const TemporaryFolder folder;
    const auto tokenizer = text::BytePairTokenizer::train("the theory of the thing", 262, {"<end>"});
    nn::save_gguf(GPT(GPTOptions(265).d_model(8).heads(2).layers(1)), &tokenizer, folder / "x.gguf");
    CHECK(text::load_tokenizer(folder / "x.gguf")->encode("the thing<end>") ==
          tokenizer.encode("the thing<end>"));
    CHECK(from_pretrained(folder / "x.gguf")->options.vocab_size() == 265);
  }

  TEST_CASE("are refused if they are no model that a GPT can be") {
    using Metadata = OrderedDict<std::string, IValue>;
    const auto with = [](const std::string& key, const IValue& value) {
      return [key, value](Metadata& metadata, auto&) {
        if (metadata.contains(key)) metadata.erase(key);
        metadata.insert(key, value);
      };
    };
    const auto refused = [&](const std::string& key, const IValue& value) {
      return refusal_after("llama2", with(key, value));
    };
    CHECK(has(refused("general.architecture", "mamba"),
              "has model type `mamba` but Etude does not recognize this"));
    CHECK(has(refused("general.architecture", "\xff"), "but Etude does not recognize this architecture"));
    CHECK(has(refused("llama.block_count", 0), "DIR/x.gguf: `num_hidden_layers` has to be given"));
    CHECK(has(refused("llama.block_count", 1 << 27), "DIR/x.gguf: has too few tensors for 134217728 layers"));
    CHECK(has(refused("llama.embedding_length", "24"), "DIR/x.gguf: `hidden_size` is of another type"));
    CHECK(has(refused("llama.attention.layer_norm_rms_epsilon", std::nan("")),
              "`rms_norm_eps` is of another type"));
    CHECK(has(refused("llama.attention.head_count_kv", std::vector<int64_t>{4, 4}),
              "`num_key_value_heads` is of another type"));
    CHECK(refused("llama.rope.dimension_count", 4) ==
          "DIR/x.gguf: `llama.rope.dimension_count` is 4, and has to be 6");
    CHECK(refused("llama.attention.value_length", 4) ==
          "DIR/x.gguf: `llama.attention.value_length` is 4, and has to be 6");
    CHECK(refused("llama.expert_count", 8) == "DIR/x.gguf: `llama.expert_count` is 8, and has to be 0");
    CHECK(has(refused("llama.rope.scaling.type", "yarn"),
              "`rope_type` is \"yarn\", and has to be default, linear or llama3"));
    CHECK(has(refused("llama.rope.scaling.factor", 0.0), "`factor` has to be given, above 0"));
    CHECK(has(refused("llama.feed_forward_length", 21),
              "size mismatch for model.layers.0.mlp.gate_proj.weight"));

    CHECK(has(refusal_after("llama2", [](auto&, auto& tensors) { tensors.erase("blk.1.attn_k.weight"); }),
              "Missing key(s) in state_dict: \"model.layers.1.self_attn.k_proj.weight\""));
    CHECK(has(refusal_after("gpt2",
                            [](auto&, auto& tensors) {
                              tensors.insert("blk.2.x.weight", {zeros({2, 3}), {}});
                            }),
              "Unexpected key(s) in state_dict: \"blk.2.x.weight\""));
    CHECK(has(refusal_after("gpt2",
                            [](auto&, auto& tensors) {
                              tensors["blk.0.ffn_up.weight"] = {zeros({20, 80}), {}};
                            }),
              "size mismatch for transformer.h.0.mlp.c_fc.weight"));
    for (const Tensor& factors :
         {ones({2}), full({3}, -1.0), tensor({1.0F, 2.0F, 1.0F}), full({3}, std::nan("")), zeros({3})}) {
      CAPTURE(factors);
      CHECK(refusal_after("llama3", [&](auto&, auto& tensors) {
              tensors["rope_freqs.weight"] = {factors, {}};
            }) == "DIR/x.gguf: its rope_freqs.weight are not those of Llama 3");
    }
    // A table for heads of this width would take a gigabyte.
    CHECK(refusal_after("llama3", [&](auto& metadata, auto& tensors) {
            for (const char* key : {"attention.key_length", "attention.value_length", "rope.dimension_count"})
              with(std::string("llama.") + key, (int64_t{1} << 28) - 2)(metadata, tensors);
          }) == "DIR/x.gguf: its rope_freqs.weight are not those of Llama 3");
    nn::GPT no_family(small_options().bias(false));
    CHECK(has(refusal([&] { nn::save_gguf(no_family, nullptr, "/none/x"); }),
              "ValueError: save_pretrained: no family"));
    nn::GPT gpt2(small_options());
    CHECK(has(refusal([&] { nn::save_gguf(gpt2, nullptr, "/none/x", kDouble); }),
              "save_gguf: torch.float64 is not written"));
  }
}
