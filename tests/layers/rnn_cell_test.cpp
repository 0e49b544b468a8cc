#include "etude/rnn_cell.h"

#include <doctest/doctest.h>

#include "layers/recurrent_golden.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;
using nn::GRUCell;
using nn::LSTMCell;
using nn::LSTMCellOptions;
using nn::RNNCell;
using nn::RNNCellOptions;

TEST_SUITE("RNNCell, LSTMCell, GRUCell") {
  TEST_CASE("have PyTorch's outputs and gradients with every option") {
    int count = 0;
    for (const auto& row : golden::recurrent().at("cells")) {
      if (row.at("unbatched").get<bool>()) continue;
      CAPTURE(row.at("text").get<std::string>());
      golden::visit_recurrent(
          row, [&](auto& cell, const auto& call) { golden::check_recurrent(row, *cell, call); });
      ++count;
    }
    CHECK(count == 8);
  }

  TEST_CASE("step by step they are the networks") {
    manual_seed(1);
    nn::LSTM network(2, 3);
    LSTMCell cell(2, 3);
    nn::GRU gru(2, 3);
    GRUCell gru_cell(2, 3);
    const NoGradGuard no_grad;
    for (size_t i = 0; i < 4; ++i) {
      cell->parameters()[i].copy_(network->parameters()[i]);
      gru_cell->parameters()[i].copy_(gru->parameters()[i]);
    }
    const Tensor x = golden::ramp({4, 2, 2}), y = std::get<0>(network(x)), z = std::get<0>(gru(x));
    optional<std::tuple<Tensor, Tensor>> state;
    Tensor h;
    for (int64_t t = 0; t < 4; ++t) {
      state = cell(x[t], state);
      CHECK(std::get<0>(*state).allclose(y[t], 1e-5, 1e-6));
      h = gru_cell(x[t], h);
      CHECK(h.allclose(z[t], 1e-5, 1e-6));
    }
  }

  TEST_CASE("weights have PyTorch's names, and biases can be left out") {
    LSTMCell cell(2, 3);
    CHECK(cell->named_parameters().keys() ==
          std::vector<std::string>{"weight_ih", "weight_hh", "bias_ih", "bias_hh"});
    CHECK(cell->weight_ih.sizes() == IntArrayRef({12, 2}));
    CHECK(GRUCell(2, 3)->weight_hh.sizes() == IntArrayRef({9, 3}));
    LSTMCell bare(LSTMCellOptions(2, 3).bias(false));
    CHECK_FALSE(bare->bias_ih.defined());
    CHECK(bare->named_parameters().keys() == std::vector<std::string>{"weight_ih", "weight_hh"});
    CHECK(enumtype::get_enum_name(RNNCellOptions(2, 3).nonlinearity()) == "kTanh");
    CHECK(cell->options_base.num_chunks() == 4);
  }

  TEST_CASE("a batch of nothing, another type, a clone") {
    GRUCell cell(2, 3);
    CHECK(cell(etude::zeros({0, 2})).sizes() == IntArrayRef({0, 3}));
    GRUCell copy = std::dynamic_pointer_cast<nn::GRUCellImpl>(cell->clone());
    const Tensor x = golden::ramp({2, 2});
    CHECK(cell(x).equal(copy(x)));
    nn::init::zeros_(copy->weight_ih);
    CHECK_FALSE(cell(x).equal(copy(x)));
    for (const ScalarType type : {kDouble, kBFloat16}) {
      cell->to(type);
      CHECK(cell(x.to(type)).scalar_type() == type);
    }
  }

  TEST_CASE("refuse in PyTorch's words what does not fit") {
    RNNCell cell(3, 4);
    LSTMCell lstm(3, 4);
    const Tensor x = etude::ones({2, 3}), h = etude::zeros({2, 4});
    CHECK(refusal([&] {
            cell(etude::ones({2, 5}));
          }) == "Error: input has inconsistent input_size: got 5 expected 3");
    CHECK(refusal([&] {
            cell(x, etude::zeros({3, 4}));
          }) == newer("Error: Input batch size 2 doesn't match hidden0 batch size 3",
                      "Error: Input batch size 2 doesn't match hidden batch size 3"));
    CHECK(refusal([&] {
            cell(x, etude::zeros({2, 3}));
          }) == newer("Error: hidden0 has inconsistent hidden_size: got 3, expected 4",
                      "Error: hidden has inconsistent hidden_size: got 3, expected 4"));
    CHECK(refusal([&] {
            lstm(x, std::make_tuple(etude::zeros({3, 4}), h));
          }) == newer("Error: Input batch size 2 doesn't match hidden0 batch size 3",
                      "Error: Input batch size 2 doesn't match hidden[0] batch size 3"));
    CHECK(refusal([&] {
            lstm(x, std::make_tuple(h, etude::zeros({2, 3})));
          }) == newer("Error: hidden1 has inconsistent hidden_size: got 3, expected 4",
                      "Error: hidden[1] has inconsistent hidden_size: got 3, expected 4"));
    CHECK(refusal([&] { cell(x.to(kDouble)); }) ==
          newer("Error: mat1 and mat2 must have the same dtype, but got Double and Float",
                "Error: mat1 and mat2 must have the same dtype"));
  }

  TEST_CASE("have the gradient and second gradient of finite differences, of inputs, states and weights") {
    manual_seed(2);
    LSTMCell cell(2, 2);
    GRUCell gru(2, 2);
    cell->to(kDouble), gru->to(kDouble);
    const Tensor x = golden::ramp({2, 2}).to(kDouble).requires_grad_(),
                 h = (golden::ramp({2, 2}) * 2).to(kDouble).requires_grad_();
    const TensorsFunction of_cell = [&](const std::vector<Tensor>& in) {
      const auto [y, c] = cell(in[0], std::make_tuple(in[1], in[1] * 2));
      return std::vector<Tensor>{y * golden::ramp({2, 2}), c};
    };
    const TensorsFunction of_gru = [&](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{gru(in[0], in[1]) * golden::ramp({2, 2})};
    };
    std::vector<Tensor> inputs = {x, h}, gru_inputs = {x, h};
    for (const Tensor& p : cell->parameters()) inputs.push_back(p);
    for (const Tensor& p : gru->parameters()) gru_inputs.push_back(p);
    CHECK(gradcheck(of_cell, inputs));
    CHECK(gradgradcheck(of_cell, inputs));
    CHECK(gradcheck(of_gru, gru_inputs));
    CHECK(gradgradcheck(of_gru, gru_inputs));
  }
}
