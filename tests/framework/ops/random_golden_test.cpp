// The random fills against PyTorch's numbers: tests/golden/rng_golden.json and random.json. Where 2.14 changed, they are its numbers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "etude/ops/ops.h"
#include "support/any_function.h"
#include "support/c_library.h"
#include "support/fingerprint.h"
#include "support/golden.h"

using namespace etude;

TEST_SUITE("random streams of PyTorch") {
  namespace {

  int64_t next_output() { return default_generator().random() % (int64_t{1} << 31); }

  const std::map<std::string, ScalarType> types = {{"float32", kFloat}, {"float64", kDouble},
                                                   {"int64", kLong},    {"int32", kInt},
                                                   {"uint8", kByte},    {"bool", kBool}};

  Tensor seen(Tensor t, const Recorded& steps) {
    for (const Recorded& step : steps) {
      const std::string name = step[0];
      std::vector<int64_t> a;
      for (size_t i = 1; i < step.size(); ++i) a.push_back(step[i].get<int64_t>());
      t = name == "transpose" ? t.transpose(a[0], a[1])
          : name == "permute" ? t.permute(a)
                              : t.slice(a[0], a[1], a[2], a[3]);
    }
    return t;
  }

  // Probabilities i / n.
  Tensor ramp(const std::vector<int64_t>& sizes, ScalarType type) {
    const Tensor t = empty(sizes, kDouble);
    for (int64_t i = 0; i < t.numel(); ++i)
      t.data_ptr<double>()[i] = static_cast<double>(i) / static_cast<double>(t.numel());
    return t.to(type);
  }

  // A fingerprint of the results for each seed and of the generator's next output.
  std::string fingerprint_of(const Recorded& seeds, const AnyFunction<Tensor()>& f) {
    Fingerprint all;
    for (const Recorded& seed : seeds) {
      manual_seed(seed.get<uint64_t>());
      all.add(f());
      const int64_t after = next_output();
      all.add(&after, sizeof after);
    }
    return all.text();
  }

  void fill_by(const std::string& op, const Recorded& args, const Tensor& t) {
    if (op == "uniform_") t.uniform_(args[0].get<double>(), args[1].get<double>());
    else if (op == "normal_") t.normal_(args[0].get<double>(), args[1].get<double>());
    else if (op == "exponential_") t.exponential_(args[0].get<double>());
    else if (op == "bernoulli_") t.bernoulli_(args[0].get<double>());
    else if (op == "bernoulli_tensor") t.bernoulli_(ramp(t.sizes().vec(), types.at(args[0])));
    else if (args.empty()) t.random_();
    else if (args.size() == 1) t.random_(args[0].get<int64_t>());
    else if (args[1].is_null()) t.random_(args[0].get<int64_t>(), optional<int64_t>());
    else t.random_(args[0].get<int64_t>(), args[1].get<int64_t>());
  }

  using Recipe = AnyFunction<Tensor(int64_t)>;
  const std::map<std::string, Recipe> recipes = {
      {"rand", [](int64_t n) { return rand({n}); }},
      {"rand double", [](int64_t n) { return rand({n}, kDouble); }},
      {"uniform_(-0.37,0.61)", [](int64_t n) { return empty({n}).uniform_(-.37, .61); }},
      {"uniform_(-0.37,0.61) double", [](int64_t n) { return empty({n}, kDouble).uniform_(-.37, .61); }},
      {"randn", [](int64_t n) { return randn({n}); }},
      {"randn double", [](int64_t n) { return randn({n}, kDouble); }},
      {"normal_(0.3,0.02)", [](int64_t n) { return empty({n}).normal_(.3, .02); }},
      {"normal_(0.3,0.02) double", [](int64_t n) { return empty({n}, kDouble).normal_(.3, .02); }},
      {"randint(-5,1000)", [](int64_t n) { return randint(-5, 1000, {n}); }},
      {"randint(-7,2**40)", [](int64_t n) { return randint(-7, int64_t{1} << 40, {n}); }},
      {"bernoulli_(0.3)", [](int64_t n) { return empty({n}).bernoulli_(.3); }},
      {"dropout(ones,0.1)", [](int64_t n) { return dropout(ones({n}), .1, true); }},
      {"exponential_(1)", [](int64_t n) { return empty({n}).exponential_(); }},
      {"exponential_(2.5) double", [](int64_t n) { return empty({n}, kDouble).exponential_(2.5); }},
      {"randperm", [](int64_t n) { return randperm(n); }},
      {"multinomial(arange(1..n),8,replacement)",
       [](int64_t n) { return multinomial(arange(1., static_cast<double>(n + 1)), 8, true); }},
      {"multinomial(arange(1..n),min(n,4))",
       [](int64_t n) {
         return multinomial(arange(1., static_cast<double>(n + 1)), std::min<int64_t>(n, 4));
       }},
  };

  // The bits of a float in the format of the golden file, or the integer, as JSON.
  std::string element(const Tensor& t, int64_t i) {
    char text[20];
    if (t.scalar_type() == kLong) return std::to_string(t.data_ptr<int64_t>()[i]);
    if (t.scalar_type() == kFloat) {
      uint32_t bits;
      std::memcpy(&bits, t.data_ptr<float>() + i, sizeof bits);
      std::snprintf(text, sizeof text, "\"%08x\"", bits);
    } else {
      uint64_t bits;
      std::memcpy(&bits, t.data_ptr<double>() + i, sizeof bits);
      std::snprintf(text, sizeof text, "\"%016llx\"", static_cast<unsigned long long>(bits));
    }
    return text;
  }

  // Whether the last bits of a row's draws depend on the C library, and the recording used another one.
  bool has_other_last_bits(const Recorded& row) {
    const std::string op = row["op"];
    const bool by_logarithm = op.find("normal") == 0 || op.find("randn") == 0 || op.find("exponential") == 0;
    return !kRecordedCLibrary && by_logarithm && row["dtype"] == "float64";
  }

  double double_of(const std::string& hex) {
    const uint64_t bits = std::stoull(hex, nullptr, 16);
    double v;
    std::memcpy(&v, &bits, sizeof v);
    return v;
  }

  // Checks that t has the recorded bits, or, with another C library, nearly the same numbers.
  void check_elements(const Tensor& t, const Recorded& row, const Recorded& recorded) {
    REQUIRE(static_cast<int64_t>(recorded.size()) == t.numel());
    for (int64_t i = 0; i < t.numel(); ++i) {
      const Recorded& wanted = recorded[static_cast<size_t>(i)];
      if (has_other_last_bits(row))
        CHECK(t.data_ptr<double>()[i] ==
              doctest::Approx(double_of(wanted.get<std::string>())).epsilon(kLastBits));
      else CHECK(element(t, i) == wanted.dump());
    }
  }

  }  // namespace

  TEST_CASE(
      "every fill of the recorded streams has PyTorch's bits and leaves the generator where PyTorch's "
      "stands") {
    std::set<std::string> met;
    for (const Recorded& row : golden_json("rng_golden.json")) {
      if (!row.contains("op")) continue;  // modules have their own tests
      CAPTURE(row.dump());
      const std::string op = row["op"];
      met.insert(op);
      manual_seed(row["seed"].get<uint64_t>());
      const Tensor t = recipes.at(op)(row["n"].get<int64_t>());
      CHECK((t.scalar_type() == types.at(row["dtype"])));
      if (!has_other_last_bits(row)) CHECK(fingerprint(t) == row["fnv1a64"].get<std::string>());
      CHECK(next_output() == row["next_random"].get<int64_t>());
      for (const char* key : {"bits", "values"})
        if (row.contains(key)) check_elements(t, row, row[key]);
    }
    CHECK(met.size() == recipes.size());
  }

  TEST_CASE("fills of every type, size and layout have PyTorch's bits, and touch nothing but their target") {
    const Recorded golden = golden_json("random.json");
    int left_out = 0;
    for (const Recorded& row : golden["fills"]) {
      if (has_other_last_bits(row)) {
        ++left_out;
        continue;
      }
      for (size_t i = 0; i < golden["targets"].size(); ++i) {
        const Recorded& target = golden["targets"][i];
        CAPTURE(row["op"].dump() + row["args"].dump() + row["dtype"].dump() + " of " + target.dump());
        const auto filled = [&] {
          const Tensor base = zeros(target[0].get<std::vector<int64_t>>(), types.at(row["dtype"]));
          fill_by(row["op"], row["args"], seen(base, target[1]));
          return base;
        };
        CHECK(fingerprint_of(golden["seeds"], filled) == row["fnv1a64"][i].get<std::string>());
      }
    }
    if (left_out > 0) MESSAGE(left_out, " fills in float64 have the last bits of another C library");
  }

  TEST_CASE("draws of new tensors have PyTorch's bits, whatever the layout of what they are drawn after") {
    const std::map<std::string, AnyFunction<Tensor(const Tensor&)>> draws = {
        {"rand_like", [](const Tensor& x) { return rand_like(x); }},
        {"randn_like", [](const Tensor& x) { return randn_like(x); }},
        {"bernoulli", [](const Tensor& x) { return bernoulli(x); }},
        {"normal(x, 2)", [](const Tensor& x) { return normal(x, 2.0); }},
        {"normal(-1, x)", [](const Tensor& x) { return normal(-1.0, x); }},
        {"normal(x, x)", [](const Tensor& x) { return normal(x, x); }},
        {"multinomial(x, 1)", [](const Tensor& x) { return multinomial(x, 1); }},
        {"multinomial(x, 3)", [](const Tensor& x) { return x.multinomial(3); }},
        {"multinomial(x, all)", [](const Tensor& x) { return multinomial(x, x.size(-1)); }},
        {"multinomial(x, 1, true)", [](const Tensor& x) { return multinomial(x, 1, true); }},
        {"multinomial(x, 40, true)", [](const Tensor& x) { return multinomial(x, 40, true); }},
    };
    const Recorded golden = golden_json("random.json");
    CHECK(golden["draws"].size() == 2 * draws.size());
    int left_out = 0;
    for (const Recorded& row : golden["draws"]) {
      if (has_other_last_bits(row)) {
        ++left_out;
        continue;
      }
      for (size_t i = 0; i < golden["inputs"].size(); ++i) {
        const Recorded& input = golden["inputs"][i];
        CAPTURE(row["op"].dump() + row["dtype"].dump() + " of " + input.dump());
        const Tensor x = seen(ramp(input[0].get<std::vector<int64_t>>(), types.at(row["dtype"])), input[1]);
        const auto& draw = draws.at(row["op"]);
        CHECK(fingerprint_of(golden["seeds"], [&] { return draw(x); }) ==
              row["fnv1a64"][i].get<std::string>());
      }
    }
    if (left_out > 0) MESSAGE(left_out, " draws in float64 have the last bits of another C library");
  }
}
