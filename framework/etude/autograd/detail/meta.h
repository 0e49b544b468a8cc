#pragma once

#include "etude/autograd/detail/node.h"

namespace etude::detail {

/// What a tensor in a graph, or a view, knows beyond its data.
struct AutogradMeta {
  Tensor grad;
  Ref<autograd::GraphNode> node;         // what made it; null for a leaf
  Ref<autograd::GraphNode> accumulator;  // of a leaf: adds to grad
  int64_t output = 0;                    // which output of the node it is
  Tensor base;                           // of a view: what it is a view of, itself not a view
  uint32_t base_version = 0;             // of the storage when node was last known to be right
  bool retains_grad = false;
  bool one_of_several =
      false;  // a view made by an op with several outputs, or a view of one: not to be written in place
  bool made_unrecorded =
      false;  // a view of a tensor that needs grad, made while nothing was recorded: neither
  bool made_in_function =
      false;  // a view made inside a custom function: neither it nor its base is to be written in place
};

/// The meta of t, made if there is none.
ETUDE_API AutogradMeta& meta(const Tensor& t);

}  // namespace etude::detail
