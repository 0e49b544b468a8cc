#include <doctest/doctest.h>

#include <iostream>
#include <sstream>
#include <string>

#include "etude/autograd/anomaly_mode.h"
#include "etude/autograd/autograd.h"
#include "etude/core/warning.h"
#include "etude/ops/ops.h"

namespace WarningUtils = etude::WarningUtils;

TEST_SUITE("warnings of the library") {
  namespace {

  struct Place : etude::WarningHandler {
    void process(const etude::SourceLocation& location, const std::string& msg, bool) override {
      text = std::string(location.function) + ":" + std::to_string(location.line) + ": " + msg;
      file = location.file;
    }
    std::string text, file;
  };

  void warn_here() { ETUDE_WARN_ONCE("here"); }

  }  // namespace

  TEST_CASE("the first handler writes to std::cerr, and null is it") {
    etude::WarningHandler* const first = WarningUtils::get_warning_handler();
    Place place;
    WarningUtils::set_warning_handler(&place);
    WarningUtils::set_warning_handler(nullptr);
    CHECK(WarningUtils::get_warning_handler() == first);
    std::ostringstream text;
    auto* const before = std::cerr.rdbuf(text.rdbuf());
    ETUDE_WARN("sizes ", etude::IntArrayRef({2, 3}));
    std::cerr.rdbuf(before);
    CHECK(text.str() == "Warning: sizes [2, 3]\n");
  }

  TEST_CASE("a handler is told the place") {
    Place place;
    const WarningUtils::WarningHandlerGuard guard(&place);
    warn_here();
    CHECK(place.text.substr(0, 10) == "warn_here:");
    CHECK(place.file.find("warning_extra_test.cpp") != std::string::npos);
  }

  TEST_CASE("anomaly mode warns through the handler") {
    Place place;
    const WarningUtils::WarningHandlerGuard guard(&place);
    const etude::autograd::DetectAnomalyGuard anomaly;
    const auto x = etude::tensor({-1.}).requires_grad_();
    CHECK_THROWS(x.sqrt().sum().backward());
    CHECK(place.text.find("Error detected in SqrtBackward0.") != std::string::npos);
  }
}
