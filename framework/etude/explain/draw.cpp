#include "etude/explain/draw.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "etude/autograd/detail/node.h"
#include "etude/core/error.h"

namespace etude {
namespace {

using autograd::detail::GraphNode;

// All nodes, each before the nodes that it leads to; the first is the root.
std::vector<const GraphNode*> nodes_below(const GraphNode* root) {
  std::vector<const GraphNode*> list{root};
  std::unordered_map<const GraphNode*, bool> seen{{root, true}};
  for (size_t i = 0; i < list.size(); ++i)
    for (const auto& edge : list[i]->inputs)
      if (edge.node && seen.emplace(edge.node.get(), true).second) list.push_back(edge.node.get());
  // A node is deeper than its inputs.
  std::stable_sort(list.begin(), list.end(),
                   [](const GraphNode* a, const GraphNode* b) { return a->depth > b->depth; });
  return list;
}

Drawing::Box box_of(const GraphNode& node, bool is_root, const std::string& name) {
  Drawing::Box box{node.label, str(node.output.sizes.ref()),
                   is_root ? Drawing::Kind::Result : Drawing::Kind::Op, node.depth};
  if (std::strcmp(node.label, "AccumulateGrad") == 0) {
    box.title = name.empty() ? "leaf" : name;
    box.kind = Drawing::Kind::Leaf;
  } else if (node.place) {
    box.note += " in " + (node.place->path.empty() ? node.place->text : node.place->path);
  }
  return box;
}

// Moves each box to the level right above its first user. Boxes come after their users.
void lower(Drawing& drawing) {
  std::vector<std::vector<size_t>> used_by(drawing.boxes.size());
  for (const auto& [from, to] : drawing.arrows) used_by[from].push_back(to);
  for (size_t i = 1; i < drawing.boxes.size(); ++i) {
    drawing.boxes[i].level = drawing.boxes[0].level;
    for (const size_t user : used_by[i])
      drawing.boxes[i].level = std::min(drawing.boxes[i].level, drawing.boxes[user].level - 1);
  }
}

void add_modules(Drawing& drawing, const nn::Module& module, const std::string& name, int64_t level) {
  int64_t own = 0;
  for (const Tensor& p : module.parameters(/*recurse=*/false)) own += p.numel();
  std::string note = own > 0 ? std::to_string(own) + " parameters" : "", extra = module.extra_repr();
  std::replace(extra.begin(), extra.end(), '\n', ' ');
  if (!extra.empty()) note += (note.empty() ? "" : "; ") + extra;
  const size_t here = drawing.boxes.size();
  const std::string type = module.class_name();
  drawing.boxes.push_back(
      {name.empty() ? type : name + " (" + type + ")", note, Drawing::Kind::Module, level});
  ETUDE_CHECK(level < 1000,
              "maximum recursion depth exceeded\nhint: a module may be one of its own submodules");
  for (const auto& child : module.named_children()) {
    drawing.arrows.emplace_back(here, drawing.boxes.size());
    add_modules(drawing, **child, child.key(), level + 1);
  }
}

}  // namespace

Drawing draw(const Tensor& root, const OrderedDict<std::string, Tensor>& parameters) {
  ETUDE_CHECK(root.defined(), "draw: expected a tensor, but got an undefined one");
  const auto held = autograd::detail::edge_of(root).node;
  ETUDE_CHECK(
      held, "element 0 of tensors does not require grad and does not have a grad_fn",
      "\nhint: draw shows what backward would walk, and nothing led to this tensor that requires grad");
  std::unordered_map<const GraphNode*, std::string> names;
  for (const auto& item : parameters)
    if (item->defined() && etude::detail::impl(*item).meta)
      names[etude::detail::impl(*item).meta->accumulator.load(std::memory_order_acquire)] = item.key();

  Drawing drawing;
  drawing.title = str("The graph of backward from ", held->name());
  std::unordered_map<const GraphNode*, size_t> numbers;
  for (const GraphNode* node : nodes_below(held.get())) {
    numbers[node] = drawing.boxes.size();
    drawing.boxes.push_back(box_of(*node, node == held.get(), names[node]));
  }
  for (const auto& [node, number] : numbers)
    for (const auto& edge : node->inputs)
      if (edge.node) drawing.arrows.emplace_back(numbers[edge.node.get()], number);
  std::sort(drawing.arrows.begin(), drawing.arrows.end());
  drawing.arrows.erase(std::unique(drawing.arrows.begin(), drawing.arrows.end()), drawing.arrows.end());
  lower(drawing);
  return drawing;
}

Drawing draw(const nn::Module& model) {
  Drawing drawing;
  drawing.title = "The modules of " + model.class_name();
  drawing.is_tree = true;
  add_modules(drawing, model, "", 0);
  return drawing;
}

}  // namespace etude
