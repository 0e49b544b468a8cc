#include "support/example.h"

/// # Errors and warnings
///
/// The errors that a failed check throws, and where warnings go. The first line of an error is PyTorch's message.

/// - Errors: none of its own; failed checks throw it
EXAMPLE(etude::Error) {
  try {
    etude::ones({2, 3}).matmul(etude::ones({2, 3}));
  } catch (const etude::Error& error) {
    print(examples::message_of([&] { throw error; }));
    print(error.msg() == error.what_without_backtrace());
  }
}

/// Each of them is an `Error`. `ETUDE_CHECK_INDEX`, `ETUDE_CHECK_VALUE` and `ETUDE_CHECK_TYPE` throw the first three
/// unless a condition holds.
///
/// - Errors: none of their own; failed checks throw them
EXAMPLE(etude::IndexError, etude::ValueError, etude::TypeError, etude::NotImplementedError) {
  const auto kind_of = [](const auto& refuse) {
    try {
      refuse();
    } catch (const etude::IndexError&) {
      return "IndexError";
    } catch (const etude::ValueError&) {
      return "ValueError";
    } catch (const etude::TypeError&) {
      return "TypeError";
    } catch (const etude::NotImplementedError&) {
      return "NotImplementedError";
    }
    return "none";
  };
  print(kind_of([] { etude::ones({2}).sum(5); }));
  print(kind_of([] { ETUDE_CHECK_VALUE(1 > 2, "expected more than 2, got ", 1); }));
  print(kind_of([] { ETUDE_CHECK_TYPE(false, "expected a number"); }));
  using etude::NotImplementedError;
  print(kind_of([] { ETUDE_CHECK_WITH(NotImplementedError, false, "no such op"); }));
}

/// - Errors: none of its own
EXAMPLE(etude::str, etude::Join) {
  print(etude::str("row ", 3, " of ", 10));
  print(etude::Join(", ", std::vector<int>{1, 2, 3}));
}

/// A `WarningHandlerGuard` sets a handler for its scope, `set_warning_handler` until further notice.
///
/// - Errors: none of its own
EXAMPLE(etude::WarningHandler, etude::WarningUtils::WarningHandlerGuard,
        etude::WarningUtils::set_warning_handler, etude::WarningUtils::get_warning_handler) {
  struct Printed : etude::WarningHandler {
    void process(const etude::SourceLocation&, const std::string& text, bool) override {
      print("warning:", text);
    }
  } printed;
  auto* const before = etude::WarningUtils::get_warning_handler();
  {
    const etude::WarningUtils::WarningHandlerGuard guard(&printed);
    ETUDE_WARN("it is ", 3, " o'clock");
  }
  print(etude::WarningUtils::get_warning_handler() == before);
  etude::WarningUtils::set_warning_handler(&printed);
  ETUDE_WARN("once more");
  etude::WarningUtils::set_warning_handler(before);
}

/// In the scope of `WarnAlways`, a warning that otherwise comes once comes every time, which helps in tests.
///
/// - Errors: none of its own
EXAMPLE(etude::WarningUtils::WarnAlways, etude::WarningUtils::get_warnAlways,
        etude::WarningUtils::set_warnAlways) {
  struct Counted : etude::WarningHandler {
    void process(const etude::SourceLocation&, const std::string&, bool) override { ++count; }
    int count = 0;
  } counted;
  const etude::WarningUtils::WarningHandlerGuard guard(&counted);
  const auto warn = [] { ETUDE_WARN_ONCE("this is old"); };
  warn();
  warn();
  print(counted.count);
  {
    const etude::WarningUtils::WarnAlways always;
    warn();
    warn();
    print(counted.count, etude::WarningUtils::get_warnAlways());
  }
  etude::WarningUtils::set_warnAlways(false);
  print(etude::WarningUtils::get_warnAlways());
}
