// Python's names of types, types in place of their meta types, and types that Etude's tensors cannot hold.
#include "etude/core/dtype.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "etude/core/options.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("dtype, beyond LibTorch") {
  TEST_CASE("a type has a name in Python") {
    CHECK(dtype_name(kByte) == std::string("torch.uint8"));
    CHECK(dtype_name(kInt) == std::string("torch.int32"));
    CHECK(dtype_name(kLong) == std::string("torch.int64"));
    CHECK(dtype_name(kFloat) == std::string("torch.float32"));
    CHECK(dtype_name(kDouble) == std::string("torch.float64"));
    CHECK(dtype_name(kHalf) == std::string("torch.float16"));
    CHECK(dtype_name(kBFloat16) == std::string("torch.bfloat16"));
    CHECK(dtype_name(kBool) == std::string("torch.bool"));
  }

  TEST_CASE("types that a tensor cannot hold are refused by name") {
    for (const auto& [type, name] :
         std::vector<std::pair<ScalarType, std::string>>{{kShort, "int16"},
                                                         {ScalarType::ComplexFloat, "complex64"},
                                                         {ScalarType::ComplexDouble, "complex128"}}) {
      const std::string text = refusal([t = type] { elementSize(t); });
      CAPTURE(text);
      CHECK(text.find(name) != std::string::npos);
    }
  }

  TEST_CASE("a type stands for its own meta type") {
    CHECK((typeMetaToScalarType(kLong) == kLong && scalarTypeToTypeMeta(kByte) == kByte));
    set_default_dtype(kDouble);
    const ScalarType now = get_default_dtype(), option = TensorOptions().dtype();
    set_default_dtype(kFloat);
    CHECK((now == kDouble && option == kDouble));
  }

  TEST_CASE("every integer of C++ that a tensor holds has its type by its size") {
    CHECK((TypeMeta::Make<int32_t>() == kInt && TypeMeta::Make<int64_t>() == kLong));
    CHECK((TypeMeta::Make<int>() == kInt && TypeMeta::Make<long long>() == kLong));
    CHECK(elementSize(TypeMeta::Make<long>()) == static_cast<int64_t>(sizeof(long)));
  }

  TEST_CASE("a type that a tensor cannot hold cannot become the default type") {
    CHECK_THROWS_AS(set_default_dtype(kShort), TypeError);
    CHECK((get_default_dtype() == kFloat));
  }
}
