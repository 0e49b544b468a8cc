#include "etude/rnn.h"

#include <doctest/doctest.h>

#include <cmath>

#include "etude/sequential.h"
#include "layers/recurrent_golden.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;
using nn::GRU;
using nn::GRUOptions;
using nn::LSTM;
using nn::LSTMOptions;
using nn::RNN;
using nn::RNNOptions;
namespace rnn = etude::nn::utils::rnn;

TEST_SUITE("RNN, LSTM, GRU") {
  namespace {

  double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

  // Row r of W v + b, in double.
  double row_of(const Tensor& w, const Tensor& b, int64_t r, const std::vector<double>& v) {
    double sum = b[r].item<double>();
    for (size_t k = 0; k < v.size(); ++k) sum += w[r][static_cast<int64_t>(k)].item<double>() * v[k];
    return sum;
  }

  std::vector<double> numbers(const Tensor& t) {
    std::vector<double> all;
    for (int64_t i = 0; i < t.size(0); ++i) all.push_back(t[i].item<double>());
    return all;
  }

  }  // namespace

  TEST_CASE("have PyTorch's outputs and gradients with every option, batches and packed ones") {
    int count = 0;
    for (const auto& row : golden::recurrent().at("networks")) {
      if (row.at("unbatched").get<bool>()) continue;
      CAPTURE(row.at("text").get<std::string>());
      CAPTURE(row.at("lengths").is_null());
      golden::visit_recurrent(
          row, [&](auto& network, const auto& call) { golden::check_recurrent(row, *network, call); });
      ++count;
    }
    CHECK(count == 21);
  }

  TEST_CASE("an LSTM forgets, writes and reads, computed by hand") {
    manual_seed(1);
    LSTM lstm(2, 3);
    const Tensor x = golden::ramp({4, 1, 2});
    const auto [y, last] = lstm(x);
    const auto w = lstm->all_weights();
    std::vector<double> h(3, 0), c(3, 0);
    for (int64_t t = 0; t < 4; ++t) {
      std::vector<double> next(3);
      for (int64_t j = 0; j < 3; ++j) {
        double gate[4];
        for (int64_t g = 0; g < 4; ++g)
          gate[g] = row_of(w[0], w[2], 3 * g + j, numbers(x[t][0])) + row_of(w[1], w[3], 3 * g + j, h);
        const auto k = static_cast<size_t>(j);
        c[k] = sigmoid_of(gate[1]) * c[k] + sigmoid_of(gate[0]) * std::tanh(gate[2]);
        next[k] = sigmoid_of(gate[3]) * std::tanh(c[k]);
      }
      h = next;
      for (int64_t j = 0; j < 3; ++j)
        CHECK(y[t][0][j].item<double>() == doctest::Approx(h[static_cast<size_t>(j)]).epsilon(1e-5));
    }
    for (int64_t j = 0; j < 3; ++j)
      CHECK(std::get<1>(last)[0][0][j].item<double>() ==
            doctest::Approx(c[static_cast<size_t>(j)]).epsilon(1e-5));
    CHECK(std::get<0>(last)[0].equal(y[3]));
  }

  TEST_CASE("a GRU mixes its state with a new one, computed by hand") {
    manual_seed(1);
    GRU gru(2, 3);
    const Tensor x = golden::ramp({4, 1, 2});
    const Tensor y = std::get<0>(gru(x));
    const auto w = gru->all_weights();
    std::vector<double> h(3, 0);
    for (int64_t t = 0; t < 4; ++t) {
      std::vector<double> next(3);
      for (int64_t j = 0; j < 3; ++j) {
        double from_x[3], from_h[3];
        for (int64_t g = 0; g < 3; ++g) {
          from_x[g] = row_of(w[0], w[2], 3 * g + j, numbers(x[t][0]));
          from_h[g] = row_of(w[1], w[3], 3 * g + j, h);
        }
        const double r = sigmoid_of(from_x[0] + from_h[0]), z = sigmoid_of(from_x[1] + from_h[1]);
        const auto k = static_cast<size_t>(j);
        next[k] = (1 - z) * std::tanh(from_x[2] + r * from_h[2]) + z * h[k];
      }
      h = next;
      for (int64_t j = 0; j < 3; ++j)
        CHECK(y[t][0][j].item<double>() == doctest::Approx(h[static_cast<size_t>(j)]).epsilon(1e-5));
    }
  }

  TEST_CASE("the other direction sees the sequence turned over") {
    manual_seed(1);
    GRU both(GRUOptions(2, 3).bidirectional(true)), one(2, 3);
    const NoGradGuard no_grad;
    const auto from = both->all_weights(), to = one->all_weights();
    for (size_t i = 0; i < 4; ++i) to[i].copy_(from[i + 4]);
    const Tensor x = golden::ramp({5, 2, 2});
    const auto [y, last] = both(x);
    const auto [turned, turned_last] = one(x.flip({0}));
    CHECK(y.slice(2, 3).allclose(turned.flip({0})));
    CHECK(last[1].allclose(turned_last[0]));
  }

  TEST_CASE("a packed sequence is computed as if it were alone") {
    manual_seed(1);
    LSTM lstm(LSTMOptions(2, 3).num_layers(2).bidirectional(true));
    const Tensor x = golden::ramp({5, 3, 2});
    const std::vector<int64_t> lengths = {2, 5, 3};
    const auto packed = rnn::pack_padded_sequence(x, etude::tensor(lengths, kLong), false, false);
    const auto [out, last] = lstm->forward_with_packed_input(packed);
    const auto [y, counts] = rnn::pad_packed_sequence(out);
    CHECK(counts.equal(etude::tensor(lengths, kLong)));
    for (int64_t b = 0; b < 3; ++b) {
      const int64_t n = lengths[static_cast<size_t>(b)];
      const auto [alone, alone_last] = lstm(x.slice(0, 0, n).slice(1, b, b + 1));
      CHECK(y.select(1, b).slice(0, 0, n).allclose(alone.select(1, 0), 1e-5, 1e-6));
      CHECK(y.select(1, b).slice(0, n).abs().sum().item<float>() == 0);
      CHECK(std::get<0>(last).select(1, b).allclose(std::get<0>(alone_last).select(1, 0), 1e-5, 1e-6));
      CHECK(std::get<1>(last).select(1, b).allclose(std::get<1>(alone_last).select(1, 0), 1e-5, 1e-6));
    }
  }

  TEST_CASE("the batch and the steps may change places, and views are read as they are") {
    manual_seed(1);
    RNN rnn(RNNOptions(2, 3).batch_first(true));
    const Tensor x = golden::ramp({2, 4, 3}).transpose(0, 1).transpose(1, 2).slice(2, 0, 2);  // [4, 3, 2]
    const auto [y, h] = rnn(x);
    CHECK(y.sizes() == IntArrayRef({4, 3, 3}));
    CHECK(h.sizes() == IntArrayRef({1, 4, 3}));
    CHECK(y.equal(std::get<0>(rnn(x.contiguous()))));
    CHECK(y.select(1, 2).equal(h[0]));
  }

  TEST_CASE("dropout lies between the layers and only in training") {
    GRU gru(GRUOptions(2, 3).num_layers(2).dropout(0.9));
    const Tensor x = golden::ramp({4, 2, 2});
    manual_seed(1);
    const Tensor first = std::get<0>(gru(x)), second = std::get<0>(gru(x));
    CHECK_FALSE(first.equal(second));
    gru->eval();
    CHECK(std::get<0>(gru(x)).equal(std::get<0>(gru(x))));
    CHECK(std::get<0>(gru(x)).abs().min().item<float>() > 0);
  }

  TEST_CASE("weights have PyTorch's names and order") {
    LSTM lstm(LSTMOptions(2, 4).num_layers(2).bidirectional(true).proj_size(3));
    const auto names = lstm->named_parameters().keys();
    CHECK(names.size() == 20);
    CHECK(std::vector<std::string>(names.begin(), names.begin() + 6) ==
          std::vector<std::string>{"weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0", "weight_hr_l0",
                                   "weight_ih_l0_reverse"});
    CHECK(names.back() == "weight_hr_l1_reverse");
    CHECK(lstm->named_parameters()["weight_ih_l1"].sizes() == IntArrayRef({16, 6}));
    CHECK(lstm->named_parameters()["weight_hr_l1"].sizes() == IntArrayRef({3, 4}));
    CHECK(lstm->all_weights().size() == 20);
    CHECK(RNN(RNNOptions(2, 3).bias(false))->named_parameters().keys() ==
          std::vector<std::string>{"weight_ih_l0", "weight_hh_l0"});
    GRU(2, 3)->flatten_parameters();
  }

  TEST_CASE("options have PyTorch's defaults") {
    const LSTMOptions o(2, 3);
    CHECK(o.input_size() == 2);
    CHECK(o.hidden_size() == 3);
    CHECK(o.num_layers() == 1);
    CHECK(o.bias());
    CHECK_FALSE(o.batch_first());
    CHECK(o.dropout() == 0);
    CHECK_FALSE(o.bidirectional());
    CHECK(o.proj_size() == 0);
    CHECK(enumtype::get_enum_name(RNNOptions(2, 3).nonlinearity()) == "kTanh");
    CHECK(enumtype::get_enum_name(LSTM(2, 3)->options_base.mode()) == "kLSTM");
    CHECK(enumtype::get_enum_name(RNN(RNNOptions(2, 3).nonlinearity(kReLU))->options_base.mode()) ==
          "kRNN_RELU");
  }

  TEST_CASE("a clone computes the same and is trained alone") {
    LSTM lstm(LSTMOptions(2, 3).num_layers(2));
    LSTM copy = std::dynamic_pointer_cast<nn::LSTMImpl>(lstm->clone());
    const Tensor x = golden::ramp({4, 2, 2});
    CHECK(std::get<0>(lstm(x)).equal(std::get<0>(copy(x))));
    nn::init::zeros_(copy->all_weights()[1]);
    CHECK_FALSE(std::get<0>(lstm(x)).equal(std::get<0>(copy(x))));
    CHECK(copy->all_weights()[1].equal(copy->named_parameters()["weight_hh_l0"]));
  }

  TEST_CASE("stand in a Sequential, and compute in the type they are converted to") {
    nn::Sequential model{LSTM(2, 3)};
    using Result = std::tuple<Tensor, std::tuple<Tensor, Tensor>>;
    CHECK(std::get<0>(model->forward<Result>(golden::ramp({4, 2, 2}))).sizes() == IntArrayRef({4, 2, 3}));
    GRU gru(2, 3);
    for (const ScalarType type : {kDouble, kBFloat16}) {
      gru->to(type);
      const auto [y, h] = gru(golden::ramp({4, 2, 2}).to(type));
      CHECK(y.scalar_type() == type);
      CHECK(h.scalar_type() == type);
    }
  }

  TEST_CASE("a batch of nothing has states of nothing, and gradients of zero") {
    LSTM lstm(LSTMOptions(2, 3).bidirectional(true));
    const auto [y, last] = lstm(etude::zeros({4, 0, 2}));
    CHECK(y.sizes() == IntArrayRef({4, 0, 6}));
    CHECK(std::get<1>(last).sizes() == IntArrayRef({2, 0, 3}));
    y.sum().backward();
    for (const Tensor& p : lstm->parameters()) CHECK(p.grad().abs().sum().item<float>() == 0);
  }

  TEST_CASE("refuse in PyTorch's words what does not fit") {
    const Tensor x = etude::ones({3, 2, 4}), h = etude::zeros({1, 2, 5});
    LSTM lstm(4, 5);
    GRU gru(4, 5);
    CHECK(refusal([&] { gru(etude::ones({1, 3, 2, 4})); }) == "Error: input must have 3 dimensions, got 4");
    CHECK(refusal([&] {
            gru(etude::ones({3, 2, 3}));
          }) == "Error: input.size(-1) must be equal to input_size. Expected 4, got 3");
    CHECK(refusal([&] {
            gru(x, etude::zeros({1, 3, 5}));
          }) == "Error: Expected hidden size 1 2 5, got [1, 3, 5]");
    CHECK(refusal([&] {
            lstm(x, std::make_tuple(etude::zeros({1, 3, 5}), h));
          }) == "Error: Expected hidden[0] size 1 2 5, got [1, 3, 5]");
    CHECK(refusal([&] {
            lstm(x, std::make_tuple(h, etude::zeros({1, 2, 6})));
          }) == "Error: Expected hidden[1] size 1 2 5, got [1, 2, 6]");
    CHECK(refusal([&] { gru(x.slice(0, 0, 0)); }) ==
          "Error: Expected sequence length to be larger than 0 in RNN");
    CHECK(refusal([&] { gru(x.to(kDouble)); }) ==
          newer("Error: mat1 and mat2 must have the same dtype, but got Double and Float",
                "Error: mat1 and mat2 must have the same dtype"));
    CHECK(refusal([&] { gru(x.to(kLong)); }) ==
          newer("Error: mat1 and mat2 must have the same dtype, but got Long and Float",
                "Error: mat1 and mat2 must have the same dtype"));
    CHECK(refusal([&] { gru(x, h.to(kDouble)); }) ==
          newer("Error: mat1 and mat2 must have the same dtype, but got Double and Float",
                "Error: mat1 and mat2 must have the same dtype"));
    const auto packed = rnn::pack_padded_sequence(x, etude::tensor({3, 2}));
    const rnn::PackedSequence wide(etude::ones({5, 1, 4}), packed.batch_sizes());
    CHECK(refusal([&] { gru->forward_with_packed_input(wide); }) ==
          "Error: input must have 2 dimensions, got 3");
    CHECK(refusal([&] {
            gru->forward_with_packed_input(packed, etude::zeros({1, 3, 5}));
          }) == "Error: Expected hidden size 1 2 5, got [1, 3, 5]");
  }

  TEST_CASE("refuse in PyTorch's words options that make no sense") {
    CHECK(
        refusal([] { GRU(GRUOptions(4, 5).num_layers(2).dropout(1.5)); }) ==
        "Error: dropout should be a number in range [0, 1] representing the probability of an element being "
        "zeroed");
    for (const int64_t proj_size : {-1, 5})
      CHECK(refusal([&] { LSTM(LSTMOptions(4, 5).proj_size(proj_size)); }) ==
            "Error: proj_size has to be a positive integer, smaller than hidden_size or zero to disable "
            "projections");
  }

  TEST_CASE("have the gradient and second gradient of finite differences, of inputs, states and weights") {
    manual_seed(2);
    LSTM lstm(LSTMOptions(2, 3).num_layers(2).bidirectional(true).proj_size(2));
    GRU gru(GRUOptions(2, 2).num_layers(2));
    RNN rnn(2, 2);
    lstm->to(kDouble), gru->to(kDouble), rnn->to(kDouble);
    const Tensor x = golden::ramp({3, 2, 2}).to(kDouble).requires_grad_(),
                 c = golden::ramp({4, 2, 3}).to(kDouble).requires_grad_();
    const auto with = [](std::vector<Tensor> inputs, const nn::Module& module) {
      for (const Tensor& p : module.parameters()) inputs.push_back(p);
      return inputs;
    };
    const TensorsFunction of_lstm = [&](const std::vector<Tensor>& in) {
      const auto [y, last] = lstm(in[0], std::make_tuple(etude::zeros({4, 2, 2}, kDouble), in[1]));
      return std::vector<Tensor>{y * golden::ramp(y.sizes()), std::get<1>(last)};
    };
    CHECK(gradcheck(of_lstm, with({x, c}, *lstm)));
    const TensorsFunction of_gru = [&](const std::vector<Tensor>& in) {
      const Tensor y = std::get<0>(gru(in[0]));
      return std::vector<Tensor>{y * golden::ramp(y.sizes())};
    };
    CHECK(gradcheck(of_gru, with({x}, *gru)));
    CHECK(gradgradcheck(of_gru, with({x}, *gru)));
    const TensorsFunction of_rnn = [&](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{std::get<0>(rnn(in[0]))};
    };
    CHECK(gradcheck(of_rnn, with({x}, *rnn)));
    CHECK(gradgradcheck(of_rnn, with({x}, *rnn)));
  }
}
