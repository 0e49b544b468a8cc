#include "etude/core/ivalue.h"

#include <doctest/doctest.h>

#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("ivalue") {
  TEST_CASE("a value keeps the kind of what it was made from") {
    CHECK(IValue().isNone());
    CHECK(IValue(nullopt).isNone());
    CHECK((IValue(3).isInt() && IValue(int64_t{3}).isInt()));
    CHECK((IValue(2.5).isDouble() && IValue(2.5f).isDouble()));
    CHECK((IValue(true).isBool() && !IValue(true).isInt()));
    CHECK((IValue("text").isString() && IValue(std::string("text")).isString()));
    CHECK((IValue(etude::ones({2})).isTensor() && !IValue(etude::ones({2})).isScalar()));
    CHECK(IValue(std::vector<int64_t>{1, 2}).isIntList());
    CHECK(IValue(std::vector<double>{1, 2}).isDoubleList());
    CHECK(IValue(std::vector<bool>{true}).isBoolList());
    CHECK(IValue(std::vector<Tensor>{etude::ones({2})}).isTensorList());
    CHECK((IValue(std::vector<std::string>{"a"}).isList() && !IValue(1).isList()));
    CHECK((IValue(Scalar(1)).isInt() && IValue(Scalar(1.5)).isDouble() && IValue(Scalar(true)).isBool()));
    CHECK((IValue(optional<int64_t>(4)).toInt() == 4 && IValue(optional<int64_t>()).isNone()));
  }

  TEST_CASE("a value comes back as it went in") {
    CHECK(IValue(3).toInt() == 3);
    CHECK(IValue(2.5).toDouble() == 2.5);
    CHECK(IValue(true).toBool());
    CHECK(IValue("text").toStringRef() == "text");
    CHECK(IValue(Scalar(1.5)).toScalar().toDouble() == 1.5);
    const Tensor t = etude::ones({2});
    CHECK(IValue(t).toTensor().is_same(t));
    const std::vector<int64_t> sizes{1, 2};
    CHECK(IValue(sizes).toIntVector() == sizes);
    CHECK(IValue(IntArrayRef(sizes)).toIntVector() == sizes);
    CHECK(IValue(std::vector<double>{0.5}).toDoubleVector()[0] == 0.5);
    CHECK(IValue(std::vector<Tensor>{t}).toTensorVector()[0].is_same(t));
    CHECK((IValue(3).to<int>() == 3 && IValue(2.5).to<float>() == 2.5f && IValue(true).to<bool>()));
    CHECK(IValue("text").to<std::string>() == "text");
    CHECK((IValue(3).toOptional<int64_t>() == 3 && !IValue().toOptional<int64_t>()));
    CHECK((IValue(3).to<optional<int>>() == 3 && !IValue().to<optional<int>>()));
  }

  TEST_CASE("a value of another kind is refused") {
    CHECK(refusal([] { IValue(3).toTensor(); }) == "Error: Expected Tensor but got Int");
    CHECK(refusal([] { IValue(3).toStringRef(); }).find("Expected String but got Int") != std::string::npos);
    CHECK(refusal([] { IValue(2.5).toIntVector(); }).find("Expected IntList but got Double") !=
          std::string::npos);
    CHECK_THROWS_AS(IValue("3").toInt(), Error);
    CHECK_THROWS_AS(IValue(3).toDouble(), Error);
    CHECK_THROWS_AS(IValue().toBool(), Error);
    CHECK_THROWS_AS(IValue(etude::ones({1})).toScalar(), std::exception);
  }

  TEST_CASE("kinds have the names that PyTorch gives them") {
    CHECK(IValue().tagKind() == "None");
    CHECK(IValue(1).tagKind() == "Int");
    CHECK(IValue(1.5).tagKind() == "Double");
    CHECK(IValue(true).tagKind() == "Bool");
    CHECK(IValue("a").tagKind() == "String");
    CHECK(IValue(etude::ones({1})).tagKind() == "Tensor");
    for (const IValue& v :
         {IValue(std::vector<int64_t>{1}), IValue(std::vector<double>{1}), IValue(std::vector<bool>{true}),
          IValue(std::vector<Tensor>{etude::ones({1})}), IValue(std::vector<std::string>{"a"})})
      CHECK(v.tagKind() == "GenericList");
  }
}
