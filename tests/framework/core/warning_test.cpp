#include "etude/core/warning.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace Warning = etude::Warning;

namespace {

struct Collected : etude::WarningHandler {
  void process(const etude::SourceLocation&, const std::string& msg, bool verbatim) override {
    messages.push_back(msg + (verbatim ? "!" : ""));
  }
  std::vector<std::string> messages;
};
using Messages = std::vector<std::string>;

void warn_once_about(int what) { ETUDE_WARN_ONCE("once about ", what); }
void warn_once_more() { ETUDE_WARN_ONCE("once more"); }

}  // namespace

TEST_SUITE("warning") {
  TEST_CASE("warnings go to the handler of the scope") {
    Collected outer, inner;
    etude::WarningHandler* const before = Warning::get_warning_handler();
    {
      const Warning::WarningHandlerGuard outer_guard(&outer);
      CHECK(Warning::get_warning_handler() == &outer);
      ETUDE_WARN("one of ", 3);
      {
        const Warning::WarningHandlerGuard inner_guard(&inner);
        ETUDE_WARN("two");
      }
      ETUDE_WARN("three");
      ETUDE_WARN("three");
    }
    CHECK(Warning::get_warning_handler() == before);
    CHECK(outer.messages == Messages{"one of 3", "three", "three"});
    CHECK(etude::Join("; ", outer.messages) == "one of 3; three; three");
    CHECK(etude::Join(", ", std::vector<int>{1, 2}) == "1, 2");
    CHECK(etude::Join("; ", Messages{}).empty());
    CHECK(inner.messages == Messages{"two"});
  }

  TEST_CASE("a warning that is given once is given always under a guard") {
    Collected collected;
    const Warning::WarningHandlerGuard guard(&collected);
    warn_once_about(1);
    warn_once_about(2);
    warn_once_more();
    CHECK(collected.messages == Messages{"once about 1", "once more"});
    CHECK_FALSE(Warning::get_warnAlways());
    {
      const Warning::WarnAlways always;
      CHECK(Warning::get_warnAlways());
      warn_once_about(3);
      warn_once_about(4);
      {
        const Warning::WarnAlways once(false);
        CHECK_FALSE(Warning::get_warnAlways());
        warn_once_about(5);
      }
      CHECK(Warning::get_warnAlways());
    }
    CHECK_FALSE(Warning::get_warnAlways());
    warn_once_about(6);
    CHECK(collected.messages == Messages{"once about 1", "once more", "once about 3", "once about 4"});
  }
}
