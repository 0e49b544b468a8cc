// Errors in cases where LibTorch reads rows that do not exist, or crashes.
#include "etude/ops/recurrent.h"

#include <doctest/doctest.h>

#include "etude/nn/utils/rnn.h"
#include "layers/golden.h"

using namespace etude;

TEST_SUITE("recurrent functions, beyond LibTorch") {
  namespace {

  std::string error_of_counts(const Tensor& batch_sizes) {
    const std::vector<Tensor> w = {etude::ones({9, 2}), etude::ones({9, 3})};
    return golden::error_of([&] {
      etude::gru(etude::ones({3, 2}), batch_sizes, etude::zeros({1, 2, 3}), w, false, 1, 0.0, true, false);
    });
  }

  const std::string counts_sentence =
      "batch_sizes must not rise, and be 3 together, as many as data has rows\nreceived ";
  const std::string counts_hint = "\nhint: pack_padded_sequence and pack_sequence make them";

  }  // namespace

  TEST_CASE("steps that rise, or are more or fewer than there are rows") {
    CHECK(error_of_counts(etude::tensor({2, 1})).empty());
    CHECK(error_of_counts(etude::tensor({1, 2})) == counts_sentence + "[1, 2]" + counts_hint);
    CHECK(error_of_counts(etude::tensor({2, 2})) == counts_sentence + "[2, 2]" + counts_hint);
    CHECK(error_of_counts(etude::tensor({2})) == counts_sentence + "[2]" + counts_hint);
    CHECK(error_of_counts(etude::tensor({4, -1})) == counts_sentence + "[4, -1]" + counts_hint);
    CHECK(error_of_counts(etude::zeros({0}, kLong)) == "batch_sizes must name at least one step");
    CHECK(error_of_counts(etude::tensor({2, 1}).to(kInt)) ==
          "'lengths' argument should be a 1D CPU int64 tensor, but got 1D cpu Int tensor");
    CHECK(golden::error_of([] {
            etude::_pad_packed_sequence(etude::ones({3}), etude::tensor({1, 2}), false, 0, 0);
          }) == counts_sentence + "[1, 2]" + counts_hint);
  }

  TEST_CASE("lengths beyond the batch, weights of another state, a cell's input that is no matrix") {
    CHECK(golden::error_of([] {
            nn::utils::rnn::pack_padded_sequence(etude::ones({3, 2}), etude::tensor({4, 2}));
          }) == "a sequence cannot be longer than the batch, which has 3 steps\nreceived lengths [4, 2]");
    CHECK(
        golden::error_of([] {
          etude::gru_cell(etude::ones({2, 2}), etude::ones({2, 3}), etude::ones({8, 2}), etude::ones({8, 3}));
        }) == "the weights of a state of 3 must have 9 rows\nreceived w_hh of sizes [8, 3]");
    CHECK(golden::error_of([] {
            etude::gru_cell(etude::ones({2, 2, 1}), etude::ones({2, 3}), etude::ones({9, 2}),
                            etude::ones({9, 3}));
          }) == "a cell takes matrices\nreceived sizes [2, 2, 1] and [2, 3]");
  }

  TEST_CASE("the whole text of what is refused") {
    CHECK(golden::error_of([] {
            nn::utils::rnn::pack_padded_sequence(etude::ones({3, 2}), etude::tensor({3, -1}));
          }) ==
          "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0\n"
          "received [3, -1]");
    CHECK(golden::error_of([] {
            etude::gru(etude::ones({3, 2, 2}), etude::zeros({2, 2, 3}),
                       {etude::ones({9, 2}), etude::ones({9, 3})}, false, 1, 0.0, true, false, false);
          }) ==
          "Expected more hidden states in stacked_rnn\nreceived hx of sizes [2, 2, 3] for 1 layers and "
          "directions");
  }

  TEST_CASE("padding may be of every type") {
    for (const ScalarType type : {kFloat, kDouble, kBFloat16, kLong, kInt, kByte, kBool}) {
      CAPTURE(dtype_name(type));
      const Tensor x = etude::ones({3, 2}).to(type);
      const auto packed = nn::utils::rnn::pack_padded_sequence(x, etude::tensor({3, 1}));
      const Tensor y = std::get<0>(nn::utils::rnn::pad_packed_sequence(packed, false, 0, 4));
      CHECK(y.scalar_type() == type);
      CHECK(y.to(kLong).equal(etude::tensor({{1, 1}, {1, 0}, {1, 0}, {0, 0}})));
    }
  }
}
