#include <algorithm>
#include <future>
#include <optional>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "etude/autograd/autograd.h"
#include "etude/autograd/detail/early_leaves.h"
#include "etude/autograd/detail/node.h"
#include "etude/core/detail/dispatch.h"
#include "etude/core/warning.h"

namespace etude::autograd {
namespace {

using namespace detail;
namespace listen = etude::detail::listen;

// The gradients of each node's outputs that have arrived.
using Arrived = std::unordered_map<GraphNode*, Gradients>;

using AfterBackward = std::vector<std::function<void(bool)>>;
// What runs on this thread.
struct Running {
  GraphNode* node;
  const std::unordered_set<GraphNode*>* needed;  // the nodes whose gradients the walk needs; null for all
  Arrived* waiting;                              // the gradients for nodes that are still to be visited
  AfterBackward* after;                          // called after the outermost walk; null outside of one
  int walks;                                     // how many walks run inside of each other on this thread
};
thread_local Running running{nullptr, nullptr, nullptr, nullptr, 0};

Running what_runs() { return running; }
void set_running(Running now) { running = now; }
using RunningGuard = etude::detail::Restoring<what_runs, set_running>;

// How many walks may run inside of each other on one thread: each needs some of its stack. PyTorch's MAX_DEPTH.
constexpr int kMostOnOneThread = 60;

template <typename F>
void run_nested(const F& walk);

// Runs a walk on a thread of its own, in the modes of this one.
template <typename F>
void run_elsewhere(const F& walk) {
  Running inside = running;
  inside.walks = 0;
  std::async(std::launch::async, [&, grads = GradMode::is_enabled(),
                                  inference = InferenceMode::is_enabled()] {
    const RunningGuard mark(inside);
    const InferenceMode outer(inference);
    const AutoGradMode mode(grads);
    run_nested(walk);
  }).get();
}

// Runs a walk inside of another one, on another thread if too many are nested on this one.
template <typename F>
void run_nested(const F& walk) {
  if (running.walks >= kMostOnOneThread) return run_elsewhere(walk);
  Running inside = running;
  ++inside.walks;
  const RunningGuard mark(inside);
  walk();
}

// Runs a walk. After an outermost walk, calls the functions that call_after_backward was given.
template <typename F>
void run_and_call_after(const F& walk) {
  if (running.after) return run_nested(walk);
  AfterBackward calls;
  try {
    const RunningGuard outermost({nullptr, nullptr, nullptr, &calls, 1});
    walk();
  } catch (...) {
    for (const auto& call : calls) call(false);
    throw;
  }
  for (const auto& call : calls) call(true);
}

// Whether sizes can be summed to those of an output that was broadcast to them.
bool fits(IntArrayRef sizes, IntArrayRef output) {
  if (sizes.size() < output.size()) return false;
  const size_t extra = sizes.size() - output.size();
  for (size_t d = 0; d < output.size(); ++d)
    if (output[d] != 1 && output[d] != sizes[extra + d]) return false;
  return true;
}

// The gradient with the sizes and the type of its output: summed where an op has broadcast the output, and converted.
Tensor fitted(Tensor g, const OutputForm& form, const GraphNode* from, size_t index) {
  const IntArrayRef wanted = form.sizes.ref();
  if (g.sizes() != wanted) {
    ETUDE_CHECK(fits(g.sizes(), wanted), "Function ", from ? from->name() : "backward",
                " returned an invalid gradient at index ", index, " - got ", g.sizes(),
                " but expected shape compatible with ", wanted);
    const int64_t extra = g.dim() - form.sizes.size();
    std::vector<int64_t> reduced;
    for (int64_t d = 0; d < g.dim(); ++d)
      if (d < extra || (form.sizes[d - extra] == 1 && g.size(d) != 1)) reduced.push_back(d);
    if (!reduced.empty()) g = g.sum(reduced, true);
    if (extra > 0) g = g.reshape(form.sizes);
  }
  return g.scalar_type() == form.dtype ? g : g.to(form.dtype);
}

// Whether a sum may be added to in place.
bool is_ours(const Tensor& sum) {
  return sum.defined() && !GradMode::is_enabled() && sum.use_count() == 1 &&
         sum.unsafeGetTensorImpl()->storage.unique() && sum.is_contiguous();
}

void accumulate(Tensor& sum, const Tensor& g) {
  if (!sum.defined()) sum = g;
  else if (is_ours(sum)) sum.add_(g);
  else sum = sum.add(g);
}

// One walk from roots to leaves, the deepest node first. A node is deeper than the nodes of its inputs, so the walk visits it only
// after all nodes that add to its gradient, without a sort, a first pass or recursion. Leaves come last, or early if a gradient
// taker is set.
class GraphWalk {
 public:
  // wanted: the edges whose gradients found() returns and, with into_grads, the grads of their tensors get; empty for the
  // grads of all leaves.
  GraphWalk(const std::vector<GraphEdge>& roots, bool keep_graph, bool into_grads,
            const std::vector<GraphEdge>& wanted)
      : keep_graph_(keep_graph), into_grads_(into_grads), wanted_(wanted) {
    if (restricted_) restrict_to_wanted(roots);
    if (gradients_are_taken()) early_.emplace(roots, restricted_ ? &needed_ : nullptr);
  }

