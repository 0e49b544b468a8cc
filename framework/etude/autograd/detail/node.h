#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "etude/autograd/grad_mode.h"
#include "etude/autograd/node.h"
#include "etude/core/detail/listen.h"
#include "etude/core/detail/tensor_impl.h"
#include "etude/core/error.h"
#include "etude/core/tensor.h"

namespace etude::autograd::detail {

/// One gradient per input of the op, in their order; undefined where an input gets none.
using Gradients = std::vector<Tensor>;

struct GraphNode;

/// One output of a node: where a gradient goes.
struct GraphEdge {
  etude::detail::Ref<GraphNode> node;
  int64_t output = 0;
};

/// The sizes and the type of one output of an op, which its gradient must have.
struct OutputForm {
  Shape sizes;
  ScalarType dtype = kFloat;
};

/// A recorded op: turns the gradients of its outputs into those of its inputs. A leaf that requires grad has a node too,
/// AccumulateGrad, which adds the gradients that it receives to the leaf's grad. `inputs` and `outputs` are those of the op;
/// the public num_inputs() and num_outputs() count gradients, the other way round.
struct ETUDE_API GraphNode : Node, etude::detail::RefCounted {
  const char* label;                  // as PyTorch prints it, "SoftmaxBackward0"
  const char* recorded_in = nullptr;  // in anomaly mode: the node in whose backward this one was made, if any
  const etude::detail::listen::Place* place = nullptr;  // where the op ran; null without a listener
  int64_t depth = 0;                                    // one more than the deepest input; 0 for a leaf
  union {
    uint64_t sequence;      // counts the nodes of a thread; of two with one depth, the later is visited first
    GraphNode* next_dying;  // in its place, while it waits to be freed
  };
  std::vector<GraphEdge> inputs;         // an edge without a node where the input needs no gradient
  std::vector<OutputForm> more_outputs;  // of outputs 1, 2, ...
  OutputForm output;                     // of output 0
  bool released = false;                 // backward has used and freed what was saved
  uint32_t bytes = 0;                    // of the memory that make_node took
  // Held while the node runs, since walks of several threads may meet in it. Recursive, because a node may run a walk that comes
  // back to it.
  mutable std::recursive_mutex mutex;

  /// Called with the gradient of an output before the node gets it. The number of a hook is its position among the calls
  /// of its output; a removed hook stays, without a call. Gradients are retained after all calls.
  struct Hook {
    int64_t output;
    std::function<Tensor(const Tensor&)> call;
    etude::detail::AutogradMeta* retains = nullptr;  // instead of a call: has the grad that gets the gradient
    Tensor detached = {};  // keeps `retains` alive, if its tensor has left the graph by detach_()
  };
  std::vector<Hook> hooks;

  explicit GraphNode(const char* label_);
  ~GraphNode() override;

  std::string name() const override;
  std::string op() const;  // the name without the "Backward0" at its end
  uint32_t num_inputs() const override { return static_cast<uint32_t>(outputs()); }
  uint32_t num_outputs() const override { return static_cast<uint32_t>(inputs.size()); }
  edge_list next_edges() const override;
  uint64_t sequence_nr() const override { return sequence; }

  virtual Gradients apply(const Gradients& dy) = 0;
  /// Frees what was saved for backward.
  virtual void release() {}

