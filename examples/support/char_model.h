#pragma once

#include <etude/etude.h>

#include <string>
#include <vector>

// A GPT of characters in one file, and what it computes on the way from a text to the next character.
namespace examples {

/// A GPT and the characters that its ids stand for.
struct CharModel {
  etude::nn::GPT model;
  etude::text::CharacterTokenizer tokenizer;
};

/// Reads a file that save_char_model wrote. The weights become float32. Throws Error for any other file.
CharModel load_char_model(const std::string& path);

/// Writes the weights as bfloat16, half of the bytes, and the heads and characters as metadata, to a safetensors file.
void save_char_model(const std::string& path, const CharModel& one);

/// Reads the model of a checkpoint of char_gpt that learned `text`.
CharModel char_model_of_checkpoint(const std::string& path, const std::string& text);

/// The ids of a text's characters without those that the model does not know: int64 [tokens].
etude::Tensor known_ids(const CharModel& one, const std::string& text);
/// The last of them, as many as the model's context holds.
etude::Tensor readable_ids(const CharModel& one, const std::string& text);

/// What a model computes from `tokens` characters.
struct CharReading {
  etude::Tensor vectors;    // [tokens, width]: the vector of each character plus that of its position
  etude::Tensor attention;  // [layers, heads, query, key]: weights; 0 where a head is left out
  // [layers + 1, tokens, vocab]: probabilities of the next character before and after each block
  etude::Tensor early;
};

/// The parts of a model that can be left out: "0.1" is head 1 of block 0, "mlp.2" the MLP of block 2.
std::vector<std::string> parts_of(const CharModel& one);

/// Runs the model on ids int64 [tokens], at least one, with zeros in place of the outputs of the parts in `without`. Throws Error
/// for an unknown part.
CharReading read_inside(const CharModel& one, const etude::Tensor& ids,
                        const std::vector<std::string>& without = {});

}  // namespace examples
