#pragma once

#include <string>

#include "etude/core/detail/listen.h"

namespace etude::nn {

class Module;

namespace detail {

class ModuleScope;

/// Finds the path of a module in a model.
class ModulePath {
 public:
  /// The place of a running module.
  static etude::detail::listen::Place of(const ModuleScope& scope);
  /// Records that the parent registered the child.
  static void note_parent(const Module& child, const Module& parent);
  /// Forgets a destroyed module.
  static void forget(const Module& module);

 private:
  static bool find_below(const Module& top, const Module* wanted, std::string& path);
  static const Module* climb(const Module* module, std::string& path);
};

}  // namespace detail
}  // namespace etude::nn
