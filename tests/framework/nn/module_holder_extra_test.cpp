// Module holders in cases where LibTorch's crash, and prints as in Python.
#include <doctest/doctest.h>

#include <sstream>

#include "etude/nn/module.h"
#include "etude/nn/module_holder.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("ModuleHolder, beyond LibTorch") {
  namespace {

  struct UnitImpl : nn::Module {
    int forward(int x) const { return x; }
    int operator[](int i) const { return i; }
  };
  ETUDE_MODULE(Unit);

  }  // namespace

  TEST_CASE("an empty holder refuses to call and to subscript") {
    Unit unit = nullptr;
    CHECK(refusal([&] { unit(1); }) == "Error: Accessing empty ModuleHolder");
    CHECK(refusal([&] { unit[1]; }) == "Error: Accessing empty ModuleHolder");
  }

  TEST_CASE("prints the module") {
    std::ostringstream out;
    out << Unit();
    CHECK(out.str() == "Unit()");
  }
}
