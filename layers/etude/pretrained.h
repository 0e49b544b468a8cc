#pragma once

#include "etude/gpt.h"
#include "etude/text/tokenizer.h"

namespace etude::nn {

/// How from_pretrained loads a model.
struct PretrainedOptions {
  /// The dtype of the weights; unset, the smallest that holds all weights of the file exactly (dtype="auto" in transformers).
  ETUDE_ARG(optional<ScalarType>, dtype);
  /// The longest sequence of a model with rotary positions; unset, that of the file. A model with a sliding window loads if
  /// the window holds the whole context.
  ETUDE_ARG(optional<int64_t>, context);
  /// The prefix of the weights' names, such as "base_model."; tensors without it are ignored.
  ETUDE_ARG(std::string, prefix);
};

/// A model of another program, in eval mode (AutoModelForCausalLM.from_pretrained). The path is one of these:
///   - a folder of transformers: config.json, and model.safetensors, its shards or pytorch_model.bin;
///   - a .safetensors or .pt file with config.json beside it;
///   - a .bin file of llama2.c, of version 0 to 2; its int8 weights become float32;
///   - a GGUF file of llama.cpp; weights of the type Q8_0 become float32.
///
/// The families are GPT-2, Llama (also SmolLM2), Mistral, Qwen2 and Qwen3. Weights are copied out of mapped files, so
/// that no second copy of a model is in memory. Throws Error with everything that does not fit: settings of config.json that a
/// GPT does not have, and tensors that are missing, left over or of other sizes.
ETUDE_API GPT from_pretrained(const std::string& path, const PretrainedOptions& options = {});

/// How save_pretrained writes a model.
struct SavePretrainedOptions {
  /// The most bytes of weights in one file, unless one tensor alone has more.
  ETUDE_ARG(int64_t, max_shard_size) = 5'000'000'000;
};

/// Writes a folder for AutoModelForCausalLM and AutoTokenizer of transformers, and for from_pretrained: config.json,
/// generation_config.json, model.safetensors or shards with an index, and tokenizer.json with tokenizer_config.json unless the
/// tokenizer is null; a WordTokenizer is written for load_tokenizer alone. The model is written as the family that it
/// fits: GPT-2, Llama, Qwen2 or Qwen3. Interleaved rotary heads are put in Llama's order, and dropout that the family does not
/// have is left out. Throws ValueError with all options that fit no family. Files are written to a temporary folder and moved
/// at the end, config.json last: if writing fails, the folder is as before, and if moving fails or the program is killed, it
/// loads as before or not at all.
ETUDE_API void save_pretrained(const GPT& model, const text::Tokenizer* tokenizer, const std::string& folder,
                               const SavePretrainedOptions& options = {});

/// Writes a GGUF file for llama.cpp and for from_pretrained, with the tokenizer unless it is null. Matrices are written in the
/// dtype, or as Q8_0 for kChar (as float16 if the length of their rows is not a multiple of 32); vectors and trained positions as
/// float32. The families are those of save_pretrained. Throws ValueError for other models, and for tokenizers that llama.cpp does
/// not have.
ETUDE_API void save_gguf(const GPT& model, const text::Tokenizer* tokenizer, const std::string& path,
                         ScalarType dtype = kHalf);

}  // namespace etude::nn
