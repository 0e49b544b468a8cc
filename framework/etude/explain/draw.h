#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "etude/core/ordered_dict.h"
#include "etude/core/tensor.h"
#include "etude/nn/module.h"

namespace etude {

/// Boxes and arrows made by draw, as an SVG that suits light and dark pages, or as DOT, the language of Graphviz.
struct ETUDE_API Drawing {
  enum class Kind : uint8_t { Op, Leaf, Result, Module };
  struct Box {
    std::string title;  ///< one line
    std::string note;   ///< one line, or empty
    Kind kind;
    int64_t level;  ///< 0 at the top, or for a tree at the left
  };

  std::string title;
  std::vector<Box> boxes;
  std::vector<std::pair<size_t, size_t>> arrows;  ///< from box to box, to a higher level
  bool is_tree = false;                           ///< whether it is drawn as a tree, with each box in a row

  std::string svg() const;
  std::string dot() const;
  /// Writes the SVG, or DOT if the path ends with .dot or .gv. The file appears under its name only when complete.
  void save(const std::string& path) const;
};

/// The graph that backward would walk from `root`: leaves at the top, the last results at the bottom. Leaves
/// get their names from `parameters`, for example `model->named_parameters()`. Readable up to some 200 boxes.
ETUDE_API Drawing draw(const Tensor& root, const OrderedDict<std::string, Tensor>& parameters =
                                               OrderedDict<std::string, Tensor>());

/// The modules of a model as a tree.
ETUDE_API Drawing draw(const nn::Module& model);
template <typename M>
Drawing draw(const nn::ModuleHolder<M>& model) {
  return draw(static_cast<const nn::Module&>(*model));
}

}  // namespace etude
