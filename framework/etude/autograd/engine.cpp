#include <algorithm>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "etude/autograd/autograd.h"
#include "etude/autograd/detail/meta.h"
#include "etude/autograd/detail/node.h"

namespace etude::autograd {
namespace {

using NodeRef = etude::detail::Ref<Node>;

thread_local Node* running = nullptr;

struct Running {
  explicit Running(Node* node) : before(running) { running = node; }
  ~Running() { running = before; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  Node* before;
};

// The gradient as the output it belongs to must have it: reduced where the op broadcast that output, and of
// its type.
Tensor fitted(const Tensor& gradient, const OutputForm& form, const char* from, size_t index) {
  Tensor g = gradient;
  if (g.sizes() != form.sizes.ref()) {
    const auto extra = g.dim() - form.sizes.size();
    bool fits = extra >= 0;
    std::vector<int64_t> reduced;
    for (int64_t d = 0; d < g.dim() && fits; ++d) {
      const int64_t want = d < extra ? 1 : form.sizes[d - extra];
      fits = want == 1 || want == g.size(d);
      if (d < extra || (want == 1 && g.size(d) != 1)) reduced.push_back(d);
    }
    ETUDE_CHECK(fits, "Function ", from, " returned an invalid gradient at index ", index, " - got ",
                g.sizes(), " but expected shape compatible with ", form.sizes.ref());
    if (!reduced.empty()) g = g.sum(reduced, true);
    if (extra > 0) g = g.reshape(form.sizes);
  }
  return g.scalar_type() == form.dtype ? g : g.to(form.dtype);
}

void accumulate(Tensor& sum, const Tensor& g) {
  if (!sum.defined()) {
    sum = g;
  } else if (!GradMode::is_enabled() && sum.use_count() == 1 && sum.unsafeGetTensorImpl()->storage.unique() &&
             sum.is_contiguous()) {
    sum.add_(g);
  } else {
    sum = sum.add(g);
  }
}

// One walk from roots to leaves. A node is deeper than everything it depends on, so taking the deepest first
// reaches a node only after all that adds to its gradient has been there: no sort, no visit beforehand, no
// recursion.
class Walk {
 public:
  Walk(bool keep_graph, const std::vector<Edge>& wanted)
      : keep_graph_(keep_graph), wanted_(wanted), found_(wanted.size()) {}

  void send(const Edge& edge, const Tensor& gradient, const char* from, size_t index) {
    Node* node = edge.node.get();
    if (restricted() && !needed_.count(node)) return;
    const Tensor g = fitted(gradient, node->form(edge.output), from, index);
    auto [it, is_new] = pending_.try_emplace(node);
    if (is_new) {
      it->second.resize(static_cast<size_t>(node->outputs()));
      ready_.push(edge.node);
    }
    accumulate(it->second[static_cast<size_t>(edge.output)], g);
  }

  void run() {
    while (!ready_.empty()) {
      const NodeRef node = ready_.top();
      ready_.pop();
      const auto it = pending_.find(node.get());
      Gradients dy = std::move(it->second);
      pending_.erase(it);
      visit(*node, dy);
    }
  }

  // Marks what has to run to reach the wanted edges from the roots; without wanted edges everything runs.
  void restrict_to_wanted(const std::vector<Edge>& roots) {
    std::unordered_set<Node*> seen;
    std::vector<std::pair<Node*, size_t>> stack;
    for (const Edge& w : wanted_) needed_.insert(w.node.get());
    for (const Edge& root : roots) {
      if (seen.insert(root.node.get()).second) stack.emplace_back(root.node.get(), 0);
      while (!stack.empty()) {
        auto& [node, next] = stack.back();
        if (next < node->inputs.size()) {
          Node* child = node->inputs[next++].node.get();
          if (child && seen.insert(child).second) stack.emplace_back(child, 0);
          continue;
        }
        for (const Edge& e : node->inputs)
          if (e.node && needed_.count(e.node.get())) needed_.insert(node);
        stack.pop_back();
      }
    }
  }

  const std::vector<Tensor>& found() const { return found_; }

 private:
  struct Shallower {
    bool operator()(const NodeRef& a, const NodeRef& b) const {
      return a->depth != b->depth ? a->depth < b->depth : a->sequence < b->sequence;
    }
  };

  bool restricted() const { return !wanted_.empty(); }

  void visit(Node& node, Gradients& dy) {
    for (const Node::OutputHook& h : std::vector<Node::OutputHook>(node.hooks)) {
      Tensor& g = dy[static_cast<size_t>(h.output)];
      if (!g.defined()) continue;
      const Tensor replaced = h.hook(g);
      if (!replaced.defined()) continue;
      ETUDE_CHECK(replaced.scalar_type() == g.scalar_type(), "hook '", h.id,
                  "' has changed the type of value (was torch.", toString(g.scalar_type()),
                  "Tensor got torch.", toString(replaced.scalar_type()), "Tensor)");
      ETUDE_CHECK(replaced.sizes() == g.sizes(), "hook '", h.id,
                  "' has changed the size of value\nreceived a gradient of sizes ", g.sizes(),
                  ", returned one of sizes ", replaced.sizes());
      g = replaced;
    }
    for (const Node::Retained& r : node.retained) {
      const Tensor& g = dy[static_cast<size_t>(r.output)];
      if (g.defined()) r.meta->grad = r.meta->grad.defined() ? r.meta->grad.add(g) : g;
    }
    bool is_wanted = false;
    for (size_t i = 0; i < wanted_.size(); ++i)
      if (wanted_[i].node.get() == &node) {
        is_wanted = true;
        found_[i] = dy[static_cast<size_t>(wanted_[i].output)];
      }
    if (restricted() && node.inputs.empty()) return;
    if (is_wanted && !leads_further(node)) return;

    ETUDE_CHECK(!node.released,
                "Trying to backward through the graph a second time (or directly access saved tensors after "
                "they have already been "
                "freed). Saved intermediate values of the graph are freed when you call .backward() or "
                "autograd.grad(). Specify "
                "retain_graph=True if you need to backward through the graph a second time or if you need to "
                "access saved tensors "
                "after calling backward.\nreached ",
                node.name, " again");
    Gradients dx;
    {
      const Running mark(&node);
      dx = node.apply(dy);
    }
    if (!keep_graph_) node.release();
    for (size_t i = 0; i < dx.size(); ++i)
      if (dx[i].defined() && i < node.inputs.size() && node.inputs[i].node)
        send(node.inputs[i], dx[i], node.name, i);
  }

