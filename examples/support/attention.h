#pragma once

#include <etude/etude.h>

#include <filesystem>
#include <string>
#include <vector>

namespace examples {

/// The attention weights of one layer of a GPT over ids [1, sequence]: [heads, sequence, sequence]. Each row
/// holds the weights of one position over all positions.
etude::Tensor attention_weights(etude::nn::GPT& model, const etude::Tensor& ids, int64_t layer);

/// Draws weights [queries, keys] with the tokens on both sides into an SVG file. Spaces and line ends are made
/// visible. Throws FileError.
void save_attention(const std::filesystem::path& path, const std::string& title, const etude::Tensor& weights,
                    const std::vector<std::string>& tokens);

}  // namespace examples
