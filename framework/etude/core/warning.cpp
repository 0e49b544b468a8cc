#include "etude/core/warning.h"

#include <atomic>
#include <iostream>

namespace etude {

static std::atomic<WarningHandler*> chosen_handler{nullptr};
static std::atomic<bool> warn_always{false};

WarningHandler::~WarningHandler() = default;

void WarningHandler::process(const SourceLocation&, const std::string& msg, bool) {
  // As one string, so that warnings of several threads do not mix.
  std::cerr << "Warning: " + msg + "\n";
}

namespace WarningUtils {

void warn(const SourceLocation& source_location, const std::string& msg, bool verbatim) {
  get_warning_handler()->process(source_location, msg, verbatim);
}

void set_warning_handler(WarningHandler* handler) noexcept { chosen_handler = handler; }

WarningHandler* get_warning_handler() noexcept {
  static WarningHandler first;
  WarningHandler* const handler = chosen_handler;
  return handler ? handler : &first;
}

void set_warnAlways(bool setting) noexcept { warn_always = setting; }
bool get_warnAlways() noexcept { return warn_always; }

}  // namespace WarningUtils
}  // namespace etude
