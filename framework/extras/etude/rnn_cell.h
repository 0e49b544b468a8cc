#pragma once

#include "etude/framework.h"

namespace etude::nn {

struct RNNCellOptions {
  using nonlinearity_t = std::variant<enumtype::kTanh, enumtype::kReLU>;
  RNNCellOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  /// The width of the input.
  ETUDE_ARG(int64_t, input_size);
  /// The width of the state.
  ETUDE_ARG(int64_t, hidden_size);
  /// Whether to add biases.
  ETUDE_ARG(bool, bias) = true;
  /// The function that gives the new state.
  ETUDE_ARG(nonlinearity_t, nonlinearity) = kTanh;
};

namespace detail {

template <typename OfModule>
struct GatedCellOptions {
  GatedCellOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  /// The width of the input.
  ETUDE_ARG(int64_t, input_size);
  /// The width of the state.
  ETUDE_ARG(int64_t, hidden_size);
  /// Whether to add biases.
  ETUDE_ARG(bool, bias) = true;
};

struct RNNCellOptionsBase {
  RNNCellOptionsBase(int64_t input_size, int64_t hidden_size, bool bias, int64_t num_chunks)
      : input_size_(input_size), hidden_size_(hidden_size), bias_(bias), num_chunks_(num_chunks) {}
  ETUDE_ARG(int64_t, input_size);
  ETUDE_ARG(int64_t, hidden_size);
  ETUDE_ARG(bool, bias);
  /// The number of gates. Their weights are stacked.
  ETUDE_ARG(int64_t, num_chunks);
};

/// Base of recurrent cells with `gates` gates, whose forward() takes the state as `Given`.
template <typename Derived, typename Options, int64_t gates, typename Given = Tensor>
class ETUDE_API RNNCellImplBase : public Cloneable<Derived> {
 public:
  RNNCellImplBase(int64_t input_size, int64_t hidden_size)
      : RNNCellImplBase(Options(input_size, hidden_size)) {}
  explicit RNNCellImplBase(const Options& options_)
      : options_base(options_.input_size(), options_.hidden_size(), options_.bias(), gates),
        options(options_) {
    RNNCellImplBase::reset();
  }

  void reset() override;
  /// Draws all parameters from U(-1/sqrt(hidden_size), 1/sqrt(hidden_size)).
  void reset_parameters();
  std::string extra_repr() const override;

  RNNCellOptionsBase options_base;
  Options options;
  Tensor weight_ih;  ///< [gates * hidden_size, input_size]
  Tensor weight_hh;  ///< [gates * hidden_size, hidden_size]
  Tensor bias_ih;    ///< [gates * hidden_size], undefined without biases
  Tensor bias_hh;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(Given())})
  /// The text that is printed for a nonlinearity other than tanh.
  virtual std::string get_nonlinearity_str() const { return ""; }
  /// Checks the dims of the input and returns it as [batch, input_size].
  Tensor checked_input(const Tensor& input) const;
  /// A state as [batch, hidden_size]; zeros if it is undefined.
  Tensor as_state(const Tensor& input, const Tensor& hx) const;
};

}  // namespace detail
using LSTMCellOptions = detail::GatedCellOptions<class LSTMCellImpl>;
using GRUCellOptions = detail::GatedCellOptions<class GRUCellImpl>;

// One step of a recurrent network: input [batch, input_size] or [input_size], states [batch, hidden_size] or [hidden_size],
// zeros by default -> the states after the step.

/// h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu (torch::nn::RNNCell).
class ETUDE_API RNNCellImpl : public detail::RNNCellImplBase<RNNCellImpl, RNNCellOptions, 1> {
 public:
  using RNNCellImplBase::RNNCellImplBase;
  Tensor forward(const Tensor& input, Tensor hx = {});

 protected:
  std::string get_nonlinearity_str() const override;
};
ETUDE_MODULE(RNNCell);

/// A step of an LSTM: h and c (torch::nn::LSTMCell).
class ETUDE_API LSTMCellImpl
    : public detail::RNNCellImplBase<LSTMCellImpl, LSTMCellOptions, 4, optional<std::tuple<Tensor, Tensor>>> {
 public:
  using RNNCellImplBase::RNNCellImplBase;
  std::tuple<Tensor, Tensor> forward(const Tensor& input, optional<std::tuple<Tensor, Tensor>> hx_opt = {});
};
ETUDE_MODULE(LSTMCell);

/// A step of a GRU (torch::nn::GRUCell).
class ETUDE_API GRUCellImpl : public detail::RNNCellImplBase<GRUCellImpl, GRUCellOptions, 3> {
 public:
  using RNNCellImplBase::RNNCellImplBase;
  Tensor forward(const Tensor& input, Tensor hx = {});
};
ETUDE_MODULE(GRUCell);

}  // namespace etude::nn
