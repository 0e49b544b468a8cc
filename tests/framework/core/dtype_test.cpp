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
      else CHECK(dtype_name(promote_types(a, b)) == "torch." + row.at(5).get<std::string>());
      ++count;
    }
    CHECK(count == 72);
  }

  TEST_CASE("a type has a name in C++, a name in Python and a size") {
    struct Row {
      ScalarType type;
      const char *cpp, *python;
      int64_t bytes;
    };
    for (const Row& r : {Row{kByte, "Byte", "torch.uint8", 1}, Row{kInt, "Int", "torch.int32", 4},
                         Row{kLong, "Long", "torch.int64", 8}, Row{kFloat, "Float", "torch.float32", 4},
                         Row{kDouble, "Double", "torch.float64", 8}, Row{kBool, "Bool", "torch.bool", 1}}) {
      CHECK(toString(r.type) == std::string(r.cpp));
      CHECK(dtype_name(r.type) == std::string(r.python));
      CHECK(elementSize(r.type) == r.bytes);
    }
    std::ostringstream out;
    out << kFloat;
    CHECK((out.str() == "Float" || out.str() == "torch.float32"));
  }

  TEST_CASE("types that a tensor cannot hold are refused by name") {
    for (const auto& [type, name] :
         std::vector<std::pair<ScalarType, std::string>>{{kChar, "int8"},
                                                         {kShort, "int16"},
                                                         {kHalf, "float16"},
                                                         {kBFloat16, "bfloat16"},
                                                         {ScalarType::ComplexFloat, "complex64"},
                                                         {ScalarType::ComplexDouble, "complex128"}}) {
      const std::string text = refusal([t = type] { elementSize(t); });
      CAPTURE(text);
      CHECK(text.find(name) != std::string::npos);
    }
  }

  TEST_CASE("floating and integral types are told apart") {
    CHECK((isFloatingType(kFloat) && isFloatingType(kDouble) && !isFloatingType(kLong) &&
           !isFloatingType(kBool)));
    CHECK((isIntegralType(kByte, false) && isIntegralType(kLong, false) && !isIntegralType(kBool, false) &&
           isIntegralType(kBool, true)));
  }

  TEST_CASE("types that hold negative numbers are signed, and a type stands for its own meta type") {
    for (ScalarType t : {kFloat, kDouble, kLong, kInt}) CHECK(isSignedType(t));
    for (ScalarType t : {kByte, kBool}) CHECK_FALSE(isSignedType(t));
    CHECK((typeMetaToScalarType(kLong) == kLong && scalarTypeToTypeMeta(kByte) == kByte));
  }

  TEST_CASE("the default type is float32, and any type that a tensor can have may take its place") {
    CHECK((get_default_dtype() == kFloat));
    for (ScalarType t : {kDouble, kInt, kBool}) {
      set_default_dtype(t);
      const ScalarType now = get_default_dtype(), ones_of = etude::ones({2}).scalar_type(),
                       option = TensorOptions().dtype(), literal = etude::tensor(1.0).scalar_type(),
                       named = etude::ones({2}, kFloat).scalar_type();
      set_default_dtype(kFloat);
      CHECK((now == t && ones_of == t && option == t && literal == t && named == kFloat));
    }
    set_default_dtype(TypeMeta::Make<int>());
    const std::string exp = refusal([] { etude::ones({2}, kLong).exp(); });
    set_default_dtype(TypeMeta::Make<float>());
    CHECK(exp.find("not implemented for 'Int'") != std::string::npos);
    CHECK_THROWS_AS(set_default_dtype(kHalf), TypeError);
    CHECK((get_default_dtype() == kFloat));
  }
}
