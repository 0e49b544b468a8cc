#include "etude/core/options.h"

#include <doctest/doctest.h>

#include <sstream>

#include "etude/framework.h"

using namespace etude;

TEST_SUITE("options") {
  namespace {

  template <typename T>
  std::string written(const T& value) {
    std::ostringstream out;
    out << value;
    return out.str();
  }

  }  // namespace

  TEST_CASE("options are written with what is a default") {
    const std::string end = ", pinned_memory=false (default), memory_format=(nullopt))";
    CHECK(written(TensorOptions()) ==
          "TensorOptions(dtype=float (default), device=cpu (default), layout=Strided (default), "
          "requires_grad=false (default)" +
              end);
    CHECK(written(TensorOptions(kLong).requires_grad(true)) ==
          "TensorOptions(dtype=long int, device=cpu (default), layout=Strided (default), requires_grad=true" +
              end);
    CHECK(written(etude::zeros({2}).options()) ==
          "TensorOptions(dtype=float, device=cpu, layout=Strided, requires_grad=false (default)" + end);
    CHECK(written(dtype(kByte).layout(kStrided)) ==
          "TensorOptions(dtype=unsigned char, device=cpu (default), layout=Strided, requires_grad=false "
          "(default)" +
              end);
    const TensorOptions pinned = TensorOptions().pinned_memory(true);
    CHECK(written(pinned) ==
          "TensorOptions(dtype=float (default), device=cpu (default), layout=Strided (default), "
          "requires_grad=false (default), pinned_memory=true, memory_format=(nullopt))");
    CHECK(written(pinned.pinned_memory(false)).find("pinned_memory=false, ") != std::string::npos);
    CHECK(pinned.pinned_memory());
    CHECK(pinned.has_pinned_memory());
    CHECK_FALSE(TensorOptions().pinned_memory());
    CHECK_FALSE(TensorOptions().has_pinned_memory());
    CHECK(etude::ones({}).options().has_layout());
    CHECK_FALSE(TensorOptions(kLong).has_requires_grad());
  }

  TEST_CASE("numbers are written as C++ writes them") {
    CHECK(written(Scalar(0.1f)) == "0.1");
    CHECK(written(Scalar(1.0)) == "1");
    CHECK(written(Scalar(1e10)) == "1e+10");
    CHECK(written(Scalar(-3)) == "-3");
    CHECK(written(Scalar(true)) == "true");
  }

  TEST_CASE("short names of types are those of Rust") {
    CHECK(kU8 == kByte);
    CHECK(kI8 == kChar);
    CHECK(kI16 == kShort);
    CHECK(kI32 == kInt);
    CHECK(kI64 == kLong);
    CHECK(kF16 == kHalf);
    CHECK(kF32 == kFloat);
    CHECK(kF64 == kDouble);
  }
}
