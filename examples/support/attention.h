#pragma once

#include <etude/etude.h>

#include <filesystem>
#include <string>
#include <vector>

namespace examples {

/// The attention weights of one layer of a GPT over ids [1, sequence]: [heads, sequence, sequence], in each row
/// how much a position looks at the others.
etude::Tensor attention_weights(etude::nn::GPT& model, const etude::Tensor& ids, int64_t layer);

/// Draws weights [queries, keys] with the tokens at both sides into an SVG file; a space and an end of line are
/// made visible. Throws FileError.
void save_attention(const std::filesystem::path& path, const std::string& title, const etude::Tensor& weights,
                    const std::vector<std::string>& tokens);

}  // namespace examples
