// Python's functions that LibTorch lacks.
#include "etude/nn/utils/rnn.h"

#include <doctest/doctest.h>

#include "layers/golden.h"
#include "support/check_gradients.h"
#include "support/refusal.h"

using namespace etude;
namespace rnn = etude::nn::utils::rnn;

TEST_SUITE("packed sequences, beyond LibTorch") {
  TEST_CASE("pad_sequence pads before a sequence, as PyTorch 2 does") {
    const Tensor a = etude::arange(3, kLong), b = etude::arange(2, kLong);
    CHECK(rnn::pad_sequence({a, b}, true, 9, "left").equal(etude::tensor({{0, 1, 2}, {9, 0, 1}})));
    CHECK(rnn::pad_sequence({a, b}, false, 9, "left").equal(etude::tensor({{0, 9}, {1, 0}, {2, 1}})));
    CHECK(etude::pad_sequence({a, b}, true, 9, "right").equal(etude::tensor({{0, 1, 2}, {0, 1, 9}})));
    CHECK(refusal([&] {
            rnn::pad_sequence({a, b}, true, 9, "up");
          }) == "Error: Expected padding_side to be one of left or right, but got up.");
    check_gradients(
        {[](const auto& in) { return etude::pad_sequence(in, true, 3, "left"); }},
        {etude::linspace(1, 2, 4, kDouble).view({2, 2}), etude::linspace(-1, 3, 6, kDouble).view({3, 2})});
  }

  TEST_CASE("unpack_sequence gives what pack_sequence took, with its gradient") {
    const std::vector<Tensor> sequences = {golden::ramp({2, 3}).requires_grad_(), golden::ramp({4, 3}),
                                           golden::ramp({1, 3})};
    const std::vector<Tensor> back = rnn::unpack_sequence(rnn::pack_sequence(sequences, false));
    REQUIRE(back.size() == 3);
    for (size_t i = 0; i < 3; ++i) CHECK(back[i].equal(sequences[i]));
    (back[0] * golden::ramp({2, 3})).sum().backward();
    CHECK(sequences[0].grad().equal(golden::ramp({2, 3})));
  }

  TEST_CASE("unpad_sequence gives what pad_sequence took") {
    const std::vector<Tensor> sequences = {golden::ramp({2, 3}), golden::ramp({4, 3})};
    for (const bool batch_first : {false, true}) {
      const auto back =
          rnn::unpad_sequence(rnn::pad_sequence(sequences, batch_first), etude::tensor({2, 4}), batch_first);
      REQUIRE(back.size() == 2);
      for (size_t i = 0; i < 2; ++i) CHECK(back[i].equal(sequences[i]));
    }
    CHECK(golden::error_of([] {
            rnn::unpad_sequence(etude::ones({3, 2}), etude::tensor({3}));
          }) ==
          "there must be a length for each sequence\nreceived lengths of sizes [1] for a batch of sizes [3, "
          "2]");
  }
}
