#include "support/example.h"

/// # Recurrent networks
///
/// What reads a sequence step by step and keeps a state: the networks that came before the transformer, and their single steps.

/// - Shapes: input [steps, batch, input_size], with batch_first [batch, steps, input_size], or [steps, input_size]; state
///   [layers * directions, batch, hidden_size]; output [steps, batch, directions * hidden_size], and the state after the last
///   step
/// - Errors: `input.size(-1) must be equal to input_size. Expected 3, got 5` where it is not
/// - Errors: `Expected hidden size 1 1 4, got [1, 1, 5]` where the state has other sizes
EXAMPLE(etude::nn::RNN) {
  etude::manual_seed(0);
  nn::RNN network(3, 4);
  const auto [output, state] = network(etude::ones({2, 1, 3}));
  print(output.detach());
  print(etude::equal(output[-1], state[0]));
  print(examples::message_of([&] { network(etude::ones({2, 1, 5})); }));
  print(examples::message_of([&] { network(etude::ones({2, 1, 3}), etude::ones({1, 1, 5})); }));
}

/// - Shapes: as those of an RNN; the states h [layers * directions, batch, hidden_size or proj_size] and c
///   [layers * directions, batch, hidden_size]
/// - Errors: `Expected hidden[0] size 1 1 4, got [1, 1, 5]` where h has other sizes, hidden[1] where c has
/// - Errors: `proj_size has to be a positive integer, smaller than hidden_size or zero to disable projections` where it is not
EXAMPLE(etude::nn::LSTM) {
  nn::LSTM network(nn::LSTMOptions(3, 4).num_layers(2).bidirectional(true).proj_size(2));
  const auto [output, states] = network(etude::ones({7, 1, 3}));
  print(output.sizes(), std::get<0>(states).sizes(), std::get<1>(states).sizes());
  print(std::get<0>(network(etude::ones({1, 1, 3}), states)).sizes());  // goes on from there
  print(examples::message_of([&] { nn::LSTM(nn::LSTMOptions(3, 4).proj_size(4)); }));
}

/// - Shapes: as those of an RNN
/// - Errors: `dropout should be a number in range [0, 1] representing the probability of an element being zeroed`
///   where it is not
EXAMPLE(etude::nn::GRU) {
  nn::GRU network(nn::GRUOptions(3, 4).batch_first(true));
  const auto [output, state] = network(etude::ones({5, 7, 3}));
  print(output.sizes(), state.sizes());
  const auto packed =
      nn::utils::rnn::pack_sequence({etude::ones({3, 3}), etude::ones({1, 3})});  // of 3 and 1 steps
  print(std::get<0>(network->forward_with_packed_input(packed)).data().sizes());
  print(examples::message_of([&] { nn::GRU(nn::GRUOptions(3, 4).dropout(2)); }));
}

/// - Shapes: input [batch, input_size] or [input_size]; states and results [batch, hidden_size] or [hidden_size]
/// - Errors: `input has inconsistent input_size: got 5 expected 3` where the input has another width
/// - Errors: `hidden0 has inconsistent hidden_size: got 5, expected 4` where the state has, hidden0 and hidden1 of an LSTM
/// - Errors: `Input batch size 2 doesn't match hidden0 batch size 1` where it does not
EXAMPLE(etude::nn::RNNCell, etude::nn::LSTMCell, etude::nn::GRUCell) {
  etude::manual_seed(0);
  nn::RNNCell step(3, 4);
  Tensor h = etude::zeros({1, 4});
  for (int i = 0; i < 2; ++i) h = step(etude::ones({1, 3}), h);
  print(h.detach());
  const auto [lstm_h, c] = nn::LSTMCell(3, 4)(etude::ones({1, 3}));
  print(lstm_h.sizes(), c.sizes(), nn::GRUCell(3, 4)(etude::ones({1, 3})).sizes());
  print(examples::message_of([&] { step(etude::ones({2, 5})); }));
  print(examples::message_of([&] { step(etude::ones({2, 3}), etude::ones({1, 4})); }));
}
