#pragma once

#include <string>

#include "etude/core/detail/observer.h"

namespace etude::nn {

class Module;

namespace detail {

class ModuleScope;

/// Where a module stands in a model.
class ModulePath {
 public:
  /// Of a module that runs.
  static etude::detail::trace::Place of(const ModuleScope& scope);
  /// The child was registered by the parent.
  static void note_parent(const Module& child, const Module& parent);
  /// The module is gone.
  static void forget(const Module& module);

 private:
  static bool find_below(const Module& top, const Module* wanted, std::string& path);
  static const Module* climb(const Module* module, std::string& path);
};

}  // namespace detail
}  // namespace etude::nn
