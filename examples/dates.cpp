// Teaches an encoder-decoder to read "the third of May 2021" and to write 2021-05-03. One in ten days between
// 1900 and 2099 is held out for the evaluation at the end.

#include <etude/etude.h>

#include <cctype>
#include <cstdio>
#include <string>
#include <vector>

#include "support/dates.h"
#include "support/pair_program.h"
#include "support/program.h"

namespace nn = etude::nn;
using examples::Alphabet, examples::Date, examples::Pair;

namespace {

constexpr int64_t kUnseen = 1000, kLongestTarget = 10;

// A random day, from the unseen days or from the others, in one of the forms.
Pair draw_date(bool is_unseen) {
  for (;;) {
    const auto number = static_cast<int64_t>(examples::draw_below(examples::kDays));
    if (examples::is_kept_back(number) != is_unseen) continue;
    const Date date = examples::date_of_day(number);
    return {examples::written(date, examples::draw_below(examples::kForms)), examples::iso(date)};
  }
}

nn::EncoderDecoder make_model(const Alphabet& alphabet) {
  return nn::EncoderDecoder(nn::EncoderDecoderOptions(alphabet.size())
                                .d_model(64)
                                .heads(4)
                                .encoder_layers(2)
                                .decoder_layers(1)
                                .dim_feedforward(256)
                                .dropout(0)
                                .norm_first(true)
                                .padding_idx(Alphabet::kPadding)
                                .label_smoothing(0));
}

// The user's text in lower case and with single blanks, as in the training data.
std::string plain(const std::string& text, const std::string& letters) {
  std::string found;
  for (const char c : text) {
    const auto small = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (letters.find(small) == std::string::npos)
      throw examples::UsageError(
          std::string("--read: dates are made of letters, digits, blanks and , . / - ', "
                      "but there is a '") +
          c + "'");
    found += small;
  }
  if (found.empty()) throw examples::UsageError("--read: the date is empty");
  return found;
}

int run(const examples::Program& program, const std::string& read) {
  const Alphabet alphabet(examples::kDateCharacters);
  const std::string asked = read.empty() ? "" : plain(read, examples::kDateCharacters);
  nn::EncoderDecoder model = make_model(alphabet);
  std::vector<Pair> unseen;
  for (int64_t i = 0; i < kUnseen; ++i) unseen.push_back(draw_date(true));
  if (!examples::train_on_pairs(
          model, alphabet, [] { return draw_date(false); }, program))
    return examples::kInterrupted;

  model->eval();
  const etude::NoGradGuard no_grad;
  const std::vector<std::string> made = examples::translate(model, alphabet, unseen, kLongestTarget);
  for (size_t i = 0; i < 8; ++i)
    std::printf("%-55s -> %s%s\n", unseen[i].source.c_str(), made[i].c_str(),
                made[i] == unseen[i].target ? "" : "  (wrong)");
  if (!asked.empty())
    std::printf("%-55s -> %s\n", asked.c_str(),
                examples::translate(model, alphabet, {{asked, ""}}, kLongestTarget)[0].c_str());
  examples::draw_cross_attention(model, alphabet, unseen[0], program);
  return examples::judge_pairs(program, model, alphabet, unseen, made,
                               "dates on days that it has not seen are right");
}

}  // namespace

int main(int argc, char** argv) {
  std::string read;
  examples::Program program(
      "dates",
      "Teaches an encoder-decoder to turn dates as people write them into ISO form. --out "
      "gets a checkpoint, the losses and a picture of the cross-attention.",
      2000, {"", "--seed 7 --out dates", "--out dates --resume --read 'May 3rd, 2021'"},
      "Go on with the checkpoint in --out, or read with it if it is complete");
  program.add_text("--read", read, "A date to read at the end");
  return program.run(argc, argv, [&] { return run(program, read); });
}
