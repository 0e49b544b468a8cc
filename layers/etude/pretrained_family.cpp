// config.json in the forms of transformers 4 (rope_theta, rope_scaling) and 5 (rope_parameters). It is written in the older form,
// which both read.

#include "etude/pretrained_family.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace etude::nn {
namespace {

using detail::PretrainedModel;
using detail::WeightPlace;
using nlohmann::json;

constexpr int kDepth = 64;                                            // of nested lists and objects in JSON
constexpr const char* kScalings[] = {"default", "linear", "llama3"};  // as RotaryScaling::Kind

// Throws for deep nesting: each level takes from the stack when JSON is copied or printed. Malformed JSON is discarded.
json parsed_json(const std::string& path, const std::string& text) {
  const auto is_shallow = [&path](int depth, json::parse_event_t, const json&) {
    ETUDE_CHECK(depth <= kDepth, path, ": has lists in lists, more than ", kDepth, " deep");
    return true;
  };
  return json::parse(text, is_shallow, /*allow_exceptions=*/false);
}

// The settings of config.json. One list of calls reads or writes them.
struct Config {
  std::string path;
  json all;
  bool writes;
  std::string refused = {};

  // Leaves v as it is where the key is missing or null.
  template <typename T>
  void value(const char* key, T& v) {
    json& stored = all[key];
    if (writes) stored = v;
    if (writes || stored.is_null()) return;
    const bool fits = std::is_same_v<T, double>    ? stored.is_number()
                      : std::is_same_v<T, int64_t> ? stored.is_number_integer()
                                                   : stored.type() == json(v).type();
    ETUDE_CHECK(fits, path, ": `", key, "` is of another type: ", stored.dump());
    v = stored.get<T>();
  }
  // Sizes are bounded, so that the product of any two fits into an int64_t.
  template <typename T>
  void positive(const char* key, T& v) {
    value(key, v);
    ETUDE_CHECK(v > 0 && (std::is_same_v<T, double> || v < (1 << 28)), path, ": `", key,
                "` has to be given, above 0 and below 2^28, and is ", v);
  }
  // Refuses all other values. A missing value stands for the first allowed one.
  void only(const char* key, const std::vector<json>& allowed) {
    if (writes) all[key] = allowed.front();
    if (all[key].is_null() || std::find(allowed.begin(), allowed.end(), all[key]) != allowed.end()) return;
    refuse(key, Join(" or ", allowed));
  }
  void refuse(const char* key, const std::string& needed) {
    refused += str("\n  `", key, "` is ", all[key].dump(), ", and has to be ", needed);
  }
};

void gpt2_settings(Config& config, GPTOptions& o) {
  config.positive("n_positions", o.context());
  config.positive("n_embd", o.d_model());
  config.positive("n_layer", o.layers());
  config.positive("n_head", o.heads());
  config.value("n_inner", o.dim_feedforward());
  for (const char* key : {"embd_pdrop", "attn_pdrop", "resid_pdrop"}) config.value(key, o.dropout());
  config.positive("layer_norm_epsilon", o.layer_norm_eps());
  config.only("activation_function", {"gelu_new", "gelu_pytorch_tanh"});
  config.only("scale_attn_weights", {true});
  config.only("scale_attn_by_inverse_layer_idx", {false});
  config.only("add_cross_attention", {false});
}

void rotary_settings(Config& config, RotaryPositionsOptions& rotary, int64_t trained_context) {
  json given = config.all.value("rope_scaling", json());
  if (!given.is_object()) given = config.all.value("rope_parameters", json::object());
  Config rope{config.path, given.is_object() ? given : json::object(), config.writes};
  RotaryScaling& scaling = rotary.scaling();
  std::string type = kScalings[static_cast<size_t>(scaling.kind())];
  rope.value("type", type);
  rope.value("rope_type", type);
  const auto kind = std::find(std::begin(kScalings), std::end(kScalings), type) - std::begin(kScalings);
  rope.all["rope_type"] = type;
  if (kind == 3) rope.refuse("rope_type", "default, linear or llama3");
  else scaling.kind(static_cast<RotaryScaling::Kind>(kind));
  if (kind > 0 && !config.writes)
    scaling.factor(0).low_freq_factor(0).high_freq_factor(0).original_context(trained_context);
  if (kind == 1 || kind == 2) rope.positive("factor", scaling.factor());
  if (kind == 2) {
    rope.positive("low_freq_factor", scaling.low_freq_factor());
    rope.positive("high_freq_factor", scaling.high_freq_factor());
    rope.positive("original_max_position_embeddings", scaling.original_context());
  }
  config.positive("rope_theta", rotary.base());
  if (config.writes) {
    config.all["rope_scaling"] = kind == 0 ? json() : rope.all;
    return;
  }
  rope.positive("rope_theta", rotary.base());
  rope.only("full_attention", {json()});  // of models whose layers differ
  rope.only("partial_rotary_factor", {1});
  config.only("partial_rotary_factor", {1});
  config.refused += rope.refused;
}

void llama_settings(Config& config, PretrainedModel& model, optional<int64_t> wanted_context) {
  GPTOptions& o = model.options;
  config.positive("hidden_size", o.d_model());
  config.positive("num_hidden_layers", o.layers());
  config.positive("num_attention_heads", o.heads());
  o.kv_heads(o.key_heads());
  o.head_dim(!config.writes && model.family == "qwen3" ? 128 : o.head_width());
  config.positive("num_key_value_heads", o.kv_heads());
  config.positive("head_dim", o.head_dim());
  config.positive("intermediate_size", o.dim_feedforward());
  config.positive("max_position_embeddings", o.context());
  config.positive("rms_norm_eps", o.layer_norm_eps());
  config.only("hidden_act", {"silu", "swish"});
  if (model.family == "llama") config.value("mlp_bias", o.bias());
  if (model.family == "llama" || model.family == "qwen3") config.only("attention_bias", {o.bias()});
  if (o.bias()) o.qkv_bias(true);
  rotary_settings(config, model.rotary->head_width(o.head_dim()), o.context());

  if (config.writes) return;
  o.context(wanted_context.value_or(o.context()));
  bool has_window = model.family == "mistral";
  if (model.family != "llama") config.value("use_sliding_window", has_window);
  int64_t window = o.context();
  if (has_window) config.value("sliding_window", window);
  if (window < o.context())
    config.refuse("sliding_window",
                  str("as long as the context of ", o.context(), ", or null\n    hint: with ",
                      "PretrainedOptions().context(", window, ") it loads for texts that short"));
}

// Reads all settings of a model from `config`, or writes them to it if config.writes.
void settings(Config& config, PretrainedModel& model, optional<int64_t> context) {
  config.positive("vocab_size", model.options.vocab_size());
  config.value("tie_word_embeddings", model.options.tied_head());
  if (!config.writes) config.only("quantization_config", {json()});
  if (model.rotary) llama_settings(config, model, context);
  else gpt2_settings(config, model.options);
}

}  // namespace