  void send(const GraphEdge& edge, const Tensor& gradient, const GraphNode* from, size_t index) {
    GraphNode* node = edge.node.get();
    if (restricted_ && !needed_.count(node)) return;
    const auto [it, is_new] = pending_.try_emplace(node, static_cast<size_t>(node->outputs()));
    if (is_new) queue_.push(node);
    const OutputForm& form = node->form(edge.output);
    const etude::detail::TensorImpl& g = etude::detail::impl(gradient);
    Tensor& sum = it->second[static_cast<size_t>(edge.output)];
    if (g.sizes == form.sizes && g.dtype == form.dtype) accumulate(sum, gradient);
    else accumulate(sum, fitted(gradient, form, from, index));
  }

  void run() {
    while (GraphNode* const node = next()) {
      auto arrived = pending_.extract(node);
      if (!arrived.empty()) visit(*node, arrived.mapped());
    }
  }

  const std::vector<Tensor>& found() const { return found_; }

 private:
  // Marks the nodes that have to run to reach the wanted edges from the roots.
  void restrict_to_wanted(const std::vector<GraphEdge>& roots) {
    std::unordered_set<GraphNode*> seen;
    std::vector<std::pair<GraphNode*, size_t>> stack;
    for (const GraphEdge& w : wanted_) needed_.insert(w.node.get());
    for (const GraphEdge& root : roots) {
      if (seen.insert(root.node.get()).second) stack.emplace_back(root.node.get(), 0);
      while (!stack.empty()) {
        auto& [node, next] = stack.back();
        if (next < node->inputs.size()) {
          GraphNode* child = node->inputs[next++].node.get();
          if (child && seen.insert(child).second) stack.emplace_back(child, 0);
          continue;
        }
        for (const GraphEdge& e : node->inputs)
          if (e.node && needed_.count(e.node.get())) needed_.insert(node);
        stack.pop_back();
      }
    }
  }

  // The next node to visit, or null.
  GraphNode* next() {
    GraphNode* node = early_ ? early_->pop() : nullptr;
    if (node || queue_.empty()) return node;
    node = queue_.top();
    queue_.pop();
    return node;
  }

  void visit(GraphNode& node, Gradients& dy) {
    if (!node.hooks.empty()) call_hooks(node, dy);
    const bool is_asked_for = restricted_ && note_found(node, dy) && into_grads_;
    const bool further = !restricted_ || leads_further(node);
    if (!further && (!is_asked_for || !node.inputs.empty())) return;

    const Gradients dx = apply(node, dy);
    for (size_t i = 0; i < dx.size(); ++i)
      if (dx[i].defined() && i < node.inputs.size() && node.inputs[i].node)
        send(node.inputs[i], dx[i], &node, i);
    if (early_) early_->note_visited(node);
  }

  // Keeps the gradients of the node that are wanted, and says whether there are any.
  bool note_found(const GraphNode& node, const Gradients& dy) {
    bool is_wanted = false;
    for (size_t i = 0; i < wanted_.size(); ++i)
      if (wanted_[i].node.get() == &node) {
        is_wanted = true;
        found_[i] = dy[static_cast<size_t>(wanted_[i].output)];
      }
    return is_wanted;
  }

  static std::vector<GraphNode::Hook> hooks_of(const GraphNode& node) {
    const std::lock_guard<std::recursive_mutex> lock(node.mutex);
    return node.hooks;
  }

  // Adds gradients to the grads of the tensors, other than leaves, for which retain_grad() was called.
  static void retain(GraphNode& node, const Gradients& dy) {
    const std::lock_guard<std::recursive_mutex> lock(node.mutex);
    for (const GraphNode::Hook& h : node.hooks) {
      const Tensor& g = dy[static_cast<size_t>(h.output)];
      if (!h.retains || !g.defined()) continue;
      Tensor& grad = h.retains->grad;
      grad = grad.defined() ? grad.add(g) : g.clone();
    }
  }

