#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "etude/core/export.h"

namespace etude {
class Tensor;
}

namespace etude::autograd {

/// Gradients, as nodes take and return them (torch::autograd::tensor_list).
using tensor_list = std::vector<Tensor>;

struct Node;

/// Where a gradient goes: which node receives it, and as which of its inputs (torch::autograd::Edge).
struct Edge {
  std::shared_ptr<Node> function;  ///< null where no gradient is needed
  uint32_t input_nr = 0;

  bool is_valid() const { return function != nullptr; }
  friend bool operator==(const Edge& a, const Edge& b) {
    return a.function == b.function && a.input_nr == b.input_nr;
  }
  friend bool operator!=(const Edge& a, const Edge& b) { return !(a == b); }
};
/// Where the gradients that a node returns go (torch::autograd::edge_list).
using edge_list = std::vector<Edge>;

/// A recorded op, as `tensor.grad_fn()` returns it (torch::autograd::Node). Its inputs are the gradients of the op's results,
/// its outputs the gradients of the op's inputs.
struct ETUDE_API Node {
  Node& operator=(const Node&) = delete;

  /// The name of the op, for example `AddBackward0`.
  virtual std::string name() const = 0;
  virtual uint32_t num_inputs() const = 0;
  virtual uint32_t num_outputs() const = 0;
  virtual edge_list next_edges() const = 0;
  /// The number of nodes that the same thread made before this one.
  virtual uint64_t sequence_nr() const = 0;
  Edge next_edge(size_t index) const { return next_edges().at(index); }

 protected:
  virtual ~Node();
};

}  // namespace etude::autograd