std::set<std::string> detail::shards_of_index(const std::string& path, const std::string& text) {
  const json index = parsed_json(path, text);
  ETUDE_CHECK(index.is_object() && index.value("weight_map", json()).is_object(), path,
              ": is not a JSON object with a `weight_map`");
  std::set<std::string> shards;
  for (const json& name : index["weight_map"]) {
    ETUDE_CHECK(name.is_string() && std::filesystem::path(std::string(name)).filename() == std::string(name),
                path, ": names ", name.dump(), ", which is not a file beside it");
    shards.insert(name);
  }
  return shards;
}

std::string detail::class_of_family(const std::string& family) {
  if (family == "gpt2") return "GPT2LMHeadModel";
  if (family == "llama") return "LlamaForCausalLM";
  if (family == "mistral") return "MistralForCausalLM";
  return family == "qwen2" ? "Qwen2ForCausalLM" : family == "qwen3" ? "Qwen3ForCausalLM" : "";
}

detail::PretrainedModel::PretrainedModel(std::string of_family) : family(std::move(of_family)), options(0) {
  options.context(0).d_model(0).layers(0).heads(0);
  if (family == "gpt2") return;
  options.dropout(0).layer_norm_eps(1e-6).rms_norm(true).swiglu(true).bias(false).tied_head(false);
  options.qkv_bias(family == "qwen2").qk_norm(family == "qwen3");
  rotary.emplace(1);
}

PretrainedModel detail::read_pretrained_config(const std::string& path, const std::string& text,
                                               optional<int64_t> context) {
  Config config{path, parsed_json(path, text), /*writes=*/false};
  ETUDE_CHECK(config.all.is_object(), path, ": is not a JSON object");
  std::string family;
  config.value("model_type", family);
  ETUDE_CHECK(!family.empty(), "Unrecognized model in ", path,
              ". Should have a `model_type` key in its config.json");
  ETUDE_CHECK(!class_of_family(family).empty(), "The checkpoint you are trying to load has model type `",
              family, "` but Etude does not recognize this architecture\nreceived ", path,
              "\nhint: gpt2, llama, mistral, qwen2 and qwen3 are recognized");
  PretrainedModel model(family);
  settings(config, model, context);
  ETUDE_CHECK(config.refused.empty(), path, ": Etude does not have all of these settings", config.refused);
  return model;
}

std::string detail::pretrained_config(PretrainedModel model, ScalarType dtype, optional<int64_t> bos,
                                      optional<int64_t> eos) {
  Config config{"config.json", json::object(), /*writes=*/true};
  config.all["model_type"] = model.family;
  config.all["architectures"] = {class_of_family(model.family)};
  config.all["torch_dtype"] = std::string(dtype_name(dtype)).substr(std::strlen("torch."));
  config.all["bos_token_id"] = bos ? json(*bos) : json();
  config.all["eos_token_id"] = eos ? json(*eos) : json();
  if (model.options.dim_feedforward() == 0) model.options.dim_feedforward(4 * model.options.d_model());
  settings(config, model, nullopt);
  return config.all.dump(2) + '\n';
}

