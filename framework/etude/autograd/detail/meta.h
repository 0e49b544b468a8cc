#pragma once

#include <atomic>

#include "etude/autograd/detail/node.h"

namespace etude::detail {

/// What a tensor in a graph, or a view, knows beyond its data. Threads may use such a tensor together: what its first use
/// fills in is atomic.
struct AutogradMeta {
  Tensor grad;
  Ref<autograd::detail::GraphNode> node;  // what made it; null for a leaf
  std::atomic<autograd::detail::GraphNode*> accumulator{
      nullptr};                           // of a leaf: adds to grad; a reference of its own
  int64_t output = 0;                     // which output of the node it is
  Tensor base;                            // of a view: what it is a view of, itself not a view
  std::atomic<uint32_t> base_version{0};  // of the storage when node was last known to be right
  bool retains_grad = false;
  autograd::detail::ViewOrigin origin = autograd::detail::ViewOrigin::kPlain;
};

/// The meta of t, made if there is none.
ETUDE_API AutogradMeta& meta(const Tensor& t);

}  // namespace etude::detail
