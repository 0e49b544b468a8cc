#pragma once

#include "etude/autograd/detail/node.h"

namespace etude::autograd::detail {

/// Throws if an in-place change of self cannot be recorded: self is a leaf that requires grad, a view of such a
/// leaf, or a view whose origin is not ViewOrigin::kPlain.
ETUDE_API void check_history(const Tensor& self);

/// Throws if a write to self would write one element twice, or if it must be recorded but cannot be.
ETUDE_API void check_in_place(const Tensor& self, bool records);

/// Throws if self is an inference tensor and this is outside of InferenceMode.
ETUDE_API void check_inference(const Tensor& self);

/// Counts a write into the memory of self. Every function that writes calls it after the write.
ETUDE_API void written(const Tensor& self);

/// After a write to self, connects self to the edge that produced its new values.
ETUDE_API void move_to(const Tensor& self, const GraphEdge& edge);

/// A copy of self in memory of its own, at the same place in the graph. An in-place op reads it, so that the
/// tensors it saves survive the write.
ETUDE_API Tensor snapshot(const Tensor& self);

/// Throws if a result of these sizes and this type cannot be written to self.
ETUDE_API void check_takes(const Tensor& self, const Shape& sizes, ScalarType dtype);

/// Gives self the values of result and its place in the graph. Throws unless result has self's sizes and can be
/// cast to its type.
ETUDE_API Tensor& become(const Tensor& self, const Tensor& result);

/// The in-place form of an op. If the op must be recorded, it runs compute(x), the out-of-place form; otherwise
/// overwrite(), which writes directly into self.
template <typename Compute, typename Overwrite>
Tensor& in_place(const Tensor& self, Inputs others, Compute&& compute, Overwrite&& overwrite) {
  const bool records = records_now() && (needs_grad(self) || recording(others));
  check_in_place(self, records);
  if (records) return become(self, compute(snapshot(self)));
  overwrite();
  written(self);
  return const_cast<Tensor&>(self);
}

}  // namespace etude::autograd::detail
