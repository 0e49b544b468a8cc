#include "etude/nn/any_module.h"

#include <doctest/doctest.h>

#include <string>

#include "etude/nn/cloneable.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;
using nn::AnyModule;
using nn::AnyValue;
using nn::Module;

namespace named {

struct Sum : Module {
  int forward(int a, int b) { return a + b; }
};
struct Defaults : Module {
  double forward(int a, int b = 2, double c = 3.0) { return a + b + c; }

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(2)}, {2, AnyValue(3.0)})
};

}  // namespace named

namespace {

struct DoubleImpl : Module {
  explicit DoubleImpl(int given = 0) : value(given) {}
  Tensor forward(const Tensor& x) { return x * 2; }
  int value;
};
ETUDE_MODULE(Double);

struct CountedImpl : nn::Cloneable<CountedImpl> {
  CountedImpl() { CountedImpl::reset(); }
  void reset() override { weight = register_parameter("weight", etude::ones({2})); }
  Tensor forward(Tensor x) { return x * weight; }
  Tensor weight;
};

}  // namespace

TEST_SUITE("AnyModule") {
  TEST_CASE("calls forward with arguments of any types") {
    struct Join : Module {
      std::string forward(int x, const double f, const std::string& a, std::string&& b) {
        return std::to_string(static_cast<int>(x + f)) + a + b;
      }
    };
    AnyModule join(Join{});
    CHECK(join.forward<std::string>(4, 3.14, std::string("a"), std::string("b")) == "7ab");
    Tensor x = etude::ones({2});
    CHECK(AnyModule(Double()).forward(x).equal(etude::full({2}, 2.0)));
    CHECK(x.defined());
  }

  TEST_CASE("is made from a module, a holder or a shared pointer, and assigned from the last") {
    AnyModule any;
    CHECK(any.is_empty());
    any = std::make_shared<DoubleImpl>(5);
    CHECK_FALSE(any.is_empty());
    CHECK(any.get<DoubleImpl>().value == 5);
    CHECK(AnyModule(DoubleImpl(6)).get<DoubleImpl>().value == 6);
    Double holder(7);
    AnyModule held(holder);
    CHECK(held.get<Double>().get() == holder.get());
    CHECK(held.ptr().get() == holder.get());
    CHECK(held.ptr<DoubleImpl>().get() == holder.get());
    CHECK(held.type_info() == typeid(DoubleImpl));
  }

  TEST_CASE("copies name the same module, clones another one") {
    AnyModule any(CountedImpl{});
    AnyModule copy = any, clone = any.clone();
    CHECK(copy.ptr() == any.ptr());
    CHECK(clone.ptr() != any.ptr());
    CHECK(clone.get<CountedImpl>().weight.equal(etude::ones({2})));
    CHECK(clone.forward(etude::ones({2})).equal(etude::ones({2})));
    CHECK(AnyModule().clone().is_empty());
  }

  TEST_CASE("names position and types of a wrong argument") {
    struct M : Module {
      int forward(int, float x) { return static_cast<int>(x); }
    };
    AnyModule any(M{});
    CHECK(refusal([&] { any.forward<int>(1, 5.0); }) ==
          "Error: Expected argument #1 to be of type float, but received value of type double");
    const std::string argument = refusal([&] { AnyModule(Double()).forward(5); });
    CHECK(argument.rfind("Error: Expected argument #0 to be of type ", 0) == 0);
    CHECK(argument.find("::Tensor, but received value of type int") != std::string::npos);
    CHECK(refusal([&] {
            AnyModule(Double()).forward<int>(etude::ones({1}));
          }).rfind("Error: Attempted to cast AnyValue to int, but its actual type is ", 0) == 0);
  }

  TEST_CASE("says how many arguments forward takes") {
    AnyModule any(named::Sum{});
    const std::string hint =
        " If named::Sum's forward() method has default arguments, please make sure the forward() method is "
        "declared with a "
        "corresponding `FORWARD_HAS_DEFAULT_ARGS` macro.";
    CHECK(refusal([&] { any.forward(); }) ==
          "Error: named::Sum's forward() method expects 2 argument(s), but received 0." + hint);
    CHECK(refusal([&] { any.forward(5); }) ==
          "Error: named::Sum's forward() method expects 2 argument(s), but received 1." + hint);
    CHECK(refusal([&] { any.forward(1, 2, 3); }) ==
          "Error: named::Sum's forward() method expects 2 argument(s), but received 3.");
  }

  TEST_CASE("fills in default arguments that the class has named") {
    AnyModule any(named::Defaults{});
    CHECK(any.forward<double>(1) == 6.0);
    CHECK(any.forward<double>(1, 3) == 7.0);
    CHECK(any.forward<double>(1, 3, 5.0) == 9.0);
    CHECK(refusal([&] { any.forward(); }) ==
          "Error: named::Defaults's forward() method expects at least 1 argument(s) and at most 3 "
          "argument(s), but received 0.");
    CHECK(refusal([&] { any.forward(1, 2, 3.0, 4); }) ==
          "Error: named::Defaults's forward() method expects at least 1 argument(s) and at most 3 "
          "argument(s), but received 4.");
  }

  TEST_CASE("is asked only for what it holds") {
    AnyModule any(named::Sum{});
    CHECK(refusal([&] { any.get<DoubleImpl>(); }) ==
          "Error: Attempted to cast module of type named::Sum to type (anonymous namespace)::DoubleImpl");
    CHECK(refusal([&] { any.ptr<DoubleImpl>(); }) ==
          "Error: Attempted to cast module of type named::Sum to type (anonymous namespace)::DoubleImpl");
    CHECK(refusal([&] { any.get<Double>(); }).find("Attempted to cast module") != std::string::npos);
  }

  TEST_CASE("does nothing when empty") {
    AnyModule any;
    CHECK(refusal([&] { any.get<DoubleImpl>(); }) == "Error: Cannot call get() on an empty AnyModule");
    CHECK(refusal([&] { any.ptr<DoubleImpl>(); }) == "Error: Cannot call ptr() on an empty AnyModule");
    CHECK(refusal([&] { any.ptr(); }) == "Error: Cannot call ptr() on an empty AnyModule");
    CHECK(refusal([&] { any.type_info(); }) == "Error: Cannot call type_info() on an empty AnyModule");
    CHECK(refusal([&] { any.forward<int>(5); }) == "Error: Cannot call forward() on an empty AnyModule");
  }
}
