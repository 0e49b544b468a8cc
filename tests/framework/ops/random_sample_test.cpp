#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "etude/ops/ops.h"
#include "support/any_function.h"
#include "support/fingerprint.h"
#include "support/golden.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("random_sample") {
  TEST_CASE("permutations of every type have PyTorch's order") {
    const std::map<std::string, ScalarType> types = {
        {"float32", kFloat}, {"float64", kDouble}, {"int64", kLong}, {"int32", kInt}, {"uint8", kByte}};
    const Recorded golden = golden_json("random.json");
    CHECK(golden["permutations"].size() == types.size());
    for (const Recorded& row : golden["permutations"]) {
      for (size_t i = 0; i < golden["lengths"].size(); ++i) {
        Fingerprint all;
        for (const Recorded& seed : golden["seeds"]) {
          manual_seed(seed.get<uint64_t>());
          all.add(randperm(golden["lengths"][i].get<int64_t>(), types.at(row["dtype"])));
          const int64_t after = default_generator().random() % (int64_t{1} << 31);
          all.add(&after, sizeof after);
        }
        CHECK(all.text() == row["fnv1a64"][i].get<std::string>());
      }
    }
  }

  TEST_CASE("a permutation holds every number once, int64 unless another type is named") {
    const Tensor p = randperm(1000);
    CHECK((p.scalar_type() == kLong));
    std::set<int64_t> found(p.data_ptr<int64_t>(), p.data_ptr<int64_t>() + 1000);
    CHECK(found.size() == 1000);
    CHECK(*found.begin() == 0);
    CHECK(*found.rbegin() == 999);
    CHECK(randperm(3, dtype(kFloat).requires_grad(true)).requires_grad());
    Generator a(3), b(3);
    CHECK(same(randperm(50, a), randperm(50, b)));
    CHECK(a.random() == b.random());
  }

  TEST_CASE("bernoulli with a tensor broadcasts it, and takes one number of its type for each element") {
    const Tensor p = tensor({0.0, 1.0, 0.5});
    manual_seed(1);
    const Tensor y = zeros({4, 3}, kLong).bernoulli_(p);
    manual_seed(1);
    const Tensor u = rand({4, 3});
    CHECK(same(y, u.lt(p).to(kLong)));
    manual_seed(1);
    const Tensor wide = bernoulli(full({4, 3}, 0.5, kDouble));
    manual_seed(1);
    CHECK(same(wide, rand({4, 3}, kDouble).lt(0.5).to(kDouble)));
    CHECK(same(p.bernoulli().slice(0, 0, 2), tensor({0.0, 1.0})));
  }

  TEST_CASE("samples without replacement are distinct, and a category without probability comes last") {
    const Tensor p = tensor({0.0, 3.0, 1.0, 0.0, 2.0});
    for (uint64_t seed = 0; seed < 50; ++seed) {
      manual_seed(seed);
      const Tensor found = multinomial(p, 5);
      const int64_t* const i = found.data_ptr<int64_t>();
      CHECK(std::set<int64_t>(i, i + 5).size() == 5);
      CHECK(std::set<int64_t>(i + 3, i + 5) == std::set<int64_t>{0, 3});
      CHECK(p[multinomial(p, 1).item<int64_t>()].item<float>() > 0);
    }
  }

  TEST_CASE("samples with replacement come as often as their probabilities say") {
    manual_seed(0);
    const Tensor found = multinomial(tensor({{1.0, 0.0, 3.0}, {0.0, 5.0, 0.0}}), 40000, true);
    CHECK((found.sizes() == IntArrayRef({2, 40000})));
    CHECK((found.scalar_type() == kLong));
    CHECK(found[0].eq(1).sum().item<int64_t>() == 0);
    CHECK(std::abs(found[0].eq(2).sum().item<double>() / 40000 - 0.75) < 0.01);
    CHECK(same(found[1], full({40000}, 1)));
  }

  TEST_CASE("a generator of one's own is drawn from") {
    Generator a(3), b(3);
    const Tensor p = tensor({0.1, 0.9, 0.4, 0.5});
    CHECK(same(multinomial(p, 3, false, a), p.multinomial(3, false, b)));
    CHECK(same(multinomial(p, 9, true, a), p.multinomial(9, true, b)));
    CHECK(same(bernoulli(p, a), p.bernoulli(b)));
    CHECK(same(zeros({4}).bernoulli_(p, a), zeros({4}).bernoulli_(p, b)));
    CHECK(a.random() == b.random());
  }

  TEST_CASE("what cannot be sampled is refused in PyTorch's words") {
    const float infinity = std::numeric_limits<float>::infinity(), nan = std::nanf("");
    const auto row = [](float a, float b) { return tensor({a, b}); };
    const std::string outside =
        "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  "
        "If so, please report an "
        "enhancement request to PyTorch.)";
    const std::vector<std::pair<AnyFunction<void()>, std::string>> refused = {
        {[&] { multinomial(row(1, -1), 1); },
         "probability tensor contains either `inf`, `nan` or element < 0"},
        {[&] { multinomial(row(1, infinity), 1); },
         "probability tensor contains either `inf`, `nan` or element < 0"},
        {[&] { multinomial(row(1, nan), 1); },
         "probability tensor contains either `inf`, `nan` or element < 0"},
        {[&] { multinomial(row(1, -1), 2, true); },
         "invalid multinomial distribution (encountering probability entry < 0)"},
        {[&] { multinomial(row(1, infinity), 2, true); },
         "invalid multinomial distribution (encountering probability entry = infinity or NaN)"},
        {[&] { multinomial(row(0, 0), 1); }, "invalid multinomial distribution (sum of probabilities <= 0)"},
        {[&] { multinomial(row(0, 0), 2, true); },
         "invalid multinomial distribution (sum of probabilities <= 0)"},
        {[&] {
           multinomial(zeros({2, 0}), 1, true);
         },
         "invalid multinomial distribution (sum of probabilities <= 0)"},
        {[&] { multinomial(row(1, 2), 3); },
         "cannot sample n_sample > prob_dist.size(-1) samples without replacement"},
        {[&] { multinomial(row(1, 2), 0); }, "cannot sample n_sample <= 0 samples"},
        {[&] {
           multinomial(tensor({1, 2}), 1);
         },
         "multinomial only supports floating-point dtypes for input, got: Long"},
        {[&] { multinomial(tensor(1.0), 1); }, "prob_dist must be 1 or 2 dim"},
        {[&] {
           multinomial(zeros({2, 2, 2}), 1);
         },
         "prob_dist must be 1 or 2 dim"},
        {[&] { multinomial(zeros({(1 << 24) + 1}), 1); }, "number of categories cannot exceed 2^24"},
        {[&] { bernoulli(row(0.1f, 2)); }, outside},
        {[&] { zeros({2}).bernoulli_(row(0.1f, nan)); }, outside},
        {[&] {
           bernoulli(tensor({1, 0}));
         },
         "\"bernoulli_tensor_cpu_p_\" not implemented for 'Long'"},
        {[&] { zeros({3}).bernoulli_(zeros({4})); },
         "The expanded size of the tensor (3) must match the existing size (4) at non-singleton dimension 0. "
         " Target sizes: [3].  Tensor "
         "sizes: [4]"},
        {[&] {
           zeros({3}).bernoulli_(zeros({2, 3}));
         },
         "expand(torch.FloatTensor{[2, 3]}, size=[3]): the number of sizes provided (1) must be greater or "
         "equal to the number of dimensions "
         "in the tensor (2)"},
        {[&] { randperm(-1); }, "Trying to create tensor with negative dimension -1: [-1]"},
        {[&] { randperm(5, kBool); }, "\"randperm\" not implemented for 'Bool'"},
        {[&] { randperm(257, kByte); }, "value cannot be converted to type uint8_t without overflow"},
        {[&] { randperm((1 << 24) + 2, kFloat); }, "n cannot be greater than 2^24+1 for Float type."},
    };
    for (const auto& [f, sentence] : refused) CHECK(refusal(f) == "Error: " + sentence);
  }
}
