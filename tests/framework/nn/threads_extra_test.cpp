// What threads may share of a module, as in docs/threads.md; tests/threads/run also runs it under a sanitizer.
#include <doctest/doctest.h>

#include "etude/nn/module.h"
#include "support/on_threads.h"

using namespace etude;

namespace {
struct ThreadedImpl : nn::Module {};
}  // namespace

TEST_SUITE("threads and modules") {
  TEST_CASE("threads ask a module for its name") {
    for (int round = 0; round < 50; ++round) {
      const ThreadedImpl module;
      std::string names[2];
      on_threads(2, [&](int i) { names[i] = module.name() + " " + module.class_name(); });
      REQUIRE(names[0] == "(anonymous namespace)::ThreadedImpl Threaded");
      REQUIRE(names[1] == names[0]);
    }
  }

  TEST_CASE("modules of one type share its name, and one with a name of its own keeps that") {
    const ThreadedImpl a, b;
    CHECK(&a.name() == &b.name());
    const nn::Module own("own"), copy = own;
    CHECK(own.name() == "own");
    CHECK(copy.name() == "own");
    CHECK(copy.class_name() == "own");
  }
}
