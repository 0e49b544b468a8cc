#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "etude/core/parallel.h"
#include "etude/ops/ops.h"
#include "support/any_function.h"
#include "support/fingerprint.h"
#include "support/gradcheck.h"
#include "support/refusal.h"
#include "support/thread_count.h"

using namespace etude;

TEST_SUITE("random") {
  namespace {

  int64_t next_output() { return default_generator().random() % (int64_t{1} << 31); }

  Tensor seeded(uint64_t seed, const AnyFunction<Tensor()>& f) {
    manual_seed(seed);
    return f();
  }

  }  // namespace

  TEST_CASE("functions that make a tensor fill it as the method does") {
    CHECK(same(seeded(3, [] { return rand({4, 5}); }), seeded(3, [] { return empty({4, 5}).uniform_(); })));
    CHECK(same(seeded(3,
                      [] {
                        return randn({4, 5}, kDouble);
                      }),
               seeded(3, [] {
                 return empty({4, 5}, kDouble).normal_();
               })));
    CHECK(same(seeded(3, [] { return randint(9, {20}); }),
               seeded(3, [] { return empty({20}, kLong).random_(0, 9); })));
    CHECK(same(seeded(3, [] { return randint(9, {20}, kFloat); }),
               seeded(3, [] { return randint(0, 9, {20}).to(kFloat); })));
    CHECK(same(seeded(3, [] { return normal(2, 3, {20}); }),
               seeded(3, [] { return empty({20}).normal_(2, 3); })));
    CHECK((randint(2, {5}, kBool).scalar_type() == kBool));
    CHECK((randint(2, {5}).scalar_type() == kLong));
    CHECK(rand({2}, requires_grad()).requires_grad());
    CHECK(rand({2}, requires_grad()).is_leaf());
    CHECK(randn({2}, requires_grad()).requires_grad());
    CHECK_FALSE(rand_like(rand({2}, requires_grad())).requires_grad());
    CHECK((rand_like(zeros({3}), kDouble).scalar_type() == kDouble));
  }

  TEST_CASE("a generator of one's own is drawn from, and the default one is left alone") {
    manual_seed(1);
    const int64_t expected = next_output();
    manual_seed(1);
    Generator own(5), same_seed(5);
    CHECK(same(rand({7}, own), empty({7}).uniform_(0, 1, same_seed)));
    CHECK(same(randn({7}, own), empty({7}).normal_(0, 1, same_seed)));
    CHECK(same(randint(0, 9, {7}, own), empty({7}, kLong).random_(9, same_seed)));
    CHECK(same(normal(0, 1, {7}, own), empty({7}).normal_(0, 1, same_seed)));
    CHECK(own.random() == same_seed.random());
    CHECK(next_output() == expected);
  }

  TEST_CASE("the bits do not depend on the number of threads") {
    const auto all = [] {
      manual_seed(77);
      Fingerprint f;
      f.add(rand({300001}));
      f.add(randn({300001}));
      f.add(empty({2, 200003}).t().uniform_(-1, 2));
      f.add(empty({200003, 2}).select(1, 1).normal_());
      f.add(empty({300001}).bernoulli_(0.7));
      f.add(dropout(ones({300001}), 0.2, true));
      f.add(bernoulli(rand({300001})));
      f.add(randperm(100001));
      f.add(multinomial(rand({30, 3001}), 7));
      f.add(multinomial(rand({30, 3001}), 700, true));
      f.add(normal(rand({300001}), rand({300001})));
      return f.text();
    };
    const ThreadCount restored;
    set_num_threads(1);
    const std::string expected = all();
    for (const int threads : {2, 3, 7}) {
      set_num_threads(threads);
      CHECK(all() == expected);
    }
  }

  TEST_CASE("the gradient of what was overwritten, and of a mean or a standard deviation, is zero") {
    using Draw = AnyFunction<Tensor(const Tensor&)>;
    const std::map<std::string, Draw> draws = {
        {"UniformBackward0", [](const Tensor& x) { return (x * 1).uniform_(); }},
        {"NormalBackward0", [](const Tensor& x) { return (x * 1).normal_(); }},
        {"ExponentialBackward0", [](const Tensor& x) { return (x * 1).exponential_(); }},
        {"BernoulliBackward2", [](const Tensor& x) { return (x * 1).bernoulli_(0.5); }},
        {"BernoulliBackward1",
         [](const Tensor& x) {
           return zeros({3, 4}, kDouble).bernoulli_(x);
         }},
        {"BernoulliBackward0", [](const Tensor& x) { return bernoulli(x); }},
        {"RandomBackward0", [](const Tensor& x) { return (x * 1).random_(2, 9); }},
        {"RandomBackward1", [](const Tensor& x) { return (x * 1).random_(9); }},
        {"RandomBackward2", [](const Tensor& x) { return (x * 1).random_(); }},
        {"NormalBackward1",
         [](const Tensor& x) { return normal(x.detach() * 0, 1).add_(normal(x, 0) - x.detach()); }},
        {"NormalBackward2", [](const Tensor& x) { return normal(0., x) / x.detach(); }},
        {"NormalBackward3", [](const Tensor& x) { return (normal(x, x) - x.detach()) / x.detach(); }},
    };
    const Tensor x = full({3, 4}, 0.5, kDouble).requires_grad_();
    for (const auto& [name, draw] : draws) {
      CAPTURE(name);
      const auto repeatable = [&draw = draw](const std::vector<Tensor>& inputs) {
        return seeded(8, [&] { return draw(inputs[0]); });
      };
      CHECK(gradcheck(TensorFunction(repeatable), {x}));
      x.mutable_grad().reset();
      repeatable({x}).sum().backward();
      CHECK(same(x.grad(), zeros({3, 4}, kDouble)));
    }
    for (const char* name :
         {"UniformBackward0", "NormalBackward0", "ExponentialBackward0", "RandomBackward0", "RandomBackward1",
          "RandomBackward2", "BernoulliBackward0", "BernoulliBackward1", "BernoulliBackward2"})
      CHECK(std::string(draws.at(name)(x).grad_fn_name()) == name);
    CHECK(std::string(normal(x, 1).grad_fn_name()) == "NormalBackward1");
    CHECK(std::string(normal(0., x).grad_fn_name()) == "NormalBackward2");
    CHECK(std::string(normal(x, x.detach()).grad_fn_name()) == "NormalBackward3");
    CHECK(std::string(normal(x.detach(), x).grad_fn_name()) == "NormalBackward3");
  }

  TEST_CASE("empty tensors draw nothing") {
    manual_seed(5);
    const int64_t expected = next_output();
    manual_seed(5);
    rand({0});
    randn({3, 0});
    randint(5, {0});
    randperm(0);
    randperm(1);
    zeros({0}).bernoulli_(0.5);
    zeros({0, 4}).t().normal_();
    bernoulli(zeros({0}));
    multinomial(zeros({0, 4}), 2);
    CHECK(next_output() == expected);
  }

  TEST_CASE("what cannot be drawn is refused in PyTorch's words") {
    const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
    const auto Z = [](ScalarType t) { return zeros({3}, t); };
    const std::vector<std::pair<AnyFunction<void()>, std::string>> refused = {
        {[&] { Z(kLong).uniform_(); }, "\"check_uniform_bounds\" not implemented for 'Long'"},
        {[&] { Z(kBool).uniform_(); }, "\"check_uniform_bounds\" not implemented for 'Bool'"},
        {[&] { zeros({0}, kByte).uniform_(); }, "\"check_uniform_bounds\" not implemented for 'Byte'"},
        {[&] { rand({3}, kInt); }, "\"check_uniform_bounds\" not implemented for 'Int'"},
        {[&] { rand_like(Z(kLong)); }, "\"check_uniform_bounds\" not implemented for 'Long'"},
        {[&] { Z(kFloat).uniform_(1, 0); },
         "uniform_ expects to return a [from, to) range, but found from=1 > to=0"},
        {[&] { Z(kFloat).uniform_(0.5, -1e-20); },
         "uniform_ expects to return a [from, to) range, but found from=0.5 > to=-1e-20"},
        {[&] { Z(kFloat).uniform_(0, 1e39); }, "to is out of bounds for float"},
        {[&] { Z(kFloat).uniform_(0, nan); }, "to is out of bounds for float"},
        {[&] { Z(kDouble).uniform_(-infinity, 0); }, "from is out of bounds for double"},
        {[&] { Z(kFloat).uniform_(-3e38, 3e38); },
         "uniform_ expects to-from <= std::numeric_limits<Float>::max(), but found to=3e+38 and from=-3e+38 "
         "which result in to-from to "
         "exceed the limit"},
        {[&] { Z(kDouble).uniform_(-1.7e308, 1.7e308); },
         "uniform_ expects to-from <= std::numeric_limits<Double>::max(), but found to=1.7e+308 and "
         "from=-1.7e+308 which result in to-from "
         "to exceed the limit"},
        {[&] { Z(kInt).normal_(); }, "\"normal_kernel_cpu\" not implemented for 'Int'"},
        {[&] { randn({20}, kLong); }, "\"normal_kernel_cpu\" not implemented for 'Long'"},
        {[&] { randn_like(Z(kBool)); }, "\"normal_kernel_cpu\" not implemented for 'Bool'"},
        {[&] { Z(kFloat).normal_(0, -1); }, "normal expects std >= 0.0, but found std -1"},
        {[&] { Z(kFloat).normal_(0, nan); }, "normal expects std >= 0.0, but found std nan"},
        {[&] { Z(kLong).normal_(0, -0.5); }, "normal expects std >= 0.0, but found std -0.5"},
        {[&] { normal(0, -1, {3}); }, "normal expects std >= 0.0, but found std -1"},
        {[&] { normal(Z(kFloat), -1.); }, "normal expects std >= 0.0, but found std -1"},
        {[&] { normal(0., full({2}, -1.)); }, "normal expects all elements of std >= 0.0"},
        {[&] { normal(Z(kFloat), full({3}, nan)); }, "normal expects all elements of std >= 0.0"},
        {[&] { normal(Z(kFloat), zeros({4})); },
         "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0"},
        {[&] { normal(Z(kLong), 1.); }, "\"normal_kernel_cpu\" not implemented for 'Long'"},
        {[&] { Z(kFloat).exponential_(-0.25); },
         newer("exponential_ expects lambda > 0.0, but found lambda=-0.25",
               "exponential_ expects lambda >= 0.0, but found lambda=-0.25")},
        {[&] { Z(kFloat).exponential_(nan); },
         newer("exponential_ expects lambda > 0.0, but found lambda=nan",
               "exponential_ expects lambda >= 0.0, but found lambda=nan")},
        {[&] { Z(kBool).exponential_(); },
         newer("Exponential distribution is a continuous probability distribution. dtype must be a floating "
               "point but you specified Bool",
               "\"exponential_cpu\" not implemented for 'Bool'")},
        {[&] { Z(kFloat).bernoulli_(1.5); }, "bernoulli_ expects p to be in [0, 1], but got p=1.5"},
        {[&] { Z(kFloat).bernoulli_(nan); }, "bernoulli_ expects p to be in [0, 1], but got p=nan"},
        {[&] {
           Z(kFloat).expand({2, 3}).uniform_();
         },
         "unsupported operation: more than one element of the written-to tensor refers to a single memory "
         "location. Please clone() the tensor "
         "before performing the operation."},
    };
    for (const auto& [f, sentence] : refused) CHECK(refusal(f) == "Error: " + sentence);
  }

  TEST_CASE("a refusal says what was received and what to do instead") {
    std::string text;
    try {
      zeros({3}, kLong).uniform_();
    } catch (const Error& e) {
      text = e.what();
    }
    CHECK(text ==
          "\"check_uniform_bounds\" not implemented for 'Long'\nreceived torch.int64 for uniform_\n"
          "hint: it needs torch.float32 or torch.float64; random_ and randint fill integers");
  }
}
