#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include "etude/core/export.h"
#include "etude/core/record_function.h"

namespace etude::detail {
class FileWriter;
}

namespace etude::autograd::profiler {

/// Traces what a program does until the end of the scope: each op, node of the graph and RECORD_USER_SCOPE of each thread. What
/// is written then opens in chrome://tracing and ui.perfetto.dev (torch::autograd::profiler::RecordProfile).
///
///     RecordProfile guard("step.trace");
class ETUDE_API RecordProfile {
 public:
  /// out outlives it. Throws Error while there is another.
  explicit RecordProfile(std::ostream& out);
  /// The file is there at the end, whole. Throws Error if it cannot be made.
  explicit RecordProfile(const std::string& filename);
  RecordProfile(const RecordProfile&) = delete;
  RecordProfile& operator=(const RecordProfile&) = delete;
  /// Ends it; what goes wrong then is a warning.
  ~RecordProfile();

  /// Ends it before the scope does. Throws Error, and leaves no file, if the trace cannot be written.
  void end();

 private:
  std::ostream* out_ = nullptr;
  std::unique_ptr<etude::detail::FileWriter> file_;
  bool is_on_ = true;
};

}  // namespace etude::autograd::profiler