  bool leads_further(const Node& node) const {
    return std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](const Edge& e) { return e.node && needed_.count(e.node.get()); });
  }

  bool keep_graph_;
  const std::vector<Edge>& wanted_;
  std::vector<Tensor> found_;
  std::unordered_set<Node*> needed_;
  std::unordered_map<Node*, Gradients> pending_;
  std::priority_queue<NodeRef, std::vector<NodeRef>, Shallower> ready_;
};

// The gradient to start from: the one given, or 1 for a tensor of one element.
Tensor seed_of(const Tensor& root, const Tensor& given, size_t index) {
  if (!given.defined()) {
    ETUDE_CHECK(root.numel() == 1,
                "grad can be implicitly created only for scalar outputs\nreceived a tensor of sizes ",
                root.sizes(), "\nhint: reduce it first, for example with sum(), or pass the gradient");
    Tensor one = etude::detail::make_tensor(root.sizes(), root.scalar_type());
    return one.fill_(1);
  }
  ETUDE_CHECK(given.sizes() == root.sizes(), "Mismatch in shape: grad_output[", index,
              "] has a shape of torch.Size(", given.sizes(), ") and output[", index,
              "] has a shape of torch.Size(", root.sizes(), ").");
  return given;
}

std::vector<Tensor> run_backward(const variable_list& roots, const variable_list& gradients, bool keep_graph,
                                 bool create_graph, const std::vector<Edge>& wanted) {
  ETUDE_CHECK(gradients.empty() || gradients.size() == roots.size(), "got ", roots.size(), " tensors and ",
              gradients.size(), " gradients");
  std::vector<Edge> edges;
  std::vector<Tensor> seeds;
  for (size_t i = 0; i < roots.size(); ++i) {
    ETUDE_CHECK(
        needs_grad(roots[i]), "element ", i, " of tensors does not require grad and does not have a grad_fn",
        "\nhint: no input of what you call backward on requires grad, or it was made under NoGradGuard");
    edges.push_back(edge_of(roots[i]));
    seeds.push_back(seed_of(roots[i], gradients.empty() ? Tensor() : gradients[i], i));
  }
  const AutoGradMode mode(create_graph);
  Walk walk(keep_graph, wanted);
  if (!wanted.empty()) walk.restrict_to_wanted(edges);
  for (size_t i = 0; i < edges.size(); ++i) walk.send(edges[i], seeds[i], "backward", i);
  walk.run();
  return walk.found();
}

std::vector<Edge> edges_of(const variable_list& inputs) {
  std::vector<Edge> edges;
  for (const Tensor& t : inputs) {
    ETUDE_CHECK(needs_grad(t), "One of the differentiated Tensors does not require grad");
    edges.push_back(edge_of(t));
  }
  return edges;
}

}  // namespace

Node* current_node() { return running; }

void backward(const variable_list& tensors, const variable_list& grad_tensors, optional<bool> retain_graph,
              bool create_graph, const variable_list& inputs) {
  const std::vector<Edge> wanted = edges_of(inputs);
  const auto found =
      run_backward(tensors, grad_tensors, retain_graph.value_or(create_graph), create_graph, wanted);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!found[i].defined()) continue;
    Tensor& grad = etude::detail::meta(inputs[i]).grad;
    const AutoGradMode mode(create_graph);
    grad = grad.defined() ? grad.add(found[i]) : found[i].clone();
  }
}

variable_list grad(const variable_list& outputs, const variable_list& inputs,
                   const variable_list& grad_outputs, optional<bool> retain_graph, bool create_graph,
                   bool allow_unused) {
  ETUDE_CHECK(!inputs.empty(), "grad requires non-empty inputs.");
  const std::vector<Edge> wanted = edges_of(inputs);
  auto found = run_backward(outputs, grad_outputs, retain_graph.value_or(create_graph), create_graph, wanted);
  for (const Tensor& g : found)
    ETUDE_CHECK(allow_unused || g.defined(),
                "One of the differentiated Tensors appears to not have been used in the graph. Set "
                "allow_unused=True if this is the "
                "desired behavior.");
  return found;
}

}  // namespace etude::autograd

namespace etude {

void Tensor::backward(const Tensor& gradient, optional<bool> retain_graph, bool create_graph,
                      optional<TensorList> inputs) const {
  autograd::backward({*this},
                     gradient.defined() ? autograd::variable_list{gradient} : autograd::variable_list{},
                     retain_graph, create_graph, inputs ? inputs->vec() : autograd::variable_list{});
}

}  // namespace etude
