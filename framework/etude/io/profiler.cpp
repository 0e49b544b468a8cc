#include "etude/io/profiler.h"

#include <ostream>

#include "etude/core/detail/trace.h"
#include "etude/core/warning.h"
#include "etude/io/detail/file.h"

namespace etude::autograd::profiler {

namespace trace = etude::detail::trace;

RecordProfile::RecordProfile(std::ostream& out) : out_(&out) { trace::start(); }

RecordProfile::RecordProfile(const std::string& filename)
    : file_(std::make_unique<etude::detail::FileWriter>(filename)) {
  trace::start();
}

RecordProfile::~RecordProfile() {
  try {
    end();
  } catch (const std::exception& error) {
    ETUDE_WARN("Error processing profiler events: ", error.what());
  }
}

void RecordProfile::end() {
  if (!std::exchange(is_on_, false)) return;
  const auto file = std::move(file_);  // removed unless committed
  const int64_t dropped = trace::stop([&](std::string_view text) {
    if (file) file->write(text.data(), text.size());
    else out_->write(text.data(), static_cast<std::streamsize>(text.size()));
  });
  if (file) file->commit();
  if (dropped > 0)
    ETUDE_WARN("The trace is without the last ", dropped, " events: there was no room for them in memory");
}

}  // namespace etude::autograd::profiler
