#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "etude/pretrained.h"
#include "support/golden.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

// Folders that transformers wrote, with the logits that it computes: golden/models/make_models.py.

namespace pretrained {

using namespace etude;
using namespace etude::nn;
using nlohmann::json;

inline std::string recorded_model(const std::string& name) {
  return std::string(ETUDE_GOLDEN_DIR) + "/models/" + name;
}

inline const std::map<std::string, Tensor>& recorded_logits() {
  static const std::map<std::string, Tensor> tensors = golden_tensors("models/logits.safetensors");
  return tensors;
}

inline bool as_recorded(const Tensor& logits, const std::string& name) {
  const Tensor& recorded = recorded_logits().at(name);
  return logits.sizes() == recorded.sizes() && allclose(logits, recorded, 1e-5, 2e-5);
}

// A copy of a recorded folder, to be broken.
struct CopiedModel {
  explicit CopiedModel(const std::string& name) {
    for (const auto& file : std::filesystem::directory_iterator(recorded_model(name)))
      std::filesystem::copy_file(file.path(), folder / file.path().filename().string());
  }
  json config() const { return json::parse(read_bytes(folder / "config.json")); }
  // Sets one key of config.json, or removes it.
  void set(const std::string& key, const json& value) {
    json all = config();
    all[key] = value;
    write_bytes(folder / "config.json", all.dump());
  }
  std::string refusal() const {
    return refusal_lines([this] { from_pretrained(folder.path()); });
  }
  // Changes the bytes of model.safetensors.
  template <typename F>
  void change_weights(const F& change) {
    OrderedDict<std::string, Tensor> changed;
    for (const auto& item : load_safetensors(folder / "model.safetensors", FileMemory::Copied))
      change(item.key(), item.value(), changed);
    save_safetensors(folder / "model.safetensors", changed);
  }
  TemporaryFolder folder;
};

inline GPTOptions small_options() {
  return GPTOptions(31).context(24).d_model(16).layers(2).heads(4).dropout(0);
}
inline GPTOptions small_llama(RotaryPairs pairs = RotaryPairs::Half) {
  return small_options().kv_heads(2).dim_feedforward(24).rms_norm(true).swiglu(true).bias(false).positions(
      RotaryPositions(4, pairs).ptr());
}

}  // namespace pretrained
