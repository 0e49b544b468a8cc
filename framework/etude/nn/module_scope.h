#pragma once

#include <memory>
#include <string>

#include "etude/core/error.h"
#include "etude/core/export.h"
#include "etude/core/tensors_in.h"

namespace etude::detail::listen {
struct Place;
class Scope;
}  // namespace etude::detail::listen

namespace etude::nn {

class Module;

namespace detail {

/// The names with a dot between them; either may be empty.
std::string joined_path(const std::string& above, const std::string& below);

/// Marks a module as running on this thread while it exists: `holder(...)`, nn::call, AnyModule and
/// Sequential make one. Nested scopes and the registered names of modules give the paths in errors, traces
/// and explanations.
class ETUDE_API ModuleScope {
 public:
  explicit ModuleScope(const Module& module);
  ~ModuleScope();
  ModuleScope(const ModuleScope&) = delete;
  ModuleScope& operator=(const ModuleScope&) = delete;

  /// Whether anybody listens.
  bool is_heard() const { return heard_ != nullptr; }
  /// Reports the result of forward to the listeners.
  void returns(const etude::detail::TensorsIn& result);
  /// Adds the place of this module to an error that leaves its forward.
  void name_in(Error& error) const;

  /// Records that the parent registered the child.
  static void note_parent(const Module& child, const Module& parent);
  /// Forgets a destroyed module.
  static void forget(const Module& module);

 private:
  etude::detail::listen::Place place() const;
  static bool find_below(const Module& top, const Module* wanted, std::string& path);
  static const Module* climb(const Module* module, std::string& path);

  const Module* module_;
  const ModuleScope* around_;
  std::unique_ptr<etude::detail::listen::Scope> heard_;  // null if nobody listens
};

}  // namespace detail
}  // namespace etude::nn
