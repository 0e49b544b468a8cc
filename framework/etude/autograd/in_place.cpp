// In-place writes to tensors in a graph. The written tensor becomes an output of the node of the write. A write into a view
// records CopySlices on its base, and every other view of that base derives a new node from there.

#include "etude/autograd/detail/in_place.h"

#include <mutex>

namespace etude::autograd::detail {
namespace {

using etude::detail::AutogradMeta;
using etude::detail::impl;
using etude::detail::meta;

// Where the elements of a view lie inside its base.
struct Place {
  Shape base_sizes, base_strides, sizes, strides;
  int64_t offset;
};

// A copy of g with the memory layout of the base, so that the view's strides apply to it.
Tensor laid_out(const Tensor& g, const Place& p) {
  Tensor copy = g.clone();
  if (copy.strides() == p.base_strides.ref()) return copy;
  const int64_t extent = etude::detail::span(p.base_sizes, p.base_strides, 0);
  const Tensor memory = etude::detail::make_tensor(Shape{extent}, g.scalar_type());
  return memory.as_strided(p.base_sizes, p.base_strides, 0).copy_(copy);
}

// Updates the base after result was written into view: its gradient goes to result inside the view, elsewhere to the old base.
void rebase(const Tensor& view, const Tensor& result) {
  const Tensor base = meta(view).base;
  const Place p{base.sizes(), base.strides(), view.sizes(), view.strides(),
                view.storage_offset() - base.storage_offset()};
  auto copy_slices = [p](const Tensor& dy) {
    const Tensor rest = laid_out(dy, p);
    const Tensor slice = rest.as_strided(p.sizes, p.strides, p.offset);
    const Tensor written_part = slice.clone();
    slice.zero_();
    return Gradients{rest, written_part};
  };
  record("CopySlices", {base, result}, base, std::move(copy_slices));
}

}  // namespace

// Throws for a view that is not plain. `written` says what was written: the view itself, or its base or another view of it.
static void refuse_lost_history(const AutogradMeta& m, const char* written) {
  if (m.origin == ViewOrigin::kPlain) return;
  const bool inference = m.origin == ViewOrigin::kInference;
  const bool unrecorded = inference || m.origin == ViewOrigin::kNoGrad || !m.node;
  const char* const mode = inference ? "inference" : "no_grad";
  const std::string made = m.node ? str("Output ", m.output, " of ", m.node->op(), " is a view") : "A view";
  const std::string how = !unrecorded ? " and "
                          : m.node    ? str(" of a view which was created in ", mode, " mode and ")
                                      : str(" was created in ", mode, " mode and ");
  const std::string where = !unrecorded ? "." : inference ? " in normal mode." : " with grad mode enabled.";
  const std::string why =
      m.origin == ViewOrigin::kOneOfSeveral
          ? " This view is the output of a function that returns multiple views. Such functions do not allow "
            "the output views to be modified inplace. You should replace the inplace operation by an "
            "out-of-place one."
      : inference || m.origin == ViewOrigin::kNoGrad
          ? str(" Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify "
                "your code by moving both the view and the inplace either both inside the ",
                inference ? "inference_mode" : "no_grad",
                " block (if you don't want the inplace to be tracked) or both outside (if you want the "
                "inplace to be tracked).")
          : " This view was created inside a custom Function (or because an input was returned as-is) and "
            "the autograd logic to handle view+inplace would override the custom backward associated with "
            "the custom Function, leading to incorrect gradients. This behavior is forbidden. You can fix "
            "this by cloning the output of the custom Function.";
  throw Error(str(made, how, written, " modified inplace", where, why));
}

void refresh_view(const Tensor& view) {
  AutogradMeta& m = meta(view);
  if (m.base_version.load(std::memory_order_acquire) == etude::detail::version_of(view) ||
      !needs_grad(m.base))
    return;
  static std::mutex several_threads;
  const std::lock_guard<std::mutex> lock(several_threads);
  if (m.base_version == etude::detail::version_of(view)) return;
  refuse_lost_history(m, "its base or another view of its base has been");
  const AutoGradMode on(true);
  const Tensor again = m.base.as_strided(view.sizes(), view.strides(), view.storage_offset());
  set_edge(view, edge_of(again).node, 0);
}

void check_history(const Tensor& self) {
  const AutogradMeta* m = self.is_view() ? &meta(self) : nullptr;
  if (m) refuse_lost_history(*m, "is being");
  const bool of_leaf = m && m->base.is_leaf();
  ETUDE_CHECK(!needs_grad(self) || !(of_leaf || self.is_leaf()), of_leaf ? "a view of a leaf" : "a leaf",
              " Variable that requires grad is being used in an in-place operation.",
              "\nhint: write to it under a NoGradGuard, or work on a copy");
}

void check_in_place(const Tensor& self, bool records) {
  const etude::detail::TensorImpl& t = impl(self);
  for (int64_t d = 0; d < t.sizes.size(); ++d)
    ETUDE_CHECK(t.strides[d] != 0 || t.sizes[d] <= 1 || t.numel == 0,
                "unsupported operation: more than one element of the written-to tensor refers to a single "
                "memory location. Please clone() the tensor before performing the operation.");
  check_inference(self);
  if (records_now() && records) check_history(self);
}

void check_inference(const Tensor& self) {
  ETUDE_CHECK(
      !self.is_inference() || InferenceMode::is_enabled(),
      "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
      "normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more "
      "details.");
}

void written(const Tensor& self) {
  check_inference(self);
  impl(self).storage->version.fetch_add(1, std::memory_order_relaxed);
}

void move_to(const Tensor& self, const GraphEdge& edge) {
  if (!self.is_view()) return set_edge(self, edge.node, edge.output);
  const Tensor result = etude::detail::alias(self);
  set_edge(result, edge.node, edge.output);
  rebase(self, result);
  meta(self).base_version =
      ~etude::detail::version_of(self);  // differs from the current version, so that refresh_view acts
  refresh_view(self);
}

Tensor snapshot(const Tensor& self) {
  Tensor copy = unrecorded([&] { return etude::detail::alias(self).clone(); });
  impl(copy).wrapped_number = impl(self).wrapped_number;
  const GraphEdge edge = edge_of(self);
  if (edge.node) set_edge(copy, edge.node, edge.output);
  return copy;
}

void check_takes(const Tensor& self, const Shape& sizes, ScalarType dtype) {
  ETUDE_CHECK(self.sizes() == sizes.ref(), "output with shape ", self.sizes(),
              " doesn't match the broadcast shape ", sizes.ref(),
              "\nhint: a tensor that is written in place keeps its sizes");
  ETUDE_CHECK(can_cast(dtype, self.scalar_type()), "result type ", toString(dtype),
              " can't be cast to the desired output type ", toString(self.scalar_type()));
}

Tensor& become(const Tensor& self, const Tensor& result) {
  check_takes(self, impl(result).sizes, result.scalar_type());
  const Tensor fitting = result.to(self.scalar_type());
  unrecorded([&] { return etude::detail::alias(self).copy_(etude::detail::alias(fitting)); });
  if (needs_grad(fitting)) {
    if (self.is_view()) {
      rebase(self, fitting);
      refresh_view(self);
    } else {
      const GraphEdge edge = edge_of(fitting);
      set_edge(self, edge.node, edge.output);
    }
  }
  return const_cast<Tensor&>(self);
}

}  // namespace etude::autograd::detail
