// Models in GGUF files. Names of tensors and metadata are those of gguf-py/gguf/constants.py of llama.cpp. They are translated to
// the names of transformers, from which the model is built.

#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "etude/io/gguf.h"
#include "etude/pretrained.h"
#include "etude/pretrained_family.h"
#include "etude/text/pretrained_tokenizer.h"

namespace etude::nn {
namespace {

using detail::PretrainedModel;
using nlohmann::json;

constexpr char kRopeFactors[] = "rope_freqs.weight", kPositions[] = "position_embd.weight";

// Names of transformers, and those of llama.cpp: settings of config.json and metadata after "llama.", and parts of the names of
// tensors.
using Names = std::vector<std::pair<const char*, const char*>>;
// clang-format off
const Names kGpt2Settings = {
    {"n_positions", "context_length"}, {"n_embd", "embedding_length"}, {"n_layer", "block_count"},
    {"n_inner", "feed_forward_length"}, {"n_head", "attention.head_count"},
    {"layer_norm_epsilon", "attention.layer_norm_epsilon"}};
const Names kLlamaSettings = {
    {"max_position_embeddings", "context_length"}, {"hidden_size", "embedding_length"},
    {"num_hidden_layers", "block_count"}, {"intermediate_size", "feed_forward_length"},
    {"num_attention_heads", "attention.head_count"}, {"num_key_value_heads", "attention.head_count_kv"},
    {"head_dim", "attention.key_length"}, {"rms_norm_eps", "attention.layer_norm_rms_epsilon"},
    {"rope_theta", "rope.freq_base"}};
const Names kParts = {
    {"model.embed_tokens", "token_embd"}, {"model.norm", "output_norm"}, {"lm_head", "output"}, {"model.layers.", "blk."},
    {"input_layernorm", "attn_norm"}, {"self_attn.q_proj", "attn_q"}, {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"}, {"self_attn.q_norm", "attn_q_norm"}, {"self_attn.k_norm", "attn_k_norm"},
    {"self_attn.o_proj", "attn_output"}, {"post_attention_layernorm", "ffn_norm"}, {"mlp.gate_proj", "ffn_gate"},
    {"mlp.up_proj", "ffn_up"}, {"mlp.down_proj", "ffn_down"},
    {"transformer.wte", "token_embd"}, {"transformer.wpe", "position_embd"}, {"transformer.ln_f", "output_norm"},
    {"transformer.h.", "blk."}, {"ln_1", "attn_norm"}, {"attn.c_attn", "attn_qkv"}, {"attn.c_proj", "attn_output"},
    {"ln_2", "ffn_norm"}, {"mlp.c_fc", "ffn_up"}, {"mlp.c_proj", "ffn_down"}};
// clang-format on

// "blk.0.attn_q.weight" for "model.layers.0.self_attn.q_proj.weight".
std::string gguf_name(std::string name) {
  for (const auto& [from, to] : kParts)
    if (const size_t at = name.find(from); at != name.npos) name.replace(at, std::strlen(from), to);
  return name;
}

// Whether llama.cpp stores the transpose of a weight, as it does for each Conv1D of GPT-2.
bool is_turned(const PretrainedModel& model, const std::string& name, size_t dims) {
  return !model.rotary && dims == 2 && name.rfind("blk.", 0) == 0;
}

// How often each pair turns within the context of training, and the factor by which Llama 3's scaling divides its angle: both
// float64 [head_width / 2].
std::pair<Tensor, Tensor> turns_and_factors(RotaryPositionsOptions rotary) {
  const Tensor scaled = RotaryPositions(rotary)->frequencies();
  const double context = static_cast<double>(rotary.scaling().original_context());
  const Tensor plain = RotaryPositions(rotary.scaling(RotaryScaling()))->frequencies();
  return {plain * (context / (2 * std::acos(-1.0))), plain / scaled};
}

// Recovers Llama 3's scaling from the factors in the file. Between low_freq_factor and high_freq_factor, the share of an angle
// that is kept is linear in the turns. If only one pair lies there, any steep line through it gives the same factors.
RotaryScaling scaling_with(const GgufFile& file, RotaryPositionsOptions rotary) {
  const Tensor factors = file.tensor(kRopeFactors).to(kDouble);
  const bool fits =
      factors.sizes() == IntArrayRef{rotary.head_width() / 2} && factors.min().item<double>() >= 1;
  RotaryScaling& s = rotary.scaling().kind(RotaryScaling::Kind::kLlama3);
  if (fits) {
    s.factor(factors.max().item<double>());
    const Tensor turns = turns_and_factors(rotary).first,
                 kept = (1 / factors - 1 / s.factor()) / (1 - 1 / s.factor()),
                 between = (kept > 1e-3).logical_and(kept < 1 - 1e-3), k = kept.masked_select(between),
                 t = turns.masked_select(between);
    if (k.numel() > 0) {
      const double slope = (k.numel() > 1 ? (k[0] - k[-1]) / (t[0] - t[-1]) : 1000 / t[0]).item<double>();
      s.low_freq_factor((t[0] - k[0] / slope).item<double>());
      s.high_freq_factor(s.low_freq_factor() + 1 / slope);
    }
  }
  ETUDE_CHECK(fits && allclose(factors, turns_and_factors(rotary).second, 1e-4), file.path, ": its ",
              kRopeFactors, " are not those of Llama 3");
  return s;
}

PretrainedModel model_of(const GgufFile& file, optional<int64_t> context) {
  const auto family = file.get<std::string>("general.architecture", ""), prefix = family + '.';
  const FileEntry* embedding = file.entries.find("token_embd.weight");
  const bool bias = file.entries.contains("blk.0.ffn_up.bias");
  json config = {{"model_type", family},
                 {"mlp_bias", bias},
                 {"attention_bias", bias},
                 {"tie_word_embeddings", !file.entries.contains("output.weight")}};
  if (embedding && !embedding->sizes.empty()) config["vocab_size"] = embedding->sizes[0];
  for (const auto& [theirs, ours] : (family == "gpt2" ? kGpt2Settings : kLlamaSettings))
    if (const IValue* v = file.metadata.find(prefix + ours))
      config[theirs] = v->isInt()                                      ? json(v->toInt())
                       : v->isDouble() && std::isfinite(v->toDouble()) ? json(v->toDouble())
                                                                       : json(v->tagKind());
  const auto scaling = file.get<std::string>(prefix + "rope.scaling.type", "none");
  if (scaling != "none")
    config["rope_scaling"] = {{"type", scaling}, {"factor", file.get(prefix + "rope.scaling.factor", 0.0)}};
  PretrainedModel model = detail::read_pretrained_config(
      file.path, config.dump(-1, ' ', false, json::error_handler_t::replace), context);
  if (!model.rotary) return model;
  const auto needs = [&](const char* key, int64_t needed) {
    const auto value = file.get<int64_t>(prefix + key, needed);
    ETUDE_CHECK(value == needed, file.path, ": `", prefix, key, "` is ", value, ", and has to be ", needed);
  };
  needs("rope.dimension_count", model.options.head_width());
  needs("attention.value_length", model.options.head_width());
  needs("expert_count", 0);
  if (family == "llama") model.rotary->pairs(RotaryPairs::Interleaved);
  if (file.entries.contains(kRopeFactors)) model.rotary->scaling(scaling_with(file, *model.rotary));
  return model;
}

QuantizedWeight stored(const Tensor& t, ScalarType dtype) {
  if (dtype == kChar && t.size(-1) % 32 == 0) return quantize_per_group(t.to(kFloat));
  return {t.to(dtype == kChar ? kHalf : dtype), {}};
}

}  // namespace

GPT detail::from_gguf(const std::string& path, const PretrainedOptions& options) {
  const auto file = std::make_shared<const GgufFile>(load_gguf(path));
  const PretrainedModel model = model_of(*file, options.context());
  ETUDE_CHECK(model.options.layers() <= static_cast<int64_t>(file->entries.size()), path,
              ": has too few tensors for ", model.options.layers(), " layers");
  std::map<std::string, std::string> names;
  for (const WeightPlace& place : weight_places(model)) names[gguf_name(place.name)] = place.name;
  StoredTensors tensors;
  for (const auto& item : file->entries) {
    if (item.key() == kRopeFactors) continue;
    const bool turned = is_turned(model, item.key(), item->sizes.size());
    const auto read = [=, name = item.key()] { return turned ? file->tensor(name).t() : file->tensor(name); };
    if (!item->dtype) read();  // throws
    std::vector<int64_t> sizes = item->sizes;
    if (turned) std::swap(sizes[0], sizes[1]);
    const auto known = names.find(item.key());
    tensors[known == names.end() ? item.key() : known->second] = {std::move(sizes), *item->dtype, read};
  }
  return assembled(path, model, tensors, options);
}

void save_gguf(const GPT& model, const text::Tokenizer* tokenizer, const std::string& path,
               ScalarType dtype) {
  const PretrainedModel m = detail::family_of(*model);
  const std::string prefix = m.family + '.';
  const std::map<ScalarType, int64_t> file_types = {{kFloat, 0}, {kHalf, 1}, {kChar, 7}, {kBFloat16, 32}};
  ETUDE_CHECK_TYPE(file_types.count(dtype), "save_gguf: ", dtype_name(dtype),
                   " is not written\nhint: kFloat, kHalf, kBFloat16, and kChar for Q8_0 are");
  OrderedDict<std::string, IValue> metadata = {{"general.architecture", m.family},
                                               {"general.file_type", file_types.at(dtype)},
                                               {"general.quantization_version", 2},
                                               {prefix + "vocab_size", m.options.vocab_size()}};
  const json config = json::parse(detail::pretrained_config(m, kFloat, nullopt, nullopt));
  for (const auto& [theirs, ours] : (m.rotary ? kLlamaSettings : kGpt2Settings))
    metadata.insert(prefix + ours, config[theirs].is_number_integer() ? IValue(config[theirs].get<int64_t>())
                                                                      : IValue(config[theirs].get<float>()));
  OrderedDict<std::string, QuantizedWeight> tensors;
  for (const auto& item : detail::family_state(*model, m)) {
    const std::string name = gguf_name(item.key());
    Tensor t = is_turned(m, name, item->sizes().size()) ? item->t() : item.value();
    if (m.family == "llama" && (name.find(".attn_q.") != name.npos || name.find(".attn_k.") != name.npos))
      t = t.reshape({-1, 2, m.options.head_width() / 2, t.numel() / t.size(0)})
              .transpose(1, 2)
              .reshape(t.sizes());
    tensors.insert(name, stored(t, t.dim() < 2 || name == kPositions ? kFloat : dtype));
  }
  if (m.rotary) {
    metadata.insert(prefix + "attention.value_length", m.options.head_width());
    metadata.insert(prefix + "rope.dimension_count", m.options.head_width());
    const RotaryScaling& scaling = m.rotary->scaling();
    if (scaling.kind() == RotaryScaling::Kind::kLlama3)
      tensors.insert(kRopeFactors, {turns_and_factors(*m.rotary).second.to(kFloat), {}});
    if (scaling.kind() == RotaryScaling::Kind::kLinear) {
      metadata.insert(prefix + "rope.scaling.type", "linear");
      metadata.insert(prefix + "rope.scaling.factor", static_cast<float>(scaling.factor()));
    }
  }
  if (tokenizer) text::detail::add_gguf_vocabulary(metadata, *tokenizer, m.options.vocab_size());
  else metadata.insert("tokenizer.ggml.model", "none");
  etude::save_gguf(path, tensors, metadata);
}

}  // namespace etude::nn