  static void call_hooks(GraphNode& node, Gradients& dy) {
    std::vector<unsigned> numbers(dy.size(), 0);
    for (const GraphNode::Hook& h : hooks_of(node)) {
      if (h.retains) continue;
      Tensor& g = dy[static_cast<size_t>(h.output)];
      const unsigned number = numbers[static_cast<size_t>(h.output)]++;
      const Tensor replaced = g.defined() && h.call ? h.call(g) : Tensor();
      if (!replaced.defined()) continue;
      ETUDE_CHECK(replaced.scalar_type() == g.scalar_type(), "hook '", number,
                  "' has changed the type of value (was torch.", toString(g.scalar_type()),
                  "Tensor got torch.", toString(replaced.scalar_type()), "Tensor)");
      ETUDE_CHECK(replaced.sizes() == g.sizes(), "hook '", number,
                  "' has changed the size of value\nreceived a gradient of sizes ", g.sizes(),
                  ", returned one of sizes ", replaced.sizes());
      g = replaced;
    }
    retain(node, dy);
  }

  Gradients apply(GraphNode& node, const Gradients& dy) {
    const std::lock_guard<std::recursive_mutex> lock(node.mutex);
    if (node.released) refuse_second_backward(node);
    const RunningGuard mark(
        {&node, restricted_ ? &needed_ : nullptr, &pending_, running.after, running.walks});
    Gradients dx = listen::is_heard() ? apply_heard(node, dy) : node.apply(dy);
    if (!keep_graph_) node.release();
    return dx;
  }

  static Gradients apply_heard(GraphNode& node, const Gradients& dy) {
    listen::Scope scope({listen::Kind::kNode, node.label, &node, node.place}, {dy});
    Gradients dx = node.apply(dy);
    scope.ends({dx});
    return dx;
  }

  bool leads_further(const GraphNode& node) const {
    return std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](const GraphEdge& e) { return e.node && needed_.count(e.node.get()); });
  }

  bool keep_graph_, into_grads_;
  const std::vector<GraphEdge>& wanted_;
  bool restricted_ = !wanted_.empty();
  std::vector<Tensor> found_ = std::vector<Tensor>(wanted_.size());
  std::unordered_set<GraphNode*> needed_;
  Arrived pending_;
  // The nodes to visit, which the roots keep alive. A node that was visited early stays in the queue.
  std::priority_queue<GraphNode*, std::vector<GraphNode*>, Shallower> queue_;
  std::optional<EarlyLeaves> early_;
};

[[noreturn]] void refuse_seed(const Tensor& root) {
  throw Error(str("grad can be implicitly created only for scalar outputs\nreceived a tensor of sizes ",
                  root.sizes(), "\nhint: reduce it first, for example with sum(), or pass the gradient"));
}

// The gradient to start from where none is given: 1, for a tensor of one element.
Tensor seed_of(const Tensor& root) {
  if (root.numel() != 1) refuse_seed(root);
  const ScalarType dtype = root.scalar_type();
  Tensor one = etude::detail::make_tensor(root.sizes(), dtype);
  const auto set = [&](auto zero) { *etude::detail::impl(one).data<decltype(zero)>() = 1; };
  if (isReducedFloatingType(dtype)) etude::detail::dispatch_reduced(dtype, set);
  else etude::detail::dispatch_floating("backward", dtype, set);
  return one;
}

// The edges at which the gradients of inputs arrive. With into_grads, inputs that are not leaves retain their gradients from then
// on.
std::vector<GraphEdge> edges_of(TensorList inputs, bool into_grads) {
  std::vector<GraphEdge> edges;
  for (const Tensor& t : inputs) {
    ETUDE_CHECK(t.defined(), "cannot call get_autograd_meta() on undefined tensor");
    if (into_grads) t.retain_grad();
    ETUDE_CHECK(needs_grad(t), "One of the differentiated Tensors does not require grad");
    edges.push_back(edge_of(t));
  }
  return edges;
}

void warn_of_cycle() {
  ETUDE_WARN_ONCE(
      "Using backward() with create_graph=True will create a reference cycle between the parameter and its "
      "gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to "
      "avoid this. If you have to use this function, make sure to reset the .grad fields of your "
      "parameters to None after use to break the cycle and avoid the leak.");
}

// Throws the error for root i of a walk, which is in no graph.
[[noreturn]] void refuse_root(const Tensor& root, size_t i) {
  ETUDE_CHECK(root.defined(), "cannot call get_autograd_meta() on undefined tensor\nelement ", i,
              " of tensors is undefined");
  throw Error(
      str("element ", i, " of tensors does not require grad and does not have a grad_fn",
          "\nhint: no input of what you call backward on requires grad, or it was made under NoGradGuard"));
}

