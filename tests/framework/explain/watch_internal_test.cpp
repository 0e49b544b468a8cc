#include "etude/explain/detail/watch.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "etude/explain/explain.h"
#include "etude/ops/ops.h"
#include "support/half_nets.h"
#include "support/on_threads.h"

using namespace etude;

TEST_SUITE("watch") {
  namespace {

  struct Notes final : detail::Collector {
    void op(const detail::Event& event) override {
      text += std::string(event.name) + " ";
      ways += std::string(event.way) + ";";
      grad_fns += std::string(event.grad_fn) + ";";
      kernels += event.kernel + ";";
      fine = fine && event.nanoseconds >= 0;
    }
    void module_begins(const void*, const detail::listen::Place* place) override {
      text += "(" + place->text + " ";
    }
    void module_ends(const detail::Event&) override { text += ") "; }
    std::string text, ways, grad_fns, kernels;
    bool fine = true;
  };

  }  // namespace

  TEST_CASE("a collector hears of outermost ops and of modules, of its thread alone") {
    HalfNets net;
    Notes notes;
    on_threads(2, [&](int) { net(ones({2, 3})); });
    net->first(ones({2, 3}));
    CHECK(notes.text ==
          "aten::ones (first (HalfNet) of HalfNets (first.fc (Fc) of HalfNets aten::linear ) aten::relu "
          "(first.out (Fc) of HalfNets aten::linear ) ) ");
    CHECK(notes.fine);
  }

  TEST_CASE("collectors stand in each other, and an exception leaves the stack right") {
    HalfNets net;
    const Tensor x = ones({2, 3});
    Notes outer;
    {
      Notes inner;
      CHECK_THROWS_AS(net(ones({2, 2})), Error);
      x + x;
      CHECK(inner.text.find("aten::add ") != std::string::npos);
    }
    outer.text.clear();
    x* x;
    CHECK(outer.text == "aten::mul ");
  }

  TEST_CASE("how a result came to be") {
    const Tensor x = ones({2, 3}).requires_grad_(), z = ones({2, 3}), e = ones({0});
    const auto way = [](const auto& op) {
      Notes notes;
      op();
      return notes.ways;
    };
    CHECK(way([&] { x.view({6}); }) == "view;");
    CHECK(way([&] { x.t(); }) == "view;");
    CHECK(way([&] { x.t().reshape({6}); }) == "view;copy;");
    CHECK(way([&] { z.add_(1); }) == "in place;");
    CHECK(way([&] { z + 1; }) == ";");
    CHECK(way([&] { z.clone(); }) == "copy;");
    CHECK(way([&] { z.to(kDouble); }) == "copy;");
    CHECK(way([&] { e.clone(); }) == "copy;");
    CHECK(way([&] { e.view({0, 3}); }) == "view;");
    Notes notes;
    x.exp();
    z.exp();
    CHECK(notes.grad_fns == "ExpBackward0;;");
  }

  TEST_CASE("what is watched can be changed at any time, also while ops run") {
    CHECK_FALSE(detail::listen::is_heard());
    const Tensor x = ones({64});
    std::ostringstream lines;
    on_threads(4, [&](int i) {
      for (int k = 0; k < 100; ++k) {
        if (i == 0) explain(lines), trap_nan();
        x.exp();
        linear(x, x);
        if (i == 0) explain(false), trap_nan(false);
      }
    });
    CHECK_FALSE(detail::listen::is_heard());
  }
}
