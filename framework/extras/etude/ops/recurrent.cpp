// Recurrent networks. In each step i is W v + b for the input v, and h is W v + b for the state v of the step before. In the
// last formula of gru, h is the state itself:
//
//   rnn   h' = tanh(i + h), or relu
//   gru   r = sigmoid(i_r + h_r), z = sigmoid(i_z + h_z), n = tanh(i_n + r h_n)      h' = n + z (h - n)
//   lstm  i, f, o = sigmoid(their sums), g = tanh(its sum)       c' = f c + i g,     h' = o tanh(c'), or W_hr times it
//
// Everything is composed of ops, and so are the gradients. The inputs of all steps are multiplied in one product. A batch of
// sequences with equal lengths is already packed, with the same number of rows for each step.

#include "etude/ops/recurrent.h"
#include "etude/core/detail/listen.h"
#include "etude/ops/detail/packed.h"

namespace etude {
namespace {

enum class CellKind { kTanh, kReLU, kGRU, kLSTM };

int64_t gates_of(CellKind kind) { return kind == CellKind::kLSTM ? 4 : kind == CellKind::kGRU ? 3 : 1; }

// The weights of one layer in one direction. Weights that it does not have are undefined.
struct CellWeights {
  Tensor ih, hh, b_ih, b_hh, hr;
};

// The state between steps, [batch, hidden]; c is defined for an lstm.
struct CellState {
  Tensor h, c;
  operator Tensor() const { return h; }
  operator std::tuple<Tensor, Tensor>() const { return {h, c}; }
};

template <typename F>
CellState each_of(const CellState& s, F f) {
  return {f(s.h), s.c.defined() ? f(s.c) : Tensor()};
}

CellState some_rows(const CellState& s, int64_t begin, int64_t end) {
  return each_of(s, [=](const Tensor& t) { return t.slice(0, begin, end); });
}

CellState joined_states(const std::vector<CellState>& states, Tensor (*join)(TensorList, int64_t)) {
  std::vector<Tensor> h, c;
  for (const CellState& s : states) {
    h.push_back(s.h);
    c.push_back(s.c);
  }
  return {join(h, 0), c[0].defined() ? join(c, 0) : Tensor()};
}

// The contribution of the input: W v + b, including the bias of the state wherever the two are simply added.
Tensor projected(CellKind kind, const Tensor& x, const CellWeights& w) {
  if (kind == CellKind::kGRU || !w.b_hh.defined()) return linear(x, w.ih, w.b_ih);
  return linear(x, w.ih, w.b_ih.defined() ? w.b_ih + w.b_hh : w.b_hh);
}

// The state after a step, given the contribution of the input. hh is transposed again in each step, so that the gradients of
// the weights have the weights' memory layout and are added up in place.
CellState next_state(CellKind kind, const Tensor& x, const CellState& s, const CellWeights& w) {
  const Tensor hh = w.hh.t();
  const int64_t hidden = hh.size(1) / gates_of(kind);
  if (kind == CellKind::kTanh) return {tanh(addmm(x, s.h, hh)), {}};
  if (kind == CellKind::kReLU) return {relu(addmm(x, s.h, hh)), {}};
  if (kind == CellKind::kGRU) {
    const auto from_x = x.split({2 * hidden, hidden}, 1),
               from_h =
                   (w.b_hh.defined() ? addmm(w.b_hh, s.h, hh) : s.h.mm(hh)).split({2 * hidden, hidden}, 1);
    const auto rz = sigmoid(from_x[0] + from_h[0]).chunk(2, 1);
    const Tensor n = tanh(addcmul(from_x[1], rz[0], from_h[1]));
    return {addcmul(n, rz[1], s.h - n), {}};
  }
  const auto gates = addmm(x, s.h, hh).chunk(4, 1);
  const Tensor c = addcmul(sigmoid(gates[1]) * s.c, sigmoid(gates[0]), tanh(gates[2]));
  const Tensor h = sigmoid(gates[3]) * tanh(c);
  return {w.hr.defined() ? linear(h, w.hr) : h, c};
}

struct SequenceStates {
  Tensor all;      // [rows, hidden]
  CellState last;  // [batch, hidden]
  operator std::tuple<Tensor, Tensor>() const { return {all, last.h}; }
  operator std::tuple<Tensor, Tensor, Tensor>() const { return {all, last.h, last.c}; }
};

// One direction of a layer. Forwards, sequences that end early leave their state behind; backwards, they join in later.
SequenceStates run_direction(CellKind kind, bool backwards, const Tensor& x, IntArrayRef counts,
                             const CellState& first, const CellWeights& w) {
  const std::vector<Tensor> steps = projected(kind, x, w).split(counts, 0);
  const size_t n = steps.size();
  std::vector<Tensor> all(n);
  std::vector<CellState> over;
  int64_t rows = counts[backwards ? n - 1 : 0];
  CellState s = some_rows(first, 0, rows);
  for (size_t i = 0; i < n; ++i) {
    const size_t t = backwards ? n - 1 - i : i;
    if (counts[t] < rows) over.insert(over.begin(), some_rows(s, counts[t], rows));
    if (counts[t] < rows) s = some_rows(s, 0, counts[t]);
    if (counts[t] > rows) s = joined_states({s, some_rows(first, rows, counts[t])}, cat);
    rows = counts[t];
    s = next_state(kind, steps[t], s, w);
    all[t] = s.h;
  }
  over.insert(over.begin(), s);
  return {cat(all, 0), over.size() == 1 ? s : joined_states(over, cat)};
}

// The options shared by the functions for batches and for packed rows.
struct Network {
  CellKind kind;
  bool has_biases;
  int64_t num_layers;
  double dropout;
  bool train, bidirectional;
};

std::vector<CellWeights> grouped_weights(const Network& net, TensorList params, bool projects) {
  const size_t each = 2 + (net.has_biases ? 2 : 0) + (projects ? 1 : 0);
  ETUDE_CHECK(params.size() % each == 0, "got an incorrect number of RNN parameters\nreceived ",
              params.size(), ", which is not a number of groups of ", each);
  std::vector<CellWeights> all;
  for (size_t i = 0; i < params.size(); i += each) {
    CellWeights w{params[i], params[i + 1], {}, {}, {}};
    if (net.has_biases) w.b_ih = params[i + 2], w.b_hh = params[i + 3];
    if (projects) w.hr = params[i + each - 1];
    all.push_back(w);
  }
  return all;
}

void check_weights(CellKind kind, const CellWeights& w, int64_t hidden) {
  ETUDE_CHECK(w.hh.dim() == 2 && w.hh.size(0) == gates_of(kind) * hidden, "the weights of a state of ",
              hidden, " must have ", gates_of(kind) * hidden, " rows\nreceived w_hh of sizes ", w.hh.sizes());
}

void check_states(const Network& net, const CellState& hx, size_t weights, int64_t batch) {
  const auto layers = static_cast<size_t>(net.num_layers),
             states = static_cast<size_t>(hx.h.dim() > 0 ? hx.h.size(0) : 0);
  ETUDE_CHECK(!net.bidirectional || (states % 2 == 0 && weights % 2 == 0),
              "Odd number of params or hiddens given to a bidirectional RNN\nreceived hx of sizes ",
              hx.h.sizes(), " and ", weights, " groups of weights");
  const size_t expected = net.bidirectional ? 2 * layers : layers;
  ETUDE_CHECK(hx.h.dim() == 3 && states == expected,
              "Expected more hidden states in stacked_rnn\nreceived hx of sizes ", hx.h.sizes(), " for ",
              expected, " layers and directions");
  ETUDE_CHECK(weights == expected, "Expected more weights in stacked_rnn\nreceived weights of ", weights,
              " layers and directions instead of ", expected);
  each_of(hx, [&](const Tensor& t) {
    ETUDE_CHECK(t.dim() == 3 && t.size(0) == hx.h.size(0) && t.size(1) == batch, "The size of tensor a (",
                t.size(1), ") must match the size of tensor b (", batch,
                ") at non-singleton dimension 0\nreceived hx of sizes ", t.sizes(), " for a batch of ",
                batch);
    return t;
  });
}

SequenceStates run_network(const Network& net, Tensor x, IntArrayRef counts, const CellState& hx,
                           TensorList params) {
  const bool projects = hx.c.defined() && hx.h.size(-1) != hx.c.size(-1);
  const std::vector<CellWeights> weights = grouped_weights(net, params, projects);
  ETUDE_CHECK(!counts.empty(), "Expected sequence length to be larger than 0 in RNN");
  check_states(net, hx, weights.size(), counts[0]);
  const int64_t hidden = (hx.c.defined() ? hx.c : hx.h).size(2);
  std::vector<CellState> last;
  for (size_t at = 0; at < weights.size();) {
    if (net.dropout != 0 && at > 0) x = etude::dropout(x, net.dropout, net.train);
    std::vector<Tensor> both;
    for (const bool backwards : {false, true}) {
      if (backwards && !net.bidirectional) break;
      check_weights(net.kind, weights[at], hidden);
      const CellState first =
          each_of(hx, [&](const Tensor& t) { return t.select(0, static_cast<int64_t>(at)); });
      const SequenceStates states = run_direction(net.kind, backwards, x, counts, first, weights[at++]);
      both.push_back(states.all);
      last.push_back(states.last);
    }
    x = both.size() == 1 ? both[0] : cat(both, 1);
  }
  return {x, joined_states(last, stack)};
}

SequenceStates run_batch(const Network& net, const Tensor& input, bool batch_first, const CellState& hx,
                         TensorList params) {
  ETUDE_CHECK(input.dim() == 3, "input must have 3 dimensions, got ", input.dim(), "\nreceived sizes ",
              input.sizes());
  const Tensor x = batch_first ? input.transpose(0, 1) : input;
  const int64_t steps = x.size(0), batch = x.size(1);
  const std::vector<int64_t> counts(static_cast<size_t>(steps), batch);
  SequenceStates y = run_network(net, x.reshape({steps * batch, x.size(2)}), counts, hx, params);
  y.all = y.all.view({steps, batch, y.all.size(1)});
  if (batch_first) y.all = y.all.transpose(0, 1);
  return y;
}

SequenceStates run_packed(const Network& net, const Tensor& data, const Tensor& batch_sizes,
                          const CellState& hx, TensorList params) {
  ETUDE_CHECK(data.dim() == 2, "input must have 2 dimensions, got ", data.dim(), "\nreceived sizes ",
              data.sizes());
  return run_network(net, data, detail::step_counts(batch_sizes, data.size(0)), hx, params);
}

void check_cell(CellKind kind, const Tensor& input, const CellState& s, const CellWeights& w) {
  ETUDE_CHECK(input.size(1) == w.ih.size(1), "input has inconsistent input_size: got ", input.size(1),
              " expected ", w.ih.size(1), "\nreceived sizes ", input.sizes());
  each_of(s, [&, i = 0](const Tensor& h) mutable {
    const std::string name = str("hidden", i++);
    ETUDE_CHECK(input.size(0) == h.size(0), "Input batch size ", input.size(0), " doesn't match ", name,
                " batch size ", h.size(0), "\nreceived sizes ", input.sizes(), " and ", h.sizes());
    ETUDE_CHECK(h.size(1) == w.hh.size(1), name, " has inconsistent hidden_size: got ", h.size(1),
                ", expected ", w.hh.size(1), "\nreceived sizes ", input.sizes(), " and ", h.sizes());
    ETUDE_CHECK(input.dim() == 2 && h.dim() == 2, "a cell takes matrices\nreceived sizes ", input.sizes(),
                " and ", h.sizes());
    return h;
  });
  check_weights(kind, w, w.hh.size(1));
}

CellState run_cell(CellKind kind, const Tensor& input, const CellState& s, const Tensor& w_ih,
                   const Tensor& w_hh, const optional<Tensor>& b_ih, const optional<Tensor>& b_hh) {
  const CellWeights w{w_ih, w_hh, b_ih.value_or(Tensor()), b_hh.value_or(Tensor()), {}};
  check_cell(kind, input, s, w);
  return next_state(kind, projected(kind, input, w), s, w);
}

// The given state: h, or {h, c} of an lstm.
CellState state_of(const char*, const Tensor& h) { return {h, {}}; }
CellState state_of(const char* name, TensorList hx) {
  ETUDE_CHECK(hx.size() == 2, name, " expects two hidden states");
  return {hx[0], hx[1]};
}

using Two = std::tuple<Tensor, Tensor>;
using Three = std::tuple<Tensor, Tensor, Tensor>;

}  // namespace

// Defines the functions of a network: a batch, packed rows, and a step.
#define ETUDE_RECURRENT(name, kind, State, Result, CellResult)                                             \
  Result name(const Tensor& input, State hx, TensorList params, bool has_biases, int64_t num_layers,       \
              double dropout, bool train, bool bidirectional, bool batch_first) {                          \
    ETUDE_OP(name, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first); \
    return run_batch({kind, has_biases, num_layers, dropout, train, bidirectional}, input, batch_first,    \
                     state_of(#name, hx), params);                                                         \
  }                                                                                                        \
  Result name(const Tensor& data, const Tensor& batch_sizes, State hx, TensorList params, bool has_biases, \
              int64_t num_layers, double dropout, bool train, bool bidirectional) {                        \
    ETUDE_OP(name, data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional);  \
    return run_packed({kind, has_biases, num_layers, dropout, train, bidirectional}, data, batch_sizes,    \
                      state_of(#name, hx), params);                                                        \
  }                                                                                                        \
  CellResult name##_cell(const Tensor& input, State hx, const Tensor& w_ih, const Tensor& w_hh,            \
                         const optional<Tensor>& b_ih, const optional<Tensor>& b_hh) {                     \
    ETUDE_OP(name##_cell, input, hx, w_ih, w_hh, b_ih, b_hh);                                              \
    return run_cell(kind, input, state_of(#name "_cell", hx), w_ih, w_hh, b_ih, b_hh);                     \
  }

ETUDE_RECURRENT(lstm, CellKind::kLSTM, TensorList, Three, Two)
ETUDE_RECURRENT(gru, CellKind::kGRU, const Tensor&, Two, Tensor)
ETUDE_RECURRENT(rnn_tanh, CellKind::kTanh, const Tensor&, Two, Tensor)
ETUDE_RECURRENT(rnn_relu, CellKind::kReLU, const Tensor&, Two, Tensor)

#undef ETUDE_RECURRENT

}  // namespace etude
