#include "etude/rnn_cell.h"

#include <cmath>

namespace etude::nn {

// Removes the batch dim from the state if the input had none.
static Tensor as_given(const Tensor& state, const Tensor& input) {
  return input.dim() == 1 ? state.squeeze(0) : state;
}

namespace detail {

template <typename Derived, typename Options, int64_t gates, typename Given>
void RNNCellImplBase<Derived, Options, gates, Given>::reset() {
  const RNNCellOptionsBase& o = options_base;
  const int64_t rows = etude::detail::stacked_rows(o.num_chunks(), o.hidden_size());
  weight_ih = this->register_parameter("weight_ih", empty({rows, o.input_size()}));
  weight_hh = this->register_parameter("weight_hh", empty({rows, o.hidden_size()}));
  bias_ih = this->register_parameter("bias_ih", o.bias() ? empty({rows}) : Tensor(), o.bias());
  bias_hh = this->register_parameter("bias_hh", o.bias() ? empty({rows}) : Tensor(), o.bias());
  reset_parameters();
}

template <typename Derived, typename Options, int64_t gates, typename Given>
void RNNCellImplBase<Derived, Options, gates, Given>::reset_parameters() {
  const int64_t width = options_base.hidden_size();
  const double bound = width > 0 ? 1 / std::sqrt(static_cast<double>(width)) : 0;
  for (const Tensor& weight : this->parameters()) init::uniform_(weight, -bound, bound);
}

template <typename Derived, typename Options, int64_t gates, typename Given>
std::string RNNCellImplBase<Derived, Options, gates, Given>::extra_repr() const {
  const std::string nonlinearity = get_nonlinearity_str();
  return etude::detail::python_str(options_base.input_size(), ", ", options_base.hidden_size(),
                                   options_base.bias() ? "" : ", bias=False",
                                   nonlinearity.empty() ? "" : ", nonlinearity=" + nonlinearity);
}

template <typename Derived, typename Options, int64_t gates, typename Given>
Tensor RNNCellImplBase<Derived, Options, gates, Given>::checked_input(const Tensor& input) const {
  ETUDE_CHECK(input.dim() == 1 || input.dim() == 2, this->class_name(),
              ": Expected input to be 1-D or 2-D but received ", input.dim(), "-D tensor\nreceived sizes ",
              input.sizes());
  return input.dim() == 1 ? input.unsqueeze(0) : input;
}

template <typename Derived, typename Options, int64_t gates, typename Given>
Tensor RNNCellImplBase<Derived, Options, gates, Given>::as_state(const Tensor& input,
                                                                 const Tensor& hx) const {
  if (!hx.defined())
    return zeros({input.dim() == 1 ? 1 : input.size(0), options_base.hidden_size()}, input.scalar_type());
  return input.dim() == 1 ? hx.unsqueeze(0) : hx;
}

template class RNNCellImplBase<RNNCellImpl, RNNCellOptions, 1>;
template class RNNCellImplBase<LSTMCellImpl, LSTMCellOptions, 4, optional<std::tuple<Tensor, Tensor>>>;
template class RNNCellImplBase<GRUCellImpl, GRUCellOptions, 3>;

}  // namespace detail

std::string RNNCellImpl::get_nonlinearity_str() const {
  return std::holds_alternative<enumtype::kReLU>(options.nonlinearity()) ? "relu" : "";
}

Tensor RNNCellImpl::forward(const Tensor& input, Tensor hx) {
  const auto cell = std::holds_alternative<enumtype::kReLU>(options.nonlinearity()) ? etude::rnn_relu_cell
                                                                                    : etude::rnn_tanh_cell;
  const Tensor x = checked_input(input);
  return as_given(cell(x, as_state(input, hx), weight_ih, weight_hh, bias_ih, bias_hh), input);
}

std::tuple<Tensor, Tensor> LSTMCellImpl::forward(const Tensor& input,
                                                 optional<std::tuple<Tensor, Tensor>> hx_opt) {
  const Tensor x = checked_input(input);
  const auto [given_h, given_c] = hx_opt.value_or(std::tuple<Tensor, Tensor>());
  const auto [h, c] = etude::lstm_cell(x, {as_state(input, given_h), as_state(input, given_c)}, weight_ih,
                                       weight_hh, bias_ih, bias_hh);
  return {as_given(h, input), as_given(c, input)};
}

Tensor GRUCellImpl::forward(const Tensor& input, Tensor hx) {
  const Tensor x = checked_input(input);
  return as_given(etude::gru_cell(x, as_state(input, hx), weight_ih, weight_hh, bias_ih, bias_hh), input);
}

}  // namespace etude::nn
