// The initial values that Python draws for a seed, prints, and inputs without a batch.
#include "etude/rnn_cell.h"

#include <doctest/doctest.h>

#include "layers/recurrent_golden.h"

using namespace etude;
using nn::GRUCell;
using nn::RNNCell;

TEST_SUITE("RNNCell, LSTMCell, GRUCell, beyond LibTorch") {
  TEST_CASE("have PyTorch's names, initial values and print for a seed") {
    for (const auto& row : golden::recurrent().at("cells")) {
      CAPTURE(row.at("text").get<std::string>());
      manual_seed(3);
      golden::visit_recurrent(row, [&](auto& cell, const auto&) {
        CHECK(golden::text(cell) == row.at("text").get<std::string>());
        const auto state = cell->state_dict();
        REQUIRE(state.size() == row.at("state").size());
        for (size_t i = 0; i < state.size(); ++i) {
          CHECK(state[i].key() == row.at("state")[i][0].template get<std::string>());
          CHECK(state[i]->equal(golden::single(row.at("state")[i][1])));
        }
      });
    }
  }

  TEST_CASE("take an input without a batch as Python does") {
    int count = 0;
    for (const auto& row : golden::recurrent().at("cells")) {
      if (!row.at("unbatched").get<bool>()) continue;
      CAPTURE(row.at("text").get<std::string>());
      golden::visit_recurrent(
          row, [&](auto& cell, const auto& call) { golden::check_recurrent(row, *cell, call); });
      ++count;
    }
    CHECK(count == 4);
  }

  TEST_CASE("can have no state; its weights are zero then") {
    GRUCell cell(3, 0);
    CHECK(cell(etude::ones({2, 3})).sizes() == IntArrayRef({2, 0}));
  }

  TEST_CASE("say what is wrong, and what was received") {
    CHECK(golden::error_of([] {
            RNNCell(3, 4)(etude::ones({1, 2, 3}));
          }) ==
          "RNNCell: Expected input to be 1-D or 2-D but received 3-D tensor\nreceived sizes [1, 2, 3]\nin "
          "RNNCell");
    CHECK(golden::error_of([] { GRUCell(3, 4)(etude::ones({3}), etude::ones({5})); }) ==
          "hidden0 has inconsistent hidden_size: got 5, expected 4\nreceived sizes [1, 3] and [1, 5]\nin "
          "GRUCell");
  }
}
