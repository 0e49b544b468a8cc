#include "etude/explain/summary.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <tuple>

#include "etude/core/generator.h"
#include "support/half_nets.h"
#include "support/has.h"

using namespace etude;

TEST_SUITE("summary") {
  TEST_CASE("modules are a tree with their outputs, parameters and FLOP") {
    const Summary s = summary(HalfNets(), ones({2, 3}));
    REQUIRE(s.rows.size() == 7);
    const char* paths[] = {"", "first", "first.fc", "first.out", "second", "second.fc", "second.out"};
    for (size_t i = 0; i < 7; ++i) CHECK(s.rows[i].path == paths[i]);
    CHECK(s.rows[0].type == "HalfNets");
    CHECK(s.rows[2].type == "Fc");
    CHECK(s.rows[2].depth == 2);
    CHECK(s.rows[2].output == std::vector<std::vector<int64_t>>{{2, 4}});
    CHECK(s.rows[2].parameters == 12);
    CHECK(s.rows[1].parameters == 0);
    CHECK(s.rows[2].flop == 2 * 3 * 8);
    CHECK(s.rows[1].flop == 2 * 3 * 8 + 8 + 2 * 4 * 6);
    CHECK(s.rows[1].activation_bytes == 4 * (8 + 8 + 6));
    CHECK(s.parameters == 48);
    CHECK(s.trainable == 48);
    CHECK(s.parameter_bytes == 192);
    CHECK(s.flop == 2 * s.rows[1].flop);
    CHECK(s.rows[0].flop == s.flop);
  }

  TEST_CASE("it prints as a table") {
    std::ostringstream out;
    HalfNets net;
    net->second->out->weight.set_requires_grad(false);
    out << summary(net, ones({2, 3}));
    CHECK(out.str() ==
          "module              output  parameters  trainable  FLOP  activations\n"
          "HalfNets            [2, 3]                         208         176 B\n"
          "  first (HalfNet)   [2, 3]                         104          88 B\n"
          "    fc (Fc)         [2, 4]          12         12   48          32 B\n"
          "    out (Fc)        [2, 3]          12         12   48          24 B\n"
          "  second (HalfNet)  [2, 3]                         104          88 B\n"
          "    fc (Fc)         [2, 4]          12         12   48          32 B\n"
          "    out (Fc)        [2, 3]          12          0   48          24 B\n"
          "total: 48 parameters (192 B), 36 trainable; 208 FLOP; activations 176 B\n");
  }

  TEST_CASE("a module that is there twice counts once, and so does a shared parameter") {
    struct NetImpl : nn::Module {
      NetImpl() : fc(2, 2) {
        register_module("a", fc);
        register_module("b", fc);
        register_parameter("tied", fc->weight);
        other = register_module("other", Fc(2, 2));
      }
      Tensor forward(const Tensor& x) { return fc(fc(x)); }
      Fc fc, other = nullptr;
    };
    NetImpl net;
    const Summary s = summary(net, ones({1, 2}));
    REQUIRE(s.rows.size() == 4);
    CHECK(s.parameters == 8);
    CHECK(s.rows[0].parameters == 4);
    CHECK(s.rows[1].calls == 2);
    CHECK(s.rows[1].parameters == 0);
    CHECK(s.rows[2].same_as == "a");
    CHECK(s.rows[3].calls == 0);
    std::ostringstream out;
    out << s;
    CHECK(has(out.str(), "a (Fc)      [1, 2] x2"));
    CHECK(has(out.str(), "same as a"));
    CHECK(has(out.str(), "other (Fc)  -"));
  }

  TEST_CASE(
      "a module that no module has registered is a row of its own, outside of the parameters that are "
      "trained") {
    struct NetImpl : nn::Module {
      Fc lost = std::make_shared<FcImpl>(2, 3);
      Tensor forward(const Tensor& x) { return lost(x); }
    };
    NetImpl net;
    const Summary s = summary(net, ones({1, 2}));
    REQUIRE(s.rows.size() == 2);
    CHECK(s.rows[1].path == "?");
    CHECK(s.rows[1].parameters == 6);
    CHECK(s.parameters == 0);
  }

  TEST_CASE("several inputs, several outputs, and results that are no tensors") {
    struct NetImpl : nn::Module {
      std::tuple<Tensor, Tensor> forward(const Tensor& x, const Tensor& y, double by) { return {x * by, y}; }
    };
    struct CountImpl : nn::Module {
      int forward(const Tensor&) { return 1; }
    };
    struct ListImpl : nn::Module {
      std::vector<Tensor> forward(const Tensor& x) { return x.unbind(0); }
    };
    NetImpl net;
    CHECK(summary(net, ones({2}), ones({3}), 2.0).rows[0].output[0] == std::vector<int64_t>{2});
    CountImpl count;
    CHECK(summary(count, ones({2})).rows[0].output.empty());
    CHECK(summary(std::make_shared<ListImpl>(), ones({2, 3})).rows[0].output.size() == 2);
  }

  TEST_CASE("modes, buffers, random numbers, grads and versions stay as they are") {
    struct NetImpl : nn::Module {
      NetImpl() { calls = register_buffer("calls", zeros({})); }
      Tensor forward(const Tensor& x) {
        CHECK_FALSE(is_training());
        calls.add_(1);
        return x + rand({2});
      }
      Tensor calls;
    };
    NetImpl net;
    manual_seed(5);
    const Tensor expected = rand({2});
    manual_seed(5);
    const Tensor x = ones({2}).requires_grad_();
    summary(net, x);
    CHECK(rand({2}).equal(expected));
    CHECK(net.is_training());
    CHECK_FALSE(net.has_hooks());
    CHECK(net.calls.item<float>() == 0);
    CHECK(x._version() == 0);
  }

  TEST_CASE("an error of the model comes through, and the next summary is right") {
    HalfNets net;
    CHECK_THROWS_AS(summary(net, ones({2, 2})), Error);
    CHECK(summary(net, ones({2, 3})).rows[0].calls == 1);
  }

  TEST_CASE("a module that catches the error of another keeps its own row") {
    struct Cautious : nn::Cloneable<Cautious> {
      void reset() override { child = register_module("child", nn::Linear(3, 2)); }
      Tensor forward(const Tensor& x) {
        try {
          return child(x);
        } catch (const Error&) {
          return x * 2;
        }
      }
      nn::Linear child = nullptr;
    };
    struct Pair : nn::Cloneable<Pair> {
      void reset() override {
        first = register_module("first", std::make_shared<Cautious>());
        first->reset();
        second = register_module("second", nn::Linear(5, 2));
      }
      Tensor forward(const Tensor& x) { return second(nn::call(*first, x)); }
      std::shared_ptr<Cautious> first;
      nn::Linear second = nullptr;
    };
    Pair net;
    net.reset();
    const Summary s = summary(net, ones({4, 5}));
    REQUIRE(s.rows[1].path == "first");
    CHECK(s.rows[1].output == std::vector<std::vector<int64_t>>{{4, 5}});
    CHECK(s.rows[1].flop < s.rows[3].flop);  // without what comes after it
    CHECK(s.rows[2].output.empty());
  }
}
