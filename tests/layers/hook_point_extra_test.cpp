// Paths, listeners and their lifetimes; look_inside_extra_test.cpp tests the hook points of models.
#include "etude/hook_point.h"

#include <doctest/doctest.h>

#include "support/on_threads.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("hook points") {
  namespace {

  // A model of two parts with hook points.
  Tensor offer_some(Tensor x) {
    x = hook_point("in", x * 2);
    for (size_t i = 0; i < 2; ++i) {
      const HookPath part("part", i), inner("inner");
      x = hook_point("x", x + 1);
    }
    return hook_point("out", x);
  }

  using Names = std::vector<std::string>;

  }  // namespace

  TEST_CASE("without a listener they give what they get, and want nothing") {
    CHECK(offer_some(ones({2})).equal(full({2}, 4.0)));
    CHECK_FALSE(hook_wanted("x"));
    CHECK_FALSE(hooks_are_heard());
    const Tensor x = ones({2});
    CHECK(hook_point("x", x).is_same(x));
  }

  TEST_CASE("a listener is asked for every name with its path, told what it wants, and changes it") {
    Names asked, told;
    {
      const HookListener listener(
          [&](const std::string& name) {
            asked.push_back(name);
            return name == "part.1.inner.x" || name == "out";
          },
          [&](const Tensor& x, const std::string& name) {
            told.push_back(name);
            CHECK_FALSE(hooks_are_heard());
            return name == "out" ? Tensor() : x * 10;
          });
      CHECK(hooks_are_heard());
      CHECK(offer_some(ones({2})).equal(full({2}, 40.0)));
    }
    CHECK(asked == Names{"in", "part.0.inner.x", "part.1.inner.x", "out"});
    CHECK(told == Names{"part.1.inner.x", "out"});
    CHECK_FALSE(hooks_are_heard());
  }

  TEST_CASE(
      "an inner listener is told in place of an outer one, as long as it lives and in a path of its own") {
    Names outer, inner;
    const auto into = [](Names& names) {
      return [&names](const std::string& name) {
        names.push_back(name);
        return false;
      };
    };
    const HookListener first(into(outer), nullptr);
    const HookPath path("a");
    {
      const HookListener second(into(inner), nullptr);
      hook_wanted("x");
      const HookPath deeper("b");
      hook_wanted("x");
    }
    hook_wanted("y");
    CHECK(inner == Names{"x", "b.x"});
    CHECK(outer == Names{"a.y"});
  }

  TEST_CASE("what a listener throws leaves the path and the listener as they were") {
    Names asked;
    const HookListener listener(
        [&](const std::string& name) {
          asked.push_back(name);
          return name == "part.0.inner.x";
        },
        [](const Tensor&, const std::string&) -> Tensor { throw std::runtime_error("enough"); });
    for (int round = 0; round < 2; ++round) {
      CHECK_THROWS_WITH(offer_some(ones({2})), "enough");
      CHECK(hooks_are_heard());
    }
    CHECK(asked == Names{"in", "part.0.inner.x", "in", "part.0.inner.x"});
  }

  TEST_CASE("each thread has its own listener") {
    const HookListener listener([](const std::string&) { return true; },
                                [](const Tensor& x, const std::string&) { return x * 0; });
    on_threads(2, [](int i) {
      CHECK_FALSE(hooks_are_heard());
      const HookListener own([](const std::string& name) { return name == "out"; },
                             [i](const Tensor& x, const std::string&) { return x + i; });
      for (int round = 0; round < 100; ++round) REQUIRE(offer_some(ones({2})).equal(full({2}, 4.0 + i)));
    });
    CHECK(offer_some(ones({2})).equal(zeros({2})));
  }

  TEST_CASE("another size or type than that of the activation is refused") {
    const auto error_with = [](const Tensor& changed) {
      const HookListener listener([](const std::string& name) { return name == "part.0.inner.x"; },
                                  [&](const Tensor&, const std::string&) { return changed; });
      return refusal_lines([] { offer_some(ones({2})); });
    };
    CHECK(error_with(ones({1, 2})) ==
          "a hook must return a tensor of the sizes and type that it receives, or nothing\nreceived [1, 2] "
          "of torch.float32 "
          "in "
          "place of [2] of "
          "torch.float32 at part.0.inner.x");
    CHECK(error_with(ones({2}, kDouble)) ==
          "a hook must return a tensor of the sizes and type that it receives, or nothing\nreceived [2] of "
          "torch.float64 in "
          "place "
          "of [2] of "
          "torch.float32 at part.0.inner.x");
  }
}
