#pragma once

#include "etude/core/error.h"
#include "etude/core/export.h"
#include "etude/core/tensors_in.h"

namespace etude::nn {

class Module;

namespace detail {

class ModulePath;

/// While this exists the module runs on this thread: `holder(...)`, nn::call, AnyModule and Sequential make one. Scopes that are
/// one inside the other, and the names under which modules were registered, give the paths that errors, traces and
/// explanations have.
class ETUDE_API ModuleScope {
 public:
  explicit ModuleScope(const Module& module);
  ~ModuleScope();
  ModuleScope(const ModuleScope&) = delete;
  ModuleScope& operator=(const ModuleScope&) = delete;

  /// Whether a trace or an explanation is being made.
  bool is_heard() const { return heard_ != nullptr; }
  /// Tells who listens what forward returned.
  void returns(const etude::detail::TensorsIn& result);
  /// Says in which module an error arose that leaves its forward.
  void name_in(Error& error) const;

 private:
  friend class ModulePath;
  struct Heard;
  const Module* module_;
  const ModuleScope* around_;
  Heard* heard_ = nullptr;
};

}  // namespace detail
}  // namespace etude::nn
