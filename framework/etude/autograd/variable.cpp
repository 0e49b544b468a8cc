// The methods of Tensor that query the graph or leave it.

#include "etude/autograd/detail/in_place.h"
#include "etude/autograd/detail/node.h"
#include "etude/core/warning.h"

namespace etude {

using detail::impl;
using detail::meta;

bool Tensor::is_leaf() const {
  const detail::TensorImpl& t = impl(*this);
  return !autograd::detail::edge_of(*this).node || !t.meta->node;
}

const Tensor& Tensor::set_requires_grad(bool on) const {
  detail::TensorImpl& t = impl(*this);
  ETUDE_CHECK(on || is_leaf(),
              "you can only change requires_grad flags of leaf variables. If you want to use a computed "
              "variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().");
  ETUDE_CHECK(!on || is_floating_point(),
              "Only Tensors of floating point and complex dtype can require gradients\nreceived ",
              dtype_name(t.dtype));
  ETUDE_CHECK(!on || !is_inference() || InferenceMode::is_enabled(),
              "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  if (on) meta(*this);  // made now, so that threads that share a leaf do not race to make it
  t.requires_grad = on;
  return *this;
}

Tensor& Tensor::requires_grad_(bool on) const {
  set_requires_grad(on);
  return const_cast<Tensor&>(*this);
}

const Tensor& Tensor::grad() const {
  static const Tensor none;
  const detail::TensorImpl& t = impl(*this);
  if (!t.meta) return none;
  if (!t.meta->grad.defined() && !is_leaf() && !retains_grad())
    ETUDE_WARN(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
        "won't be populated during autograd.backward(). If you indeed want the .grad field to be populated "
        "for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor "
        "by mistake, make sure you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 "
        "for more informations.");
  return t.meta->grad;
}

Tensor& Tensor::mutable_grad() const { return meta(*this).grad; }

std::shared_ptr<autograd::Node> Tensor::grad_fn() const {
  return is_leaf() ? nullptr : autograd::detail::handle_of(impl(*this).meta->node);
}

// Without namespaces, as Python prints it.
const char* Tensor::grad_fn_name() const {
  if (is_leaf()) return "";
  const char* name = impl(*this).meta->node->label;
  for (const char* p = name; *p; ++p)
    if (p[0] == ':' && p[1] == ':') name = p + 2;
  return name;
}

int64_t Tensor::output_nr() const { return *grad_fn_name() ? impl(*this).meta->output : 0; }

Tensor Tensor::detach() const { return detail::alias(*this); }

Tensor& Tensor::detach_() const {
  ETUDE_CHECK(
      !is_view(),
      "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
      "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
      "detach_() cannot be called on these gradients. To fix this error, please refer to the "
      "Optimizer.zero_grad() function in torch/optim/optimizer.py as a solution.",
      "\nhint: detach() gives another handle outside of the graph");
  detail::TensorImpl& t = impl(*this);
  t.requires_grad = false;
  if (t.meta && t.meta->node && t.meta->retains_grad)
    for (autograd::detail::GraphNode::Hook& h : t.meta->node->hooks)
      if (h.retains == t.meta) h.detached = *this;
  if (t.meta) t.meta->node = nullptr;
  return const_cast<Tensor&>(*this);
}

Tensor Tensor::data() const { return detail::alias(*this); }

void Tensor::set_data(const Tensor& new_data) const {
  detail::TensorImpl& t = impl(*this);
  const detail::TensorImpl& n = impl(new_data);
  ETUDE_CHECK(!t.requires_grad || new_data.is_floating_point(),
              "data set to a tensor that requires gradients must be floating point or complex dtype");
  t.storage = n.storage;
  t.sizes = n.sizes;
  t.strides = n.strides;
  t.offset = n.offset;
  t.dtype = n.dtype;
  t.refresh();
  autograd::detail::tell_accumulator(t);
}

void autograd::detail::tell_accumulator(etude::detail::TensorImpl& leaf) {
  if (GraphNode* accumulator = leaf.meta ? leaf.meta->accumulator.load() : nullptr)
    accumulator->output = OutputForm{leaf.sizes, leaf.dtype};
}

bool Tensor::is_view() const {
  const detail::TensorImpl& t = impl(*this);
  return t.meta && t.meta->base.defined();
}

const Tensor Tensor::_base() const {
  ETUDE_CHECK(is_view(), "Can't get base of non-view Tensor");
  return impl(*this).meta->base;
}

bool Tensor::retains_grad() const {
  const detail::TensorImpl& t = impl(*this);
  return t.meta && t.meta->retains_grad;
}

void Tensor::retain_grad() const {
  ETUDE_CHECK(requires_grad(), "can't retain_grad on Tensor that has requires_grad=False");
  if (is_leaf() || retains_grad()) return;
  meta(*this).retains_grad = true;
  autograd::detail::edge_of(*this).node->hooks.push_back({meta(*this).output, nullptr, &meta(*this)});
}

unsigned Tensor::add_hook(std::function<Tensor(const Tensor&)> hook) const {
  ETUDE_CHECK(defined() && requires_grad(),
              "cannot register a hook on a variable that doesn't require gradient");
  const autograd::detail::GraphEdge e = autograd::detail::edge_of(*this);
  if (!e.node) return 0;  // a view outside of the graph, of a base inside: no gradient arrives here
  unsigned number = 0;
  for (const autograd::detail::GraphNode::Hook& h : e.node->hooks)
    number += h.output == e.output && !h.retains;
  e.node->hooks.push_back({e.output, std::move(hook)});
  return number;
}

void Tensor::remove_hook(unsigned position) const {
  const autograd::detail::GraphEdge e = autograd::detail::edge_of(*this);
  unsigned number = 0;
  if (e.node)
    for (autograd::detail::GraphNode::Hook& h : e.node->hooks) {
      if (h.output != e.output || h.retains || number++ != position) continue;
      h.call = nullptr;
      return;
    }
  ETUDE_CHECK(false, "Invalid index, no hook at position ", position);
}

}  // namespace etude
