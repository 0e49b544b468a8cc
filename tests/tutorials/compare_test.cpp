#include "support/compare.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

namespace {

using tutorials::Compare;
using tutorials::float32_distance;
using tutorials::layout_of;

TEST_CASE("bytes agree only if every one is the same") {
  const Compare bytes = Compare::bytes();
  CHECK(bytes.difference("", "") == "");
  CHECK(bytes.difference("a\nb\n", "a\nb\n") == "");
  CHECK(bytes.difference("a\nb\n", "a\nb") != "");
  CHECK(bytes.difference("a ", "a") != "");
}

TEST_CASE("a difference is shown with its line, its column and both texts") {
  CHECK(Compare::bytes().difference("one\ntwo 3\n", "one\ntwo 4\n") ==
        "line 2, column 5\n  recorded: two 4\n  printed:  two 3");
  CHECK(Compare::bytes().difference("one\n", "one") == "line 1, column 4\n  recorded: one\n  printed:  one");
  CHECK(Compare::bytes().difference("one", "one\ntwo") ==
        "line 1, column 4\n  recorded: one\n  printed:  one");
  CHECK(Compare::bytes().difference("a\nb\nc", "a\nb\n") == "line 3, column 1\n  recorded: \n  printed:  c");
}

TEST_CASE("of a long line the part around the difference is shown") {
  const std::string difference =
      Compare::bytes().difference(std::string(500, 'x') + "A", std::string(500, 'x') + "B");
  CHECK(difference.size() < 300);
  CHECK(difference.find("xA") != std::string::npos);
  CHECK(difference.find("xB") != std::string::npos);
}

TEST_CASE("floats are as far apart as there are floats between them") {
  const float one = 1, next = std::nextafter(1.0f, 2.0f), before = std::nextafter(1.0f, 0.0f);
  const float tiny = std::numeric_limits<float>::denorm_min();
  CHECK(float32_distance(one, one) == 0);
  CHECK(float32_distance(one, next) == 1);
  CHECK(float32_distance(before, next) == 2);
  CHECK(float32_distance(-one, -next) == 1);
  CHECK(float32_distance(0.0f, -0.0f) == 0);
  CHECK(float32_distance(-tiny, tiny) == 2);
  CHECK(float32_distance(std::nanf(""), one) > 1000000);
}

TEST_CASE("numbers within the tolerance agree, and the text between them has to be equal") {
  const Compare two = Compare::within_ulp(2);
  // 0.5 and its neighbours in float32: 0.50000006, 0.5000001 (2 ulp), 0.5000002 (3 ulp).
  CHECK(two.difference("pos 0.5\n", "pos 0.5\n") == "");
  CHECK(two.difference("pos 0.50000006\n", "pos 0.5\n") == "");
  CHECK(two.difference("pos 0.5000001\n", "pos 0.5\n") == "");
  CHECK(two.difference("pos 0.5000002\n", "pos 0.5\n") != "");
  CHECK(two.difference("pos 0.5 \n", "pos 0.5\n") != "");
  CHECK(two.difference("sop 0.5\n", "pos 0.5\n") != "");
  CHECK(two.difference("pos 0.5 1\n", "pos 0.5\n") != "");
  CHECK(two.difference("pos -0.5\n", "pos 0.5\n") != "");
}

TEST_CASE("numbers within an absolute tolerance agree, and the text between them has to be equal") {
  const Compare near = Compare::within(0.05);
  CHECK(near.difference("loss 1.00 after 20\n", "loss 1.04 after 20\n") == "");
  CHECK(near.difference("loss 1.00 after 20\n", "loss 1.06 after 20\n") != "");
  CHECK(near.difference("loss 1.00 after 21\n", "loss 1.00 after 20\n") != "");
  CHECK(near.difference("cost 1.00\n", "loss 1.00\n") != "");
  CHECK(near.difference("loss nan\n", "loss 1.00\n") != "");
  CHECK(near.difference("loss 1.00", "loss 1.00 1.00") != "");
}

TEST_CASE("a digit inside a word is no number") {
  CHECK(Compare::within_ulp(1000000000).difference("dim4", "dim5") != "");
  CHECK(Compare::within_ulp(1).difference("dim4 1.0000001", "dim4 1.0") == "");
}

TEST_CASE("a layout keeps everything but numbers, blanks and line breaks") {
  CHECK(layout_of("tensor([ 1.5, -2.25e+01,  ...,  7.])") == "tensor([#, #, ..., #])");
  CHECK(layout_of("tensor([-1.5,  2.25,  ...,\n        7.])") == "tensor([#, #, ..., #])");
  CHECK(layout_of("grad_fn=<MulBackward0>") == "grad_fn=<MulBackward0>");
  const Compare layout = Compare::layout();
  CHECK(layout.difference("[1., 2.], grad_fn=<MulBackward0>", "[3., 4.], grad_fn=<MulBackward0>") == "");
  CHECK(layout.difference("[1., 2.], grad_fn=<AddBackward0>", "[3., 4.], grad_fn=<MulBackward0>") != "");
  CHECK(layout.difference("[1., 2., 3.]", "[3., 4.]") != "");
}

TEST_CASE("a cell may bring its own comparison") {
  const Compare by = Compare::by([](const std::string& printed, const std::string& recorded) {
    return printed.size() == recorded.size() ? "" : "another length";
  });
  CHECK(by.difference("ab", "cd") == "");
  CHECK(by.difference("abc", "cd") == "another length");
}

}  // namespace
