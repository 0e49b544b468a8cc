#include "support/reversal.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

namespace {

using examples::Alphabet, examples::Pair;

TEST_SUITE("reversal") {
  TEST_CASE("words have 3 to 12 letters, and are to be written backwards") {
    etude::manual_seed(1);
    std::set<size_t> lengths;
    for (const Pair& pair : examples::draw_unseen_reversals()) {
      lengths.insert(pair.source.size());
      CHECK(pair.target == std::string(pair.source.rbegin(), pair.source.rend()));
    }
    CHECK(lengths.size() == 10);
    CHECK(*lengths.begin() == 3);
    CHECK(*lengths.rbegin() == 12);
  }

  TEST_CASE("the model learns, and looks at the letters of the source") {
    etude::manual_seed(1);
    const Alphabet alphabet(examples::kReversalLetters);
    etude::nn::EncoderDecoder model = examples::make_reversal_model(alphabet);
    examples::PairTrainer trainer(model, alphabet, examples::draw_reversal, 20, "reverse", 1);
    for (int i = 0; i < 20; ++i) trainer.state().note(trainer.step());
    CHECK(trainer.state().losses().y.back() < 0.7 * trainer.state().losses().y.front());
    const etude::Tensor weights = examples::cross_attention_weights(model, alphabet, {"dog", "god"});
    CHECK(weights.sizes() == etude::IntArrayRef({4, 3}));
    CHECK(etude::allclose(weights.sum(1), etude::ones({4})));
  }
}

}  // namespace
