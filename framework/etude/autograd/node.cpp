#include "etude/autograd/detail/node.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "etude/autograd/anomaly_mode.h"
#include "etude/core/detail/dispatch.h"

namespace etude::autograd {

namespace listen = etude::detail::listen;

Node::~Node() = default;

namespace detail {
namespace {

// Whether t is the only owner of its memory and uses all of it. The base of a view may be held by that view alone.
bool is_alone(const Tensor& t) {
  const etude::detail::TensorImpl& x = etude::detail::impl(t);
  const etude::detail::TensorImpl* base = x.meta ? x.meta->base.unsafeGetTensorImpl() : nullptr;
  const uint32_t handles = base && base->references == 1 ? 2 : 1;
  return x.references == 1 && x.storage->references == handles && x.contiguous && !x.requires_grad &&
         x.storage->block != 0 && x.storage->bytes == x.numel * etude::detail::row_of(x.dtype).bytes;
}

std::atomic<int64_t> takers{0};

/// Adds the gradients it receives to its leaf's grad. The leaf owns this node; `leaf` is null once the leaf is gone.
struct AccumulateGrad final : GraphNode {
  etude::detail::TensorImpl* leaf;  // read and written under the mutex
  std::function<bool(const Tensor&)> take;

  explicit AccumulateGrad(etude::detail::TensorImpl* leaf_) : GraphNode("AccumulateGrad"), leaf(leaf_) {
    output = OutputForm{leaf->sizes, leaf->dtype};
  }
  ~AccumulateGrad() override { set_taker(nullptr); }
  void set_taker(std::function<bool(const Tensor&)> to) {
    takers += (to != nullptr) - (take != nullptr);
    take = std::move(to);
  }
  Gradients apply(const Gradients& dy) override {
    if (!leaf || (take && take(dy[0]))) return {};
    Tensor& grad = leaf->meta->grad;
    const bool records = GradMode::is_enabled();
    // The gradient of a leaf is contiguous and shares memory with no other tensor.
    if (!grad.defined()) grad = records ? dy[0].clone() : owned_gradient(dy[0]);
    else if (records) grad = grad.add(dy[0]);
    else grad.add_(dy[0]);
    return {};
  }
};

// Nodes that die while another one is being freed wait in a list, so that a long chain uses no stack. The list links the nodes
// themselves, so that freeing needs no memory, which may have run out.
thread_local GraphNode** dying = nullptr;

// Notes where a node is made and, in anomaly mode, the node in whose backward it is made.
void note_origin(GraphNode& node) {
  node.place = listen::place();
  if (AnomalyMode::is_enabled() && current_node()) node.recorded_in = current_node()->label;
}

}  // namespace

GraphNode::GraphNode(const char* label_) : label(label_) {
  thread_local uint64_t created = 0;
  sequence = created++;
  if (listen::is_heard()) note_origin(*this);
}

GraphNode::~GraphNode() = default;

// Nodes of ops have a plain name; nodes of the graph itself have a namespace, as in LibTorch.
std::string GraphNode::name() const {
  for (const char* own : {"AccumulateGrad", "CopySlices"})
    if (std::strcmp(label, own) == 0) return std::string("etude::autograd::") + own;
  return label;
}

std::string GraphNode::op() const {
  const std::string all = name();
  const size_t end = all.find_last_not_of("0123456789") + 1;
  constexpr std::string_view ending = "Backward";
  return end >= ending.size() && all.compare(end - ending.size(), ending.size(), ending) == 0
             ? all.substr(0, end - ending.size())
             : all;
}

std::shared_ptr<Node> handle_of(const etude::detail::Ref<GraphNode>& node) {
  if (!node) return nullptr;
  return std::shared_ptr<Node>(node.get(), [node](Node*) {});
}

edge_list GraphNode::next_edges() const {
  edge_list edges;
  for (const GraphEdge& e : inputs) edges.push_back(Edge{handle_of(e.node), static_cast<uint32_t>(e.output)});
  return edges;
}

void set_gradient_taker(const Tensor& leaf, std::function<bool(const Tensor&)> take) {
  ETUDE_CHECK(leaf.is_leaf() && leaf.requires_grad(), "only a leaf that requires grad accumulates gradients");
  GraphNode* const node = edge_of(leaf).node.get();
  const std::lock_guard<std::recursive_mutex> lock(node->mutex);
  static_cast<AccumulateGrad*>(node)->set_taker(std::move(take));
}

bool gradients_are_taken() { return takers > 0; }

Tensor owned_gradient(const Tensor& gradient) {
  return is_alone(gradient) ? etude::detail::alias(gradient) : etude::detail::alias(gradient).clone();
}

void GraphNode::add_input(const Tensor& t) {
  GraphEdge edge = edge_of(t);
  if (edge.node) depth = std::max(depth, edge.node->depth + 1);
  inputs.push_back(std::move(edge));
}

void destroy(GraphNode* node) {
  node->next_dying = dying ? *dying : nullptr;
  if (dying) {
    *dying = node;
    return;
  }
  dying = &node;
  while (GraphNode* const first = node) {
    node = first->next_dying;
    const std::size_t bytes = first->bytes;
    first->~GraphNode();
    etude::detail::small_free(first, bytes);
  }
  dying = nullptr;
}

// Called when the tensor moves to another node or is destroyed.
static void forget_retained(etude::detail::AutogradMeta& m) {
  if (!m.node) return;
  const std::lock_guard<std::recursive_mutex> lock(m.node->mutex);
  std::vector<GraphNode::Hook>& hooks = m.node->hooks;
  hooks.erase(std::remove_if(hooks.begin(), hooks.end(), [&m](const auto& h) { return h.retains == &m; }),
              hooks.end());
}
static void move_retained(etude::detail::AutogradMeta& m, GraphNode& node, int64_t output) {
  forget_retained(m);
  node.hooks.push_back({output, nullptr, &m});
}

bool base_needs_grad(const etude::detail::AutogradMeta& view) {
  return view.base.defined() && etude::detail::impl(view.base).requires_grad;
}

void set_edge(const Tensor& t, const etude::detail::Ref<GraphNode>& node, int64_t output) {
  etude::detail::AutogradMeta& m = etude::detail::meta(t);
  if (m.retains_grad) move_retained(m, *node, output);
  m.node = node;
  m.output = output;
  etude::detail::TensorImpl& i = etude::detail::impl(t);
  if (!i.requires_grad) i.requires_grad = true;
  m.base_version.store(etude::detail::version_of(t), std::memory_order_release);  // publishes the node
}

void set_base(const Tensor& view, const Tensor& base, ViewOrigin origin) {
  if (base.is_inference()) return;  // its version is not tracked
  const etude::detail::AutogradMeta* b = base.unsafeGetTensorImpl()->meta;
  etude::detail::AutogradMeta& m = etude::detail::meta(view);
  m.base = b && b->base.defined() ? b->base : base;
  m.base_version = etude::detail::version_of(base);
  m.origin = InferenceMode::is_enabled() ? ViewOrigin::kInference
             : GradMode::is_enabled()    ? origin
                                         : ViewOrigin::kNoGrad;
  if (b && b->origin != ViewOrigin::kPlain) m.origin = b->origin;
}

template <typename List>
static void connect_all(const NodeRef& node, const List& inputs, const Tensor& output) {
  node->inputs.reserve(inputs.size());
  for (const auto& i : inputs) node->add_input(Input(i).tensor);
  const etude::detail::TensorImpl& t = etude::detail::impl(output);
  node->output = OutputForm{t.sizes, t.dtype};
  set_edge(output, node, 0);
}
void connect(const NodeRef& node, Inputs inputs, const Tensor& output) { connect_all(node, inputs, output); }
void connect(const NodeRef& node, TensorList inputs, const Tensor& output) {
  connect_all(node, inputs, output);
}

Gradients gradient_alone(Tensor dx) {
  Gradients alone(1);
  alone[0] = std::move(dx);
  return alone;
}

void OpNode::keep(const Keep* tensors, const Tensor& result) {
  for (size_t i = 0; i < count; ++i) kept[i] = tensors[i].saved(result);
}

void OpNode::release() {
  for (size_t i = 0; i < count; ++i) kept[i] = Saved();
  released = true;
}

Gradients OpNode::apply(const Gradients& dy) {
  if (count == 0) return run(dy, nullptr);
  std::array<Tensor, kMost> tensors;
  for (size_t i = 0; i < count; ++i) tensors[i] = kept[i].get();
  const bool widens = !in_own_type && isReducedFloatingType(dy[0].scalar_type());
  return widens ? run_widened(dy[0], tensors.data()) : run(dy, tensors.data());
}

Gradients OpNode::run_widened(const Tensor& dy, Tensor* tensors) {
  for (size_t i = 0; i < count; ++i)
    if (tensors[i].defined() && isReducedFloatingType(tensors[i].scalar_type()))
      tensors[i] = tensors[i].to(kFloat);
  return run(gradient_alone(dy.to(kFloat)), tensors);
}

Saved::Saved(const Tensor& t, bool needed)
    : data_(needed && t.defined() ? etude::detail::alias(t) : Tensor()) {
  if (!data_.defined()) return;
  ETUDE_CHECK(
      !t.is_inference(),
      "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference "
      "mode in computation tracked by autograd. To work around this, you can make a clone to get a "
      "normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
      "`torch.inference_mode()`.");
  version_ = etude::detail::version_of(t);
  edge_ = edge_of(t);
}

Saved Saved::unrecorded(const Tensor& t) {
  Saved s;
  s.data_ = etude::detail::alias(t);
  s.version_ = etude::detail::version_of(t);
  return s;
}

Saved Saved::output(const Tensor& t, int64_t number) {
  Saved s;
  s.data_ = etude::detail::alias(t);
  s.version_ = etude::detail::version_of(t);
  s.edge_.output = number;
  s.is_result_ = true;
  return s;
}

// `, which is output 0 of Exp,`: the op that made the tensor; empty for a leaf.
static std::string origin(const GraphNode* node, int64_t output) {
  if (!node || std::strcmp(node->label, "AccumulateGrad") == 0) return {};
  return str(", which is output ", output, " of ", node->op(), ",");
}

// As in PyTorch, an input is called output 0 of its op, whichever output it is.
void Saved::refuse_modified() const {
  const GraphNode* const maker = is_result_ ? current_node() : edge_.node.get();
  throw Error(
      str("one of the variables needed for gradient computation has been modified by an inplace operation: "
          "[torch.",
          toString(data_.scalar_type()), "Tensor ", data_.sizes(), "]",
          origin(maker, is_result_ ? edge_.output : 0), " is at version ", etude::detail::version_of(data_),
          "; expected version ", version_, " instead. Hint: ",
          AnomalyMode::is_enabled()
              ? "the backtrace further above shows the operation that failed to compute its gradient. The "
                "variable in question was changed in there or anywhere later. Good luck!"
              : "enable anomaly detection to find the operation that failed to compute its gradient, with "
                "torch.autograd.set_detect_anomaly(True, check_nan=False).\nhint: that is "
                "etude::autograd::AnomalyMode::set_enabled(true)"));
}

Tensor Saved::get() const {
  if (!data_.defined()) return {};
  if (etude::detail::version_of(data_) != version_) refuse_modified();
  if (!GradMode::is_enabled() || (!is_result_ && !edge_.node)) return data_;
  Tensor t = etude::detail::alias(data_);
  set_edge(t, is_result_ ? etude::detail::Ref<GraphNode>(current_node()) : edge_.node, edge_.output);
  return t;
}

// If several threads call this first at the same time, all of them get the node of the fastest.
static etude::detail::Ref<GraphNode> accumulator_of(etude::detail::TensorImpl* leaf) {
  std::atomic<GraphNode*>& place = leaf->meta->accumulator;
  if (GraphNode* made = place.load(std::memory_order_acquire)) return NodeRef(made);
  NodeRef mine(make_node<AccumulateGrad>(leaf));
  GraphNode* others = nullptr;
  if (!place.compare_exchange_strong(others, mine.get(), std::memory_order_acq_rel)) return NodeRef(others);
  return NodeRef(NodeRef(mine).detach());
}

GraphEdge edge_of(const Tensor& t) {
  if (!needs_grad(t)) return {};
  etude::detail::AutogradMeta& m = etude::detail::meta(t);
  if (m.base.defined()) refresh_view(t);
  if (m.node) return {m.node, m.output};
  etude::detail::TensorImpl& i = etude::detail::impl(t);
  if (!i.requires_grad) return {};  // a view outside of the graph whose base is in it
  return {accumulator_of(&i), 0};
}

}  // namespace detail

}  // namespace etude::autograd

namespace etude::detail {

AutogradMeta& meta(const Tensor& t) {
  TensorImpl& i = impl(t);
  if (!i.meta) i.meta = new (small_allocate(sizeof(AutogradMeta))) AutogradMeta;
  return *i.meta;
}

// Tells the AccumulateGrad of a leaf that the leaf is gone.
static void leave_accumulator(AutogradMeta& m) {
  const auto accumulator = Ref<autograd::detail::GraphNode>::adopt(m.accumulator);
  const std::lock_guard<std::recursive_mutex> lock(accumulator->mutex);
  static_cast<autograd::detail::AccumulateGrad*>(accumulator.get())->leaf = nullptr;
}

void destroy_meta(AutogradMeta* m) {
  if (m->accumulator.load(std::memory_order_acquire)) leave_accumulator(*m);
  if (m->retains_grad) autograd::detail::forget_retained(*m);
  m->~AutogradMeta();
  small_free(m, sizeof(AutogradMeta));
}

}  // namespace etude::detail

namespace etude {

bool Tensor::requires_grad() const {
  detail::impl(*this);
  return autograd::detail::needs_grad(*this);
}

}  // namespace etude
