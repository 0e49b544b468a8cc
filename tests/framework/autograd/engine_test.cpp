#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <thread>

#include "etude/autograd/autograd.h"
#include "etude/autograd/function.h"
#include "etude/autograd/grad_mode.h"
#include "etude/ops/ops.h"
#include "support/gradcheck.h"
#include "support/leaf.h"
#include "support/long_chain.h"
#include "support/refusal.h"

using namespace etude;
using autograd::variable_list;

TEST_SUITE("engine") {
  TEST_CASE("a gradient follows the chain rule through every path") {
    const Tensor x = leaf({2.0, 3.0});
    const Tensor y = (x * x + x.exp() * x).sum();
    y.backward();
    for (int64_t i = 0; i < 2; ++i) {
      const double v = x[i].item<double>();
      CHECK(x.grad()[i].item<double>() == doctest::Approx(2 * v + std::exp(v) * (1 + v)).epsilon(1e-14));
    }
  }

  TEST_CASE("gradients accumulate over calls and over uses") {
    const Tensor x = leaf({1.0, 2.0});
    (x * 3).sum().backward();
    (x + x).sum().backward();
    CHECK(equal(x.grad(), etude::full({2}, 5.0, kDouble)));
  }

  TEST_CASE("the accumulated gradient is nobody else's memory") {
    const Tensor x = leaf({1.0, 2.0}), g = etude::ones({2}, kDouble);
    x.backward(g);
    CHECK_FALSE(x.grad().is_alias_of(g));
    const Tensor y = leaf({1.0, 2.0});
    (x + y).backward(g);
    CHECK_FALSE(x.grad().is_alias_of(y.grad()));
    y.grad().zero_();
    CHECK(equal(x.grad(), etude::full({2}, 2.0, kDouble)));
    CHECK(equal(g, etude::ones({2}, kDouble)));
  }

  TEST_CASE("a leaf takes a gradient that nobody else holds, and copies one that somebody does") {
    const Tensor x = leaf({1.0, 2.0});
    const void* arrived = nullptr;
    Tensor kept;
    x.register_hook([&](const Tensor& g) { arrived = g.data_ptr(); });
    (x * x).sum().backward();
    CHECK(x.grad().data_ptr() == arrived);
    x.mutable_grad() = Tensor();
    (2 * x.view({2, 1}).t()).sum().backward();
    CHECK(x.grad().data_ptr() == arrived);
    CHECK_FALSE(x.grad().is_view());
    x.mutable_grad() = Tensor();
    x.register_hook([&](const Tensor& g) { kept = g; });
    (x * x).sum().backward();
    CHECK_FALSE(x.grad().is_alias_of(kept));
    (x * x).sum().backward();
    CHECK(equal(x.grad(), etude::tensor({4.0, 8.0}, kDouble)));
    CHECK(equal(kept, etude::tensor({2.0, 4.0}, kDouble)));
  }

  TEST_CASE("a gradient that is expanded in the graph is dense in the leaf") {
    const Tensor x = etude::zeros({2, 3}, TensorOptions(kDouble).requires_grad(true));
    x.sum().backward();
    CHECK(x.grad().is_contiguous());
    CHECK(equal(x.grad(), etude::ones({2, 3}, kDouble)));
  }

  TEST_CASE("a gradient has the sizes and the type of its leaf, however the op broadcast or promoted") {
    const Tensor a = etude::ones({2, 1, 3}, requires_grad()),
                 b = etude::ones({4, 1}, TensorOptions(kDouble).requires_grad(true));
    (a * b).sum().backward();
    CHECK(a.grad().sizes() == a.sizes());
    CHECK((a.grad().scalar_type() == kFloat && b.grad().scalar_type() == kDouble));
    CHECK(equal(a.grad(), etude::full({2, 1, 3}, 4.0)));
    CHECK(equal(b.grad(), etude::full({4, 1}, 6.0, kDouble)));
  }

  TEST_CASE("backward starts from 1 for one element, and needs a gradient of the same sizes otherwise") {
    const Tensor x = leaf({1.0, 2.0});
    CHECK(refusal([&] { (x * 2).backward(); }) ==
          "Error: grad can be implicitly created only for scalar outputs");
    CHECK_THROWS_AS((x * 2).backward(etude::ones({3}, kDouble)), Error);
    CHECK_THROWS_AS((x * 2).backward(etude::ones({1}, kDouble)), Error);
    (x * 2).backward(etude::tensor({1.0, 10.0}, kDouble));
    CHECK(equal(x.grad(), etude::tensor({2.0, 20.0}, kDouble)));
    const Tensor one = leaf({{3.0}});
    (one * one).backward();
    CHECK(one.grad().item<double>() == 6);
  }

  TEST_CASE("a gradient of another type is converted") {
    const Tensor x = etude::ones({2}, requires_grad());
    (x * 2).backward(etude::ones({2}, kDouble));
    CHECK((x.grad().scalar_type() == kFloat));
    CHECK(equal(x.grad(), etude::full({2}, 2.0)));
  }

  TEST_CASE("what does not require grad cannot be the root of backward") {
    CHECK(refusal([] { etude::ones({2}).sum().backward(); }) ==
          "Error: element 0 of tensors does not require grad and does not have a grad_fn");
    CHECK(refusal([] {
            const Tensor x = etude::ones({1}, requires_grad());
            autograd::backward({x.sum(), etude::ones({1})});
          }) == "Error: element 1 of tensors does not require grad and does not have a grad_fn");
  }

  TEST_CASE("a gradient that a tensor was broadcast to is summed to its sizes, as in LibTorch") {
    const Tensor x = leaf({1.0, 2.0});
    CHECK(equal(autograd::grad({x * 2}, {x}, {etude::ones({3, 2}, kDouble)})[0],
                etude::full({2}, 6.0, kDouble)));
  }

  TEST_CASE("tensors and gradients come in pairs, and are defined") {
    const Tensor x = leaf({1.0});
    CHECK(refusal([&] { autograd::grad({x * 2}, {x}, {x, x}); }) == "Error: got 1 tensors and 2 gradients");
    CHECK(refusal([&] { autograd::grad({Tensor()}, {x}); }) ==
          "Error: cannot call get_autograd_meta() on undefined tensor");
    CHECK(refusal([&] { autograd::grad({x * 2}, {Tensor()}); }) ==
          "Error: cannot call get_autograd_meta() on undefined tensor");
    autograd::backward({});
  }

  TEST_CASE("several roots are walked together") {
    const Tensor x = leaf({1.0, 2.0});
    const Tensor y = x * x;
    autograd::backward({y.sum(), (y * 3).sum(), x},
                       {Tensor(), etude::scalar_tensor(2, kDouble), etude::ones({2}, kDouble)});
    CHECK(equal(x.grad(), etude::tensor({1 + 7 * 2.0, 1 + 7 * 4.0}, kDouble)));
  }

  TEST_CASE("a graph is used once, unless it is retained") {
    const Tensor x = leaf({0.5});
    const Tensor y = x.exp();
    y.backward({}, true);
    y.backward();
    CHECK(x.grad().item<double>() == doctest::Approx(2 * std::exp(0.5)));
    CHECK(refusal([&] { y.backward(); })
              .rfind("Error: Trying to backward through the graph a second time (or directly access saved "
                     "tensors after they have already "
                     "been freed). Saved intermediate values of the graph are freed when you call "
                     ".backward() or autograd.grad(). "
                     "Specify retain_graph=True if you need to backward through the graph a second time or "
                     "if you need to access saved "
                     "tensors after calling backward.",
                     0) == 0);
  }

  TEST_CASE("a graph that saved nothing can be walked again, as in PyTorch") {
    const Tensor x = leaf({1.0});
    const Tensor y = x + 1;
    y.backward();
    y.backward();
    CHECK(x.grad().item<double>() == 2);
  }

  TEST_CASE("a chain of 100,000 ops runs forward, backward and away without recursion") {
    double gradient = 0;
    with_stack(kSmallStack, [&] {
      const Tensor x = leaf({1.0});
      Tensor y = x;
      for (int i = 0; i < kLongChain; ++i) y = y + 1e-6;
      y.backward();
      gradient = x.grad().item<double>();
    });
    CHECK(gradient == 1);
  }

  TEST_CASE("a graph of 100,000 ops in which every node is used twice takes one visit per node") {
    double gradient = 0;
    with_stack(kSmallStack, [&] {
      const Tensor x = leaf({1.0});
      Tensor y = x;
      for (int i = 0; i < kLongChain / 2; ++i) y = (y + y) * 0.5;
      y.backward();
      gradient = x.grad().item<double>();
    });
    CHECK(gradient == 1);
  }

  TEST_CASE("a long graph under create_graph, and its double gradient, take no recursion") {
    double second = 0;
    with_stack(kSmallStack, [&] {
      const Tensor x = leaf({1.0});
      Tensor y = x * x;
      for (int i = 0; i < 20000; ++i) y = y * 1.0;
      const Tensor g = autograd::grad({y}, {x}, {}, nullopt, true)[0];
      second = autograd::grad({g}, {x})[0].item<double>();
    });
    CHECK(second == 2);
  }

  TEST_CASE("grad returns gradients and accumulates nothing") {
    const Tensor x = leaf({1.0, 2.0}), w = leaf({3.0, 4.0});
    const variable_list g = autograd::grad({(x * w).sum()}, {w, x});
    CHECK(equal(g[0], x.detach()));
    CHECK(equal(g[1], w.detach()));
    CHECK_FALSE(x.grad().defined());
    CHECK_FALSE(g[0].requires_grad());
  }

  TEST_CASE("grad gives the gradient of a tensor in the middle of the graph, without walking further") {
    const Tensor x = leaf({1.0, 2.0});
    const Tensor y = x.exp(), z = y * y;
    const Tensor dy = autograd::grad({z.sum()}, {y})[0];
    CHECK(allclose(dy, 2 * y.detach()));
    y.sum().backward();  // exp's node is whole: nothing reached it
    CHECK(allclose(x.grad(), y.detach()));
  }

  TEST_CASE("grad gives the gradient of the root itself") {
    const Tensor x = leaf({1.0, 2.0});
    CHECK(autograd::grad({x}, {x}, {etude::tensor({5.0, 6.0}, kDouble)})[0][1].item<double>() == 6);
    const Tensor y = x * 2;
    const variable_list g = autograd::grad({y}, {y, x}, {etude::ones({2}, kDouble)});
    CHECK(equal(g[0], etude::ones({2}, kDouble)));
    CHECK(equal(g[1], etude::full({2}, 2.0, kDouble)));
  }

  TEST_CASE("an input that the outputs do not depend on is refused, or undefined where that is allowed") {
    const Tensor x = leaf({1.0}), other = leaf({1.0});
    CHECK(
        refusal([&] { autograd::grad({x * 2}, {other}); })
            .find(" appears to not have been used in the graph. Set allow_unused=True if this is the desired "
                  "behavior.") != std::string::npos);
    const variable_list g = autograd::grad({x * 2}, {other, x}, {}, nullopt, false, true);
    CHECK_FALSE(g[0].defined());
    CHECK(g[1].item<double>() == 2);
    CHECK(refusal([&] { autograd::grad({x * 2}, {}); }).find("grad requires non-empty inputs.") !=
          std::string::npos);
  }

  TEST_CASE("grad names a tensor that it cannot differentiate as Python does") {
    const Tensor x = leaf({1.0}), other = leaf({1.0});
    CHECK(refusal([&] {
            autograd::grad({x * 2}, {x, other});
          }) ==
          newer("Error: The differentiated Tensor at index 1", "Error: One of the differentiated Tensors") +
              " appears to not have been used in the graph. Set allow_unused=True if this is the desired "
              "behavior.");
    CHECK(refusal([&] { autograd::grad({x * 2}, {etude::ones({1})}); }) ==
          "Error: One of the differentiated Tensors does not require grad");
  }

  TEST_CASE("backward with inputs accumulates into those alone") {
    const Tensor x = leaf({1.0}), w = leaf({3.0}), unused = leaf({1.0});
    for (int i = 1; i <= 2; ++i) {
      (x * w).backward({}, nullopt, false, TensorList(w));
      CHECK_FALSE(x.grad().defined());
      CHECK(w.grad().item<double>() == i);
    }
    autograd::backward({x * w}, {}, nullopt, false, {unused});
    CHECK_FALSE(unused.grad().defined());
    CHECK(refusal([&] { (x * w).backward({}, nullopt, false, TensorList()); }) ==
          "Error: 'inputs' argument to backward cannot be empty");
    CHECK(refusal([&] { autograd::backward({x * w}, {}, nullopt, false, {etude::ones({1})}); }) ==
          "Error: can't retain_grad on Tensor that has requires_grad=False");
    autograd::backward({x * w}, {}, nullopt, false, {});
    CHECK(x.grad().item<double>() == 3);
  }

  TEST_CASE("backward with an input in the middle of the graph keeps its gradient and walks no further") {
    const Tensor x = leaf({1.0, 2.0}), y = x * 2;
    (y * y).sum().backward({}, nullopt, false, TensorList(y));
    CHECK(equal(y.grad(), etude::tensor({4.0, 8.0}, kDouble)));
    CHECK(y.retains_grad());
    CHECK_FALSE(x.grad().defined());
    (y * y).sum().backward({}, true, false, TensorList(std::vector<Tensor>{x, y}));
    CHECK(equal(y.grad(), etude::tensor({8.0, 16.0}, kDouble)));
    CHECK(equal(x.grad(), etude::tensor({8.0, 16.0}, kDouble)));
  }

  TEST_CASE("create_graph makes gradients that can be differentiated again and again") {
    const Tensor x = leaf({2.0});
    Tensor g = x.pow(5);
    double expected = 32, power = 5;
    for (int order = 0; order < 5; ++order, --power) {
      g = autograd::grad({g}, {x}, {}, nullopt, true)[0];
      expected = expected * power / 2;
      CHECK(g.item<double>() == doctest::Approx(expected).epsilon(1e-13));
    }
    CHECK_FALSE(autograd::grad({x * x}, {x})[0].requires_grad());
  }

  TEST_CASE("create_graph in backward lets the gradient itself be part of a loss") {
    const Tensor x = leaf({3.0});
    (x * x * x).backward({}, nullopt, true);
    const Tensor penalty = x.grad() * x.grad();
    const Tensor g = autograd::grad({penalty}, {x})[0];
    CHECK(g.item<double>() == doctest::Approx(2 * 27 * 18));
    x.mutable_grad().reset();  // x and its gradient hold each other
  }

  TEST_CASE("nodes of one depth run in the reverse order of their making") {
    const Tensor x = leaf({1.0});
    std::string order;
    std::vector<Tensor> parts;
    for (int i = 0; i < 4; ++i) {
      parts.push_back(x * i);
      parts.back().register_hook([&order, i](const Tensor&) {
        order += static_cast<char>('0' + i);
        return Tensor();
      });
    }
    ((parts[0] + parts[1]) + (parts[2] + parts[3])).backward();
    CHECK(order == "3210");
  }

  TEST_CASE("a backward of a custom function may call backward itself") {
    struct Nested : autograd::Function<Nested> {
      static Tensor forward(autograd::AutogradContext*, Tensor x) { return x * 1; }
      static variable_list backward(autograd::AutogradContext*, variable_list dy) {
        const Tensor inner = leaf({3.0});
        const AutoGradMode on(true);
        (inner * inner).backward();
        return {dy[0] * inner.grad()};
      }
    };
    const Tensor x = leaf({2.0});
    (Nested::apply(x) * 1).backward();
    CHECK(x.grad().item<double>() == 6);
  }

  TEST_CASE("graphs of two threads meet in one, and threads walk graphs of their own at the same time") {
    const Tensor x = leaf({1.0, 2.0});
    Tensor a, b;
    std::thread first([&] { a = x.exp().exp().log().log(); });
    std::thread second([&] { b = x * 3; });
    first.join();
    second.join();
    ((a + b) * b).sum().backward();
    CHECK(allclose(x.grad(), 4.0 * 3 * 2 * x.detach()));

    std::vector<std::thread> threads;
    std::vector<double> results(4);
    for (size_t t = 0; t < results.size(); ++t)
      threads.emplace_back([&results, t] {
        const Tensor w = etude::full({1}, static_cast<double>(t), TensorOptions(kDouble).requires_grad(true));
        for (int i = 0; i < 200; ++i) (w * w).backward();
        results[t] = w.grad().item<double>();
      });
    for (std::thread& t : threads) t.join();
    for (size_t t = 0; t < results.size(); ++t) CHECK(results[t] == 400.0 * static_cast<double>(t));
  }

  TEST_CASE("the gradients of random graphs agree with finite differences") {
    std::mt19937 random(7);
    auto pick = [&](size_t n) { return static_cast<size_t>(random() % n); };
    for (int graph = 0; graph < 60; ++graph) {
      CAPTURE(graph);
      const auto ops = static_cast<int>(20 + pick(60));
      std::vector<std::array<size_t, 4>> program;
      for (int i = 0; i < ops; ++i) program.push_back({pick(12), pick(1000), pick(1000), pick(3)});
      const TensorFunction f = [&](const std::vector<Tensor>& in) {
        std::vector<Tensor> values = in;
        for (const auto& [op, i, j, d] : program) {
          const Tensor a = values[i % values.size()], b = values[j % values.size()];
          Tensor y;
          switch (op) {
            case 0:
              y = a + b;
              break;
            case 1:
              y = a * b;
              break;
            case 2:
              y = a - b * 0.5;
              break;
            case 3:
              y = a / (b * b + 1.5);
              break;
            case 4:
              y = a.sin();
              break;
            case 5:
              y = a.tanh();
              break;
            case 6:
              y = a.t();
              break;
            case 7:
              y = a.matmul(b) * 0.3;
              break;
            case 8:
              y = a.slice(0, 0, 1) + b.slice(1, 1, 2);
              break;
            case 9:
              y = softmax(a, 1);
              break;
            case 10: {
              Tensor c = a.clone();
              c[static_cast<int64_t>(d)].mul_(b[0]);
              y = c;
              break;
            }
            default:
              y = cat({a.slice(0, 1, 3), b.slice(0, 0, 1)}, 0);
              break;
          }
          values.push_back(y.tanh());
        }
        Tensor sum = values[in.size()];
        for (size_t v = in.size() + 1; v < values.size(); v += 3) sum = sum + values[v];
        return sum;
      };
      const Tensor x = sin(etude::arange(9, kDouble) * 1.3 + graph).reshape({3, 3}),
                   w = cos(etude::arange(9, kDouble) * 0.7 + graph).reshape({3, 3});
      CHECK(gradcheck(f, {x, w}));
    }
  }

  TEST_CASE("the gradients of the gradients of random graphs agree with finite differences") {
    std::mt19937 random(11);
    for (int graph = 0; graph < 15; ++graph) {
      CAPTURE(graph);
      std::vector<std::array<size_t, 3>> program;
      for (int i = 0; i < 8; ++i)
        program.push_back({static_cast<size_t>(random() % 6), random() % 100, random() % 100});
      const TensorFunction f = [&](const std::vector<Tensor>& in) {
        std::vector<Tensor> values = in;
        for (const auto& [op, i, j] : program) {
          const Tensor a = values[i % values.size()], b = values[j % values.size()];
          switch (op) {
            case 0:
              values.push_back(a * b);
              break;
            case 1:
              values.push_back(a.sigmoid() + b);
              break;
            case 2:
              values.push_back(a.matmul(b.t()));
              break;
            case 3:
              values.push_back(a / (b * b + 2));
              break;
            case 4:
              values.push_back(a.exp().log1p());
              break;
            default:
              values.push_back(softmax(a, 0) - b.mean());
              break;
          }
          values.back() = values.back().tanh();
        }
        return values.back() + values[2];
      };
      CHECK(gradgradcheck(f, {sin(etude::arange(4, kDouble) + graph).reshape({2, 2}),
                              cos(etude::arange(4, kDouble) * 2 + graph).reshape({2, 2})}));
    }
  }
}
