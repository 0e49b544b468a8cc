#pragma once

#include <cstdint>
#include <string>

#include "etude/core/error.h"
#include "etude/core/export.h"
#include "etude/core/restoring.h"

namespace etude {

/// A place in a program (c10::SourceLocation).
struct SourceLocation {
  const char* function;
  const char* file;
  uint32_t line;
};

/// What warnings go to; this one writes them to std::cerr (c10::WarningHandler).
class ETUDE_API WarningHandler {
 public:
  virtual ~WarningHandler();
  /// `verbatim` asks for the text as it is.
  virtual void process(const SourceLocation& source_location, const std::string& msg, bool verbatim);
};

// NOLINTNEXTLINE(readability-identifier-naming): c10's name
namespace Warning {

/// Hands a warning to the handler.
ETUDE_API void warn(const SourceLocation& source_location, const std::string& msg, bool verbatim);

/// The handler of all threads, which lives until another takes its place; null is the first one, std::cerr's.
ETUDE_API void set_warning_handler(WarningHandler* handler) noexcept;
/// The handler that warnings go to now.
ETUDE_API WarningHandler* get_warning_handler() noexcept;

/// Another handler for a scope.
using WarningHandlerGuard = detail::Restoring<get_warning_handler, set_warning_handler>;

/// Whether ETUDE_WARN_ONCE warns each time; false at start, and the same for all threads.
ETUDE_API void set_warnAlways(bool setting) noexcept;
/// What set_warnAlways() has set.
ETUDE_API bool get_warnAlways() noexcept;

/// Sets it for a scope.
struct WarnAlways : detail::Restoring<get_warnAlways, set_warnAlways> {
  explicit WarnAlways(bool setting = true) : Restoring(setting) {}
};

}  // namespace Warning

/// Warns with the parts as its text (TORCH_WARN).
#define ETUDE_WARN(...)                                                                                    \
  ::etude::Warning::warn({__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, ::etude::str(__VA_ARGS__), \
                         /*verbatim=*/false)

/// The same, but only the first time that a program comes here, unless get_warnAlways() (TORCH_WARN_ONCE).
#define ETUDE_WARN_ONCE(...)                                                          \
  do {                                                                                \
    if (::etude::Warning::get_warnAlways()) {                                         \
      ETUDE_WARN(__VA_ARGS__);                                                        \
    } else {                                                                          \
      [[maybe_unused]] static const bool etude_warned = [&](const char* function) {   \
        ::etude::Warning::warn({function, __FILE__, static_cast<uint32_t>(__LINE__)}, \
                               ::etude::str(__VA_ARGS__), /*verbatim=*/false);        \
        return true;                                                                  \
      }(static_cast<const char*>(__func__));                                          \
    }                                                                                 \
  } while (false)

}  // namespace etude
