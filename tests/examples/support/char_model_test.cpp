#include "support/char_model.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace {

namespace nn = etude::nn;
using etude::Tensor;
using examples::CharModel;

// Blanks, letters and a letter of two bytes; the weights are numbers that bfloat16 holds.
CharModel small_char_model() {
  etude::manual_seed(4);
  CharModel one{nn::GPT(nn::GPTOptions(5).context(8).d_model(12).layers(2).heads(3).dropout(0)),
                etude::text::CharacterTokenizer::train("the é")};
  const etude::NoGradGuard no_grad;
  for (Tensor& weight : one.model->parameters()) weight.copy_((weight * 6).to(etude::kBFloat16));
  one.model->eval();
  return one;
}

Tensor last_guess(const CharModel& one, const Tensor& ids) {
  const etude::NoGradGuard no_grad;
  nn::GPT model = one.model;
  return model(ids.unsqueeze(0))[0][-1].softmax(-1);
}

bool is_same(const Tensor& a, const Tensor& b) { return etude::allclose(a, b, 1e-5, 1e-6); }

TEST_SUITE("char_model") {
  TEST_CASE("a file holds the weights, the heads and the characters") {
    const etude::TemporaryFolder folder;
    const CharModel one = small_char_model();
    examples::save_char_model(folder / "gpt.safetensors", one);
    const CharModel again = examples::load_char_model(folder / "gpt.safetensors");
    CHECK(again.model->options.heads() == 3);
    CHECK(again.model->options.context() == 8);
    CHECK(again.tokenizer.encode("é eht") == one.tokenizer.encode("é eht"));
    const auto weights = one.model->named_parameters();
    for (const auto& weight : again.model->named_parameters())
      CHECK(etude::equal(weight.value(), weights[weight.key()]));

    etude::save_safetensors(folder / "other.safetensors", {{"wte.weight", etude::zeros({5, 12})}});
    CHECK_THROWS_WITH_AS(examples::load_char_model(folder / "other.safetensors"),
                         doctest::Contains("is not a GPT of characters"), etude::Error);
  }

  TEST_CASE("characters that the model does not know are left out, and the last of a long text are read") {
    const CharModel one = small_char_model();
    CHECK(etude::equal(examples::known_ids(one, "xthüé"), etude::tensor(one.tokenizer.encode("thé"))));
    CHECK(examples::known_ids(one, "\xa9").numel() == 0);  // the second byte of é
    CHECK(examples::known_ids(one, "").sizes().vec() == std::vector<int64_t>{0});
    CHECK(etude::equal(examples::readable_ids(one, "eeee the é"), examples::known_ids(one, "ee the é")));
  }

  TEST_CASE("what is read after the last block is what the model says, and a head's weights add up to one") {
    const CharModel one = small_char_model();
    const Tensor ids = examples::known_ids(one, "he the");
    const examples::CharReading reading = examples::read_inside(one, ids);
    CHECK(reading.early.sizes().vec() == std::vector<int64_t>{3, 6, 5});
    CHECK(is_same(reading.early[-1][-1], last_guess(one, ids)));
    CHECK(reading.attention.sizes().vec() == std::vector<int64_t>{2, 3, 6, 6});
    CHECK(is_same(reading.attention.sum(-1), etude::ones({2, 3, 6})));
    CHECK(etude::equal(reading.attention, reading.attention.tril()));
    const auto weights = one.model->named_parameters();
    CHECK(
        is_same(reading.vectors, weights["wte.weight"].index({ids}) + weights["wpe.weight"].narrow(0, 0, 6)));
  }

  // The other way to leave a part out: a model whose weights behind the part are zeros.
  TEST_CASE("without a part the model says what a model says whose weights behind it are zeros") {
    const Tensor ids = examples::known_ids(small_char_model(), "the he");
    for (const std::string part : {"0.2", "1.0", "mlp.0"}) {
      CAPTURE(part);
      const CharModel changed = small_char_model();
      {
        const etude::NoGradGuard no_grad;
        auto weights = changed.model->named_parameters();
        if (part == "mlp.0") {
          weights["h.0.mlp.c_proj.weight"].zero_();
          weights["h.0.mlp.c_proj.bias"].zero_();
        } else {
          weights[etude::str("h.", part[0], ".attn.c_proj.weight")].narrow(0, 4 * (part[2] - '0'), 4).zero_();
        }
      }
      const Tensor without = examples::read_inside(small_char_model(), ids, {part}).early[-1][-1];
      CHECK(is_same(without, last_guess(changed, ids)));
      CHECK_FALSE(is_same(without, last_guess(small_char_model(), ids)));
    }
    CHECK(examples::parts_of(small_char_model()) ==
          std::vector<std::string>{"0.0", "0.1", "0.2", "mlp.0", "1.0", "1.1", "1.2", "mlp.1"});
    for (const std::string part : {"2.0", "0.3", "mlp.2", "", "head"})
      CHECK_THROWS_WITH_AS(examples::read_inside(small_char_model(), ids, {part}),
                           doctest::Contains("the model has no part"), etude::Error);
  }
}

}  // namespace
