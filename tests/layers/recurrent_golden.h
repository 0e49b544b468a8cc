#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "etude/rnn.h"
#include "etude/rnn_cell.h"
#include "layers/transformer_golden.h"

// The recordings of golden/layers/make_recurrent.py from PyTorch, and comparisons of networks and cells with them.

namespace golden {

inline const Recorded& recurrent() {
  static const Recorded data = etude::golden_json("layers/recurrent.json");
  return data;
}

/// Inputs, the ramps of make_recurrent.py: x, and the states if there are some.
inline std::vector<Tensor> recurrent_inputs(const Recorded& row) {
  std::vector<Tensor> inputs;
  const bool is_cell = row.at("kind").get<std::string>().find("Cell") != std::string::npos;
  for (const Recorded& dx : row.at("dx")) {
    const double scale = inputs.empty() ? 1 : is_cell && inputs.size() == 2 ? 0.25 : 0.5;
    inputs.push_back(ramp(dx.at("sizes").get<std::vector<int64_t>>()) * scale);
  }
  return inputs;
}

template <typename Options>
Options with_recurrent_options(Options o, const Recorded& row) {
  const Recorded given = row.at("options");
  return o.bias(given.value("bias", true))
      .num_layers(given.value("num_layers", int64_t{1}))
      .batch_first(given.value("batch_first", false))
      .dropout(given.value("dropout", 0.0))
      .bidirectional(given.value("bidirectional", false));
}

template <typename Options>
Options with_nonlinearity(Options o, const Recorded& row) {
  if (row.at("options").value("nonlinearity", "tanh") == std::string("relu")) o.nonlinearity(etude::kReLU);
  return o;
}

inline etude::optional<std::tuple<Tensor, Tensor>> both_states(const std::vector<Tensor>& inputs) {
  if (inputs.size() < 3) return {};
  return std::tuple<Tensor, Tensor>(inputs[1], inputs[2]);
}

inline std::vector<Tensor> flat(const std::tuple<Tensor, Tensor>& y) {
  return {std::get<0>(y), std::get<1>(y)};
}
inline std::vector<Tensor> flat(const std::tuple<Tensor, std::tuple<Tensor, Tensor>>& y) {
  const auto& [all, last] = y;
  return {all, std::get<0>(last), std::get<1>(last)};
}

/// The outputs of a network for inputs, packed if the row has lengths.
template <typename Network, typename States>
std::vector<Tensor> called(const Recorded& row, Network& network, const Tensor& x, const States& states) {
  namespace rnn = etude::nn::utils::rnn;
  if (row.at("lengths").is_null()) return flat(network(x, states));
  const bool first = network->options.batch_first();
  const auto packed = rnn::pack_padded_sequence(
      x, etude::tensor(row.at("lengths").get<std::vector<int64_t>>(), etude::kLong), first,
      /*enforce_sorted=*/false);
  const auto [y, last] = network->forward_with_packed_input(packed, states);
  return flat(std::make_tuple(std::get<0>(rnn::pad_packed_sequence(y, first)), last));
}

/// Checks a module with a row's weights: outputs, gradients, and the number of random numbers drawn.
template <typename Call>
void check_recurrent(const Recorded& row, etude::nn::Module& module, Call call) {
  check_computed(row, row.at("state"), recurrent_inputs(row), module, call);
  CHECK(etude::rand({1}).item<float>() == row.at("next").get<float>());
}

/// Calls visit(module, call) with a new module of a row and a function that calls the module on inputs.
template <typename Visit>
void visit_recurrent(const Recorded& row, Visit visit) {
  using namespace etude::nn;
  const std::string kind = row.at("kind");
  const bool bias = row.at("options").value("bias", true);
  const auto h = [](const std::vector<Tensor>& in) { return in.size() > 1 ? in[1] : Tensor(); };
  if (kind == "RNN") {
    RNN m(with_nonlinearity(with_recurrent_options(RNNOptions(2, 3), row), row));
    visit(m, [&](const auto& in) { return called(row, m, in[0], h(in)); });
  } else if (kind == "GRU") {
    GRU m(with_recurrent_options(GRUOptions(2, 3), row));
    visit(m, [&](const auto& in) { return called(row, m, in[0], h(in)); });
  } else if (kind == "LSTM") {
    const auto proj = row.at("options").value("proj_size", int64_t{0});
    LSTM m(with_recurrent_options(LSTMOptions(2, 3), row).proj_size(proj));
    visit(m, [&](const auto& in) { return called(row, m, in[0], both_states(in)); });
  } else if (kind == "RNNCell") {
    RNNCell m(with_nonlinearity(RNNCellOptions(2, 3).bias(bias), row));
    visit(m, [&](const auto& in) { return std::vector<Tensor>{m(in[0], h(in))}; });
  } else if (kind == "GRUCell") {
    GRUCell m(GRUCellOptions(2, 3).bias(bias));
    visit(m, [&](const auto& in) { return std::vector<Tensor>{m(in[0], h(in))}; });
  } else {
    LSTMCell m(LSTMCellOptions(2, 3).bias(bias));
    visit(m, [&](const auto& in) { return flat(m(in[0], both_states(in))); });
  }
}

}  // namespace golden
