#include "etude/core/dtype.h"

#include <doctest/doctest.h>

#include <sstream>

#include "etude/ops/ops.h"
#include "support/golden.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("dtype") {
  TEST_CASE("promotion and casting follow PyTorch's tables") {
    int count = 0;
    for (const auto& row : golden_json("core/promotion.json")) {
      const std::string op = row.at(0);
      if (op != "promote_types" && op != "can_cast") continue;
      const std::string text = row.dump();
      CAPTURE(text);
      const ScalarType a = golden_dtype(row.at(1)), b = golden_dtype(row.at(3));
      if (op == "can_cast") CHECK(can_cast(a, b) == row.at(5).get<bool>());
      else CHECK(promote_types(a, b) == golden_dtype(row.at(5)));
      ++count;
    }
    CHECK(count == 72);
  }

  TEST_CASE("a type has a name and a size") {
    struct Row {
      ScalarType type;
      const char* name;
      int64_t bytes;
    };
    for (const Row& r : {Row{kByte, "Byte", 1}, Row{kInt, "Int", 4}, Row{kLong, "Long", 8},
                         Row{kFloat, "Float", 4}, Row{kDouble, "Double", 8}, Row{kBool, "Bool", 1}}) {
      CHECK(toString(r.type) == std::string(r.name));
      CHECK(elementSize(r.type) == r.bytes);
    }
    std::ostringstream out;
    out << kFloat;
    CHECK((out.str() == "Float" || out.str() == "torch.float32"));
  }

  TEST_CASE("floating and integral types are told apart") {
    CHECK((isFloatingType(kFloat) && isFloatingType(kDouble) && !isFloatingType(kLong) &&
           !isFloatingType(kBool)));
    CHECK((isIntegralType(kByte, false) && isIntegralType(kLong, false) && !isIntegralType(kBool, false) &&
           isIntegralType(kBool, true)));
  }

  TEST_CASE("types that hold negative numbers are signed, and a type is its meta type's") {
    for (ScalarType t : {kFloat, kDouble, kLong, kInt}) CHECK(isSignedType(t));
    for (ScalarType t : {kByte, kBool}) CHECK_FALSE(isSignedType(t));
    CHECK(
        (typeMetaToScalarType(scalarTypeToTypeMeta(kLong)) == kLong && scalarTypeToTypeMeta(kByte) == kByte));
  }

  TEST_CASE("the default type is float32, and any type that a tensor can have may take its place") {
    CHECK((get_default_dtype() == kFloat));
    for (ScalarType t : {kDouble, kInt, kBool}) {
      set_default_dtype(scalarTypeToTypeMeta(t));
      const ScalarType now = typeMetaToScalarType(get_default_dtype()),
                       ones_of = etude::ones({2}).scalar_type(),
                       option = typeMetaToScalarType(TensorOptions().dtype()),
                       literal = etude::tensor(1.0).scalar_type(),
                       named = etude::ones({2}, kFloat).scalar_type();
      set_default_dtype(scalarTypeToTypeMeta(kFloat));
      CHECK((now == t && ones_of == t && option == t && literal == t && named == kFloat));
    }
    set_default_dtype(TypeMeta::Make<int>());
    const std::string exp = refusal([] { etude::ones({2}, kLong).exp(); });
    set_default_dtype(TypeMeta::Make<float>());
    CHECK(exp.find("not implemented for 'Int'") != std::string::npos);
    CHECK((get_default_dtype() == kFloat));
  }
}
