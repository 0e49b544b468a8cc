#include "etude/pretrained.h"

#include <array>
#include <cstring>

#include "etude/core/error.h"
#include "etude/ops/ops.h"
#include "fuzz/files_of_input.h"
#include "fuzz/seed.h"

using namespace etude;

namespace {

const std::vector<std::string> kFirstAndSecond = {"model-00001-of-00002.safetensors",
                                                  "model-00002-of-00002.safetensors"};
const std::string kIndex = "model.safetensors.index.json";

// The smallest models of two families. Their weights become zeros, so that no separator is among their bytes.
nn::GPT small_gpt2() { return nn::GPT(nn::GPTOptions(3).context(4).d_model(2).layers(1).heads(1)); }
nn::GPT small_llama() {
  nn::RotaryScaling scaling;
  scaling.kind(nn::RotaryScaling::Kind::kLlama3).factor(8).low_freq_factor(1).high_freq_factor(4);
  const auto positions = nn::RotaryPositionsOptions(4).max_length(16).scaling(scaling.original_context(8));
  return nn::GPT(nn::GPTOptions(3)
                     .context(16)
                     .d_model(8)
                     .layers(1)
                     .heads(2)
                     .kv_heads(1)
                     .dim_feedforward(4)
                     .rms_norm(true)
                     .swiglu(true)
                     .bias(false)
                     .positions(nn::RotaryPositions(positions).ptr()));
}
nn::GPT zeros_of(nn::GPT model) {
  const NoGradGuard no_grad;
  for (auto& item : model->named_parameters()) item->zero_();
  return model;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Writes the folder of a model as one input.
void write_folder(const std::string& path, const nn::GPT& model, int64_t max_shard_size) {
  const std::string folder = path + ".folder";
  nn::save_pretrained(model, nullptr, folder, nn::SavePretrainedOptions().max_shard_size(max_shard_size));
  std::string input = bytes_of(folder + "/config.json") + kFileSeparator + bytes_of(folder + "/" + kIndex);
  for (const std::string& name : {kFirstAndSecond[0], kFirstAndSecond[1], std::string("model.safetensors")})
    input += kFileSeparator + bytes_of(folder + "/" + name);
  std::filesystem::remove_all(folder);
  std::ofstream(path, std::ios::binary) << input;
}

// Writes a file of llama2.c with one layer of width 2, and zeros for weights.
void write_llama2c(const std::string& path, int32_t version) {
  constexpr std::array<size_t, 3> sizes = {196, 408, 376};
  std::string file(sizes.at(static_cast<size_t>(version)), '\0');
  const std::array<int32_t, 7> header = {2, 2, 1, 1, 1, 2, 2};
  const int32_t magic = 0x616b3432, group = 2;
  std::memcpy(&file[version ? 8 : 0], header.data(), sizeof header);
  if (version) {
    std::memcpy(&file[0], &magic, 4);
    std::memcpy(&file[4], &version, 4);
    file[36] = 1;
  }
  if (version == 2) std::memcpy(&file[37], &group, 4);
  std::ofstream(path, std::ios::binary) << file;
}

}  // namespace

void write_seeds(const std::string& folder) {
  for (const bool gpt2 : {true, false}) {
    const std::string path = folder + (gpt2 ? "/gpt2" : "/llama");
    const nn::GPT model = zeros_of(gpt2 ? small_gpt2() : small_llama());
    write_folder(path, model, 1 << 20);
    write_folder(path + ".shards", model, gpt2 ? 200 : 600);
    nn::save_gguf(model, nullptr, path + ".gguf");
  }
  for (const int32_t version : {0, 1, 2})
    write_llama2c(folder + "/llama2c." + std::to_string(version), version);
}

// A model that could be read computes logits.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const FilesOfInput files(
      data, size, {"config.json", kIndex, kFirstAndSecond[0], kFirstAndSecond[1], "model.safetensors"},
      "model.bin");
  nn::GPT model = nullptr;
  try {
    model = nn::from_pretrained(files.path(files.begins_as_json() ? "" : "model.bin"));
  } catch (const Error&) {
    return 0;
  }
  const NoGradGuard no_grad;
  if (model(zeros({1, 1}, kLong)).size(-1) != model->options.vocab_size()) std::abort();
  return 0;
}
