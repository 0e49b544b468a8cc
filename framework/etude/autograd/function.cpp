#include "etude/autograd/function.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "etude/autograd/detail/in_place.h"
#include "etude/autograd/detail/node.h"

namespace etude::autograd {
namespace {

using namespace detail;
using etude::detail::holds;

// Sets the base of y if forward, in which nothing is recorded, made y as a view of an argument.
void adopt_view(const Tensor& y, const variable_list& arguments) {
  const etude::detail::AutogradMeta* m = etude::detail::impl(y).meta;
  if (!m || m->origin != ViewOrigin::kNoGrad) return;
  for (const Tensor& x : arguments)
    if (!x.is_same(y) && x.is_alias_of(y)) return set_base(y, x);
}

}  // namespace

struct AutogradContext::Kept {
  // A saved tensor. A leaf is kept as a handle, so that backward gets the very tensor that was saved.
  struct SavedTensor {
    Saved saved;
    Tensor leaf;

    Tensor get() const {
      const EnableGradGuard on;
      const Tensor t = saved.get();
      return leaf.defined() ? leaf : t;
    }
  };

  GraphNode* node = nullptr;  // the node that owns the context
  variable_list to_save, dirty, not_differentiable;
  std::vector<SavedTensor> saved;
  bool freed = false;
  bool materialize = true;
};

AutogradContext::AutogradContext() : kept_(std::make_unique<Kept>()) {}
AutogradContext::~AutogradContext() = default;

void AutogradContext::save_for_backward(variable_list to_save) { kept_->to_save = std::move(to_save); }
void AutogradContext::mark_dirty(const variable_list& inputs) { kept_->dirty = inputs; }
void AutogradContext::mark_non_differentiable(const variable_list& outputs) {
  kept_->not_differentiable = outputs;
}
void AutogradContext::set_materialize_grads(bool value) { kept_->materialize = value; }

Tensor& detail::SavedVariables::operator[](size_t index) {
  ETUDE_CHECK_INDEX(index < size(), "tuple index out of range\nget_saved_variables: there is no tensor ",
                    index, ", since save_for_backward was given ", size(),
                    "\nhint: forward calls ctx->save_for_backward({...}) with what backward needs");
  return variable_list::operator[](index);
}
const Tensor& detail::SavedVariables::operator[](size_t index) const {
  return const_cast<detail::SavedVariables&>(*this)[index];
}

detail::SavedVariables AutogradContext::get_saved_variables() const {
  if (kept_->freed) refuse_second_backward(*kept_->node);
  detail::SavedVariables result;
  for (const Kept::SavedTensor& k : kept_->saved) result.push_back(k.get());
  return result;
}

bool AutogradContext::needs_input_grad(size_t index) const { return gradient_is_wanted(*kept_->node, index); }

bool AutogradContext::needs_input_grad(std::initializer_list<IndexRange> ranges) const {
  for (const IndexRange& r : ranges)
    for (size_t i = r.first; i < r.second; ++i)
      if (needs_input_grad(i)) return true;
  return false;
}

namespace detail {

struct FunctionNode final : GraphNode {
  AutogradContext context;
  BackwardFunction function;
  std::vector<bool> is_tensor;  // for each argument

  FunctionNode(const char* name, BackwardFunction f) : GraphNode(name), function(std::move(f)) {
    context.kept_->node = this;
  }
  // Frees only the saved tensors: a function that saved nothing can run backward again.
  void release() override {
    context.kept_->saved.clear();
    context.kept_->freed = true;
  }
  Gradients apply(const Gradients& dy) override;
  void wrap(variable_list& outputs, const variable_list& arguments, bool recorded);
  void save(const variable_list& outputs);

