#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "etude/core/export.h"
#include "etude/core/function_ref.h"
#include "etude/nn/module.h"

namespace etude {

/// A module in a summary.
struct SummaryRow {
  std::string path;     ///< empty for the model itself; "?" for a module that ran but is not registered
  std::string type;     ///< the name of the class, for example `Linear`
  std::string same_as;  ///< the earlier path of this module, if it appears twice
  int64_t depth = 0;    ///< in the tree, from 0 for the model itself
  int64_t calls = 0;    ///< of the module; direct calls of forward do not count
  std::vector<std::vector<int64_t>> output;  ///< sizes of the tensors that it returned last
  int64_t parameters = 0;       ///< elements of its own parameters, without submodules, each tensor once
  int64_t trainable = 0;        ///< those of them that require a gradient
  double parameter_bytes = 0;   ///< the memory of these parameters
  double flop = 0;              ///< of ops that ran in it and below, where known
  double activation_bytes = 0;  ///< what these ops wrote to new memory
};

/// The modules of a model, their parameters and their work. Unregistered modules do not count in the parameters of the whole.
struct Summary {
  std::vector<SummaryRow> rows;
  int64_t parameters = 0, trainable = 0;
  double parameter_bytes = 0, flop = 0, activation_bytes = 0;
};
/// Writes a table without zeros, because a module may do work that is not counted.
ETUDE_API std::ostream& operator<<(std::ostream& out, const Summary& summary);

namespace detail {
ETUDE_API Summary summary_of(const nn::Module& model, FunctionRef<void()> run);
}

/// Runs the model once, in eval mode and without gradients, and summarises it: its modules as a tree, their
/// outputs, parameters, FLOP and memory. Modes, buffers and random streams stay unchanged.
template <typename M, typename... Args, typename = std::enable_if_t<std::is_base_of_v<nn::Module, M>>>
Summary summary(M& model, Args&&... args) {
  return detail::summary_of(model, [&] { nn::call(model, std::forward<Args>(args)...); });
}
template <typename M, typename... Args>
Summary summary(const std::shared_ptr<M>& model, Args&&... args) {
  return summary(*model, std::forward<Args>(args)...);
}
template <typename M, typename... Args, typename = std::enable_if_t<nn::detail::is_module_holder<M>>>
Summary summary(const M& model, Args&&... args) {
  return summary(model.ptr(), std::forward<Args>(args)...);
}

}  // namespace etude
