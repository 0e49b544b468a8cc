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

/// Traces a program until the end of the scope: each op, graph node and RECORD_USER_SCOPE of each thread. The
/// output opens in chrome://tracing and ui.perfetto.dev (torch::autograd::profiler::RecordProfile).
///
///   RecordProfile guard("step.trace");
class ETUDE_API RecordProfile {
 public:
  /// `out` must outlive this object. Throws Error while another RecordProfile is active.
  explicit RecordProfile(std::ostream& out);
  /// The file appears at the end, complete. Throws Error if it cannot be created.
  explicit RecordProfile(const std::string& filename);
  RecordProfile(const RecordProfile&) = delete;
  RecordProfile& operator=(const RecordProfile&) = delete;
  /// Ends the trace; errors become warnings.
  ~RecordProfile();

  /// Ends the trace before the scope does. Throws Error and leaves no file if the trace cannot be written.
  void end();

 private:
  std::ostream* out_ = nullptr;
  std::unique_ptr<etude::detail::FileWriter> file_;
  bool is_on_ = true;
};

}  // namespace etude::autograd::profiler
