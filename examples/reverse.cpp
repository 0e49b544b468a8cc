// Teaches an encoder-decoder to write words backwards. To write letter i of the target it has to look at letter
// length - i of the source, so that the picture of its cross-attention shows the other diagonal.

#include <etude/etude.h>

#include <cstdio>
#include <string>
#include <vector>

#include "support/pairs.h"
#include "support/program.h"

namespace nn = etude::nn;
using examples::Alphabet, examples::Pair;

namespace {

constexpr size_t kShortest = 3, kLongest = 12;
constexpr int64_t kUnseen = 1000;
const std::string kLetters = "abcdefghijklmnopqrstuvwxyz";

Pair draw_word() {
  std::string word(kShortest + examples::draw_below(kLongest - kShortest + 1), ' ');
  for (char& letter : word) letter = kLetters[examples::draw_below(kLetters.size())];
  return {word, {word.rbegin(), word.rend()}};
}

nn::EncoderDecoder make_model(const Alphabet& alphabet) {
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

int run(const examples::Program& program) {
  const Alphabet alphabet(kLetters);
  nn::EncoderDecoder model = make_model(alphabet);
  std::vector<Pair> unseen;
  for (int64_t i = 0; i < kUnseen; ++i) unseen.push_back(draw_word());
  if (!examples::train_on_pairs(model, alphabet, draw_word, program)) return examples::kInterrupted;

  model->eval();
  const etude::NoGradGuard no_grad;
  std::vector<Pair> shown{{"transformer", "remrofsnart"}, {"attention", "noitnetta"}, {"etude", "edute"}};
  const std::vector<std::string> words = examples::translate(model, alphabet, shown, kLongest);
  for (size_t i = 0; i < shown.size(); ++i)
    std::printf("%-11s -> %s\n", shown[i].source.c_str(), words[i].c_str());
  examples::draw_cross_attention(model, alphabet, shown[0], program);
  return examples::judge_pairs(program, model, alphabet, unseen,
                               examples::translate(model, alphabet, unseen, kLongest),
                               "new words are written backwards without a fault");
}

}  // namespace

int main(int argc, char** argv) {
  examples::Program program(
      "reverse",
      "Teaches an encoder-decoder of one layer each to write words of 3 to 12 letters "
      "backwards. --out gets a checkpoint, the losses and a picture of the cross-attention.",
      1200, {"", "--seed 7 --out backwards", "--out backwards --resume"});
  return program.run(argc, argv, [&] { return run(program); });
}
