#include "etude/nn/enums.h"

#include <doctest/doctest.h>

#include "etude/nn/functional.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("enums") {
  namespace {

  // LibTorch has its own variant.
  template <typename Variant>
  struct WithReLU;
  template <template <typename...> class Variant, typename... Choices>
  struct WithReLU<Variant<Choices...>> {
    using type = Variant<Choices..., enumtype::kReLU>;
  };
  using Choice =
      WithReLU<std::decay_t<decltype(nn::functional::CrossEntropyFuncOptions().reduction())>>::type;

  }  // namespace

  TEST_CASE("a choice becomes the number of its reduction") {
    CHECK(enumtype::reduction_get_enum(Choice(kNone)) == Reduction::None);
    CHECK(enumtype::reduction_get_enum(Choice(kMean)) == Reduction::Mean);
    CHECK(enumtype::reduction_get_enum(Choice(kSum)) == Reduction::Sum);
  }

  TEST_CASE("what is no reduction is refused by name") {
    CHECK(refusal([&] { enumtype::reduction_get_enum(Choice(kReLU)); }) ==
          "Error: kReLU is not a valid value for reduction");
  }

  TEST_CASE("a choice knows its name") { CHECK(enumtype::get_enum_name(Choice(kSum)) == "kSum"); }

  TEST_CASE("options take only the choices they know") {
    CHECK(std::is_constructible_v<Choice, enumtype::kMean>);
    CHECK_FALSE(std::is_constructible_v<Choice, enumtype::kFanIn>);
  }
}
