#include "etude/ops/recurrent.h"

#include <doctest/doctest.h>

#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("recurrent functions") {
  namespace {

  // Weights of a layer: w_ih, w_hh, b_ih, b_hh for a state of 3 and an input of 2.
  std::vector<Tensor> recurrent_weights(int64_t gates, int64_t input = 2) {
    return {golden::ramp({3 * gates, input}), golden::ramp({3 * gates, 3}).cos(),
            golden::ramp({3 * gates}) * 0.5, golden::ramp({3 * gates}).cos()};
  }

  const Tensor x = golden::ramp({4, 2, 2});
  const Tensor h0 = golden::ramp({1, 2, 3}) * 0.5;

  }  // namespace

  TEST_CASE("gru, rnn_tanh and rnn_relu are their cells, step by step") {
    const auto check = [](int64_t gates, const auto& network, const auto& cell) {
      const auto w = recurrent_weights(gates);
      const auto [y, last] = network(w);
      Tensor h = h0[0];
      for (int64_t t = 0; t < 4; ++t) {
        h = cell(x[t], h, w);
        CHECK(y[t].allclose(h, 1e-5, 1e-6));
      }
      CHECK(last[0].equal(y[3]));
    };
    check(
        3, [](const auto& w) { return etude::gru(x, h0, w, true, 1, 0.0, true, false, false); },
        [](const Tensor& i, const Tensor& h, const auto& w) {
          return etude::gru_cell(i, h, w[0], w[1], w[2], w[3]);
        });
    check(
        1, [](const auto& w) { return etude::rnn_tanh(x, h0, w, true, 1, 0.0, true, false, false); },
        [](const Tensor& i, const Tensor& h, const auto& w) {
          return (etude::linear(i, w[0], w[2]) + etude::linear(h, w[1], w[3])).tanh();
        });
    check(
        1, [](const auto& w) { return etude::rnn_relu(x, h0, w, true, 1, 0.0, true, false, false); },
        [](const Tensor& i, const Tensor& h, const auto& w) {
          return etude::rnn_relu_cell(i, h, w[0], w[1], w[2], w[3]);
        });
  }

  TEST_CASE("lstm is its cell, step by step, forwards and backwards") {
    auto w = recurrent_weights(4);
    for (const Tensor& t : recurrent_weights(4)) w.push_back(t * 0.5);
    const Tensor first = etude::cat({h0, h0 * 2});
    const auto [y, h, c] = etude::lstm(x, {first, first}, w, true, 1, 0.0, true, true, false);
    CHECK(y.sizes() == IntArrayRef({4, 2, 6}));
    for (const int64_t backwards : {0, 1}) {
      Tensor state = first[backwards], cell = first[backwards];
      for (int64_t i = 0; i < 4; ++i) {
        const int64_t t = backwards ? 3 - i : i, at = 4 * backwards;
        const auto k = static_cast<size_t>(at);
        std::tie(state, cell) = etude::lstm_cell(x[t], {state, cell}, w[k], w[k + 1], w[k + 2], w[k + 3]);
        CHECK(y[t].slice(1, 3 * backwards, 3 * backwards + 3).allclose(state, 1e-5, 1e-6));
      }
      CHECK(h[backwards].allclose(state, 1e-5, 1e-6));
      CHECK(c[backwards].allclose(cell, 1e-5, 1e-6));
    }
  }

  TEST_CASE("packed rows are computed as batches of one are") {
    auto w = recurrent_weights(3);
    for (const Tensor& t : recurrent_weights(3)) w.push_back(t * 0.5);
    const Tensor counts = etude::tensor({2, 2, 1}), first = etude::cat({h0, h0 * 2});
    const Tensor data = golden::ramp({5, 2});
    const auto [y, last] = etude::gru(data, counts, first, w, true, 1, 0.0, true, true);
    const std::vector<Tensor> rows = {etude::tensor({0, 2, 4}), etude::tensor({1, 3})};
    for (int64_t b = 0; b < 2; ++b) {
      const Tensor& own = rows[static_cast<size_t>(b)];
      const auto [alone, alone_last] =
          etude::gru(data.index_select(0, own).unsqueeze(1), first.slice(1, b, b + 1), w, true, 1, 0.0, true,
                     true, false);
      CHECK(y.index_select(0, own).allclose(alone.squeeze(1), 1e-5, 1e-6));
      CHECK(last.slice(1, b, b + 1).allclose(alone_last, 1e-5, 1e-6));
    }
  }

  TEST_CASE("biases may be left out, both or one") {
    const auto w = recurrent_weights(3), v = recurrent_weights(4);
    const Tensor i = x[0], h = h0[0], none = etude::zeros({9}), no_gates = etude::zeros({12});
    CHECK(etude::gru_cell(i, h, w[0], w[1]).allclose(etude::gru_cell(i, h, w[0], w[1], none, none)));
    CHECK(etude::gru_cell(i, h, w[0], w[1], w[2]).allclose(etude::gru_cell(i, h, w[0], w[1], w[2], none)));
    CHECK(etude::gru_cell(i, h, w[0], w[1], Tensor(), w[3])
              .allclose(etude::gru_cell(i, h, w[0], w[1], none, w[3])));
    CHECK(std::get<1>(etude::lstm_cell(i, {h, h}, v[0], v[1], {}, v[3]))
              .allclose(std::get<1>(etude::lstm_cell(i, {h, h}, v[0], v[1], no_gates, v[3]))));
  }

  TEST_CASE("dropout between layers draws what dropout of its rows draws") {
    auto w = recurrent_weights(1);
    for (const Tensor& t : recurrent_weights(1, 3)) w.push_back(t);
    const Tensor first = etude::cat({h0, h0});
    manual_seed(6);
    const Tensor y = std::get<0>(etude::rnn_tanh(x, first, w, true, 2, 0.5, true, false, false));
    const std::vector<Tensor> lower(w.begin(), w.begin() + 4), upper(w.begin() + 4, w.end());
    manual_seed(6);
    const Tensor between = etude::dropout(
        std::get<0>(etude::rnn_tanh(x, h0, lower, true, 1, 0.0, true, false, false)), 0.5, true);
    CHECK(y.allclose(std::get<0>(etude::rnn_tanh(between, h0, upper, true, 1, 0.0, true, false, false)), 1e-5,
                     1e-6));
    const Tensor evaluated = std::get<0>(etude::rnn_tanh(x, first, w, true, 2, 0.5, false, false, false));
    CHECK(evaluated.equal(std::get<0>(etude::rnn_tanh(x, first, w, true, 2, 0.0, true, false, false))));
  }

  TEST_CASE("refuse in PyTorch's words what does not fit") {
    const auto w = recurrent_weights(3);
    const std::vector<Tensor> three(w.begin(), w.end() - 1);
    std::vector<Tensor> twice = w;
    for (const Tensor& t : w) twice.push_back(t);
    const auto gru = [&](const Tensor& h, const std::vector<Tensor>& weights, int64_t layers, bool both) {
      return refusal([&] { etude::gru(x, h, weights, true, layers, 0.0, true, both, false); });
    };
    CHECK(refusal([&] { etude::lstm(x, {h0}, w, true, 1, 0.0, true, false, false); }) ==
          "Error: lstm expects two hidden states");
    CHECK(gru(h0, three, 1, false) == "Error: got an incorrect number of RNN parameters");
    CHECK(gru(h0, twice, 1, false) == "Error: Expected more weights in stacked_rnn");
    CHECK(gru(etude::cat({h0, h0}), w, 1, false) == "Error: Expected more hidden states in stacked_rnn");
    CHECK(gru(h0, w, 2, false) == "Error: Expected more hidden states in stacked_rnn");
    CHECK(gru(h0, w, 1, true) == "Error: Odd number of params or hiddens given to a bidirectional RNN");
    CHECK(gru(etude::zeros({1, 3, 3}), w, 1, false) ==
          "Error: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0");
    CHECK(refusal([&] { etude::gru(x.slice(0, 0, 0), h0, w, true, 1, 0.0, true, false, false); }) ==
          "Error: Expected sequence length to be larger than 0 in RNN");
    CHECK(refusal([&] {
            etude::gru_cell(x[0], etude::zeros({3, 3}), w[0], w[1]);
          }) == "Error: Input batch size 2 doesn't match hidden0 batch size 3");
    CHECK(refusal([&] {
            etude::gru_cell(x[0], etude::zeros({2, 4}), w[0], w[1]);
          }) == "Error: hidden0 has inconsistent hidden_size: got 4, expected 3");
    CHECK(refusal([&] {
            etude::gru_cell(etude::ones({2, 5}), h0[0], w[0], w[1]);
          }) == "Error: input has inconsistent input_size: got 5 expected 2");
    CHECK(refusal([&] { etude::lstm_cell(x[0], {h0[0]}, w[0], w[1]); }) ==
          "Error: lstm_cell expects two hidden states");
  }
}
