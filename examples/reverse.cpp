// Teaches an encoder-decoder to write words backwards. To write letter i of a target of n letters it must attend to letter
// n + 1 - i of the source, so the picture of its cross-attention shows the antidiagonal.

#include <etude/etude.h>

#include <cstdio>
#include <string>
#include <vector>

#include "support/pair_program.h"
#include "support/program.h"
#include "support/reversal.h"

namespace nn = etude::nn;
using examples::Alphabet, examples::Pair;

namespace {

int run(const examples::Program& program) {
  const Alphabet alphabet(examples::kReversalLetters);
  nn::EncoderDecoder model = examples::make_reversal_model(alphabet);
  const std::vector<Pair> unseen = examples::draw_unseen_reversals();
  if (!examples::train_on_pairs(model, alphabet, examples::draw_reversal, program))
    return examples::kInterrupted;

  model->eval();
  const etude::NoGradGuard no_grad;
  std::vector<Pair> shown{{"transformer", "remrofsnart"}, {"attention", "noitnetta"}, {"etude", "edute"}};
  const std::vector<std::string> words =
      examples::translate(model, alphabet, shown, examples::kLongestReversal);
  for (size_t i = 0; i < shown.size(); ++i)
    std::printf("%-11s -> %s\n", shown[i].source.c_str(), words[i].c_str());
  examples::draw_cross_attention(model, alphabet, shown[0], program);
  return examples::judge_pairs(program, model, alphabet, unseen,
                               examples::translate(model, alphabet, unseen, examples::kLongestReversal),
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
