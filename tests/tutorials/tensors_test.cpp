#include "support/tensors.h"

#include <doctest/doctest.h>

#include <cmath>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace {

using etude::Tensor;
using tutorials::expect_close;
using tutorials::expect_equal;
using tutorials::python_list;
using tutorials::python_tuple;
using tutorials::shortest;

/// What the statement prints.
template <typename Statement>
std::string printed(Statement statement) {
  std::ostringstream out;
  std::streambuf* const before = std::cout.rdbuf(out.rdbuf());
  statement();
  std::cout.rdbuf(before);
  return out.str();
}

TEST_CASE("a true statement prints nothing") {
  const Tensor a = etude::tensor({{1.0, 2.0}, {3.0, 4.0}});
  CHECK(printed([&] { expect_equal(a, a.clone()); }) == "");
  CHECK(printed([&] { expect_equal(a, a.t().contiguous().t()); }) == "");
  CHECK(printed([&] { expect_close(a, a + 0.5, 0.5); }) == "");
  CHECK(printed([&] { expect_equal(etude::zeros({0, 3}), etude::zeros({0, 3})); }) == "");
}

TEST_CASE("a false statement prints a line that no recording has") {
  const Tensor a = etude::tensor({1.0, 2.0, 3.0}), b = etude::tensor({1.0, 2.5, 3.25});
  CHECK(printed([&] { expect_equal(a, b); }) == "NOT EQUAL: element 1 is 2.0 and 2.5\n");
  CHECK(printed([&] { expect_close(a, b, 0.4); }) == "NOT EQUAL: element 1 is 2.0 and 2.5\n");
  CHECK(printed([&] { expect_equal(a, etude::tensor({1.0, 2.0})); }) == "NOT EQUAL: sizes (3,) and (2,)\n");
  CHECK(printed([&] { expect_equal(a, a.unsqueeze(0)); }) == "NOT EQUAL: sizes (3,) and (1, 3)\n");
}

TEST_CASE("one float32 apart is not equal, and a NaN is equal to nothing") {
  const Tensor one = etude::ones({2}), next = etude::full({2}, std::nextafter(1.0f, 2.0f));
  CHECK(printed([&] { expect_equal(one, next); }) != "");
  CHECK(printed([&] { expect_close(one, next, 1.3e-7); }) == "");
  const Tensor nan = etude::full({2}, std::nan(""));
  CHECK(printed([&] { expect_close(one, nan, 100); }) != "");
  CHECK(printed([&] { expect_close(nan, nan, 100); }) != "");
}

TEST_CASE("numbers and names are written as Python writes them") {
  CHECK(python_tuple({}) == "()");
  CHECK(python_tuple({5}) == "(5,)");
  CHECK(python_tuple({4, 20, 1}) == "(4, 20, 1)");
  CHECK(python_list({}) == "[]");
  CHECK(python_list({"weight", "bias"}) == "['weight', 'bias']");
}

TEST_CASE("a float is written as NumPy writes it") {
  // The right-hand sides are str(numpy.float32(x)).
  CHECK(shortest(0.0f) == "0.0");
  CHECK(shortest(-0.0f) == "-0.0");
  CHECK(shortest(1.0f) == "1.0");
  CHECK(shortest(-1.5f) == "-1.5");
  CHECK(shortest(0.1f) == "0.1");
  CHECK(shortest(1.0f / 3) == "0.33333334");
  CHECK(shortest(1e-4f) == "1e-04");
  CHECK(shortest(1.5e-5f) == "1.5e-05");
  CHECK(shortest(0.00012f) == "0.00012");
  CHECK(shortest(1e15f) == "1000000000000000.0");
  CHECK(shortest(1e16f) == "1e+16");
  CHECK(shortest(16777216.0f) == "16777216.0");
  CHECK(shortest(std::numeric_limits<float>::infinity()) == "inf");
  CHECK(shortest(-std::numeric_limits<float>::infinity()) == "-inf");
  CHECK(shortest(std::nanf("")) == "nan");
}

TEST_CASE("the first line is what stands before the first line break") {
  CHECK(tutorials::first_line("one\ntwo\n") == "one");
  CHECK(tutorials::first_line("one") == "one");
  CHECK(tutorials::first_line("") == "");
}

TEST_CASE("values are read row by row, whatever the strides and the type") {
  const Tensor a = etude::arange(6).view({2, 3});
  CHECK(tutorials::values_of(a) == std::vector<double>{0, 1, 2, 3, 4, 5});
  CHECK(tutorials::values_of(a.t()) == std::vector<double>{0, 3, 1, 4, 2, 5});
  CHECK(tutorials::values_of(a.to(etude::kFloat).requires_grad_()) == std::vector<double>{0, 1, 2, 3, 4, 5});
  CHECK(tutorials::values_of(etude::tensor(7)) == std::vector<double>{7});
}

}  // namespace
