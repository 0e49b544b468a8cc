#pragma once

#include "etude/framework.h"

namespace etude::nn {

// The options of all recurrent networks; a macro, so that each setter returns its own options type.
#define ETUDE_RECURRENT_OPTIONS                                                      \
  /** The width of the input. */                                                     \
  ETUDE_ARG(int64_t, input_size);                                                    \
  /** The width of the state. */                                                     \
  ETUDE_ARG(int64_t, hidden_size);                                                   \
  /** The number of stacked layers. */                                               \
  ETUDE_ARG(int64_t, num_layers) = 1;                                                \
  /** Whether the layers have biases. */                                             \
  ETUDE_ARG(bool, bias) = true;                                                      \
  /** Whether input and output are [batch, steps, width] instead of [steps, ...]. */ \
  ETUDE_ARG(bool, batch_first) = false;                                              \
  /** The probability of dropout between layers. */                                  \
  ETUDE_ARG(double, dropout) = 0.0;                                                  \
  /** Whether each layer has a second network from the last step to the first. */    \
  ETUDE_ARG(bool, bidirectional) = false

/// The widths of input and state, the number of stacked layers (`num_layers`), whether each has a second network from the
/// last step to the first (`bidirectional`), and the dropout between layers.
struct RNNOptions {
  using nonlinearity_t = std::variant<enumtype::kTanh, enumtype::kReLU>;
  RNNOptions(int64_t input_size, int64_t hidden_size) : input_size_(input_size), hidden_size_(hidden_size) {}
  ETUDE_RECURRENT_OPTIONS;
  /// The function that gives the new state.
  ETUDE_ARG(nonlinearity_t, nonlinearity) = kTanh;
};

/// As RNNOptions, and the width of a projection.
struct LSTMOptions {
  LSTMOptions(int64_t input_size, int64_t hidden_size) : input_size_(input_size), hidden_size_(hidden_size) {}
  ETUDE_RECURRENT_OPTIONS;
  /// The width to which h is projected; 0 for no projection.
  ETUDE_ARG(int64_t, proj_size) = 0;
};

/// As RNNOptions.
struct GRUOptions {
  GRUOptions(int64_t input_size, int64_t hidden_size) : input_size_(input_size), hidden_size_(hidden_size) {}
  ETUDE_RECURRENT_OPTIONS;
};

namespace detail {

struct RNNOptionsBase {
  using rnn_options_base_mode_t =
      std::variant<enumtype::kLSTM, enumtype::kGRU, enumtype::kRNN_TANH, enumtype::kRNN_RELU>;
  RNNOptionsBase(rnn_options_base_mode_t mode, int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size), mode_(mode) {}
  ETUDE_RECURRENT_OPTIONS;
  ETUDE_ARG(rnn_options_base_mode_t, mode);
  ETUDE_ARG(int64_t, proj_size) = 0;
};

/// Base of recurrent networks. Each layer has weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0 and weight_hr_l0; the
/// weights of the other direction have `_reverse` after the name. forward() takes the states as `Given` and returns them
/// as `State`.
template <typename Derived, typename Given = Tensor, typename State = Tensor>
class ETUDE_API RNNImplBase : public Cloneable<Derived> {
 public:
  explicit RNNImplBase(const RNNOptionsBase& options_) : options_base(options_) { RNNImplBase::reset(); }

  void reset() override;
  /// Draws all parameters from U(-1/sqrt(hidden_size), 1/sqrt(hidden_size)).
  void reset_parameters();
  /// Does nothing: on a CPU the weights need not be contiguous.
  void flatten_parameters() {}
  /// The weights by layer, then by direction: weight_ih, weight_hh, and bias_ih, bias_hh and weight_hr if there are any.
  std::vector<Tensor> all_weights() const;
  std::string extra_repr() const override;

  std::tuple<Tensor, State> forward(const Tensor& input, Given hx = {});
  std::tuple<utils::rnn::PackedSequence, State> forward_with_packed_input(
      const utils::rnn::PackedSequence& packed_input, Given hx = {});

  RNNOptionsBase options_base;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(Given())})

 private:
  // The output and the states after the last step; both in packed rows if there are batch_sizes.
  std::tuple<Tensor, std::vector<Tensor>> run(const Tensor& input, const Tensor& batch_sizes,
                                              std::vector<Tensor> hx) const;
  bool has_members() const final { return false; }  // the number of parameters depends on the options

  std::vector<std::string> weight_names_;
};

}  // namespace detail

#undef ETUDE_RECURRENT_OPTIONS

// Inputs are [steps, batch, input_size], [batch, steps, input_size] with batch_first, or [steps, input_size]; states
// [layers * directions, batch, hidden_size], or without the batch; zeros by default. Outputs are the states of the last layer
// at each step, [steps, batch, directions * hidden_size], and the states after the last step.

/// h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu (Elman 1990; torch::nn::RNN).
class ETUDE_API RNNImpl : public detail::RNNImplBase<RNNImpl> {
 public:
  RNNImpl(int64_t input_size, int64_t hidden_size) : RNNImpl(RNNOptions(input_size, hidden_size)) {}
  explicit RNNImpl(const RNNOptions& options_);

  RNNOptions options;
};
ETUDE_MODULE(RNN);

/// Long short-term memory: gates write to the state c, forget from it, and read the state h from it (Hochreiter and
/// Schmidhuber 1997; torch::nn::LSTM). The states are h, of width proj_size if that is given, and c.
class ETUDE_API LSTMImpl
    : public detail::RNNImplBase<LSTMImpl, optional<std::tuple<Tensor, Tensor>>, std::tuple<Tensor, Tensor>> {
 public:
  LSTMImpl(int64_t input_size, int64_t hidden_size) : LSTMImpl(LSTMOptions(input_size, hidden_size)) {}
  explicit LSTMImpl(const LSTMOptions& options_);

  LSTMOptions options;
};
ETUDE_MODULE(LSTM);

/// A gated recurrent unit: one gate selects which part of the state is read, another which part is replaced (Cho et al. 2014;
/// torch::nn::GRU).
class ETUDE_API GRUImpl : public detail::RNNImplBase<GRUImpl> {
 public:
  GRUImpl(int64_t input_size, int64_t hidden_size) : GRUImpl(GRUOptions(input_size, hidden_size)) {}
  explicit GRUImpl(const GRUOptions& options_);

  GRUOptions options;
};
ETUDE_MODULE(GRU);

}  // namespace etude::nn
