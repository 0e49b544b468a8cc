// The initial values that Python draws for a seed, prints, unbatched inputs, and errors that only Etude throws.
#include "etude/rnn.h"

#include <doctest/doctest.h>

#include "etude/linear.h"
#include "layers/recurrent_golden.h"
#include "support/refusal.h"
#include "support/thread_count.h"

using namespace etude;
using nn::GRU;
using nn::GRUOptions;
using nn::LSTM;
using nn::LSTMOptions;
using nn::RNN;

TEST_SUITE("RNN, LSTM, GRU, beyond LibTorch") {
  TEST_CASE("have PyTorch's names, initial values and print for a seed") {
    for (const auto& row : golden::recurrent().at("networks")) {
      CAPTURE(row.at("text").get<std::string>());
      manual_seed(3);
      golden::visit_recurrent(row, [&](auto& network, const auto&) {
        CHECK(golden::text(network) == row.at("text").get<std::string>());
        const auto state = network->state_dict();
        REQUIRE(state.size() == row.at("state").size());
        for (size_t i = 0; i < state.size(); ++i) {
          CHECK(state[i].key() == row.at("state")[i][0].template get<std::string>());
          CHECK(state[i]->equal(golden::single(row.at("state")[i][1])));
        }
      });
    }
  }

  TEST_CASE("take a sequence without a batch as Python does") {
    int count = 0;
    for (const auto& row : golden::recurrent().at("networks")) {
      if (!row.at("unbatched").get<bool>()) continue;
      CAPTURE(row.at("text").get<std::string>());
      golden::visit_recurrent(
          row, [&](auto& network, const auto& call) { golden::check_recurrent(row, *network, call); });
      ++count;
    }
    CHECK(count == 6);
  }

  TEST_CASE("learn to say what they saw first") {
    manual_seed(4);
    GRU gru(1, 8);
    nn::Linear head(8, 1);
    optim::Adam adam({gru->parameters(), head->parameters()}, optim::AdamOptions(0.02));
    const Tensor x = etude::randn({6, 32, 1});
    double loss = 0;
    for (int step = 0; step < 60; ++step) {
      const Tensor wrong = head(std::get<0>(gru(x))[-1]) - x[0];
      const Tensor mean = (wrong * wrong).mean();
      adam.zero_grad();
      mean.backward();
      adam.step();
      loss = mean.item<double>();
    }
    CHECK(loss < 0.2);
  }

  TEST_CASE("give the same bits for any number of threads") {
    manual_seed(1);
    LSTM lstm(LSTMOptions(64, 64).bidirectional(true));
    const Tensor x = etude::randn({5, 40, 64});
    const ThreadCount restored;
    set_num_threads(1);
    const Tensor one = std::get<0>(lstm(x));
    set_num_threads(3);
    const Tensor three = std::get<0>(lstm(x));
    CHECK(one.equal(three));
  }

  TEST_CASE("under autocast give the types that they have in Python, and learn") {
    manual_seed(1);
    LSTM lstm(2, 3);
    GRU gru(2, 3);
    RNN rnn(2, 3);
    const Tensor x = golden::ramp({4, 2, 2});
    const Tensor exact = std::get<0>(lstm(x));
    autocast::set_cpu_enabled(true);
    const Tensor y = std::get<0>(lstm(x)), z = std::get<0>(gru(x)), w = std::get<0>(rnn(x));
    autocast::set_cpu_enabled(false);
    autocast::clear_cache();
    CHECK(y.scalar_type() == kFloat);
    CHECK(z.scalar_type() == kFloat);
    CHECK(w.scalar_type() == kBFloat16);
    CHECK(y.allclose(exact, 0.05, 0.01));
    CHECK_FALSE(y.equal(exact));
    (y.sum() + z.sum() + w.sum()).backward();
    for (const Tensor& p : lstm->parameters()) CHECK(p.grad().scalar_type() == kFloat);
  }

  TEST_CASE("say what is wrong, and what was received") {
    CHECK(golden::error_of([] { GRU(GRUOptions(4, 5).num_layers(0)); }) ==
          "num_layers must be greater than zero\nreceived 0");
    CHECK(golden::error_of([] { GRU(4, 0); }) ==
          "proj_size has to be a positive integer, smaller than hidden_size or zero to disable projections\n"
          "received proj_size 0 and hidden_size 0");
    CHECK(golden::error_of([] {
            GRU(4, 5)(etude::ones({4}));
          }) == "input must have 3 dimensions, got 1\nreceived sizes [4]\nin GRU");
    CHECK(golden::error_of([] {
            GRU(4, 5)(etude::ones({3, 4}), etude::ones({1, 1, 5}));
          }) ==
          "For unbatched 2-D input, hx should also be 2-D but got 3-D tensor\n"
          "received input of sizes [3, 4] and a state of sizes [1, 1, 5]\nin GRU");
    CHECK(golden::error_of([] {
            RNN(4, 5)(etude::ones({3, 4}), etude::ones({1, 6}));
          }) == "Expected hidden size 1 1 5, got [1, 1, 6]\nin RNN");
  }
}
