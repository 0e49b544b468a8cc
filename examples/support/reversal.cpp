#include "support/reversal.h"

#include <cstddef>
#include <string>

namespace examples {

namespace nn = etude::nn;

Pair draw_reversal() {
  constexpr auto shortest = static_cast<size_t>(kShortestReversal);
  constexpr auto lengths = static_cast<size_t>(kLongestReversal - kShortestReversal + 1);
  std::string word(shortest + draw_below(lengths), ' ');
  for (char& letter : word) letter = kReversalLetters[draw_below(sizeof kReversalLetters - 1)];
  return {word, {word.rbegin(), word.rend()}};
}

std::vector<Pair> draw_unseen_reversals() {
  std::vector<Pair> pairs;
  for (int64_t i = 0; i < kUnseenReversals; ++i) pairs.push_back(draw_reversal());
  return pairs;
}

nn::EncoderDecoder make_reversal_model(const Alphabet& alphabet) {
  return nn::EncoderDecoder(nn::EncoderDecoderOptions(alphabet.size())
                                .d_model(64)
                                .heads(4)
                                .encoder_layers(1)
                                .decoder_layers(1)
                                .dim_feedforward(128)
                                .dropout(0)
                                .norm_first(true)
                                .padding_idx(Alphabet::kPadding)
                                .label_smoothing(0));
}

}  // namespace examples
