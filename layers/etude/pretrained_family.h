#pragma once

#include <functional>
#include <map>
#include <set>

#include "etude/pretrained.h"

// Families of pretrained models: what their config.json says, and where their weights are in a GPT.

namespace etude::nn::detail {

/// A tensor of a family, and the columns of a GPT's parameter that hold it.
struct WeightPlace {
  std::string name;            ///< "model.layers.0.self_attn.k_proj.weight"
  std::vector<int64_t> sizes;  ///< of the family's tensor
  std::string parameter;       ///< "h.0.attn.c_attn.weight"
  int64_t first;               ///< column
  bool transposed;             ///< [out, in], where the parameter is [in, out]
  int64_t head_width;          ///< if rotary positions turn the columns, else 0
};

struct PretrainedModel {
  /// With the settings that all models of the family have.
  explicit PretrainedModel(std::string of_family);
  std::string family;                       ///< model_type in config.json: "gpt2", "llama", ...
  GPTOptions options;                       ///< without positions
  optional<RotaryPositionsOptions> rotary;  ///< unset for GPT-2
};

/// The files that the text of a model.safetensors.index.json names, which stand beside it; `path` is for messages.
std::set<std::string> shards_of_index(const std::string& path, const std::string& text);
/// The family's class in transformers, "LlamaForCausalLM"; empty for a family that is not known.
ETUDE_API std::string class_of_family(const std::string& family);
/// All weights of such a model, in the order of its parts.
ETUDE_API std::vector<WeightPlace> weight_places(const PretrainedModel& model);
/// Reads the text of a config.json; `path` is for messages. Throws Error with all settings that a GPT does not have.
ETUDE_API PretrainedModel read_pretrained_config(const std::string& path, const std::string& text,
                                                 optional<int64_t> context);
/// The family that a model fits. Throws ValueError with everything that fits none.
ETUDE_API PretrainedModel family_of(const GPTImpl& gpt);
/// The text of config.json.
ETUDE_API std::string pretrained_config(PretrainedModel model, ScalarType dtype, optional<int64_t> bos,
                                        optional<int64_t> eos);

/// A tensor of a file, which is read when it is needed.
struct StoredTensor {
  std::vector<int64_t> sizes;
  ScalarType dtype;
  std::function<Tensor()> read;
};
using StoredTensors = std::map<std::string, StoredTensor>;

/// The model with these weights, under the names of its family. Throws Error with all names and sizes that do not fit.
ETUDE_API GPT assembled(const std::string& path, PretrainedModel model, const StoredTensors& tensors,
                        const PretrainedOptions& options);
/// The weights under the names of their family, with the pairs of rotary heads in its order.
ETUDE_API OrderedDict<std::string, Tensor> family_state(const GPTImpl& gpt, const PretrainedModel& model);
/// The model in a GGUF file.
ETUDE_API GPT from_gguf(const std::string& path, const PretrainedOptions& options);

}  // namespace etude::nn::detail