 private:
  void place(Tensor& y, int64_t number, bool is_argument, bool differentiable);
  void place_written(const Tensor& y, int64_t number, size_t outputs);
};

Gradients FunctionNode::apply(const Gradients& dy) {
  variable_list given = dy;
  for (size_t i = 0; i < given.size() && context.kept_->materialize; ++i) {
    const OutputForm& f = form(static_cast<int64_t>(i));
    if (!given[i].defined()) given[i] = etude::detail::make_zeros(f.sizes, f.dtype);
  }
  variable_list dx = function(&context, std::move(given));
  const size_t wanted = is_tensor.size();
  // Extra gradients beyond the arguments are allowed if they are undefined.
  while (dx.size() > wanted && !dx.back().defined()) dx.pop_back();
  ETUDE_CHECK(dx.size() == wanted, "function ", name(),
              " returned an incorrect number of gradients (expected ", wanted, ", got ", dx.size(), ")",
              "\nhint: backward returns one gradient for each argument of forward, and an empty Tensor() for "
              "an argument that is not a tensor");
  Gradients result;
  for (size_t i = 0; i < wanted; ++i) {
    ETUDE_CHECK(is_tensor[i] || !dx[i].defined(), "function ", name(),
                " returned a gradient different that is defined at position ", i + 1,
                ", but the corresponding forward input was not a Variable");
    if (is_tensor[i]) result.push_back(std::move(dx[i]));
  }
  return result;
}

// Makes an argument that forward has written in place an output of this node.
void FunctionNode::place_written(const Tensor& y, int64_t number, size_t outputs) {
  ETUDE_CHECK(!(y.is_leaf() && y.requires_grad()),
              "a leaf Variable that requires grad has been used in an in-place operation.");
  ETUDE_CHECK(!(y.is_view() && outputs > 1),
              "If your Function modifies inplace an input that is a view of another Tensor, your Function "
              "cannot return more than one Tensor. This is not supported by the current autograd engine. You "
              "should either make sure the input is not a view (using .clone() for example) or make your "
              "Function only return one Tensor (potentially splitting it into two Functions: one doing the "
              "inplace that returns a single Tensor and a second one that does the other operations). You "
              "can ask on the forum https://discuss.pytorch.org/ if you need help to do this change.");
  check_in_place(y, true);
  y.mutable_grad().reset();
  move_to(y, {etude::detail::Ref<GraphNode>(this), number});
}

// Places a new output, or an argument that forward returned unchanged; such an argument becomes a view of itself.
void FunctionNode::place(Tensor& y, int64_t number, bool is_argument, bool differentiable) {
  const Tensor given = y;
  if (is_argument) y = etude::detail::alias(given);
  if (is_argument && (differentiable || !needs_grad(given))) set_base(y, given);
  if (differentiable) set_edge(y, etude::detail::Ref<GraphNode>(this), number);
  else if (!is_argument && needs_grad(y) && !y.is_view()) y.detach_();
}

void FunctionNode::wrap(variable_list& outputs, const variable_list& arguments, bool recorded) {
  // Emptied, because outputs kept here would keep themselves alive.
  const variable_list dirty = std::exchange(context.kept_->dirty, {}),
                      without = std::exchange(context.kept_->not_differentiable, {});
  for (const Tensor& t : dirty) {
    ETUDE_CHECK(holds(outputs, t),
                "Some elements marked as dirty during the forward method were not returned as output. The "
                "inputs that are modified inplace must all be outputs of the Function.");
    written(t);
  }
  more_outputs.resize(std::max<size_t>(outputs.size(), 1) - 1);
  size_t differentiable = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    Tensor& y = outputs[i];
    ETUDE_CHECK(y.defined(), "tensor does not have a device\nforward of ", name(),
                " returned an undefined tensor at ", i);
    (i == 0 ? output : more_outputs[i - 1]) = OutputForm{Shape(y.sizes()), y.scalar_type()};
    const bool is_argument = holds(arguments, y), is_written = holds(dirty, y);
    const bool gets_gradient = recorded && y.is_floating_point() && !holds(without, y);
    differentiable += gets_gradient;
    if (gets_gradient) adopt_view(y, arguments);
    if (gets_gradient && is_written) place_written(y, static_cast<int64_t>(i), outputs.size());
    else place(y, static_cast<int64_t>(i), is_argument, gets_gradient);
    if (!(is_argument && is_written) && y.is_view()) etude::detail::meta(y).origin = ViewOrigin::kInFunction;
  }
  for (const Tensor& y : outputs)
    if (differentiable > 1 && y.is_view()) etude::detail::meta(y).origin = ViewOrigin::kOneOfSeveral;
}

void FunctionNode::save(const variable_list& outputs) {
  AutogradContext::Kept& kept = *context.kept_;
  for (const Tensor& t : kept.to_save) {
    AutogradContext::Kept::SavedTensor k;
    const auto y =
        std::find_if(outputs.begin(), outputs.end(), [&](const Tensor& o) { return o.is_same(t); });
    if (y != outputs.end() && t.defined() && needs_grad(t)) {
      k.saved = Saved::output(t, y - outputs.begin());
    } else if (t.defined()) {
      k.saved = Saved(t);
      if (t.is_leaf()) k.leaf = t;
    }
    kept.saved.push_back(std::move(k));
  }
  kept.to_save.clear();
}

struct FunctionCall::State {
  etude::detail::Ref<GraphNode> owner;
  FunctionNode* node;
  variable_list arguments;
  bool recorded = false;
};

FunctionCall::FunctionCall(const char* name, BackwardFunction backward) : state_(std::make_unique<State>()) {
  state_->node = make_node<FunctionNode>(name, std::move(backward));
  state_->owner = etude::detail::Ref<GraphNode>(state_->node);
}
FunctionCall::~FunctionCall() = default;

void FunctionCall::argument(const Tensor& t) {
  ETUDE_CHECK(t.defined(), "tensor does not have a device\nargument ", state_->node->is_tensor.size(), " of ",
              state_->node->name(), " is an undefined tensor\nhint: an optional<Tensor> may be left out");
  state_->node->is_tensor.push_back(true);
  state_->arguments.push_back(t);
}

void FunctionCall::argument(const optional<Tensor>& t) {
  if (t && t->defined()) argument(*t);
  else other_argument();
}

void FunctionCall::argument(const TensorList& tensors) {
  for (const Tensor& t : tensors) argument(t);
}

void FunctionCall::other_argument() { state_->node->is_tensor.push_back(false); }

AutogradContext* FunctionCall::context() {
  state_->recorded = recording(TensorList(state_->arguments));
  for (const Tensor& t : state_->arguments) {
    if (state_->recorded) state_->node->add_input(t);
    else state_->node->inputs.emplace_back();
  }
  return &state_->node->context;
}

void FunctionCall::finish(variable_list& outputs) {
  state_->node->wrap(outputs, state_->arguments, state_->recorded);
  if (state_->recorded) state_->node->save(outputs);
}

std::string readable_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : type.name();
}

}  // namespace detail
}  // namespace etude::autograd
