#include <doctest/doctest.h>

#include <memory>
#include <sstream>
#include <string>

#include "etude/nn/module.h"

// The expected texts are Python's prints of classes with the same names and submodules.

namespace elsewhere {
struct ThingImpl : etude::nn::Module {};
struct Impl : etude::nn::Module {};
template <typename T, int n>
struct Stack : etude::nn::Module {};
struct Foo : etude::nn::Module {
  Foo() : etude::nn::Module("Foo of mine") {}
};
struct Renamed : etude::nn::Module {
  std::string class_name() const override { return "NonDynamicallyQuantizableLinear"; }
};
}  // namespace elsewhere

namespace {

using etude::nn::Module;

struct Anonymous : Module {};

struct Extra : Module {
  std::string extra_repr() const override { return "a=1, b=2"; }
};

struct TwoLines : Module {
  std::string extra_repr() const override { return "line one\nline two"; }
};

struct ExtraAndChild : TwoLines {
  ExtraAndChild() { register_module("fc", std::make_shared<Extra>()); }
};

struct Parent : Module {
  Parent() {
    register_module("0", std::make_shared<ExtraAndChild>());
    register_module("empty", std::make_shared<Anonymous>());
    register_module("none", std::shared_ptr<Anonymous>());
    register_buffer("state", etude::Tensor());
  }
};

std::string printed(const Module& module) {
  std::ostringstream out;
  out << module;
  return out.str();
}

}  // namespace

TEST_SUITE("Module names") {
  TEST_CASE("name is the whole type, or what the constructor was given") {
    CHECK(elsewhere::ThingImpl().name() == "elsewhere::ThingImpl");
    CHECK(elsewhere::Foo().name() == "Foo of mine");
    CHECK(Module().name() == "etude::nn::Module");
  }

  TEST_CASE("class_name leaves out namespaces, template arguments and Impl at the end") {
    CHECK(elsewhere::ThingImpl().class_name() == "Thing");
    CHECK(elsewhere::Impl().class_name() == "Impl");
    CHECK(elsewhere::Stack<std::string, 3>().class_name() == "Stack");
    CHECK(elsewhere::Foo().class_name() == "Foo of mine");
    CHECK(elsewhere::Renamed().class_name() == "NonDynamicallyQuantizableLinear");
    CHECK(Anonymous().class_name() == "Anonymous");
  }

  TEST_CASE("a class inside a function or a lambda is called by its own name") {
    struct LocalImpl : Module {};
    CHECK(LocalImpl().class_name() == "Local");
    const auto make = [](int) {
      struct Inner : Module {};
      return Inner().class_name();
    };
    CHECK(make(1) == "Inner");
  }

  TEST_CASE("the name of a base does not stick to a subclass") {
    struct Derived : elsewhere::ThingImpl {};
    std::unique_ptr<Module> module = std::make_unique<Derived>();
    CHECK(module->class_name() == "Derived");
  }
}

TEST_SUITE("Module printing") {
  TEST_CASE("a module without anything is its name and parentheses") {
    CHECK(printed(Anonymous()) == "Anonymous()");
    CHECK(printed(elsewhere::ThingImpl()) == "Thing()");
  }

  TEST_CASE("one extra line stands between the parentheses") { CHECK(printed(Extra()) == "Extra(a=1, b=2)"); }

  TEST_CASE("several extra lines stand on lines of their own") {
    CHECK(printed(TwoLines()) == "TwoLines(\n  line one\n  line two\n)");
  }

  TEST_CASE("children follow the extra lines, each indented below its parent, and a null one is None") {
    CHECK(printed(Parent()) ==
          "Parent(\n"
          "  (0): ExtraAndChild(\n"
          "    line one\n"
          "    line two\n"
          "    (fc): Extra(a=1, b=2)\n"
          "  )\n"
          "  (empty): Anonymous()\n"
          "  (none): None\n"
          ")");
  }

  TEST_CASE("a class can print itself differently, also inside others") {
    struct Special : Module {
      void pretty_print(std::ostream& out) const override { out << "<special>"; }
    };
    Module parent;
    parent.register_module("child", std::make_shared<Special>());
    CHECK(printed(parent) == "Module(\n  (child): <special>\n)");
  }
}
