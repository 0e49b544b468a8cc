#include "etude/ops/autocast.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "etude/autograd/grad_mode.h"
#include "etude/autograd/node.h"
#include "etude/nn/functional.h"
#include "etude/ops/geometry.h"
#include "etude/ops/ops.h"
#include "etude/optim/adamw.h"
#include "support/any_function.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("autocast") {
  namespace {

  /// Autocast for a scope.
  struct On {
    explicit On(bool on = true) {
      autocast::set_cpu_enabled(on);
      autocast::increment_nesting();
    }
    ~On() {
      if (autocast::decrement_nesting() == 0) autocast::clear_cache();
      autocast::set_cpu_enabled(false);
    }
  };

  using Op = AnyFunction<Tensor(const Tensor&)>;

  ScalarType type_of(const Op& op, ScalarType input, IntArrayRef sizes) {
    const On on;
    return op(etude::full(sizes, 0.5).to(input)).scalar_type();
  }

  // Whether op has these result types for float32 and for bfloat16.
  bool makes(ScalarType of_float, ScalarType of_bfloat16, const Op& op, IntArrayRef sizes = {3, 3}) {
    return type_of(op, kFloat, sizes) == of_float && type_of(op, kBFloat16, sizes) == of_bfloat16;
  }

  }  // namespace

  TEST_CASE("it is off at first, and casts to bfloat16 if it is on") {
    CHECK_FALSE(autocast::is_cpu_enabled());
    CHECK(autocast::get_autocast_cpu_dtype() == kBFloat16);
    CHECK(autocast::is_autocast_cache_enabled());
    {
      const On on;
      CHECK(autocast::is_cpu_enabled());
      CHECK(autocast::increment_nesting() == 2);
      CHECK(autocast::decrement_nesting() == 1);
    }
    CHECK(makes(kFloat, kBFloat16, [](const Tensor& x) { return x + x; }));
    CHECK(etude::ones({2, 2}).mm(etude::ones({2, 2})).scalar_type() == kFloat);
  }

  TEST_CASE("matrix products are made in bfloat16") {
    CHECK(makes(kBFloat16, kBFloat16, [](const Tensor& x) { return x.mm(x); }));
    CHECK(makes(kBFloat16, kBFloat16, [](const Tensor& x) { return x.bmm(x); }, {2, 3, 3}));
    CHECK(makes(kBFloat16, kBFloat16, [](const Tensor& x) { return addmm(x, x, x); }));
    CHECK(makes(kBFloat16, kBFloat16, [](const Tensor& x) {
      return linear(x, etude::ones({2, 3}), etude::ones({2}));
    }));
    CHECK(makes(kBFloat16, kBFloat16,
                [](const Tensor& x) {
                  return linear(x, etude::ones({2, 3}));
                },
                {4, 2, 3}));
    for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{3}, {3, 3}, {2, 3, 3}})
      CHECK(makes(
          kBFloat16, kBFloat16, [](const Tensor& x) { return matmul(x, x); }, sizes));
    CHECK(
        makes(kBFloat16, kBFloat16, [](const Tensor& x) { return matmul(x, etude::ones({3}, kBFloat16)); }));
    CHECK(makes(kFloat, kBFloat16, [](const Tensor& x) { return x.mv(x.select(0, 0)); }));
    CHECK(makes(kFloat, kBFloat16, [](const Tensor& x) { return x.dot(x); }, {3}));
    CHECK(makes(kFloat, kBFloat16, [](const Tensor& x) { return outer(x, x); }, {3}));
    const On on;
    CHECK(etude::ones({2, 2}, kHalf).mm(etude::ones({2, 2})).scalar_type() == kBFloat16);
    CHECK(mse_loss(etude::ones({2}, kHalf), etude::ones({2}, kHalf)).scalar_type() == kFloat);
    CHECK(etude::ones({2, 2}, kDouble).mm(etude::ones({2, 2}, kDouble)).scalar_type() == kDouble);
    CHECK(etude::ones({2, 2}, kLong).mm(etude::ones({2, 2}, kLong)).scalar_type() == kLong);
  }

  TEST_CASE("losses and long products are made in float32") {
    namespace F = nn::functional;
    const Tensor goal = etude::full({3}, 1, kLong);
    for (const Op& op : std::vector<Op>{
             [=](const Tensor& x) { return F::cross_entropy(x, goal); },
             [=](const Tensor& x) {
               return F::cross_entropy(x, goal, F::CrossEntropyFuncOptions().label_smoothing(0.1));
             },
             [=](const Tensor& x) { return F::nll_loss(x, goal); },
             [](const Tensor& x) { return F::mse_loss(x, x); },
             [](const Tensor& x) { return F::l1_loss(x, x); },
             [](const Tensor& x) { return F::smooth_l1_loss(x, x); },
             [](const Tensor& x) { return F::huber_loss(x, x); },
             [](const Tensor& x) { return F::binary_cross_entropy(x, x); },
             [](const Tensor& x) { return F::binary_cross_entropy_with_logits(x, x); },
             [](const Tensor& x) { return F::kl_div(x, x, F::KLDivFuncOptions(kSum)); },
             [](const Tensor& x) {
               return F::hinge_embedding_loss(x, etude::ones({3, 3}));
             },
             [](const Tensor& x) { return F::margin_ranking_loss(x[0], x[1], etude::ones({3})); },
             [](const Tensor& x) { return F::soft_margin_loss(x, x); },
             [](const Tensor& x) { return F::cosine_embedding_loss(x, x, etude::ones({3})); },
             [](const Tensor& x) { return F::triplet_margin_loss(x, x, x); },
             [](const Tensor& x) { return F::poisson_nll_loss(x, x); },
             [](const Tensor& x) { return x.prod(); }, [](const Tensor& x) { return etude::cdist(x, x); }})
      CHECK(makes(kFloat, kFloat, op));
  }

  TEST_CASE("other ops keep the type of their inputs, and promote where those differ") {
    for (const Op& op : std::vector<Op>{
             [](const Tensor& x) { return x.sum(); }, [](const Tensor& x) { return softmax(x, -1); },
             [](const Tensor& x) { return layer_norm(x, {3}); }, [](const Tensor& x) { return gelu(x); },
             [](const Tensor& x) { return x.exp(); }, [](const Tensor& x) { return dropout(x, 0.5, true); }})
      CHECK(makes(kFloat, kBFloat16, op));
    CHECK(makes(kFloat, kFloat, [](const Tensor& x) { return x + etude::ones({3, 3}); }));
    CHECK(makes(kFloat, kFloat, [](const Tensor& x) { return cat({x, etude::ones({3, 3})}); }));
  }

  TEST_CASE("weights and inputs of float32 get gradients of float32") {
    const Tensor w = etude::full({2, 3}, 0.5).requires_grad_(), b = etude::zeros({2}).requires_grad_(),
                 x = etude::full({4, 3}, 2.0).requires_grad_();
    Tensor y;
    {
      const On on;
      y = linear(linear(x, w, b), w.slice(1, 0, 2)) + linear(x, w);
      CHECK(y.scalar_type() == kBFloat16);
    }
    y.sum().backward();
    CHECK((w.grad().scalar_type() == kFloat && b.grad().scalar_type() == kFloat &&
           x.grad().scalar_type() == kFloat));
    const Tensor v = w.detach().clone().requires_grad_(), z = x.detach().clone().requires_grad_();
    (linear(linear(z, v, etude::zeros({2})), v.slice(1, 0, 2)) + linear(z, v)).sum().backward();
    CHECK((equal(w.grad(), v.grad()) && equal(x.grad(), z.grad())));
  }

  TEST_CASE("a weight is cast once, and has a gradient where it is used again") {
    const Tensor w = etude::full({2, 2}, 1.0).requires_grad_(), x = etude::ones({2, 2});
    const On on;
    const Tensor first = w.mm(x), second = w.mm(x);
    CHECK(first.grad_fn()->next_edges()[0].function == second.grad_fn()->next_edges()[0].function);
    {
      const NoGradGuard no_grad;
      CHECK_FALSE(w.mm(x).requires_grad());
    }
    (first + second + w.mm(x)).sum().backward();
    CHECK(equal(w.grad(), etude::full({2, 2}, 6.0)));
  }

  TEST_CASE("a model learns as it does in float32") {
    const auto train = [](bool on) {
      manual_seed(1);
      const std::vector<Tensor> p{etude::randn({32, 8}).mul_(0.3), etude::zeros({32}),
                                  etude::randn({4, 32}).mul_(0.2), etude::zeros({4})};
      for (const Tensor& parameter : p) parameter.requires_grad_();
      optim::AdamW optimizer(p, optim::AdamWOptions(1e-2));
      const Tensor x = etude::randn({64, 8}), y = x.narrow(1, 0, 4).argmax(1);
      std::vector<double> losses;
      for (int step = 0; step < 60; ++step) {
        optimizer.zero_grad();
        Tensor loss;
        {
          const On scope(on);
          loss = nn::functional::cross_entropy(linear(gelu(linear(x, p[0], p[1])), p[2], p[3]), y);
        }
        loss.backward();
        optimizer.step();
        losses.push_back(loss.item<double>());
      }
      return losses;
    };
    const std::vector<double> expected = train(false), found = train(true);
    CHECK((expected.front() > 1.2 && expected.back() < 0.2));
    for (size_t i = 0; i < expected.size(); ++i)
      CHECK(std::abs(found[i] - expected[i]) < 0.01 + 0.05 * expected[i]);
  }
}
