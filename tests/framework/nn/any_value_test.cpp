#include "etude/nn/any_value.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/refusal.h"

using etude::refusal;
using etude::nn::AnyValue;

TEST_SUITE("AnyValue") {
  TEST_CASE("gives back what was put in, and null for any other type") {
    AnyValue value(5);
    REQUIRE(value.try_get<int>() != nullptr);
    CHECK(*value.try_get<int>() == 5);
    CHECK(value.get<int>() == 5);
    CHECK(value.try_get<long>() == nullptr);
    CHECK(value.try_get<float>() == nullptr);
    CHECK(value.try_get<std::string>() == nullptr);
  }

  TEST_CASE("names both types when it is asked for the wrong one") {
    AnyValue value(5);
    CHECK(refusal([&] { value.get<float>(); }) ==
          "Error: Attempted to cast AnyValue to float, but its actual type is int");
    CHECK(refusal([&] { value.get<std::vector<int>>(); }).find(", but its actual type is int") !=
          std::string::npos);
  }

  TEST_CASE("holds values: references are copied and arrays become pointers") {
    std::string text = "hello";
    AnyValue copy(text);
    text = "changed";
    CHECK(copy.get<std::string>() == "hello");
    AnyValue literal("hello");
    CHECK(literal.get<const char*>() == std::string("hello"));
    AnyValue pointer(&text);
    CHECK(*pointer.get<std::string*>() == "changed");
  }

  TEST_CASE("can be copied, moved and assigned without being wrapped") {
    AnyValue value(5);
    const AnyValue& same = value;
    AnyValue copy(same);
    CHECK(copy.get<int>() == 5);
    copy = AnyValue(std::string("a"));
    CHECK(copy.type_info() == typeid(std::string));
    value = std::move(copy);
    CHECK(value.get<std::string>() == "a");
  }
}
