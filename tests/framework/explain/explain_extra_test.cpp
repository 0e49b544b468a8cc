#include "etude/explain/explain.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "etude/autograd/anomaly_mode.h"
#include "etude/autograd/autograd.h"
#include "etude/core/generator.h"
#include "etude/onednn/backend.h"
#include "etude/ops/convolution.h"
#include "support/half_nets.h"
#include "support/has.h"
#include "support/on_threads.h"
#include "support/refusal.h"
#include "support/shell.h"

using namespace etude;

TEST_SUITE("explain") {
  namespace {

  struct Off {
    ~Off() {
      explain(false);
      trap_nan(false);
    }
  };

  template <typename F>
  std::vector<std::string> explained(const F& f, bool inside = false) {
    const Off off;
    std::ostringstream out;
    explain(out, inside);
    f();
    explain(false);
    std::vector<std::string> lines;
    std::istringstream in(out.str());
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  template <typename F>
  std::string trapped(const F& f, bool also_inf = false) {
    const Off off;
    trap_nan(true, also_inf);
    return refusal_lines(f);
  }

  const float kNan = std::nanf(""), kInf = std::numeric_limits<float>::infinity();

  }  // namespace

  TEST_CASE("a line says what an op was given, made, how, and in which module") {
    const Tensor x = ones({2, 3}).requires_grad_();
    const auto lines = explained([&] { HalfNets()->first->fc(x); });
    const std::string& line = lines.back();
    CHECK(line.rfind("aten::linear", 0) == 0);
    for (const char* part : {"float32 [2, 3] [4, 3] none -> float32 [2, 4]", "min 1.5 mean 1.5 max 1.5",
                             "48 FLOP (", "104 B (", "MmBackward0", "in first.fc (Fc) of HalfNets"})
      CHECK_MESSAGE(has(line, part), part, " is not in ", line);
  }

  TEST_CASE("the kernel is that of oneDNN, or a plain one") {
    const Tensor a = ones({64, 64}), image = ones({1, 4, 16, 16}), w = ones({8, 4, 3, 3});
    const auto kernels = [&] {
      return explained([&] {
        a.mm(a);
        conv2d(image, w);
      });
    };
    {
      const onednn::EnabledGuard off(false);
      for (const std::string& line : kernels()) CHECK(has(line, "  plain  "));
    }
    if (!onednn::available()) return;
    const auto lines = kernels();
    CHECK(has(lines[0], "  oneDNN sgemm  "));
    CHECK(has(lines[1], "  oneDNN "));
    CHECK_FALSE(has(lines[1], "plain"));
  }

  TEST_CASE("views have no kernel, and nodes of a backward have a line") {
    HalfNets net;
    Tensor loss = net(ones({2, 3})).sum();
    const auto lines = explained([&] {
      loss.view({1});
      loss.backward();
    });
    CHECK(has(lines[0], "  view  "));
    CHECK_FALSE(has(lines[0], "plain"));
    bool has_node = false;
    for (const std::string& line : lines) has_node |= line.rfind("MmBackward0", 0) == 0;
    CHECK(has_node);
    CHECK(has(lines.back(), "AccumulateGrad"));
  }

  TEST_CASE("the module of a node is that of its forward") {
    HalfNets net;
    const auto lines = explained([&] { net(ones({2, 3})).sum().backward(); });
    int nodes = 0;
    for (const std::string& line : lines)
      if (line.rfind("ReluBackward0", 0) == 0)
        CHECK(has(line, ++nodes == 1 ? "in second (HalfNet) of HalfNets" : "in first (HalfNet) of HalfNets"));
    CHECK(nodes == 2);
  }

  TEST_CASE("ops inside of an op are indented below it where they are asked for") {
    const auto run = [] { linear(ones({2, 3}), ones({4, 3})); };
    const auto outer = explained(run), all = explained(run, /*inside=*/true);
    CHECK(outer.back().rfind("aten::linear", 0) == 0);
    CHECK(all.back().rfind("    aten::mm", 0) == 0);
    CHECK(all.size() > outer.size());
  }

  TEST_CASE("tensors of any type, empty, of no dim, undefined") {
    const auto lines = explained([] {
      for (const ScalarType type : {kBool, kByte, kInt, kLong, kHalf, kBFloat16, kDouble})
        ones({2}, type).eq(1);
      ones({0, 3}).sum(0);
      linear(ones({2}), ones({1, 2}), Tensor());
      ones({}).exp();
    });
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    for (const char* part : {"bool [2]", "uint8 [2]", "int32 [2]", "int64 [2]", "float16 [2]", "bfloat16 [2]",
                             "float64 [2]", "[0, 3] -> float32 [3]", "none", "float32 [] -> float32 []"})
      CHECK_MESSAGE(has(text, part), part);
  }

  TEST_CASE("results, gradients, random numbers, versions and the order of nodes stay as they are") {
    const auto run = [] {
      manual_seed(3);
      HalfNets net;
      Tensor x = randn({4, 3}).requires_grad_();
      Tensor y = dropout(net(x), 0.5, true);
      y.mul_(2);
      y.sum().backward();
      return std::make_tuple(y, x.grad(), rand({2}), y._version());
    };
    const auto [y, g, r, v] = run();
    std::tuple<Tensor, Tensor, Tensor, int64_t> again;
    explained([&] { again = run(); });
    CHECK(y.equal(std::get<0>(again)));
    CHECK(g.equal(std::get<1>(again)));
    CHECK(r.equal(std::get<2>(again)));
    CHECK(v == std::get<3>(again));
  }

  TEST_CASE("lines of several threads stay whole") {
    const auto lines = explained([] {
      on_threads(4, [](int) {
        for (int i = 0; i < 20; ++i) ones({8}).exp();
      });
    });
    CHECK(lines.size() == 160);
    for (const std::string& line : lines) CHECK(line.rfind("aten::", 0) == 0);
  }

  TEST_CASE("an exception in an op leaves what follows right") {
    const auto lines = explained([] {
      CHECK_THROWS_AS(ones({2}).mm(ones({2})), Error);
      ones({2});
    });
    CHECK(lines.back().rfind("aten::ones", 0) == 0);
    CHECK(explained([] {}).empty());
  }

  TEST_CASE("said from the environment" * doctest::skip()) {
    HalfNets()(ones({2, 3}));
    CHECK_THROWS_AS(log(-ones({2})), Error);
    CHECK_NOTHROW(log(zeros({2})));
  }

  TEST_CASE("ETUDE_EXPLAIN and ETUDE_NAN_TRAP turn them on") {
    const auto run = [](const std::string& variables) {
      return shell(variables + " /proc/" + std::to_string(::getpid()) +
                   "/exe --test-case='said from the environment' --no-skip");
    };
    const ShellRun on = run("ETUDE_EXPLAIN=1 ETUDE_NAN_TRAP=1");
    CHECK(on.code == 0);
    CHECK(has(on.output, "in second.out (Fc) of HalfNets"));
    CHECK_FALSE(has(on.output, "    aten::mm"));
    CHECK(has(run("ETUDE_EXPLAIN=2").output, "    aten::mm"));
    CHECK(run("ETUDE_NAN_TRAP=inf").code != 0);
    const ShellRun off = run("ETUDE_EXPLAIN=0 ETUDE_NAN_TRAP=");
    CHECK(off.code != 0);
    CHECK_FALSE(has(off.output, "aten::linear"));
  }

  // --- The trap ---

  TEST_CASE("the first op whose result holds a nan is named, with what it was given") {
    const std::string text = trapped([] { log(tensor({1.0f, -1.0f})).exp(); });
    CHECK(text ==
          "aten::log returned nan while what it was given holds none\n"
          "given 0: float32 [2], min -1 mean 0 max 1\nreturned: float32 [2], 1 of 2 nan, min 0 mean 0 max 0");
  }

  TEST_CASE("what was given a nan, made none of its own, or is told one is left alone") {
    const Tensor with_nan = tensor({kNan, 1.0f});
    CHECK(trapped([&] {
            with_nan + 1;
            with_nan.clone();
            full({2}, kNan);
            full_like(with_nan, kNan);
            ones({2}).fill_(kNan);
            ones({2}).masked_fill(ones({2}) == 1, kNan);
            with_nan.view({2, 1}).select(0, 0);
            empty({100});
            empty_like(with_nan);
            ones({2}).log();
            ones({0}).mean();
          }) ==
          "aten::mean returned nan while what it was given holds none\ngiven 0: float32 [0], \n"
          "returned: float32 [], 1 of 1 nan");
  }

  TEST_CASE("infinities are trapped where they are asked for") {
    const auto run = [] { log(zeros({1})); };
    CHECK(trapped(run).empty());
    CHECK(has(trapped(run, true), "aten::log returned inf"));
    CHECK(trapped([] { ones({2}).masked_fill(ones({2}) == 1, -INFINITY); }, true).empty());
    CHECK(trapped([] { tensor({kInf}) - tensor({kInf}); }, true).empty());
    CHECK(has(trapped([] { tensor({kInf}) - tensor({kInf}); }), "aten::sub returned nan"));
  }

  TEST_CASE("the module is named, and the op that it was inside of") {
    struct BadImpl : nn::Module {
      BadImpl() { half = register_module("half", HalfNet()); }
      Tensor forward(const Tensor& x) { return std_of(half(x)); }
      static Tensor std_of(const Tensor& x) {
        return std::get<0>(etude::std_mean(x.slice(0, 0, 1), 0, true));
      }
      HalfNet half = nullptr;
    };
    BadImpl bad;
    const std::string text = trapped([&] { nn::call(bad, ones({2, 3})); });
    CHECK(has(text, "returned nan"));
    CHECK(has(text, "\nin Bad"));
  }

  TEST_CASE("in a backward the node is named, and the module of its forward") {
    struct RootImpl : nn::Module {
      RootImpl() = default;
      Tensor forward(const Tensor& x) { return x.sqrt(); }
    };
    struct NetImpl : nn::Module {
      NetImpl() : root(register_module("root", std::make_shared<RootImpl>())) {}
      Tensor forward(const Tensor& x) { return nn::call(*root, x) * 0; }
      std::shared_ptr<RootImpl> root;
    };
    NetImpl net;
    const Tensor x = zeros({2}).requires_grad_();
    const std::string text = trapped([&] { nn::call(net, x).sum().backward(); });
    CHECK(has(text, "aten::div returned nan"));
    CHECK(has(text, "\ninside of the backward SqrtBackward0"));
    CHECK(text.substr(text.rfind('\n')) == "\nin root (Root) of Net");
  }

  TEST_CASE("a node without ops has the sentence of anomaly mode") {
    const Tensor x = full({2}, -100.0).requires_grad_();  // a point with slope 0
    const auto walk = [&] { gelu(x).backward(full({2}, kInf)); };
    const std::string text = trapped(walk), line = text.substr(0, text.find('\n'));
    CHECK(line == "Function 'GeluBackward0' returned nan values in its 0th output.");
    CHECK(has(text, "\nreturned: float32 [2], 2 of 2 nan"));
    const autograd::DetectAnomalyGuard anomaly;
    CHECK(refusal_text(walk) == line);
  }

  TEST_CASE("after a trap everything runs on") {
    const Off off;
    trap_nan();
    CHECK_THROWS_AS(log(-ones({1})), Error);
    CHECK_THROWS_AS(log(-ones({1})), Error);
    CHECK_NOTHROW(log(ones({1})));
    trap_nan(false);
    CHECK_NOTHROW(log(-ones({1})));
  }

  TEST_CASE("a stream may go as soon as explain is off, while other threads compute") {
    const Off off;
    std::atomic<bool> is_over{false};
    int rounds = 0;
    on_threads(4, [&](int thread) {
      const Tensor x = ones({2, 3});
      if (thread > 0) {
        while (!is_over) x.add(x);
        return;
      }
      for (int round = 0; round < 500; ++round) {
        std::ostringstream out, other;
        explain(out);
        x.add(x);
        explain(other);
        x.add(x);
        explain(false);
        if (!has(out.str(), "aten::add") || !has(other.str(), "aten::add")) break;
        rounds = round + 1;
      }
      is_over = true;
    });
    CHECK(rounds == 500);
  }

  TEST_CASE("a stream may turn explain off while a line is written to it") {
    const Off off;
    struct Once final : std::stringbuf {
      int sync() override {
        explain(false);
        return 0;
      }
    } buffer;
    std::ostream out(&buffer);
    explain(out);
    const Tensor x = ones({2, 3});
    x.add(x);
    CHECK(has(buffer.str(), "aten::ones"));
    CHECK_FALSE(has(buffer.str(), "aten::add"));
  }
}
