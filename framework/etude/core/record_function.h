#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "etude/core/export.h"

namespace etude {

namespace detail::listen {
class Scope;
}

/// What an event stands for: an op, a node of the graph, or a scope that a user names (at::RecordScope).
enum class RecordScope : uint8_t { FUNCTION, BACKWARD_FUNCTION, USER_SCOPE };

/// An event in the trace that a RecordProfile makes, from before() to the end of the scope or end() (at::RecordFunction).
/// RECORD_USER_SCOPE is the short form.
class ETUDE_API RecordFunction {
 public:
  explicit RecordFunction(RecordScope scope = RecordScope::FUNCTION);
  RecordFunction(const RecordFunction&) = delete;
  RecordFunction& operator=(const RecordFunction&) = delete;
  ~RecordFunction();

  /// Whether there is a trace.
  bool isActive() const { return is_active_; }
  void before(const std::string& name);
  void end();

 private:
  RecordScope scope_;
  bool is_active_;
  std::unique_ptr<detail::listen::Scope> event_;
};

}  // namespace etude

/// Records the rest of a block as an event of this name. The name is evaluated only if there is a trace.
#define RECORD_USER_SCOPE(fn)                                            \
  ::etude::RecordFunction etude_scope(::etude::RecordScope::USER_SCOPE); \
  if (etude_scope.isActive()) etude_scope.before(fn)
