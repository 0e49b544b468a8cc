#include <doctest/doctest.h>

#include <cmath>

#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("tensor") {
  namespace {

  // The elements of a contiguous tensor.
  template <typename T>
  std::vector<T> values(const Tensor& t) {
    REQUIRE(t.is_contiguous());
    return std::vector<T>(t.data_ptr<T>(), t.data_ptr<T>() + t.numel());
  }

  }  // namespace

  TEST_CASE("a number makes a 0-dim tensor, of int64, the default type or bool") {
    CHECK(etude::tensor(3).sizes() == IntArrayRef());
    CHECK(etude::tensor(3).item<int64_t>() == 3);
    CHECK((etude::tensor(3).scalar_type() == kLong));
    CHECK((etude::tensor(1.5).scalar_type() == kFloat));
    CHECK(etude::tensor(1.5f).item<float>() == 1.5f);
    CHECK((etude::tensor(true).scalar_type() == kBool));
    CHECK((etude::tensor(uint8_t{7}).scalar_type() == kByte));
    CHECK(etude::tensor(int64_t{1} << 40).item<int64_t>() == int64_t{1} << 40);
  }

  TEST_CASE("braces nest") {
    CHECK(values<int64_t>(etude::tensor({1, 2, 3})) == std::vector<int64_t>{1, 2, 3});
    CHECK(etude::tensor({1}).sizes() == IntArrayRef({1}));
    CHECK(etude::tensor({{1}}).sizes() == IntArrayRef({1, 1}));
    CHECK(etude::tensor({{1, 2}}).sizes() == IntArrayRef({1, 2}));
    CHECK(etude::tensor({{{1, 2}}}).sizes() == IntArrayRef({1, 1, 2}));
    const Tensor x = etude::tensor({{{1., 2.}, {3., 4.}, {5., 6.}}, {{7., 8.}, {9., 10.}, {11., 12.}}});
    CHECK(x.sizes() == IntArrayRef({2, 3, 2}));
    CHECK(values<float>(x) == std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    CHECK(values<bool>(etude::tensor({{true, false}, {false, true}})) ==
          std::vector<bool>{true, false, false, true});
  }

  TEST_CASE("empty braces make empty tensors of the default type") {
    CHECK(etude::tensor({}).sizes() == IntArrayRef({0}));
    CHECK((etude::tensor({}).scalar_type() == kFloat));
    CHECK(etude::tensor({{}, {}}).sizes() == IntArrayRef({2, 0}));
    CHECK(etude::tensor({{}}).sizes() == IntArrayRef({1, 0}));
    CHECK((etude::tensor({}, kLong).scalar_type() == kLong));
  }

  TEST_CASE("vectors and array references make vectors of their type") {
    CHECK(values<int64_t>(etude::tensor(std::vector<int>{1, 2})) == std::vector<int64_t>{1, 2});
    CHECK(values<float>(etude::tensor(std::vector<float>{1, 2})) == std::vector<float>{1, 2});
    CHECK((etude::tensor(std::vector<double>{1, 2}).scalar_type() == kFloat));
    CHECK((etude::tensor(std::vector<int64_t>()).scalar_type() == kLong));
    CHECK(etude::tensor(std::vector<double>()).sizes() == IntArrayRef({0}));
    CHECK(values<int64_t>(etude::tensor(etude::zeros({4, 5}).sizes())) == std::vector<int64_t>{4, 5});
    CHECK(values<uint8_t>(etude::tensor(std::vector<uint8_t>{1, 255})) == std::vector<uint8_t>{1, 255});
  }

  TEST_CASE("options decide the type and whether a gradient is wanted") {
    CHECK(values<double>(etude::tensor({1, 2}, kDouble)) == std::vector<double>{1, 2});
    CHECK(values<double>(etude::tensor({0.1}, kDouble)) == std::vector<double>{0.1});
    CHECK(values<int64_t>(etude::tensor({1.5, -2.5}, kLong)) == std::vector<int64_t>{1, -2});
    CHECK(values<bool>(etude::tensor({1.5, 0.}, kBool)) == std::vector<bool>{true, false});
    CHECK(values<uint8_t>(etude::tensor({-1}, kByte)) == std::vector<uint8_t>{255});
    CHECK(values<int64_t>(etude::tensor({9007199254740993})) == std::vector<int64_t>{9007199254740993});
    CHECK(etude::tensor({1.}, requires_grad()).requires_grad());
    CHECK(etude::tensor({1.}, requires_grad()).is_leaf());
    CHECK_FALSE(etude::tensor({1.}).requires_grad());
    CHECK((etude::tensor({1.}, dtype(kDouble).requires_grad(true)).scalar_type() == kDouble));
    CHECK(refusal([] {
            etude::tensor({1, 2}, requires_grad());
          }) == "Error: Only Tensors of floating point and complex dtype can require gradients");
  }

  TEST_CASE("floating point numbers follow the default type") {
    set_default_dtype(scalarTypeToTypeMeta(kDouble));
    CHECK((etude::tensor(1.5).scalar_type() == kDouble));
    CHECK((etude::tensor({1.5f}).scalar_type() == kDouble));
    CHECK((etude::tensor({}).scalar_type() == kDouble));
    CHECK((etude::tensor({1}).scalar_type() == kLong));
    set_default_dtype(scalarTypeToTypeMeta(kFloat));
  }

  TEST_CASE("lists of one level have equal lengths") {
    CHECK(refusal([] {
            etude::tensor({{5, 6}, {7}});
          }) ==
          "Error: Expected all sub-lists to have sizes: 2 (e.g. {5, 6}), but got sub-list {7} with sizes: 1");
    CHECK(refusal([] {
            etude::tensor({{{1, 2}, {3, 4}}, {{5, 6}}});
          }) ==
          "Error: Expected all sub-lists to have sizes: 2 2 (e.g. {{1, 2}, {3, 4}}), but got sub-list {{5, "
          "6}} with sizes: 1 2");
    CHECK(refusal([] {
            etude::tensor({{1, 2}, 3});
          }) ==
          "Error: Expected all sub-lists to have sizes: 2 (e.g. {1, 2}), but got sub-list 3 with sizes: ");
    CHECK(refusal([] {
            etude::tensor({1, {2, 3}});
          }) ==
          "Error: Expected all sub-lists to have sizes:  (e.g. 1), but got sub-list {2, 3} with sizes: 2");
    CHECK(refusal([] {
            etude::tensor({{}, {1}});
          }) ==
          "Error: Expected all sub-lists to have sizes: 0 (e.g. {}), but got sub-list {1} with sizes: 1");
    CHECK(refusal([] {
            etude::tensor({{true, false}, {true}});
          }) ==
          "Error: Expected all sub-lists to have sizes: 2 (e.g. {1, 0}), but got sub-list {1} with sizes: 1");
    CHECK(refusal([] {
            etude::tensor({{1.5, 1e10, 1e-7, 123456789.}, {0.1}});
          }) ==
          "Error: Expected all sub-lists to have sizes: 4 (e.g. {1.5, 1e+10, 1e-07, 1.23457e+08}), but got "
          "sub-list {0.1} with sizes: 1");
  }

  TEST_CASE("elements are of one type") {
    CHECK(refusal([] {
            etude::tensor({1, 2.});
          }) ==
          "Error: Expected all elements of the tensor to have the same scalar type: Int, but got element of "
          "scalar type: Double");
    CHECK(refusal([] {
            etude::tensor({{1.f, 2.f}, {3., 4.}});
          }) ==
          "Error: Expected all elements of the tensor to have the same scalar type: Float, but got element "
          "of scalar type: Double");
    CHECK(refusal([] {
            etude::tensor({true, 1});
          }) ==
          "Error: Expected all elements of the tensor to have the same scalar type: Bool, but got element of "
          "scalar type: Int");
    CHECK(refusal([] {
            etude::tensor({1, int64_t{2}});
          }) ==
          "Error: Expected all elements of the tensor to have the same scalar type: Int, but got element of "
          "scalar type: Long");
  }

  TEST_CASE("numbers that the type cannot hold are refused") {
    CHECK(refusal([] {
            etude::tensor({300, 2}, kByte);
          }) == "Error: value cannot be converted to type uint8_t without overflow");
    CHECK(refusal([] { etude::tensor(-256, kByte); }) ==
          "Error: value cannot be converted to type uint8_t without overflow");
    CHECK(refusal([] { etude::tensor({1e300}, kFloat); }) ==
          "Error: value cannot be converted to type float without overflow");
    CHECK(refusal([] { etude::tensor({1e20}, kLong); }) ==
          "Error: value cannot be converted to type int64_t without overflow");
    CHECK(refusal([] { etude::tensor(NAN, kInt); }) ==
          "Error: value cannot be converted to type int without overflow");
    CHECK(refusal([] { etude::tensor({3000000000}, kInt); }) ==
          "Error: value cannot be converted to type int without overflow");
    CHECK(std::isinf(etude::tensor(INFINITY, kFloat).item<float>()));
    CHECK(refusal([] { etude::tensor({300}, kByte); }) ==
          "Error: value cannot be converted to type uint8_t without overflow");
  }
}
