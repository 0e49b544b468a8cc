#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/pairs.h"
#include "support/program.h"

// The output of programs that learn from pairs.
namespace examples {

/// Prints how many of the pairs are exact, as "9 of 10 `what`: 90.0 %", and their loss. Returns the program's exit code.
int judge_pairs(const Program& program, etude::nn::EncoderDecoder& model, const Alphabet& alphabet,
                const std::vector<Pair>& pairs, const std::vector<std::string>& made,
                const std::string& what);

/// Trains on a batch of `draw` in each step, from the checkpoint on with --resume. Writes a checkpoint and a picture
/// of the losses to --out. Returns whether it reached the last step: false after Ctrl-C.
bool train_on_pairs(etude::nn::EncoderDecoder& model, const Alphabet& alphabet,
                    const std::function<Pair()>& draw, const Program& program);

/// Draws the cross-attention of the decoder's last layer, as the mean of its heads, while it generates the pair's target.
void draw_cross_attention(etude::nn::EncoderDecoder& model, const Alphabet& alphabet, const Pair& pair,
                          const Program& program);

}  // namespace examples
