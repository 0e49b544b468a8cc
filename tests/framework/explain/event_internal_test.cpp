#include "etude/explain/detail/event.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "etude/autograd/node.h"
#include "etude/ops/ops.h"

using namespace etude;
using etude::detail::form_of, etude::detail::numbers_of, etude::detail::text_of, etude::detail::with_prefix;

TEST_SUITE("events") {
  TEST_CASE("a form has dtype, sizes and the bytes that are there, once where a tensor was expanded") {
    const etude::detail::TensorForm form = form_of(ones({2, 3}, kDouble));
    CHECK(form.dtype == kDouble);
    CHECK(form.sizes == std::vector<int64_t>{2, 3});
    CHECK(form.bytes == 48);
    CHECK(form_of(ones({2, 1}).expand({2, 1000})).bytes == 8);
    CHECK(form_of(ones({0, 3})).bytes == 0);
    CHECK(form_of(ones({})).bytes == 4);
    CHECK_FALSE(form_of(Tensor()).dtype);
    CHECK(text_of({form, form_of(Tensor()), form_of(ones({3}, kDouble)), form_of(ones({}, kLong))}) ==
          "float64 [2, 3] none [3] int64 []");
  }

  TEST_CASE("numbers of every type and of any strides") {
    const Tensor x = arange(24, kFloat).view({2, 3, 4}).transpose(0, 2).slice(0, 1, 4, 2);
    for (const ScalarType type : {kFloat, kDouble, kHalf, kBFloat16, kInt, kLong, kByte}) {
      const auto n = numbers_of(x.to(type));
      CHECK(n.min == 1);
      CHECK(n.max == 23);
      CHECK(n.mean() == 12);
      CHECK(n.count == 12);
    }
    CHECK(numbers_of(x).mean() == 12);
    CHECK(text_of(numbers_of(tensor({true, false, false, false}))) == "min 0 mean 0.25 max 1");
    CHECK(text_of(numbers_of(ones({}))) == "min 1 mean 1 max 1");
    CHECK(text_of(numbers_of(ones({1}).expand({3, 2}))) == "min 1 mean 1 max 1");
    CHECK(text_of(numbers_of(ones({0, 3}))) == "");
    CHECK(text_of(numbers_of(Tensor())) == "");
  }

  TEST_CASE("what is not finite is counted apart") {
    const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
    CHECK(text_of(numbers_of(tensor({nan, 1.0f, -inf, 3.0f, nan}))) ==
          "2 of 5 nan, 1 of 5 inf, min 1 mean 2 max 3");
    CHECK(text_of(numbers_of(tensor({nan, nan}))) == "2 of 2 nan");
    CHECK(text_of(numbers_of(tensor({inf}))) == "1 of 1 inf");
  }

  TEST_CASE("reading numbers leaves version and graph alone") {
    const Tensor x = ones({3}).requires_grad_(), y = x * 2;
    const auto before = y._version();
    numbers_of(y);
    CHECK(y._version() == before);
    CHECK(y.grad_fn()->name() == "MulBackward0");
  }

  TEST_CASE("large numbers are written short") {
    CHECK(with_prefix(0, "B") == "0 B");
    CHECK(with_prefix(999, "B") == "999 B");
    CHECK(with_prefix(1234567, "FLOP") == "1.23 MFLOP");
    CHECK(with_prefix(999999, "B") == "1 MB");
    CHECK(with_prefix(2e21, "B") == "2e+03 EB");
  }
}
