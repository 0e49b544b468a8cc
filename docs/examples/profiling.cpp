#include "support/example.h"

/// # Traces
///
/// What a program did and when, for a viewer: `chrome://tracing` or ui.perfetto.dev.

/// - Units: microseconds in the trace
/// - Errors: `Profiler is already enabled` while there is another; a sentence with the path where the file cannot be made
EXAMPLE(etude::autograd::profiler::RecordProfile) {
  std::ostringstream trace;
  {
    const etude::autograd::profiler::RecordProfile profile(trace);
    etude::ones({2}, etude::requires_grad(true)).exp().sum().backward();
  }
  for (const char* name : {"aten::exp", "ExpBackward0", "aten::matmul"}) {
    print(name, trace.str().find(name) != std::string::npos);
  }
}

/// `RECORD_USER_SCOPE` names the rest of a block; a `RecordFunction` can end earlier.
///
/// - Errors: none of its own
EXAMPLE(etude::RecordFunction, etude::RecordScope) {
  std::ostringstream trace;
  {
    const etude::autograd::profiler::RecordProfile profile(trace);
    RECORD_USER_SCOPE("an epoch");
    etude::RecordFunction batch(etude::RecordScope::USER_SCOPE);
    if (batch.isActive()) batch.before("a batch");
    batch.end();
  }
  print(trace.str().find("an epoch") != std::string::npos, trace.str().find("a batch") != std::string::npos);
  print(etude::RecordFunction(etude::RecordScope::USER_SCOPE).isActive());
}
