#include "etude/rnn.h"

#include <cmath>

namespace etude::nn {

namespace {

using detail::RNNOptionsBase;
using utils::rnn::PackedSequence;

template <typename Options>
RNNOptionsBase base_of(RNNOptionsBase::rnn_options_base_mode_t mode, const Options& o) {
  return RNNOptionsBase(mode, o.input_size(), o.hidden_size())
      .num_layers(o.num_layers())
      .bias(o.bias())
      .batch_first(o.batch_first())
      .dropout(o.dropout())
      .bidirectional(o.bidirectional());
}

bool has_cell(const RNNOptionsBase& o) { return std::holds_alternative<enumtype::kLSTM>(o.mode()); }

void check_recurrent_options(const RNNOptionsBase& o) {
  ETUDE_CHECK(0 <= o.dropout() && o.dropout() <= 1,
              "dropout should be a number in range [0, 1] representing the probability of an element being "
              "zeroed\nreceived ",
              o.dropout());
  if (o.dropout() > 0 && o.num_layers() == 1)
    ETUDE_WARN(
        "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
        "num_layers greater than 1, but got dropout=",
        o.dropout(), " and num_layers=", o.num_layers());
  ETUDE_CHECK(0 <= o.proj_size() && o.proj_size() < o.hidden_size(),
              "proj_size has to be a positive integer, smaller than hidden_size or zero to disable "
              "projections\nreceived proj_size ",
              o.proj_size(), " and hidden_size ", o.hidden_size());
  ETUDE_CHECK(o.num_layers() > 0, "num_layers must be greater than zero\nreceived ", o.num_layers());
}

int64_t directions_of(const RNNOptionsBase& o) { return o.bidirectional() ? 2 : 1; }
int64_t output_width(const RNNOptionsBase& o) { return o.proj_size() > 0 ? o.proj_size() : o.hidden_size(); }

void check_recurrent_input(const RNNOptionsBase& o, const Tensor& input, bool packed) {
  const int64_t dims = input.dim();
  ETUDE_CHECK(packed ? dims == 2 : dims == 2 || dims == 3, "input must have ", packed ? 2 : 3,
              " dimensions, got ", dims, "\nreceived sizes ", input.sizes());
  ETUDE_CHECK(input.size(-1) == o.input_size(), "input.size(-1) must be equal to input_size. Expected ",
              o.input_size(), ", got ", input.size(-1), "\nreceived sizes ", input.sizes());
}

// The initial states of a batch: the given states, with a batch dim added if they have none, or zeros.
std::vector<Tensor> first_states(const RNNOptionsBase& o, const Tensor& input, int64_t batch, bool batched,
                                 std::vector<Tensor> hx) {
  hx.resize(has_cell(o) ? 2 : 1);
  for (size_t i = 0; i < hx.size(); ++i) {
    const std::vector<int64_t> sizes = {o.num_layers() * directions_of(o), batch,
                                        i == 0 ? output_width(o) : o.hidden_size()};
    if (!hx[i].defined()) {
      hx[i] = zeros(sizes, input.scalar_type());
      continue;
    }
    if (!batched) {
      ETUDE_CHECK(hx[i].dim() == 2, "For unbatched 2-D input, hx should also be 2-D but got ", hx[i].dim(),
                  "-D tensor\nreceived input of sizes ", input.sizes(), " and a state of sizes ",
                  hx[i].sizes());
      hx[i] = hx[i].unsqueeze(1);
    }
    ETUDE_CHECK(hx[i].sizes() == IntArrayRef(sizes), "Expected hidden",
                has_cell(o) ? "[" + std::to_string(i) + "]" : "", " size ", Join(" ", sizes), ", got ",
                hx[i].sizes());
  }
  return hx;
}

std::tuple<Tensor, std::vector<Tensor>> computed(const RNNOptionsBase& o, bool training,
                                                 const std::vector<Tensor>& weights, const Tensor& input,
                                                 const Tensor& batch_sizes, const std::vector<Tensor>& hx) {
  const auto call = [&](const auto& op, const auto& states) {
    if (!batch_sizes.defined())
      return op(input, states, weights, o.bias(), o.num_layers(), o.dropout(), training, o.bidirectional(),
                o.batch_first());
    return op(input, batch_sizes, states, weights, o.bias(), o.num_layers(), o.dropout(), training,
              o.bidirectional());
  };
  if (has_cell(o)) {
    auto [y, h, c] = call([](const auto&... arguments) { return etude::lstm(arguments...); }, hx);
    return {y, {h, c}};
  }
  auto [y, h] = std::holds_alternative<enumtype::kGRU>(o.mode())
                    ? call([](const auto&... arguments) { return etude::gru(arguments...); }, hx[0])
                : std::holds_alternative<enumtype::kRNN_RELU>(o.mode())
                    ? call([](const auto&... arguments) { return etude::rnn_relu(arguments...); }, hx[0])
                    : call([](const auto&... arguments) { return etude::rnn_tanh(arguments...); }, hx[0]);
  return {y, {h}};
}

std::vector<Tensor> permuted(std::vector<Tensor> states, const Tensor& order) {
  if (order.defined())
    for (Tensor& t : states)
      if (t.defined()) t = t.index_select(1, order);
  return states;
}

// The states as a list, and a list as the states that forward() returns.
std::vector<Tensor> states_of(const Tensor& h) { return {h}; }
std::vector<Tensor> states_of(const optional<std::tuple<Tensor, Tensor>>& hx) {
  if (!hx) return {};
  return {std::get<0>(*hx), std::get<1>(*hx)};
}
template <typename State>
State as_state(const std::vector<Tensor>& states) {
  if constexpr (std::is_same_v<State, Tensor>) return states[0];
  else return {states[0], states[1]};
}

}  // namespace

namespace detail {

template <typename Derived, typename Given, typename State>
void RNNImplBase<Derived, Given, State>::reset() {
  const RNNOptionsBase& o = options_base;
  check_recurrent_options(o);
  const int64_t parts = has_cell(o) ? 4 : std::holds_alternative<enumtype::kGRU>(o.mode()) ? 3 : 1;
  const int64_t gates = etude::detail::stacked_rows(parts, o.hidden_size());
  weight_names_.clear();
  const auto add = [&](const std::string& name, IntArrayRef sizes) {
    this->register_parameter(name, empty(sizes));
    weight_names_.push_back(name);
  };
  for (int64_t layer = 0; layer < o.num_layers(); ++layer)
    for (int64_t direction = 0; direction < directions_of(o); ++direction) {
      const std::string suffix = "_l" + std::to_string(layer) + (direction == 1 ? "_reverse" : "");
      add("weight_ih" + suffix, {gates, layer == 0 ? o.input_size() : output_width(o) * directions_of(o)});
      add("weight_hh" + suffix, {gates, output_width(o)});
      if (o.bias()) add("bias_ih" + suffix, {gates});
      if (o.bias()) add("bias_hh" + suffix, {gates});
      if (o.proj_size() > 0) add("weight_hr" + suffix, {o.proj_size(), o.hidden_size()});
    }
  reset_parameters();
}

template <typename Derived, typename Given, typename State>
void RNNImplBase<Derived, Given, State>::reset_parameters() {
  const double bound = 1 / std::sqrt(static_cast<double>(options_base.hidden_size()));
  for (const Tensor& weight : this->parameters()) init::uniform_(weight, -bound, bound);
}

template <typename Derived, typename Given, typename State>
std::vector<Tensor> RNNImplBase<Derived, Given, State>::all_weights() const {
  std::vector<Tensor> weights;
  for (const std::string& name : weight_names_) weights.push_back(this->parameters_[name]);
  return weights;
}

template <typename Derived, typename Given, typename State>
std::string RNNImplBase<Derived, Given, State>::extra_repr() const {
  using etude::detail::python_str;
  const RNNOptionsBase& o = options_base;
  std::string text = python_str(o.input_size(), ", ", o.hidden_size());
  if (o.proj_size() != 0) text += python_str(", proj_size=", o.proj_size());
  if (o.num_layers() != 1) text += python_str(", num_layers=", o.num_layers());
  if (!o.bias()) text += ", bias=False";
  if (o.batch_first()) text += ", batch_first=True";
  if (o.dropout() != 0) text += python_str(", dropout=", o.dropout());
  if (o.bidirectional()) text += ", bidirectional=True";
  return text;
}

template <typename Derived, typename Given, typename State>
std::tuple<Tensor, std::vector<Tensor>> RNNImplBase<Derived, Given, State>::run(
    const Tensor& input, const Tensor& batch_sizes, std::vector<Tensor> hx) const {
  const RNNOptionsBase& o = options_base;
  const bool packed = batch_sizes.defined(), batched = packed || input.dim() == 3;
  check_recurrent_input(o, input, packed);
  const int64_t batch_dim = o.batch_first() ? 0 : 1;
  const Tensor x = batched ? input : input.unsqueeze(batch_dim);
  const int64_t batch = packed ? batch_sizes[0].item<int64_t>() : x.size(batch_dim);
  hx = first_states(o, input, batch, batched, std::move(hx));
  auto result = computed(o, this->is_training(), all_weights(), x, batch_sizes, hx);
  if (batched) return result;
  auto& [y, states] = result;
  for (Tensor& t : states) t = t.squeeze(1);
  return {y.squeeze(batch_dim), states};
}

template <typename Derived, typename Given, typename State>
std::tuple<Tensor, State> RNNImplBase<Derived, Given, State>::forward(const Tensor& input, Given hx) {
  const auto [y, states] = run(input, Tensor(), states_of(hx));
  return {y, as_state<State>(states)};
}

template <typename Derived, typename Given, typename State>
std::tuple<PackedSequence, State> RNNImplBase<Derived, Given, State>::forward_with_packed_input(
    const PackedSequence& packed_input, Given hx) {
  const Tensor &sorted = packed_input.sorted_indices(), &unsorted = packed_input.unsorted_indices();
  const auto [y, states] =
      run(packed_input.data(), packed_input.batch_sizes(), permuted(states_of(hx), sorted));
  return {PackedSequence(y, packed_input.batch_sizes(), sorted, unsorted),
          as_state<State>(permuted(states, unsorted))};
}

template class RNNImplBase<RNNImpl>;
template class RNNImplBase<LSTMImpl, optional<std::tuple<Tensor, Tensor>>, std::tuple<Tensor, Tensor>>;
template class RNNImplBase<GRUImpl>;

}  // namespace detail

RNNImpl::RNNImpl(const RNNOptions& options_)
    : RNNImplBase(std::holds_alternative<enumtype::kTanh>(options_.nonlinearity())
                      ? base_of(kRNN_TANH, options_)
                      : base_of(kRNN_RELU, options_)),
      options(options_) {}

LSTMImpl::LSTMImpl(const LSTMOptions& options_)
    : RNNImplBase(base_of(kLSTM, options_).proj_size(options_.proj_size())), options(options_) {}

GRUImpl::GRUImpl(const GRUOptions& options_) : RNNImplBase(base_of(kGRU, options_)), options(options_) {}

}  // namespace etude::nn