  int64_t outputs() const { return 1 + static_cast<int64_t>(more_outputs.size()); }
  const OutputForm& form(int64_t i) const {
    return i == 0 ? output : more_outputs[static_cast<size_t>(i - 1)];
  }
  void add_input(const Tensor& t);
};

using NodeRef = etude::detail::Ref<GraphNode>;

/// Frees a node and, without recursion, all that only it kept alive.
ETUDE_API void destroy(GraphNode* node);

/// The node and output that made t; for a leaf that itself requires grad its AccumulateGrad; none otherwise.
ETUDE_API GraphEdge edge_of(const Tensor& t);

/// Makes t an output of the node.
ETUDE_API void set_edge(const Tensor& t, const etude::detail::Ref<GraphNode>& node, int64_t output = 0);

/// A public handle to the node, which keeps it alive.
ETUDE_API std::shared_ptr<Node> handle_of(const etude::detail::Ref<GraphNode>& node);

/// Gives a view a new node if its base has been written to since it got the last one.
void refresh_view(const Tensor& view);

/// How a view was made. While gradients are recorded, only plain views and their bases may be written in place: the graph
/// does not know enough about the others.
enum class ViewOrigin : uint8_t {
  kPlain,
  kOneOfSeveral,  // an op with several outputs made it
  kNoGrad,        // made while nothing was recorded
  kInference,     // made in InferenceMode
  kInFunction     // made inside a custom function, or an argument that one returned as it was
};

/// Sets the base of a view. If `base` is itself a view that is not plain, the new view gets its origin; otherwise a view made
/// under NoGradGuard is kNoGrad, and one made in InferenceMode kInference.
ETUDE_API void set_base(const Tensor& view, const Tensor& base, ViewOrigin origin = ViewOrigin::kPlain);

/// The node whose backward is running on this thread.
ETUDE_API GraphNode* current_node();

/// Whether the walk that runs the node needs the gradient of its input; outside of a walk, whether the input
/// needs one at all.
ETUDE_API bool gradient_is_wanted(const GraphNode& node, size_t input);

/// Takes from the walk the gradient that has so far arrived for an input of the running node, so that the node can add to it
/// and return it. Undefined if none has arrived, or if it must not be written to. An embedding whose weight is also that of the
/// output layer uses it: a gradient of its own takes another 154 MB and 3 % of a step of GPT-2 with 124 million parameters (256
/// tokens, two cores with AVX-512). So do views of parts of a tensor: n parts then take one tensor of zeros and not n.
ETUDE_API Tensor waiting_gradient(size_t input);

/// Whether a walk for some inputs only (grad, or backward with inputs) runs the current node.
ETUDE_API bool walk_is_restricted();

/// Calls `call` when the outermost backward that runs on this thread has ended, with whether it succeeded. If it did not, its
/// exception is rethrown afterwards, and `call` must not throw. Throws outside of a backward.
ETUDE_API void call_after_backward(std::function<void(bool)> call);

/// Makes every later backward call `take` with the gradient of a leaf, as soon as it is complete. If `take` returns false, or
/// is null, the gradient is added to the leaf's grad.
ETUDE_API void set_gradient_taker(const Tensor& leaf, std::function<bool(const Tensor&)> take);
/// Whether any leaf has a taker.
bool gradients_are_taken();

/// The gradient without its graph, in memory that no other tensor shares: its own memory if possible, else a copy.
ETUDE_API Tensor owned_gradient(const Tensor& gradient);

/// Throws the error for a node whose saved tensors a backward has freed.
[[noreturn]] ETUDE_API void refuse_second_backward(const GraphNode& node);

/// A tensor kept for backward: it holds the data and not the graph, so that saving an op's own output makes
/// no cycle, and it knows if the data have been overwritten since. Under create_graph, get() returns a tensor
/// that belongs to the graph.
class ETUDE_API Saved {
 public:
  Saved() = default;
  /// Keeps t, or nothing if it will not be needed.
  explicit Saved(const Tensor& t, bool needed = true);
  /// Keeps an output of the op that is being recorded, by its number.
  static Saved output(const Tensor& t, int64_t number = 0);
  /// Holds t for a forward pass that is not recorded: t may be an inference tensor.
  static Saved unrecorded(const Tensor& t);

  bool defined() const { return data_.defined(); }
  Tensor get() const;

 private:
  [[noreturn]] void refuse_modified() const;

