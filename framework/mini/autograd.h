// Gradients. The result of an op remembers the node that made it; backward visits the nodes, newest first.
#pragma once

#include <map>

#include "mini/tensor.h"

namespace mini {

inline thread_local bool grad_mode = true;

/// Turns the recording of ops off while it is alive.
struct NoGradGuard {
  NoGradGuard() : before(std::exchange(grad_mode, false)) {}
  NoGradGuard(const NoGradGuard&) = delete;
  ~NoGradGuard() { grad_mode = before; }
  const bool before;
};

/// The last call of every op: returns y, with a node if an input requires a gradient. `backward` returns one gradient per input,
/// undefined where there is none.
inline Tensor recorded(const char* name, Tensors inputs, const Tensor& y,
                       std::function<Tensors(const Tensor&)> backward) {
  static int64_t made = 0;
  const auto needs = [](const Tensor& t) { return t.requires_grad(); };
  if (!grad_mode || !y.is_floating_point() || std::none_of(inputs.begin(), inputs.end(), needs)) return y;
  y.the().requires_grad = true;
  y.the().node = std::make_shared<Node>(Node{name, std::move(inputs), std::move(backward), ++made});
  return y;
}

Tensor operator+(const Tensor& a, const Tensor& b);
Tensor full(const Sizes& sizes, Scalar value, ScalarType type);

/// The nodes that made the inputs. A leaf that requires a gradient gets a node that stands for its grad.
inline std::vector<Node::Edge> Node::next_edges() const {
  std::vector<Edge> edges;
  for (const Tensor& x : inputs) {
    const bool is_grad = x.requires_grad() && x.is_leaf();
    edges.push_back({is_grad ? std::make_shared<Node>(Node{"AccumulateGrad", {}, nullptr, 0}) : x.grad_fn()});
  }
  return edges;
}
/// The gradients of sum(dy * root), over all roots, with respect to every tensor that the roots were computed from.
inline std::map<Tensor::Impl*, Tensor> gradients(const Tensors& roots, const Tensors& dys,
                                                 bool retain_graph) {
  const NoGradGuard no_grad;
  std::map<Tensor::Impl*, Tensor> found;
  std::map<int64_t, Tensor> waiting;  // by the node's number: the last one is the newest
  const auto arrive = [&](const Tensor& x, const Tensor& more) {
    Tensor& dx = found[x.impl.get()];
    dx = dx.defined() ? dx + more : more;
    if (x.grad_fn()) waiting[x.grad_fn()->number] = x;
  };
  for (size_t i = 0; i < roots.size(); ++i) {
    const Tensor &y = roots[i], dy = i < dys.size() ? dys[i] : Tensor();
    check(y.requires_grad(), "element ", i, " of tensors does not require grad and does not have a grad_fn");
    check(dy.defined() || y.numel() == 1, "grad can be implicitly created only for scalar outputs");
    check(!dy.defined() || dy.sizes() == y.sizes(), "Mismatch in shape: grad_output[", i,
          "] has not the sizes of output[", i, "].");
    arrive(y, dy.defined() ? dy : full(y.sizes(), 1, kFloat));
  }
  while (!waiting.empty()) {
    const Tensor y = waiting.rbegin()->second;
    waiting.erase(--waiting.end());
    Node& node = *y.grad_fn();
    check(node.backward != nullptr,
          "Trying to backward through the graph a second time (or directly access saved tensors after they "
          "have already been freed).");
    const Tensors all = node.backward(found.at(y.impl.get()));
    for (size_t i = 0; i < all.size(); ++i)
      if (node.inputs[i].requires_grad() && all[i].defined()) arrive(node.inputs[i], all[i]);
    if (!retain_graph) node.backward = nullptr;
  }
  return found;
}
inline void Tensor::backward(const Tensor& dy, bool retain_graph) const {
  for (const auto& [x, dx] : gradients({*this}, {dy}, retain_graph)) {
    if (x->node) continue;
    const NoGradGuard no_grad;
    x->grad = std::make_shared<Tensor>(x->grad && x->grad->defined() ? *x->grad + dx : dx.clone());
  }
}

namespace autograd {
/// The gradients of the sum of the roots with respect to the inputs; their grad() is left unchanged.
inline Tensors grad(const Tensors& roots, const Tensors& inputs, const Tensors& dys = {},
                    bool retain_graph = false) {
  auto found = gradients(roots, dys, retain_graph);
  Tensors all;
  for (const Tensor& x : inputs) {
    all.push_back(found[x.impl.get()]);
    check(all.back().defined(), "The differentiated Tensor at index ", all.size() - 1,
          " appears to not have been used in the graph.");
  }
  return all;
}
}  // namespace autograd

inline const Tensor& Tensor::requires_grad_(bool on) const {
  check(!on || is_floating_point(), "only Tensors of floating point dtype can require gradients");
  check(on || is_leaf(), "you can only change requires_grad flags of leaf variables.");
  the().requires_grad = on;
  return *this;
}
inline Tensor& Tensor::mutable_grad() const {
  if (!the().grad) the().grad = std::make_shared<Tensor>();
  return *the().grad;
}
inline const Tensor& Tensor::grad() const { return mutable_grad(); }

/// The same memory without the node.
inline Tensor Tensor::detach() const {
  return Tensor({the().memory, the().type, sizes(), strides(), storage_offset()});
}
/// A recorded tensor must not change before backward has read it. Under a NoGradGuard this is not checked.
inline void check_writable(const Tensor& t) {
  check(!grad_mode || !t.requires_grad(),
        t.is_leaf() ? "a leaf Variable that requires grad is being used in an in-place operation."
                    : "in-place operations on results of recorded ops are not in mini");
}

}  // namespace mini
