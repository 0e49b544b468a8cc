// What ETUDE_CPU_CAPABILITY allows, tested by running this program in new processes.
#include <doctest/doctest.h>

#include <filesystem>
#include <iostream>
#include <string>

#include "etude/core/detail/vectorised.h"
#include "etude/onednn/backend.h"
#include "support/processor.h"
#include "support/shell.h"

using namespace etude;
using detail::Isa;

TEST_SUITE("allowed isa") {
  TEST_CASE("tell what may be used" * doctest::skip()) {
    const ProcessorGuard all(Isa::Avx512);
    std::cout << "form " << static_cast<int>(detail::isa())
              << (onednn::multiplies_bfloat16() ? ", bfloat16" : "") << '\n';
  }

  namespace {

  std::string told(const std::string& value) {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe");
    const ShellRun run = shell("unset ETUDE_CPU_CAPABILITY; " + value + " " + quoted(program) +
                               " --test-case='tell what may be used' --no-skip --quiet");
    CHECK(run.code == 0);
    return run.output;
  }

  }  // namespace

  TEST_CASE("the environment narrows what the processor can do, and what oneDNN uses") {
    const std::string best = told("");
    REQUIRE(best.rfind("form ", 0) == 0);
    CHECK(told("ETUDE_CPU_CAPABILITY=default") == "form 0\n");
    CHECK(told("ETUDE_CPU_CAPABILITY=avx2") == (best[5] == '0' ? "form 0\n" : "form 1\n"));
    CHECK(told("ETUDE_CPU_CAPABILITY=avx512") == best);
  }

  TEST_CASE("another value is ignored with a warning") {
    for (const std::string value : {"AVX2", ""})
      CHECK(told("ETUDE_CPU_CAPABILITY=" + value) ==
            "Warning: ignoring invalid value for ETUDE_CPU_CAPABILITY: " + value + "\n" + told(""));
  }
}
