#include "etude/data/datasets.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/data/transforms.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"
#include "support/resumed.h"

namespace data = etude::data;
namespace datasets = etude::data::datasets;
namespace transforms = etude::data::transforms;
using etude::same;

TEST_SUITE("datasets") {
  namespace {

  /// i -> 10 i, for three i.
  struct Tens : datasets::Dataset<Tens, int> {
    int get(size_t index) override { return 10 * static_cast<int>(index); }
    etude::optional<size_t> size() const override { return 3; }
  };

  /// Counts how often it is copied.
  struct Counted : datasets::Dataset<Counted, int> {
    Counted() = default;
    Counted(const Counted& other) : datasets::Dataset<Counted, int>(other), copies(other.copies + 1) {}
    Counted(Counted&&) = default;
    Counted& operator=(const Counted&) = delete;
    Counted& operator=(Counted&&) = delete;
    int get(size_t) override { return copies; }
    etude::optional<size_t> size() const override { return 1; }
    int copies = 0;
  };

  /// 1 to 4, in batches.
  struct Countdown : datasets::StatefulDataset<Countdown, std::vector<int>> {
    etude::optional<std::vector<int>> get_batch(size_t count) override {
      if (next > 4) return etude::nullopt;
      std::vector<int> batch;
      while (batch.size() < count && next <= 4) batch.push_back(next++);
      return batch;
    }
    etude::optional<size_t> size() const override { return etude::nullopt; }
    void reset() override { next = 1; }
    void save(etude::serialize::OutputArchive& archive) const override {
      archive.write("next", etude::IValue(int64_t{next}));
    }
    void load(etude::serialize::InputArchive& archive) override {
      etude::IValue saved;
      archive.read("next", saved);
      next = static_cast<int>(saved.toInt());
    }
    int next = 1;
  };

  const std::vector<size_t> kIndices = {2, 0};

  }  // namespace

  TEST_CASE("an example has data and target, or data alone") {
    const data::Example<int, std::string> example(3, "three");
    CHECK(example.data == 3);
    CHECK(example.target == "three");
    const auto [x, y] = data::Example<>(etude::ones({1}), etude::zeros({2}));
    CHECK(same(x, etude::ones({1})));
    CHECK(same(y, etude::zeros({2})));
    data::Example<int, data::example::NoTarget> alone = 5;
    int& inside = alone;
    inside = 6;
    CHECK(alone.data == 6);
    data::TensorExample rows = etude::ones({2});
    CHECK(static_cast<etude::Tensor&>(rows).size(0) == 2);
  }

  TEST_CASE("a dataset gives batches of its examples") {
    Tens tens;
    CHECK(tens.get_batch(kIndices) == std::vector<int>{20, 0});
    CHECK(tens.get_batch({}).empty());
    CHECK_FALSE(Tens::is_stateful);
    CHECK(Countdown::is_stateful);
  }

  TEST_CASE("map applies transforms to batches, one after the other") {
    auto texts = Tens()
                     .map(transforms::Lambda<int>([](int i) { return i + 1; }))
                     .map(transforms::Lambda<int, std::string>([](int i) { return std::to_string(i); }));
    CHECK(texts.get_batch(kIndices) == std::vector<std::string>{"21", "1"});
    CHECK(texts.size().value() == 3);
    CHECK(texts.dataset().size().value() == 3);
    CHECK_FALSE(decltype(texts)::is_stateful);
    auto sum = datasets::map(Tens(), transforms::Collate<int>([](const std::vector<int>& batch) {
                               int total = 0;
                               for (const int i : batch) total += i;
                               return total;
                             }));
    CHECK(sum.get_batch(kIndices) == 20);
  }

  TEST_CASE("map copies a dataset that stays and moves one that goes") {
    Counted counted;
    const auto nothing = [] { return transforms::Lambda<int>([](int i) { return i; }); };
    const std::vector<size_t> first = {0};
    CHECK(counted.map(nothing()).get_batch(first)[0] == 1);
    CHECK(Counted().map(nothing()).map(nothing()).get_batch(first)[0] == 0);
  }

  TEST_CASE("map of a stateful dataset leaves the end of an epoch and its begin") {
    auto doubled = Countdown().map(transforms::Lambda<int>([](int i) { return 2 * i; }));
    CHECK(decltype(doubled)::is_stateful);
    CHECK(doubled.get_batch(3).value() == std::vector<int>{2, 4, 6});
    CHECK(doubled.get_batch(3).value() == std::vector<int>{8});
    CHECK_FALSE(doubled.get_batch(3).has_value());
    doubled.reset();
    CHECK(doubled.get_batch(1).value() == std::vector<int>{2});
    CHECK_FALSE(doubled.size().has_value());
  }

  TEST_CASE("copies of a shared dataset are the same dataset") {
    auto shared = datasets::make_shared_dataset<Countdown>();
    auto other = shared;
    CHECK(shared.get_batch(2).value() == std::vector<int>{1, 2});
    CHECK(other.get_batch(2).value() == std::vector<int>{3, 4});
    CHECK_FALSE(shared.get_batch(2).has_value());
    other.reset();
    CHECK(shared->next == 1);
    CHECK(&*shared == &*other);
    CHECK(datasets::make_shared_dataset<Tens>().size().value() == 3);
  }

  TEST_CASE("a tensor dataset gives the rows of a tensor, or equal tensors") {
    datasets::TensorDataset rows(etude::arange(6).view({3, 2}));
    CHECK(rows.size().value() == 3);
    CHECK(same(rows.get(1).data, etude::tensor({2, 3})));
    datasets::TensorDataset stacked({etude::ones({2}), etude::zeros({2})});
    CHECK(stacked.size().value() == 2);
    CHECK(same(stacked.get(1).data, etude::zeros({2})));
    CHECK(same(stacked.tensor, etude::tensor({1.f, 1.f, 0.f, 0.f}).view({2, 2})));
    CHECK_FALSE(etude::refusal([&] { rows.get(3); }).empty());
    auto batches = rows.map(transforms::Stack<data::TensorExample>());
    CHECK(same(batches.get_batch(kIndices).data, etude::tensor({4, 5, 0, 1}).view({2, 2})));
  }

  TEST_CASE("a saved stateful dataset goes on where it was") {
    Countdown dataset, resumed;
    dataset.get_batch(3);
    etude::reload(dataset, resumed);
    CHECK(resumed.get_batch(3).value() == std::vector<int>{4});
    CHECK_FALSE(resumed.get_batch(3).has_value());
  }
}
