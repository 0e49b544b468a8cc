#include "support/example.h"

/// # Recurrent networks as functions
///
/// All steps of all layers in one call, or one step of one layer. The modules `nn::RNN`, `nn::LSTM` and `nn::GRU` and their
/// cells hold the weights that these functions are given.

/// - Shapes: input [steps, batch, width], or [batch, steps, width] if batch_first, h and c [layers * directions, batch,
///   hidden], weights [4 * hidden, width] and [4 * hidden, hidden] -> output [steps, batch, directions * hidden], h and c like
///   those given
/// - Errors: `lstm expects two hidden states`
/// - Errors: `got an incorrect number of RNN parameters`
EXAMPLE(etude::lstm) {
  const Tensor x = etude::ones({3, 1, 2}), zero = etude::zeros({1, 1, 1});
  const Tensor w_ih = etude::full({4, 2}, 0.5), w_hh = etude::full({4, 1}, 0.5);
  const auto [output, h, c] = etude::lstm(x, {zero, zero}, {w_ih, w_hh}, false, 1, 0.0, false, false, false);
  print(output.flatten());
  print(h.flatten(), c.flatten());
  print(examples::message_of([&] {
    etude::lstm(x, {zero}, {w_ih, w_hh}, false, 1, 0.0, false, false, false);
  }));
}

/// - Shapes: input [steps, batch, width], or [batch, steps, width] if batch_first, h [layers * directions, batch, hidden],
///   weights [3 * hidden, width] and [3 * hidden, hidden] -> output [steps, batch, directions * hidden], h like that given
/// - Errors: `got an incorrect number of RNN parameters`
EXAMPLE(etude::gru) {
  const Tensor x = etude::ones({3, 1, 2}), zero = etude::zeros({1, 1, 1});
  const Tensor w_ih = etude::full({3, 2}, 0.5), w_hh = etude::full({3, 1}, 0.5);
  const auto [output, h] = etude::gru(x, zero, {w_ih, w_hh}, false, 1, 0.0, false, false, false);
  print(output.flatten());
  print(h.flatten());
  print(examples::message_of([&] { etude::gru(x, zero, {w_ih}, false, 1, 0.0, false, false, false); }));
}

/// h' = tanh(x w_ih^T + h w_hh^T), or relu of it, and both biases if there are any.
///
/// - Shapes: input [steps, batch, width], or [batch, steps, width] if batch_first, h [layers * directions, batch, hidden],
///   weights [hidden, width] and [hidden, hidden] -> output [steps, batch, directions * hidden], h like that given
/// - Errors: `got an incorrect number of RNN parameters`
/// - Errors: `Expected more hidden states in stacked_rnn` where there are not as many states as layers and directions have
///   weights
EXAMPLE(etude::rnn_tanh, etude::rnn_relu) {
  const Tensor x = etude::ones({3, 1, 2}), zero = etude::zeros({1, 1, 1});
  const std::vector<Tensor> weights = {etude::full({1, 2}, 0.5), etude::full({1, 1}, 0.5)};
  print(std::get<0>(etude::rnn_tanh(x, zero, weights, false, 1, 0.0, false, false, false)).flatten());
  print(std::get<0>(etude::rnn_relu(x, zero, weights, false, 1, 0.0, false, false, false)).flatten());
  print(examples::message_of([&] { etude::rnn_relu(x, zero, weights, true, 1, 0.0, false, false, false); }));
  print(examples::message_of([&] { etude::rnn_relu(x, zero, weights, false, 2, 0.0, false, false, false); }));
}

/// - Shapes: input [batch, width], h and c [batch, hidden], w_ih [4 * hidden, width], w_hh [4 * hidden, hidden] -> h and c
///   [batch, hidden]
/// - Errors: `lstm_cell expects two hidden states`
/// - Errors: `input has inconsistent input_size: got 3 expected 2`
EXAMPLE(etude::lstm_cell) {
  const Tensor zero = etude::zeros({1, 1}), w_ih = etude::full({4, 2}, 0.5), w_hh = etude::full({4, 1}, 0.5);
  const auto [h, c] = etude::lstm_cell(etude::ones({1, 2}), {zero, zero}, w_ih, w_hh);
  print(h, c);
  print(examples::message_of([&] { etude::lstm_cell(etude::ones({1, 2}), {zero}, w_ih, w_hh); }));
  print(examples::message_of([&] { etude::lstm_cell(etude::ones({1, 3}), {zero, zero}, w_ih, w_hh); }));
}

/// One step; the gates are reset, update, new.
///
/// - Shapes: input [batch, width], h [batch, hidden], w_ih [3 * hidden, width], w_hh [3 * hidden, hidden] -> [batch, hidden]
/// - Errors: `input has inconsistent input_size: got 3 expected 2`
/// - Errors: `Input batch size 1 doesn't match hidden0 batch size 2`
EXAMPLE(etude::gru_cell) {
  const Tensor zero = etude::zeros({1, 1}), w_ih = etude::full({3, 2}, 0.5), w_hh = etude::full({3, 1}, 0.5);
  print(etude::gru_cell(etude::ones({1, 2}), zero, w_ih, w_hh));
  print(examples::message_of([&] { etude::gru_cell(etude::ones({1, 3}), zero, w_ih, w_hh); }));
  print(examples::message_of([&] {
    etude::gru_cell(etude::ones({1, 2}), etude::zeros({2, 1}), w_ih, w_hh);
  }));
}

/// One step: tanh(x w_ih^T + b_ih + h w_hh^T + b_hh), or relu of it.
///
/// - Shapes: input [batch, width], h [batch, hidden], w_ih [hidden, width], w_hh [hidden, hidden], biases [hidden] -> [batch,
///   hidden]
/// - Errors: `input has inconsistent input_size: got 3 expected 2`
EXAMPLE(etude::rnn_tanh_cell, etude::rnn_relu_cell) {
  const Tensor h = etude::ones({1, 1}), w_ih = etude::full({1, 2}, 0.5), w_hh = etude::full({1, 1}, 0.5);
  print(etude::rnn_tanh_cell(etude::ones({1, 2}), h, w_ih, w_hh));
  print(etude::rnn_relu_cell(etude::ones({1, 2}), h, w_ih, w_hh));
  print(examples::message_of([&] { etude::rnn_tanh_cell(etude::ones({1, 3}), h, w_ih, w_hh); }));
}
