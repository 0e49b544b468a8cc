// Mini is the definition: the fast library computes the results and gradients of each of its ops, for random sizes, strides and
// numbers, in every vector form and with one thread and two.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "etude/framework.h"
#include "mini/gpt.h"
#include "support/any_function.h"
#include "support/processor.h"
#include "support/thread_count.h"

TEST_SUITE("mini") {
  namespace {

  // The same numbers on both sides.
  struct Both {
    etude::Tensor fast;
    mini::Tensor plain;
  };

  Both both_of(const etude::Tensor& t) {
    const etude::Tensor rows = t.detach().contiguous();
    const mini::Sizes sizes(t.sizes().begin(), t.sizes().end());
    const auto type = t.scalar_type() == etude::kLong   ? mini::kLong
                      : t.scalar_type() == etude::kBool ? mini::kBool
                                                        : mini::kFloat;
    const mini::Tensor plain = mini::empty(sizes, type);
    mini::dispatch(type, [&](auto zero) {
      using T = decltype(zero);
      std::copy_n(rows.data_ptr<T>(), rows.numel(), plain.data_ptr<T>());
    });
    return {rows, plain};
  }

  // Checks that both are equal except for the last bits of float32, and returns whether they are.
  bool check_close(const etude::Tensor& fast, const mini::Tensor& plain, double tolerance,
                   const std::string& what = "the result") {
    const mini::Sizes sizes(fast.sizes().begin(), fast.sizes().end());
    REQUIRE(plain.sizes() == sizes);
    const etude::Tensor x = fast.detach().to(etude::kDouble).contiguous();
    const mini::Tensor y = plain.detach().to(mini::kFloat).contiguous();
    double largest = 1, farthest = 0;
    std::string worst;
    for (int64_t i = 0; i < x.numel(); ++i) {
      const double a = x.data_ptr<double>()[i], b = static_cast<double>(y.data_ptr<float>()[i]);
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      largest = std::max(largest, std::abs(a));
      const double distance = std::isfinite(a - b) ? std::abs(a - b) : 1e300;
      if (distance <= farthest) continue;
      farthest = distance;
      worst = etude::str("element ", i, " is ", b, " in mini, and ", a, " in the library");
    }
    const bool is_close = farthest <= tolerance * largest;
    CHECK_MESSAGE(is_close, what, ": ", worst);
    return is_close;
  }

  // One text for both: an op is a generic function of a list of tensors.
#define ETUDE_MINI_OP(...)                                                                        \
  {                                                                                               \
#__VA_ARGS__, [](const std::vector<etude::Tensor>& x) -> etude::Tensor {                        \
     using namespace etude;                                                                       \
     using namespace etude::indexing;                                                             \
     (void)x;                                                                                     \
     return __VA_ARGS__;                                                                          \
   },                                                                                             \
   [](const std::vector<mini::Tensor>& x) -> mini::Tensor {                                        \
     using namespace mini;                                                                        \
     using namespace mini::indexing;                                                              \
     (void)x;                                                                                     \
     return __VA_ARGS__;                                                                          \
   } \
  }

  struct Op {
    const char* text;
    etude::AnyFunction<etude::Tensor(const std::vector<etude::Tensor>&)> fast;
    etude::AnyFunction<mini::Tensor(const std::vector<mini::Tensor>&)> plain;
  };

  // x[0] and x[1] are normal numbers [n, m], x[2] positive ones, x[3] is [m], x[4] ids below n and x[5] a mask.
  const std::vector<Op>& ops() {
    static const std::vector<Op> all = {
        ETUDE_MINI_OP(x[0] + x[3]),
        ETUDE_MINI_OP(x[0] - x[1].t().contiguous().t()),
        ETUDE_MINI_OP(x[0] * x[3].unsqueeze(0)),
        ETUDE_MINI_OP(x[0] / x[2]),
        ETUDE_MINI_OP(2 / x[2] - 3 * x[2]),
        ETUDE_MINI_OP(-x[0]),
        ETUDE_MINI_OP(pow(x[2], 3)),
        ETUDE_MINI_OP(pow(2, x[0].detach())),
        ETUDE_MINI_OP(pow(x[0].relu(), 0)),
        ETUDE_MINI_OP(x[0].exp()),
        ETUDE_MINI_OP(x[2].log()),
        ETUDE_MINI_OP(x[2].sqrt()),
        ETUDE_MINI_OP(x[0].sin() + x[0].cos()),
        ETUDE_MINI_OP(x[0].tanh()),
        ETUDE_MINI_OP(x[0].relu()),
        ETUDE_MINI_OP((0 * x[0] / 0).detach().relu()),
        ETUDE_MINI_OP(x[0].abs()),
        ETUDE_MINI_OP((x[0] * 3).round()),
        ETUDE_MINI_OP((x[0] < x[1]).logical_not()),
        ETUDE_MINI_OP((x[0] >= 0) | (x[1] == x[1])),
        ETUDE_MINI_OP(x[5].logical_or(x[0] > 0)),
        ETUDE_MINI_OP((x[0] / x[0].relu()).isnan()),
        ETUDE_MINI_OP(x[0].masked_fill(x[5], 0.5)),
        ETUDE_MINI_OP(x[4].masked_fill(x[4] == 0, 7)),
        ETUDE_MINI_OP(x[0].sum()),
        ETUDE_MINI_OP(x[0].sum(0)),
        ETUDE_MINI_OP(x[0].sum(-1, true)),
        ETUDE_MINI_OP(x[0].expand({2, -1, -1}).sum({0, 2})),
        ETUDE_MINI_OP(x[0].mean()),
        ETUDE_MINI_OP(x[0].mean(1)),
        ETUDE_MINI_OP(x[0].var()),
        ETUDE_MINI_OP(x[0].var({1}, false)),
        ETUDE_MINI_OP(x[0].std(1, true, true)),
        ETUDE_MINI_OP(x[2].norm()),
        ETUDE_MINI_OP(x[2].norm(2, 1)),
        ETUDE_MINI_OP(x[0].max()),
        ETUDE_MINI_OP(x[0].min()),
        ETUDE_MINI_OP(x[0].argmax() + x[1].argmin()),
        ETUDE_MINI_OP((x[0] / x[0].relu()).argmax()),
        ETUDE_MINI_OP(x[5].min()),
        ETUDE_MINI_OP(x[0].amax({})),
        ETUDE_MINI_OP(x[0].amax({1}, true)),
        ETUDE_MINI_OP(x[5].any()),
        ETUDE_MINI_OP(x[5].any(1)),
        ETUDE_MINI_OP(x[5].all()),
        ETUDE_MINI_OP(x[5].sum()),
        ETUDE_MINI_OP(matmul(x[0], x[1].t())),
        ETUDE_MINI_OP(matmul(x[0].unsqueeze(0).expand({3, -1, -1}), x[1].t())),
        ETUDE_MINI_OP(matmul(x[0], x[3])),
        ETUDE_MINI_OP(matmul(x[3], x[1].t())),
        ETUDE_MINI_OP(softmax(x[0], 1)),
        ETUDE_MINI_OP(softmax(x[0], 0)),
        ETUDE_MINI_OP(log_softmax(x[0], -1)),
        ETUDE_MINI_OP(gelu(x[0], "tanh")),
        ETUDE_MINI_OP(layer_norm(x[0], {x[0].size(1)})),
        ETUDE_MINI_OP(nn::functional::linear(x[0], x[1])),
        ETUDE_MINI_OP(nn::functional::cross_entropy(matmul(x[0], x[1].t()), x[4].narrow(0, 0, x[0].size(0)))),
        ETUDE_MINI_OP(cat({x[0], x[1]}, 1)),
        ETUDE_MINI_OP(stack({x[0], x[1], x[2]}, 1)),
        ETUDE_MINI_OP(x[0].index_select(0, x[4])),
        ETUDE_MINI_OP(x[0].flip({0, 1})),
        ETUDE_MINI_OP(x[0].index({x[5]})),
        ETUDE_MINI_OP(x[0].index({Slice(None, -1), Slice(1, None, 2)})),
        ETUDE_MINI_OP(x[0].index({-1, None, Slice()})),
        ETUDE_MINI_OP(x[5].nonzero()),
        ETUDE_MINI_OP(x[0].tril() + x[0].triu(1)),
        ETUDE_MINI_OP(full({3, 3}, -std::numeric_limits<double>::infinity()).triu(1)),
        ETUDE_MINI_OP(embedding(x[0], x[4].view({1, -1}))),
        ETUDE_MINI_OP(embedding(x[0], stack({x[4], x[4]}, 1).select(1, 0))),
        ETUDE_MINI_OP(x[0].flatten().unsqueeze(1)),
        ETUDE_MINI_OP(x[0].expand({2, -1, -1}).permute({2, 0, 1})),
        ETUDE_MINI_OP(x[0].chunk(2, 1)[0] * 2),
        ETUDE_MINI_OP(x[0].split(2, 1)[0] * x[0].narrow(1, 0, 2)),
        ETUDE_MINI_OP(x[0].transpose(0, 1).clone()),
        ETUDE_MINI_OP(x[0].t().reshape({-1})),
        ETUDE_MINI_OP(arange(3, 20, 4) * arange(5)),
        ETUDE_MINI_OP(arange(0, 1, 0.1)),
        ETUDE_MINI_OP(arange(1, 1.3, 0.1)),
        ETUDE_MINI_OP(eye(4) + ones({4}))};
    return all;
  }

  bool compare(const Op& op, uint64_t seed) {
    etude::manual_seed(seed);
    std::mt19937 sizes(static_cast<uint32_t>(seed));
    const int64_t n = 1 + sizes() % 9, m = 2 + sizes() % 40;
    const std::vector<Both> inputs = {
        both_of(etude::randn({n, m})),          both_of(etude::randn({n, m})),
        both_of(etude::rand({n, m}) + 0.5),     both_of(etude::randn({m})),
        both_of(etude::randint(0, n, {2 * n})), both_of(etude::rand({n, m}) < 0.4)};
    std::vector<etude::Tensor> fast;
    std::vector<mini::Tensor> plain;
    for (const Both& x : inputs) {
      const bool trained = x.fast.is_floating_point();
      fast.push_back(x.fast.requires_grad_(trained));
      plain.push_back(x.plain.requires_grad_(trained));
    }
    const etude::Tensor y = op.fast(fast);
    const mini::Tensor z = op.plain(plain);
    bool is_close = check_close(y, z, 2e-6);
    REQUIRE(y.requires_grad() == z.requires_grad());
    if (!y.requires_grad()) return is_close;
    const Both weights = both_of(etude::randn(y.sizes()));
    (y * weights.fast).sum().backward();
    (z * weights.plain).sum().backward();
    for (size_t i = 0; i < fast.size(); ++i) {
      const std::string what = etude::str("the gradient of x[", i, "]");
      CAPTURE(what);
      REQUIRE(fast[i].grad().defined() == plain[i].grad().defined());
      if (fast[i].grad().defined())
        is_close = check_close(fast[i].grad(), plain[i].grad(), 4e-6, what) && is_close;
    }
    return is_close;
  }

  }  // namespace

  TEST_CASE("each op computes what the fast library computes, in every form and for any threads") {
    for (const Op& op : ops()) {
      INFO(std::string(op.text));
      bool is_close = true;  // a wrong op is reported once
      for (const etude::detail::Isa form : etude::kProcessors)
        for (const int threads : {1, 2}) {
          const etude::ProcessorGuard guard(form);
          if (etude::detail::isa() != form) continue;
          const etude::ThreadCount set(threads);
          for (uint64_t seed = 1; seed <= 3 && is_close; ++seed) is_close = compare(op, seed);
        }
    }
  }

  TEST_CASE("random numbers are the same") {
    for (const uint64_t seed : {uint64_t{0}, uint64_t{7}, uint64_t{1} << 40}) {
      etude::manual_seed(seed);
      mini::manual_seed(seed);
      for (const int64_t n : {1, 5, 16, 37, 700}) {
        check_close(etude::randn({n}), mini::randn({n}), 4e-7);
        check_close(etude::rand({n, 2}), mini::rand({n, 2}), 0);
        check_close(etude::randint(-3, 1000, {n}), mini::randint(-3, 1000, {n}), 0);
        check_close(etude::dropout(etude::ones({n}), 0.3, true), mini::dropout(mini::ones({n}), 0.3, true),
                    0);
      }
      for (const int bits : {28, 40})
        check_close(etude::randint(0, int64_t{1} << bits, {9}), mini::randint(0, int64_t{1} << bits, {9}),
                    1e-7);
      for (const int64_t n : {2, 7}) {  // not contiguous: in the order of memory
        check_close(etude::zeros({n, 3}).t().uniform_(-1, 2), mini::zeros({n, 3}).t().uniform_(-1, 2), 0);
        check_close(etude::zeros({n, 3}).t().normal_(), mini::zeros({n, 3}).t().normal_(), 4e-7);
      }
      const float next =
          std::nextafter(1.0f, 2.0f);  // half of the numbers are rounded to the end of this range
      check_close(etude::zeros({50}).uniform_(1, next), mini::zeros({50}).uniform_(1, next), 0);
    }
  }

  TEST_CASE("what does not fit is refused, and 64 bits are kept") {
    const mini::Tensor a = mini::ones({2, 3}), scalar = mini::tensor(1.0f);
    const etude::AnyFunction<mini::Tensor()> wrong[] = {
        [&] {
          return mini::cat({a, mini::ones({2, 4})});
        },
        [&] {
          return mini::cat({a, mini::ones({2, 1})});
        },
        [&] {
          return mini::bmm(mini::ones({2, 2, 3}), mini::ones({1, 3, 2}));
        },
        [&] { return a.narrow(1, 1, 5); },
        [&] {
          return a.expand({-1, 2, 3});
        },
        [&] {
          return a.view({-1, -1});
        },
        [&] {
          return a.view({-1, 0});
        },
        [&] {
          return a.permute({0, 0});
        },
        [&] { return a.index_select(0, mini::tensor({7})); },
        [&] { return mini::embedding(a, mini::tensor({-1})); },
        [&] { return mini::softmax(scalar, 0); },
        [&] { return mini::layer_norm(scalar, {1}); },
        [&] { return a.split(0)[0]; },
        [&] { return a.flatten(1, 0); },
        [&] { return a.index({mini::tensor(true)}); },
        [&] {
          return mini::tensor({1, 2.5});
        },
        [&] { return a.copy_(mini::ones({3}).requires_grad_()); },
        [&] { return mini::tensor(*a.data_ptr<double>()); },
        [&] { return a.chunk(0)[0]; },
        [&] {
          return a.index({mini::tensor({true, false, true})});
        },
        [&] {
          return a.index({mini::tensor({0, 1}), mini::tensor({0, 1})});
        },
        [&] {
          return mini::pow(mini::tensor({3, 4}), -1);
        }};
    for (const auto& f : wrong) CHECK_THROWS_AS(f(), mini::Error);
    const mini::Tensor large = mini::tensor({(int64_t{1} << 53) + 1, int64_t{-5}});
    CHECK(mini::repr(large) == "tensor([9007199254740993,               -5])");
    CHECK(large.max().item<int64_t>() == (int64_t{1} << 53) + 1);
  }
}
