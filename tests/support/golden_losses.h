#pragma once

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "etude/framework.h"
#include "support/golden.h"
#include "support/gradcheck.h"

// The recordings of golden/layers/make_losses.py from PyTorch, and comparisons with them.

namespace etude {

/// The graph behind a node, in the notation of the recording: "AddBackward0(AccumulateGrad,-)".
template <typename NodePointer>
std::string graph_of(const NodePointer& node) {
  if (!node) return "-";
  const std::string full = node->name(), name = full.substr(full.rfind(':') + 1);
  if (name == "AccumulateGrad") return name;
  std::string below;
  for (const autograd::Edge& edge : node->next_edges())
    below += (below.empty() ? "" : ",") + graph_of(edge.function);
  return name + "(" + below + ")";
}

/// A recorded tensor, float64; undefined for null.
inline Tensor recorded_tensor(const Recorded& t) {
  if (t.is_null()) return {};
  return golden_numbers(t.at("values"), kDouble).reshape(t.at("sizes").get<std::vector<int64_t>>());
}

/// Whether both are equal up to rounding. A missing gradient counts as zeros.
inline bool agrees(const Tensor& found, const Tensor& expected, double tolerance = 1e-12) {
  if (!found.defined() || !expected.defined()) {
    const Tensor& other = found.defined() ? found : expected;
    return !other.defined() || other.eq(0).all().item<bool>();
  }
  // A LibTorch zero may have no memory; the result of an addition has.
  return golden_distance(etude::zeros(found.sizes(), kDouble) + found.detach(), expected) <= tolerance;
}

/// The gradients of sum(y * weights) with weights 1, 1/2, 1/3, ..., then the gradients of the sum of their squares.
inline std::vector<std::vector<Tensor>> two_gradients(const Tensor& y, const std::vector<Tensor>& inputs) {
  const Tensor weights = (etude::arange(1, y.numel() + 1).to(kDouble)).reciprocal().reshape(y.sizes());
  const auto first = autograd::grad({(y * weights).sum()}, inputs, {}, nullopt, /*create_graph=*/true,
                                    /*allow_unused=*/true);
  Tensor squares = etude::zeros({}, kDouble);
  for (const Tensor& g : first)
    if (g.defined()) squares = squares + (g * g).sum();
  if (!squares.requires_grad()) return {first, std::vector<Tensor>(inputs.size())};
  return {first, autograd::grad({squares}, inputs, {}, nullopt, false, /*allow_unused=*/true)};
}

/// Checks values, gradients, second gradients and graphs of all functions of a section of the recording.
inline void check_recorded(const char* section, const std::map<std::string, TensorFunction>& functions) {
  const Recorded recorded = golden_json("layers/losses.json").at(section);
  CHECK(recorded.size() == functions.size());
  for (const auto& [name, function] : functions) {
    CAPTURE(name);
    REQUIRE(recorded.contains(name));
    const Recorded& row = recorded.at(name);
    std::vector<Tensor> inputs, leaves;
    for (size_t i = 0; i < row.at("inputs").size(); ++i) {
      inputs.push_back(recorded_tensor(row.at("inputs")[i]));
      if (!row.at("fixed")[i].get<bool>()) leaves.push_back(inputs.back().requires_grad_());
    }
    const Tensor y = function(inputs);
    CHECK(agrees(y, recorded_tensor(row.at("value"))));
    if (!row.at("graph").is_null()) CHECK(graph_of(y.grad_fn()) == row.at("graph").get<std::string>());
    const auto gradients = two_gradients(y, leaves);
    for (size_t i = 0; i < leaves.size(); ++i) {
      CAPTURE(i);
      CHECK(agrees(gradients[0][i], recorded_tensor(row.at("gradients")[i])));
      CHECK(agrees(gradients[1][i], recorded_tensor(row.at("second")[i]), 1e-10));
    }
  }
}

}  // namespace etude