// The gradient that was given for root i. It has the sizes of the root, or sizes to which the root can be expanded.
const Tensor& given_seed(const Tensor& gradient, const Tensor& root, size_t i) {
  ETUDE_CHECK(fits(gradient.sizes(), root.sizes()), "Mismatch in shape: grad_output[", i,
              "] has a shape of torch.Size(", gradient.sizes(), ") and output[", i,
              "] has a shape of torch.Size(", root.sizes(), ").");
  return gradient;
}

variable_list run_backward(TensorList roots, TensorList gradients, bool keep_graph, bool create_graph,
                           TensorList inputs, bool into_grads) {
  if (create_graph && into_grads) warn_of_cycle();
  ETUDE_CHECK(gradients.empty() || gradients.size() == roots.size(), "got ", roots.size(), " tensors and ",
              gradients.size(), " gradients");
  std::vector<GraphEdge> edges;
  std::vector<Tensor> seeds;
  for (size_t i = 0; i < roots.size(); ++i) {
    edges.push_back(edge_of(roots[i]));
    if (!edges.back().node) refuse_root(roots[i], i);
    const bool is_given = !gradients.empty() && gradients[i].defined();
    seeds.push_back(is_given ? given_seed(gradients[i], roots[i], i) : seed_of(roots[i]));
  }
  const std::vector<GraphEdge> wanted =
      inputs.empty() ? std::vector<GraphEdge>() : edges_of(inputs, into_grads);
  const AutoGradMode mode(create_graph);
  GraphWalk walk(edges, keep_graph, into_grads, wanted);
  for (size_t i = 0; i < edges.size(); ++i) walk.send(edges[i], seeds[i], nullptr, i);
  run_and_call_after([&] { walk.run(); });
  return walk.found();
}

}  // namespace

GraphNode* detail::current_node() { return running.node; }

bool detail::gradient_is_wanted(const GraphNode& node, size_t input) {
  ETUDE_CHECK(input < node.inputs.size(), "Index out of range\nthe op has ", node.inputs.size(),
              " inputs that are tensors, received index ", input);
  GraphNode* next = node.inputs[input].node.get();
  return next && (running.node != &node || !running.needed || running.needed->count(next));
}

bool detail::walk_is_restricted() { return running.needed != nullptr; }

Tensor detail::waiting_gradient(size_t input) {
  if (!running.node) return {};
  const GraphEdge& edge = running.node->inputs[input];
  const auto it = running.waiting->find(edge.node.get());
  if (it == running.waiting->end()) return {};
  Tensor& sum = it->second[static_cast<size_t>(edge.output)];
  return is_ours(sum) ? std::exchange(sum, Tensor()) : Tensor();
}

void detail::call_after_backward(std::function<void(bool)> call) {
  ETUDE_CHECK(running.after, "Final callbacks can only be installed during backward pass.");
  running.after->push_back(std::move(call));
}

void detail::refuse_second_backward(const GraphNode& node) {
  throw Error(str(
      "Trying to backward through the graph a second time (or directly access saved tensors after they "
      "have already been freed). Saved intermediate values of the graph are freed when you call "
      ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
      "graph a second time or if you need to access saved tensors after calling backward.\nreached ",
      node.name(), " again\nhint: backward({}, /*retain_graph=*/true) keeps the graph for the next call"));
}

void backward(const variable_list& tensors, const variable_list& grad_tensors, optional<bool> retain_graph,
              bool create_graph, const variable_list& inputs) {
  run_backward(tensors, grad_tensors, retain_graph.value_or(create_graph), create_graph, inputs, true);
}

variable_list grad(const variable_list& outputs, const variable_list& inputs,
                   const variable_list& grad_outputs, optional<bool> retain_graph, bool create_graph,
                   bool allow_unused) {
  ETUDE_CHECK(!inputs.empty(), "grad requires non-empty inputs.");
  auto found =
      run_backward(outputs, grad_outputs, retain_graph.value_or(create_graph), create_graph, inputs, false);
  for (size_t i = 0; i < found.size(); ++i)
    ETUDE_CHECK(allow_unused || found[i].defined(), "The differentiated Tensor at index ", i,
                " appears to not have been used in the graph. Set allow_unused=True if this is the desired "
                "behavior.");
  return found;
}

}  // namespace etude::autograd

namespace etude {

void Tensor::backward(const Tensor& gradient, optional<bool> retain_graph, bool create_graph,
                      optional<TensorList> inputs) const {
  ETUDE_CHECK(!inputs || !inputs->empty(), "'inputs' argument to backward cannot be empty");
  autograd::run_backward(*this, gradient, retain_graph.value_or(create_graph), create_graph,
                         inputs.value_or(TensorList()), true);
}

}  // namespace etude
