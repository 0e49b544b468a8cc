#include "etude/nn/module_holder.h"

#include <doctest/doctest.h>

#include <string>

#include "etude/nn/module.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("ModuleHolder") {
  namespace {

  struct UnitImpl : nn::Module {
    UnitImpl() : value(123) {}
    explicit UnitImpl(int given) : value(given) {}
    UnitImpl(int a, const std::string& b) : value(a + static_cast<int>(b.size())) {}
    int forward(int x) const { return value + x; }
    int operator[](int i) const { return value * i; }
    int value;
  };
  ETUDE_MODULE(Unit);

  struct Strict {
    explicit Strict(int) {}
  };
  ETUDE_MODULE_IMPL(Named, Strict);

  }  // namespace

  TEST_CASE("builds the module from the arguments of its constructors") {
    CHECK(Unit()->value == 123);
    CHECK(Unit(5)->value == 5);
    CHECK(Unit(5, "abc")->value == 8);
  }

  TEST_CASE("copies name the same module") {
    Unit a(5);
    Unit b = a;
    b->value = 6;
    CHECK(a->value == 6);
    CHECK(a.get() == b.get());
    CHECK(a.ptr() == b.ptr());
    CHECK((*a).value == 6);
  }

  TEST_CASE("takes over a shared pointer, so that casts of clones fit") {
    auto impl = std::make_shared<UnitImpl>(7);
    Unit unit = impl;
    CHECK(unit.get() == impl.get());
  }

  TEST_CASE("calls forward and the subscript of the module") {
    Unit unit(5);
    CHECK(unit(2) == 7);
    CHECK(unit[3] == 15);
  }

  TEST_CASE("can be empty, and says so in every access") {
    Unit unit = nullptr;
    CHECK(unit.is_empty());
    CHECK_FALSE(unit);
    const Unit& constant = unit;
    CHECK(refusal([&] { (void)unit->value; }) == "Error: Accessing empty ModuleHolder");
    CHECK(refusal([&] { (void)constant->value; }) == "Error: Accessing empty ModuleHolder");
    CHECK(refusal([&] { *unit; }) == "Error: Accessing empty ModuleHolder");
    CHECK(refusal([&] { *constant; }) == "Error: Accessing empty ModuleHolder");
    CHECK(refusal([&] { unit.get(); }) == "Error: Accessing empty ModuleHolder");
    CHECK(refusal([&] { constant.get(); }) == "Error: Accessing empty ModuleHolder");
    CHECK(refusal([&] { unit.ptr(); }) == "Error: Accessing empty ModuleHolder");
    unit = Unit(1);
    CHECK(unit);
    CHECK_FALSE(unit.is_empty());
  }

  TEST_CASE("a module without a default constructor can be held under any name") {
    Named holder(3);
    CHECK(holder.get() != nullptr);
    CHECK(std::is_same_v<Named::ContainedType, Strict>);
  }
}
