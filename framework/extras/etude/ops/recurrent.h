#pragma once

#include <string_view>
#include <tuple>

#include "etude/core/tensor.h"

// Recurrent networks as functions, and batches of sequences of different lengths: recurrent.cpp, packed_sequence.cpp.
//
// Functions of a batch take input [steps, batch, width], or [batch, steps, width] if batch_first. They return the states of
// the last layer [steps, batch, directions * hidden] and the states after the last step [layers * directions, batch, hidden];
// hx has the latter shape. Functions of packed rows take data [rows, width], of which batch_sizes[t] rows belong to step t.
// params lists the weights of each layer and direction: w_ih [gates * hidden, width], w_hh [gates * hidden, hidden] and, if
// has_biases, b_ih and b_hh [gates * hidden]. In training, dropout applies to the states passed from a layer to the next.

namespace etude {

/// A long short-term memory; hx is {h, c}. Returns output, h and c. If h is narrower than c, each layer and direction
/// has one more weight, w_hr [narrower, hidden], which projects h. The gates are input, forget, cell and output (torch::lstm).
ETUDE_API std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& input, TensorList hx, TensorList params,
                                                  bool has_biases, int64_t num_layers, double dropout,
                                                  bool train, bool bidirectional, bool batch_first);
ETUDE_API std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& data, const Tensor& batch_sizes,
                                                  TensorList hx, TensorList params, bool has_biases,
                                                  int64_t num_layers, double dropout, bool train,
                                                  bool bidirectional);
/// A gated recurrent unit, whose gates are reset, update and new (torch::gru).
ETUDE_API std::tuple<Tensor, Tensor> gru(const Tensor& input, const Tensor& hx, TensorList params,
                                         bool has_biases, int64_t num_layers, double dropout, bool train,
                                         bool bidirectional, bool batch_first);
ETUDE_API std::tuple<Tensor, Tensor> gru(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                                         TensorList params, bool has_biases, int64_t num_layers,
                                         double dropout, bool train, bool bidirectional);
ETUDE_API std::tuple<Tensor, Tensor> rnn_tanh(const Tensor& input, const Tensor& hx, TensorList params,
                                              bool has_biases, int64_t num_layers, double dropout, bool train,
                                              bool bidirectional, bool batch_first);
ETUDE_API std::tuple<Tensor, Tensor> rnn_tanh(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                                              TensorList params, bool has_biases, int64_t num_layers,
                                              double dropout, bool train, bool bidirectional);
ETUDE_API std::tuple<Tensor, Tensor> rnn_relu(const Tensor& input, const Tensor& hx, TensorList params,
                                              bool has_biases, int64_t num_layers, double dropout, bool train,
                                              bool bidirectional, bool batch_first);
ETUDE_API std::tuple<Tensor, Tensor> rnn_relu(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                                              TensorList params, bool has_biases, int64_t num_layers,
                                              double dropout, bool train, bool bidirectional);

// One step: input [batch, width], states [batch, hidden].

/// One step of an lstm; hx and the result are {h, c}.
ETUDE_API std::tuple<Tensor, Tensor> lstm_cell(const Tensor& input, TensorList hx, const Tensor& w_ih,
                                               const Tensor& w_hh, const optional<Tensor>& b_ih = {},
                                               const optional<Tensor>& b_hh = {});
ETUDE_API Tensor gru_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                          const optional<Tensor>& b_ih = {}, const optional<Tensor>& b_hh = {});
ETUDE_API Tensor rnn_tanh_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                               const optional<Tensor>& b_ih = {}, const optional<Tensor>& b_hh = {});
ETUDE_API Tensor rnn_relu_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                               const optional<Tensor>& b_ih = {}, const optional<Tensor>& b_hh = {});

/// Packs a batch [steps, batch, ...] of sequences with these lengths (int64 [batch], not increasing): its valid rows, step by
/// step [rows, ...], and the number of rows per step, int64 [longest].
ETUDE_API std::tuple<Tensor, Tensor> _pack_padded_sequence(const Tensor& input, const Tensor& lengths,
                                                           bool batch_first);
/// The padded batch and the lengths. The batch is as long as the longest sequence, or total_length if that is positive.
ETUDE_API std::tuple<Tensor, Tensor> _pad_packed_sequence(const Tensor& data, const Tensor& batch_sizes,
                                                          bool batch_first, const Scalar& padding_value,
                                                          int64_t total_length);
/// Stacks sequences [length, ...], padded to the longest: [longest, count, ...], or [count, longest, ...] if batch_first.
/// The padding comes after a sequence, or before it if padding_side is "left".
ETUDE_API Tensor pad_sequence(TensorList sequences, bool batch_first = false, double padding_value = 0.0,
                              std::string_view padding_side = "right");

}  // namespace etude
