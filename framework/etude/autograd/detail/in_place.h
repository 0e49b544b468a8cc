#pragma once

#include "etude/autograd/detail/node.h"

namespace etude::autograd::detail {

/// Refuses to record a change of self in place if it cannot be: of a leaf that requires grad, or a view of
/// one, or a view that is not plain.
ETUDE_API void check_history(const Tensor& self);

/// Refuses a write that would write one element twice, and one that is to be recorded but cannot be.
ETUDE_API void check_in_place(const Tensor& self, bool records);

/// Refuses to write to an inference tensor outside of InferenceMode.
ETUDE_API void check_inference(const Tensor& self);

/// Counts a write into the memory of self. Every function that writes calls it once it has written.
ETUDE_API void written(const Tensor& self);

/// Gives self, whose values were written, the place in the graph that they come from.
ETUDE_API void move_to(const Tensor& self, const GraphEdge& edge);

/// A tensor with the values of self in memory of its own and the same place in the graph: what an op in place
/// reads, so that what it saves outlives the write.
ETUDE_API Tensor snapshot(const Tensor& self);

/// Refuses to write a result of these sizes and this type to self where it does not fit.
ETUDE_API void check_takes(const Tensor& self, const Shape& sizes, ScalarType dtype);

/// self takes over the values of result, and its place in the graph. result must be castable to self's type
/// and fit its sizes.
ETUDE_API Tensor& become(const Tensor& self, const Tensor& result);

/// The in-place form of an op. compute(x) is the op out of place, overwrite() the same written straight into
/// self; the former runs if something has to be recorded.
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
