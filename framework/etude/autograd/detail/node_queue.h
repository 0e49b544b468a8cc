#pragma once

#include <cstdint>
#include <queue>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "etude/autograd/detail/node.h"

namespace etude::autograd::detail {

/// The nodes that a walk has yet to visit, the deepest first. A node is deeper than everything it depends on, so it comes only
/// after all nodes that add to its gradient, without a sort, a first pass or recursion. Leaves come last.
class NodeQueue {
 public:
  /// From now on, leaves and nodes near them (views or copies) come as soon as their gradients are complete. Counts the edges
  /// that lead to them from the roots, through `needed` nodes only if it is not null.
  void expect_leaves(const std::vector<GraphEdge>& roots, const std::unordered_set<GraphNode*>* needed) {
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

  void push(GraphNode* node) { ready_.push(node); }

  bool expects_leaves() const { return !edges_to_come_.empty(); }
  /// Call after the node has sent all gradients to its inputs.
  void note_visited(const GraphNode& node) {
    for (const GraphEdge& e : node.inputs) {
      const auto near = edges_to_come_.find(e.node.get());
      if (near != edges_to_come_.end() && --near->second == 0) complete_.push(e.node.get());
    }
  }

  bool empty() const { return complete_.empty() && ready_.empty(); }
  /// The next node. A node may come twice, or without having received a gradient.
  GraphNode* pop() { return complete_.empty() ? popped(ready_) : popped(complete_); }

 private:
  static constexpr int64_t kNearLeaves = 3;  // in depth

  struct Shallower {
    bool operator()(const GraphNode* a, const GraphNode* b) const {
      return a->depth != b->depth ? a->depth < b->depth : a->sequence < b->sequence;
    }
  };
  struct LeavesFirst {
    bool operator()(const GraphNode* a, const GraphNode* b) const {
      return (a->depth == 0) != (b->depth == 0) ? b->depth == 0 : Shallower()(a, b);
    }
  };
  template <typename Order>
  using Queue = std::priority_queue<GraphNode*, std::vector<GraphNode*>, Order>;

  template <typename Order>
  static GraphNode* popped(Queue<Order>& queue) {
    GraphNode* const node = queue.top();
    queue.pop();
    return node;
  }

  Queue<Shallower> ready_;  // the walk keeps the nodes alive
  Queue<LeavesFirst> complete_;
  std::unordered_map<const GraphNode*, int64_t> edges_to_come_;
};

}  // namespace etude::autograd::detail
