#include "support/pairs.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace {

using etude::Tensor;
using examples::Alphabet, examples::Pair;
namespace nn = etude::nn;

nn::EncoderDecoder tiny_model(const Alphabet& alphabet) {
  return nn::EncoderDecoder(nn::EncoderDecoderOptions(alphabet.size())
                                .d_model(8)
                                .heads(2)
                                .encoder_layers(1)
                                .decoder_layers(1)
                                .dim_feedforward(16)
                                .dropout(0)
                                .padding_idx(Alphabet::kPadding)
                                .label_smoothing(0));
}

TEST_SUITE("pairs") {
  TEST_CASE("texts become ids and back") {
    const Alphabet alphabet("abc");
    CHECK(alphabet.size() == 6);
    CHECK(etude::equal(alphabet.encode({"ab", "c"}, false), etude::tensor({{3, 4}, {5, 0}})));
    const Tensor targets = alphabet.encode({"ab", "c", ""}, true);
    CHECK(etude::equal(targets, etude::tensor({{1, 3, 4, 2}, {1, 5, 2, 0}, {1, 2, 0, 0}})));
    CHECK(alphabet.decode(targets[0]) == "ab");
    CHECK(alphabet.decode(targets[2]) == "");
    CHECK(alphabet.decode(etude::tensor({1, 5, 0, 3})) == "ca");
    CHECK_THROWS_AS(alphabet.encode({"d"}, false), std::out_of_range);
  }

  TEST_CASE("numbers are drawn from 0 up to n") {
    etude::manual_seed(3);
    std::vector<int> counts(3);
    for (int i = 0; i < 300; ++i) ++counts.at(examples::draw_below(3));
    for (const int count : counts) CHECK(count > 70);
  }

  TEST_CASE("the loss is that of the model on the ids") {
    etude::manual_seed(1);
    const Alphabet alphabet("abc");
    nn::EncoderDecoder model = tiny_model(alphabet);
    const Tensor loss = examples::loss_of(model, alphabet, {{"ab", "b"}, {"c", "ca"}});
    CHECK(etude::equal(
        loss, model->loss(etude::tensor({{3, 4}, {5, 0}}), etude::tensor({{1, 4, 2, 0}, {1, 5, 3, 2}}))));
  }

  TEST_CASE("what is made is counted where it is exact, and is no longer than asked for") {
    CHECK(examples::count_exact({{"a", "b"}, {"c", "d"}, {"e", ""}}, {"b", "x", ""}) == 2);
    etude::manual_seed(1);
    const Alphabet alphabet("abc");
    nn::EncoderDecoder model = tiny_model(alphabet);
    const std::vector<std::string> made = examples::translate(model, alphabet, {{"ab", ""}, {"c", ""}}, 4);
    REQUIRE(made.size() == 2);
    for (const std::string& text : made) CHECK(text.size() <= 5);
  }
}

}  // namespace
