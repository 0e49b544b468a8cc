#include "etude/pretrained_family.h"

#include <doctest/doctest.h>

#include <random>

#include "etude/generate.h"
#include "layers/pretrained_models.h"
#include "support/has.h"
#include "support/mutated_bytes.h"

TEST_SUITE("families of pretrained models") {
  using namespace pretrained;

  TEST_CASE("hold every element of a model once") {
    for (const std::string name :
         {"gpt2", "gpt2_first", "llama2", "llama3", "smollm2", "qwen2", "qwen3", "mistral"}) {
      CAPTURE(name);
      const std::string path = recorded_model(name) + "/config.json";
      nn::detail::PretrainedModel model = nn::detail::read_pretrained_config(path, read_bytes(path), nullopt);
      if (model.rotary) model.options.positions(RotaryPositions(*model.rotary).ptr());
      GPT gpt(model.options);
      const NoGradGuard no_grad;
      for (const Tensor& p : gpt->parameters()) p.zero_();
      auto parameters = gpt->named_parameters();
      for (const auto& place : nn::detail::weight_places(model)) {
        const int64_t columns = place.transposed ? place.sizes.front() : place.sizes.back();
        parameters[place.parameter].narrow(-1, place.first, columns) += 1;
      }
      for (const auto& item : parameters) CHECK(same(item.value(), ones(item->sizes())));
    }
  }

  TEST_CASE("are not loaded with settings that a GPT does not have") {
    const auto refused = [](const std::string& name, const std::string& key, const json& value) {
      CopiedModel model(name);
      model.set(key, value);
      const std::string text = model.refusal(), start = ": Etude does not have all of these settings\n  ";
      return has(text, start) ? text.substr(text.find(start) + start.size()) : text;
    };
    CHECK(refused("gpt2", "activation_function", "relu") ==
          "`activation_function` is \"relu\", and has to be \"gelu_new\" or \"gelu_pytorch_tanh\"");
    CHECK(refused("gpt2", "scale_attn_by_inverse_layer_idx", true) ==
          "`scale_attn_by_inverse_layer_idx` is true, and has to be false");
    CHECK(refused("gpt2", "scale_attn_weights", false) ==
          "`scale_attn_weights` is false, and has to be true");
    CHECK(refused("gpt2", "add_cross_attention", true) ==
          "`add_cross_attention` is true, and has to be false");
    CHECK(refused("llama3", "hidden_act", "gelu") ==
          "`hidden_act` is \"gelu\", and has to be \"silu\" or \"swish\"");
    CHECK(refused("llama3", "mlp_bias", true) == "`attention_bias` is false, and has to be true");
    CHECK(refused("llama3", "attention_bias", true) == "`attention_bias` is true, and has to be false");
    CHECK(refused("qwen3", "attention_bias", true) == "`attention_bias` is true, and has to be false");
    CHECK(refused("llama3", "partial_rotary_factor", 0.5) ==
          "`partial_rotary_factor` is 0.5, and has to be 1");
    CHECK(refused("llama3", "quantization_config", {{"bits", 4}}) ==
          "`quantization_config` is {\"bits\":4}, and has to be null");
    for (const std::string type : {"yarn", "dynamic", "longrope"})
      CHECK(refused("llama3", "rope_scaling", {{"type", type}, {"factor", 2.0}}) ==
            "`rope_type` is \"" + type + "\", and has to be default, linear or llama3");
    CHECK(refused("llama3", "rope_parameters", {{"full_attention", {{"rope_theta", 1.0}}}}) ==
          "`full_attention` is {\"rope_theta\":1.0}, and has to be null");

    CopiedModel both("llama3");
    both.set("hidden_act", "relu");
    both.set("partial_rotary_factor", 0.25);
    CHECK(has(both.refusal(),
              "settings\n  `hidden_act` is \"relu\", and has to be \"silu\" or \"swish\""
              "\n  `partial_rotary_factor` is 0.25, and has to be 1"));
  }

  TEST_CASE("with a window have to see the whole context") {
    CopiedModel model("mistral"), qwen("qwen2");
    CHECK(*from_pretrained(model.folder.path())->max_length() == 64);  // the window
    model.set("sliding_window", 32);
    CHECK(has(model.refusal(),
              "\n  `sliding_window` is 32, and has to be as long as the context of 64, or null"
              "\n    hint: with PretrainedOptions().context(32) it loads for texts that short"));
    GPT shorter = from_pretrained(model.folder.path(), PretrainedOptions().context(32));
    const NoGradGuard no_grad;
    CHECK(as_recorded(shorter(recorded_logits().at("ids")), "mistral.whole"));
    CHECK(has(refusal_text([&] {
                shorter(zeros({1, 33}, kLong));
              }),
              "GPT: a sequence of 33 tokens is longer than the context of 32"));
    CHECK(generate(shorter, zeros({1, 30}, kLong), GenerateOptions(5)).size(1) == 35);
    model.set("sliding_window", nullptr);
    CHECK(*from_pretrained(model.folder.path())->max_length() == 64);
    qwen.set("sliding_window", 4);
    CHECK(from_pretrained(qwen.folder.path())->options.context() == 64);  // not used
    qwen.set("use_sliding_window", true);
    CHECK(has(qwen.refusal(), "`sliding_window` is 4, and has to be as long as the context of 64, or null"));
  }

  TEST_CASE("have a readable config.json") {
    const auto refused = [](const std::string& key, const json& value) {
      CopiedModel model("llama3");
      model.set(key, value);
      return model.refusal();
    };
    CHECK(
        has(refused("model_type", "gemma3"),
            "The checkpoint you are trying to load has model type `gemma3` but Etude does not recognize this "
            "architecture\nreceived "));
    CHECK(
        has(refused("model_type", "gemma3"), "\nhint: gpt2, llama, mistral, qwen2 and qwen3 are recognized"));
    CHECK(has(refused("model_type", nullptr), "Should have a `model_type` key in its config.json"));
    CHECK(has(refused("hidden_size", nullptr),
              "config.json: `hidden_size` has to be given, above 0 and below 2^28, and is 0"));
    CHECK(
        has(refused("hidden_size", -3), "`hidden_size` has to be given, above 0 and below 2^28, and is -3"));
    CHECK(has(refused("num_attention_heads", "four"),
              "config.json: `num_attention_heads` is of another type: \"four\""));
    CHECK(has(refused("num_hidden_layers", 2.5), "`num_hidden_layers` is of another type: 2.5"));
    CHECK(has(refused("rms_norm_eps", 0), "`rms_norm_eps` has to be given, above 0"));
    CHECK(has(refused("rope_parameters", {{"rope_type", "llama3"}, {"factor", -1}}),
              "`factor` has to be given, above 0"));
    CHECK(has(refused("rope_parameters", {{"rope_type", "linear"}}), "`factor` has to be given, above 0"));
    CHECK(has(refused("rope_parameters", {{"rope_type", "llama3"}, {"factor", 2}}),
              "`low_freq_factor` has to be given"));
    // Numbers that no file could hold cost no memory.
    CHECK(has(refused("vocab_size", 1 << 27), "size mismatch for model.embed_tokens.weight"));
    CHECK(
        has(refused("head_dim", (1 << 28) - 1), "size mismatch for model.layers.0.self_attn.q_proj.weight"));
    CHECK(has(refused("num_hidden_layers", 1 << 27),
              "tensors, which cannot be the 134217728 layers of its config.json"));
    CHECK(has(refused("num_attention_heads", 3), "size mismatch"));
    CHECK(has(refused("num_key_value_heads", 4), "size mismatch"));
    CopiedModel text("llama3"), list("llama3");
    write_bytes(text.folder / "config.json", "{\"model_type\": ");
    CHECK(has(text.refusal(), "config.json: is not a JSON object"));
    write_bytes(list.folder / "config.json", "[]");
    CHECK(has(list.refusal(), "config.json: is not a JSON object"));
  }

  TEST_CASE("that fit no family are not written") {
    const TemporaryFolder folder;
    const auto refused = [&](const GPTOptions& options) {
      GPT model(options);
      return refusal_lines([&] { save_pretrained(model, nullptr, folder / "never"); });
    };
    const std::string start = "save_pretrained: no family of transformers is such a model\n  ",
                      end = "\nhint: etude::save(model, path) writes any model for etude::load";
    CHECK(refused(small_options().bias(false)) == start + "GPT-2 has all biases" + end);
    CHECK(refused(small_options().positions(ALiBiPositions(4).ptr())) ==
          start + "GPT-2 has trained positions, which are not given" + end);
    CHECK(refused(small_options().kv_heads(2).qk_norm(true).head_dim(2)) ==
          start +
              "GPT-2 has qk_norm(false)\n  GPT-2 has as many kv_heads as heads\n  GPT-2 has head_dim d_model "
              "/ heads" +
              end);
    CHECK(refused(small_llama().rms_norm(false)) ==
          start + "Llama has rms_norm(true) and swiglu(true)" + end);
    CHECK(refused(small_llama().positions(nullptr)) == start + "Llama has RotaryPositions" + end);
    CHECK(refused(small_llama().bias(true).qkv_bias(false)) ==
          start + "Llama has all biases or none, and Qwen2 those of q, k and v" + end);
    CHECK(refused(small_llama().qk_norm(true).qkv_bias(true)) ==
          start + "Qwen3, which has qk_norm(true), has no biases" + end);
    CHECK(folder.count() == 0);
    GPT changed(small_llama());
    changed->wte = changed->replace_module("wte", Embedding(30, 16));
    CHECK(has(refusal_text([&] { save_pretrained(changed, nullptr, folder / "never"); }),
              "save_pretrained: model.embed_tokens.weight has to be [31, 16], and is [30, 16]"));
  }

  TEST_CASE("with lists nested deeply in their files are refused") {
    const std::string deep = std::string(200000, '[') + std::string(200000, ']');
    const CopiedModel model("llama3");
    const std::string index = model.folder / "model.safetensors.index.json",
                      config = model.folder / "config.json",
                      wrong = ": has lists in lists, more than 64 deep";
    write_bytes(index, R"({"weight_map": {"model.norm.weight": )" + deep + "}}");
    CHECK(model.refusal() == index + wrong);
    for (const std::string key : {"hidden_size", "rope_scaling", "quantization_config"}) {
      CAPTURE(key);
      write_bytes(config, R"({"model_type": "llama", "vocab_size": 3, ")" + key + "\": " + deep + "}");
      CHECK(model.refusal() == config + wrong);
    }
  }

  TEST_CASE("damaged in their files load or throw, and nothing else") {
    std::mt19937 random(3);
    const auto anywhere = [&](size_t size) { return random() % size; };
    for (const auto& [name, file] : {std::pair("gpt2", "config.json"),
                                     {"llama3", "config.json"},
                                     {"llama3", "model.safetensors.index.json"}}) {
      const CopiedModel model(name);
      const std::string whole = read_bytes(model.folder / file);
      int refused = 0;
      for (int i = 0; i < 150; ++i) {
        write_bytes(model.folder / file, mutated(whole, random, "019{}[],:\".-e", anywhere));
        refused += !model.refusal().empty();
      }
      CHECK(refused > 20);
    }
  }
}
