#pragma once

#include <vector>

#include "support/pairs.h"

// The task of `reverse`: to write words of random letters backwards.
namespace examples {

constexpr int64_t kShortestReversal = 3, kLongestReversal = 12;
constexpr char kReversalLetters[] = "abcdefghijklmnopqrstuvwxyz";

/// A random word from the default generator, and the word backwards.
Pair draw_reversal();

/// The words of the evaluation at the end. They are drawn after the weights and before training.
constexpr int64_t kUnseenReversals = 1000;
std::vector<Pair> draw_unseen_reversals();

/// An encoder-decoder of one layer each, with new weights from the default generator.
etude::nn::EncoderDecoder make_reversal_model(const Alphabet& alphabet);

}  // namespace examples
