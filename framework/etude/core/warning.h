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

/// Receives warnings; the default handler writes them to std::cerr (c10::WarningHandler).
class ETUDE_API WarningHandler {
 public:
  virtual ~WarningHandler();
  /// `verbatim` asks for the text as it is.
  virtual void process(const SourceLocation& source_location, const std::string& msg, bool verbatim);
};

// NOLINTNEXTLINE(readability-identifier-naming): c10's name
namespace WarningUtils {

/// Passes a warning to the handler.
ETUDE_API void warn(const SourceLocation& source_location, const std::string& msg, bool verbatim);

/// Sets the handler of all threads. It must live until it is replaced; null restores the default handler.
ETUDE_API void set_warning_handler(WarningHandler* handler) noexcept;
/// The current handler.
ETUDE_API WarningHandler* get_warning_handler() noexcept;

/// Sets another handler for a scope.
using WarningHandlerGuard = detail::Restoring<get_warning_handler, set_warning_handler>;

/// Sets whether ETUDE_WARN_ONCE warns every time, for all threads; false at start.
ETUDE_API void set_warnAlways(bool setting) noexcept;
/// The value that set_warnAlways() has set.
ETUDE_API bool get_warnAlways() noexcept;

/// Calls set_warnAlways() for a scope.
struct WarnAlways : detail::Restoring<get_warnAlways, set_warnAlways> {
  explicit WarnAlways(bool setting = true) : Restoring(setting) {}
};

}  // namespace WarningUtils

namespace Warning = WarningUtils;  // the name in LibTorch 1

/// Warns with the concatenated parts as the text (TORCH_WARN).
#define ETUDE_WARN(...)                                                              \
  ::etude::WarningUtils::warn({__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, \
                              ::etude::str(__VA_ARGS__), /*verbatim=*/false)

/// As ETUDE_WARN, but only the first time the program reaches it, unless get_warnAlways() (TORCH_WARN_ONCE).
#define ETUDE_WARN_ONCE(...)                                                               \
  do {                                                                                     \
    if (::etude::WarningUtils::get_warnAlways()) {                                         \
      ETUDE_WARN(__VA_ARGS__);                                                             \
    } else {                                                                               \
      [[maybe_unused]] static const bool etude_warned = [&](const char* function) {        \
        ::etude::WarningUtils::warn({function, __FILE__, static_cast<uint32_t>(__LINE__)}, \
                                    ::etude::str(__VA_ARGS__), /*verbatim=*/false);        \
        return true;                                                                       \
      }(static_cast<const char*>(__func__));                                               \
    }                                                                                      \
  } while (false)

}  // namespace etude