PretrainedModel detail::family_of(const GPTImpl& gpt) {
  const GPTOptions& o = gpt.options;
  const auto rotary = std::dynamic_pointer_cast<RotaryPositionsImpl>(gpt.positions);
  const bool qkv_bias = o.qkv_bias().value_or(o.bias()), modern = rotary || o.rms_norm() || o.swiglu();
  std::string wrong;
  const auto needs = [&wrong](bool good, const char* what) { wrong += good ? "" : str("\n  ", what); };
  if (modern) {
    needs(rotary != nullptr, "Llama has RotaryPositions");
    needs(o.rms_norm() && o.swiglu(), "Llama has rms_norm(true) and swiglu(true)");
    needs(!o.bias() || qkv_bias, "Llama has all biases or none, and Qwen2 those of q, k and v");
    needs(!o.qk_norm() || !qkv_bias, "Qwen3, which has qk_norm(true), has no biases");
  } else {
    needs(!o.positions(), "GPT-2 has trained positions, which are not given");
    needs(o.bias() && qkv_bias, "GPT-2 has all biases");
    needs(!o.qk_norm(), "GPT-2 has qk_norm(false)");
    needs(o.key_heads() == o.heads(), "GPT-2 has as many kv_heads as heads");
    needs(o.head_width() * o.heads() == o.d_model(), "GPT-2 has head_dim d_model / heads");
  }
  ETUDE_CHECK_VALUE(wrong.empty(), "save_pretrained: no family of transformers is such a model", wrong,
                    "\nhint: etude::save(model, path) writes any model for etude::load");
  const char* family = !modern ? "gpt2" : o.qk_norm() ? "qwen3" : qkv_bias && !o.bias() ? "qwen2" : "llama";
  PretrainedModel model(family);
  model.options = o;
  if (rotary) model.rotary = rotary->options;
  return model;
}

std::vector<WeightPlace> detail::weight_places(const PretrainedModel& model) {
  const GPTOptions& o = model.options;
  const int64_t d = o.d_model(), inner = o.dim_feedforward() > 0 ? o.dim_feedforward() : 4 * d,
                width = o.head_width(), q = o.heads() * width, kv = o.key_heads() * width;
  const bool qkv_bias = o.qkv_bias().value_or(o.bias()), modern = model.rotary.has_value();
  std::vector<WeightPlace> places;
  // Adds the weight of a module and, if it has one, its bias. Matrices in the blocks of modern families are [out, in].
  const auto add = [&](const std::string& name, const std::string& module, std::vector<int64_t> sizes,
                       bool bias, int64_t first = 0, int64_t head_width = 0) {
    const bool transposed = modern && sizes.size() == 2 && module.front() == 'h';
    const int64_t out = transposed ? sizes.front() : sizes.back();
    places.push_back({name + ".weight", std::move(sizes), module + ".weight", first, transposed, head_width});
    if (bias) places.push_back({name + ".bias", {out}, module + ".bias", first, false, head_width});
  };
  add(modern ? "model.embed_tokens" : "transformer.wte", "wte", {o.vocab_size(), d}, false);
  if (!modern) add("transformer.wpe", "wpe", {o.context(), d}, false);
  for (int64_t i = 0; i < o.layers(); ++i) {
    const std::string h = str("h.", i, "."),
                      was = (modern ? "model.layers." : "transformer.h.") + str(i, ".");
    if (!modern) {
      add(was + "ln_1", h + "ln_1", {d}, true);
      add(was + "attn.c_attn", h + "attn.c_attn", {d, 3 * d}, true);
      add(was + "attn.c_proj", h + "attn.c_proj", {d, d}, true);
      add(was + "ln_2", h + "ln_2", {d}, true);
      add(was + "mlp.c_fc", h + "mlp.c_fc", {d, inner}, true);
      add(was + "mlp.c_proj", h + "mlp.c_proj", {inner, d}, true);
      continue;
    }
    add(was + "input_layernorm", h + "ln_1", {d}, false);
    add(was + "self_attn.q_proj", h + "attn.c_attn", {q, d}, qkv_bias, 0, width);
    add(was + "self_attn.k_proj", h + "attn.c_attn", {kv, d}, qkv_bias, q, width);
    add(was + "self_attn.v_proj", h + "attn.c_attn", {kv, d}, qkv_bias, q + kv);
    if (o.qk_norm()) add(was + "self_attn.q_norm", h + "attn.q_norm", {width}, false, 0, width);
    if (o.qk_norm()) add(was + "self_attn.k_norm", h + "attn.k_norm", {width}, false, 0, width);
    add(was + "self_attn.o_proj", h + "attn.c_proj", {d, q}, o.bias());
    add(was + "post_attention_layernorm", h + "ln_2", {d}, false);
    add(was + "mlp.gate_proj", h + "mlp.c_fc", {inner, d}, o.bias());
    add(was + "mlp.up_proj", h + "mlp.c_gate", {inner, d}, o.bias());
    add(was + "mlp.down_proj", h + "mlp.c_proj", {d, inner}, o.bias());
  }
  add(modern ? "model.norm" : "transformer.ln_f", "ln_f", {d}, !modern);
  if (!o.tied_head()) add("lm_head", "lm_head", {o.vocab_size(), d}, false);
  return places;
}

}  // namespace etude::nn