  Tensor data_;
  GraphEdge edge_;  // without a node for a result, whose node is the one that is being recorded
  uint32_t version_ = 0;
  bool is_result_ = false;
};

/// A tensor by reference, so that a list of inputs copies no handles.
struct Input {
  Input(const Tensor& t) : tensor(t) {}
  const Tensor& tensor;
};
using Inputs = std::initializer_list<Input>;

/// The sizes or the type of a leaf have changed: gradients that arrive have to match.
ETUDE_API void tell_accumulator(etude::detail::TensorImpl& leaf);

/// Whether the base of a view is in a graph: then the view is too, even if it was made before.
ETUDE_API bool base_needs_grad(const etude::detail::AutogradMeta& view);

/// Whether t can get a gradient.
inline bool needs_grad(const Tensor& t) {
  const etude::detail::TensorImpl* i = t.unsafeGetTensorImpl();
  return i && (i->requires_grad || (i->meta && base_needs_grad(*i->meta)));
}

/// Whether this thread records: GradMode is enabled, and InferenceMode is not.
ETUDE_API bool records_now();

/// Whether an op with these inputs has to be recorded. Call it before anything is saved; record() does not check again.
template <typename List = Inputs>
bool recording(const List& inputs) {
  for (const auto& i : inputs)
    if (needs_grad(Input(i).tensor)) return records_now();
  return false;
}

/// What f returns, computed without recording.
template <typename F>
auto unrecorded(F&& f) {
  const NoGradGuard no_grad;
  return f();
}

/// A backward that holds lists of numbers and no tensors. A walk frees nothing in it, so that its node may be used again,
/// as in PyTorch.
template <typename F>
struct WithoutTensors : F {
  explicit WithoutTensors(F f) : F(std::move(f)) {}
};

template <typename Backward>
constexpr bool holds_tensors = !std::is_trivially_destructible_v<Backward>;
template <typename F>
constexpr bool holds_tensors<WithoutTensors<F>> = false;

/// The gradients of an op with one input.
ETUDE_API Gradients gradient_alone(Tensor dx);

template <typename N, typename... Arguments>
N* make_node(Arguments&&... arguments) {
  N* const node = new (etude::detail::small_allocate(sizeof(N))) N(std::forward<Arguments>(arguments)...);
  node->bytes = sizeof(N);
  return node;
}

/// Makes output a result of the node.
ETUDE_API void connect(const etude::detail::Ref<GraphNode>& node, Inputs inputs, const Tensor& output);
ETUDE_API void connect(const etude::detail::Ref<GraphNode>& node, TensorList inputs, const Tensor& output);

/// A backward that computes in floats of 16 bits itself. Any other backward gets float32 in their place, and the engine rounds its
/// results.
template <typename F>
struct InOwnType : F {
  explicit InOwnType(F f) : F(std::move(f)) {}
};
template <typename Backward>
constexpr bool is_in_own_type = false;
template <typename F>
constexpr bool is_in_own_type<InOwnType<F>> = true;

/// What recorded() keeps for backward: a tensor, if it will be needed, or the result.
struct Keep {
  const Tensor* tensor = nullptr;
  bool needed = true;

  constexpr Keep() = default;
  Keep(const Tensor& t, bool needed_ = true) : tensor(&t), needed(needed_) {}
  Saved saved(const Tensor& result) const { return tensor ? Saved(*tensor, needed) : Saved::output(result); }
};
constexpr Keep kResult;

/// The node of an op, with the tensors that it keeps for its backward. The code that does not depend on the op is compiled once.
struct ETUDE_API OpNode : GraphNode {
  static constexpr size_t kMost = 8;
  Saved* kept = nullptr;
  size_t count;
  bool in_own_type;

  OpNode(const char* name, size_t count_, bool in_own_type_)
      : GraphNode(name), count(count_), in_own_type(in_own_type_) {}
  void keep(const Keep* tensors, const Tensor& result);
  void release() override;
  Gradients apply(const Gradients& dy) override;
  /// The backward of the op, with the kept tensors.
  virtual Gradients run(const Gradients& dy, const Tensor* tensors) = 0;

 private:
  Gradients run_widened(const Tensor& dy, Tensor* tensors);
};

/// An OpNode whose backward takes the gradient of its output, or the gradients of all outputs if it has several, and N kept
/// tensors.
template <size_t N, typename Backward>
struct NodeOf final : OpNode {
  static_assert(N <= kMost);
  std::array<Saved, N> saved;
  std::optional<Backward> backward;

  NodeOf(const char* name, Backward b)
      : OpNode(name, N, N == 0 || is_in_own_type<Backward>), backward(std::move(b)) {
    kept = saved.data();
  }
  void release() override {
    if constexpr (holds_tensors<Backward>) backward.reset();
    if constexpr (holds_tensors<Backward> || N > 0) OpNode::release();
  }
  Gradients run(const Gradients& dy, const Tensor* tensors) override {
    if constexpr (N == 0 && std::is_invocable_v<Backward&, const Gradients&>) return (*backward)(dy);
    else return call(dy[0], tensors, std::make_index_sequence<N>());
  }

