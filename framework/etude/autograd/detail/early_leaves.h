#pragma once

#include <cstdint>
#include <queue>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "etude/autograd/detail/node.h"

namespace etude::autograd::detail {

/// The order in which a walk visits nodes: the deepest first, and of one depth the latest.
struct Shallower {
  bool operator()(const GraphNode* a, const GraphNode* b) const {
    return a->depth != b->depth ? a->depth < b->depth : a->sequence < b->sequence;
  }
};

/// Leaves, and nodes near them (views or copies), that a walk visits as soon as their gradients are complete.
class EarlyLeaves {
 public:
  /// Counts the edges that lead to these nodes from the roots; if `needed` is not null, only through its nodes.
  EarlyLeaves(const std::vector<GraphEdge>& roots, const std::unordered_set<GraphNode*>* needed) {
    std::unordered_set<const GraphNode*> seen;
    std::vector<const GraphNode*> stack;
    for (const GraphEdge& root : roots)
      if (seen.insert(root.node.get()).second) stack.push_back(root.node.get());
    while (!stack.empty()) {
      const GraphNode* node = stack.back();
      stack.pop_back();
      for (const GraphEdge& e : node->inputs) {
        if (!e.node || (needed && !needed->count(e.node.get()))) continue;
        if (e.node->depth <= kNearLeaves) ++edges_to_come_[e.node.get()];
        if (seen.insert(e.node.get()).second) stack.push_back(e.node.get());
      }
    }
  }

  /// Call after the node has sent all gradients to its inputs.
  void note_visited(const GraphNode& node) {
    for (const GraphEdge& e : node.inputs) {
      const auto near = edges_to_come_.find(e.node.get());
      if (near != edges_to_come_.end() && --near->second == 0) complete_.push(e.node.get());
    }
  }

  /// The next node whose gradients are complete, or null. It may have received no gradient.
  GraphNode* pop() {
    if (complete_.empty()) return nullptr;
    GraphNode* const node = complete_.top();
    complete_.pop();
    return node;
  }

 private:
  static constexpr int64_t kNearLeaves = 3;  // in depth

  struct LeavesFirst {
    bool operator()(const GraphNode* a, const GraphNode* b) const {
      return (a->depth == 0) != (b->depth == 0) ? b->depth == 0 : Shallower()(a, b);
    }
  };

  // The roots keep the nodes alive.
  std::priority_queue<GraphNode*, std::vector<GraphNode*>, LeavesFirst> complete_;
  std::unordered_map<const GraphNode*, int64_t> edges_to_come_;
};

}  // namespace etude::autograd::detail
