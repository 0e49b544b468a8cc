#include "support/example.h"

/// # Errors and warnings

/// - Errors: none of its own
/// - PyTorch: none since LibTorch 2
EXAMPLE(etude::guts::to_string) { print(etude::guts::to_string(0.5), etude::guts::to_string("text")); }

/// - Errors: none of its own
/// - PyTorch: `c10::warn`
EXAMPLE(etude::WarningUtils::warn, etude::SourceLocation) {
  struct Place : etude::WarningHandler {
    void process(const etude::SourceLocation& place, const std::string& text, bool verbatim) override {
      print(place.function, place.file, place.line, text, verbatim);
    }
  } place;
  const etude::WarningUtils::WarningHandlerGuard guard(&place);
  etude::WarningUtils::warn({"main", "net.cpp", 12}, "the loss is nan", /*verbatim=*/true);
}