 private:
  template <size_t... i>
  Gradients call(const Tensor& dy, [[maybe_unused]] const Tensor* t, std::index_sequence<i...>) {
    if constexpr (std::is_same_v<decltype((*backward)(dy, t[i]...)), Tensor>)
      return gradient_alone((*backward)(dy, t[i]...));
    else return (*backward)(dy, t[i]...);
  }
};

/// Makes output part of the graph. Call it only if recording(inputs) is true; most ops end with recorded() instead. backward
/// may return one Tensor if the op has one input. The engine reduces a gradient to the sizes of its input where the op
/// broadcast, and converts it to the input's type. The inputs may be a TensorList (cat, stack).
template <typename Backward, typename List = Inputs>
Tensor record(const char* name, const List& inputs, Tensor output, Backward&& backward) {
  using N = NodeOf<0, std::decay_t<Backward>>;
  connect(NodeRef(make_node<N>(name, std::forward<Backward>(backward))), inputs, output);
  return output;
}

/// The end of a differentiable op: returns its result, which becomes part of the graph if one of the inputs needs a gradient and
/// the result can have one, as integers cannot.
///
///   return recorded("MulBackward0", {a, b}, mul_forward(a, b), {{a, needs_grad(b)}, {b, needs_grad(a)}},
///                   [](const Tensor& dy, const Tensor& a, const Tensor& b) { return Gradients{da, db}; });
///
/// backward takes the gradient of the result and the kept tensors, undefined where they are not needed.
template <typename Backward, typename List = Inputs>
Tensor recorded(const char* name, const List& inputs, Tensor result, Backward&& backward) {
  if (!recording(inputs) || !result.is_floating_point()) return result;
  return record(name, inputs, std::move(result), std::forward<Backward>(backward));
}
template <size_t N, typename Backward>
Tensor recorded(const char* name, Inputs inputs, const Tensor& result, const Keep (&keep)[N],
                Backward backward) {
  if (!recording(inputs) || !result.is_floating_point()) return result;
  OpNode* const node = make_node<NodeOf<N, Backward>>(name, std::move(backward));
  const NodeRef owner(node);
  node->keep(keep, result);
  connect(owner, inputs, result);
  return result;
}

/// The same for an op with several outputs (split, unbind, max along a dim): backward takes Gradients,
/// undefined where an output got none. Outputs of an integer type stay outside the graph.
template <typename Backward>
void record_outputs(const char* name, Inputs inputs, const std::vector<Tensor>& outputs,
                    Backward&& backward) {
  const NodeRef node(make_node<NodeOf<0, std::decay_t<Backward>>>(name, std::forward<Backward>(backward)));
  for (const Input& i : inputs) node->add_input(i.tensor);
  node->more_outputs.resize(outputs.size() - 1);
  for (size_t i = 0; i < outputs.size(); ++i) {
    OutputForm& form = i == 0 ? node->output : node->more_outputs[i - 1];
    form = OutputForm{Shape(outputs[i].sizes()), outputs[i].scalar_type()};
    if (outputs[i].is_floating_point()) set_edge(outputs[i], node, static_cast<int64_t>(i));
  }
}

/// The end of an op that makes a view: sets its base, so that the graph follows a write into either of them, and records.
template <typename Backward>
Tensor record_view(const char* name, const Tensor& base, Tensor view, Backward&& backward) {
  set_base(view, base);
  if (!recording({base})) return view;
  return record(name, {base}, std::move(view), std::forward<Backward>(backward));
}

}  // namespace etude::autograd::detail

namespace etude::detail {

/// What a tensor in a graph, or a view, has besides its data. Threads may share such a tensor, so the members that its first use
/// sets are atomic.
struct AutogradMeta {
  Tensor grad;
  Ref<autograd::detail::GraphNode> node;                           // what made it; null for a leaf
  std::atomic<autograd::detail::GraphNode*> accumulator{nullptr};  // of a leaf: adds to grad; a reference
  int64_t output = 0;                                              // which output of the node it is
  Tensor base;                            // of a view: the tensor it shows, which is itself no view
  std::atomic<uint32_t> base_version{0};  // of the storage when node was last known to be right
  bool retains_grad = false;
  autograd::detail::ViewOrigin origin = autograd::detail::ViewOrigin::kPlain;
};

/// The meta of t, made if there is none.
ETUDE_API AutogradMeta& meta(const Tensor& t);

}  // namespace etude::detail
