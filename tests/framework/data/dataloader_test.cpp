#include "etude/data/dataloader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "etude/data/datasets.h"
#include "etude/data/samplers.h"
#include "etude/data/transforms.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

namespace data = etude::data;
namespace datasets = etude::data::datasets;
namespace samplers = etude::data::samplers;
namespace transforms = etude::data::transforms;
using data::DataLoaderOptions;
using data::make_data_loader;
using etude::refusal;
using std::chrono::milliseconds;
using Batch = std::vector<int>;

TEST_SUITE("dataloader") {
  namespace {

  /// The numbers from 0 to 9.
  struct Ten : datasets::Dataset<Ten, int> {
    int get(size_t index) override { return static_cast<int>(index); }
    etude::optional<size_t> size() const override { return 10; }
  };

  /// The same, but index 3 throws.
  struct Broken : Ten {
    std::vector<int> get_batch(etude::ArrayRef<size_t> indices) override {
      if (indices[0] == 3) throw std::out_of_range("no three");
      return Ten::get_batch(indices);
    }
  };

  /// The same, but later indices are ready sooner.
  struct Slow : Ten {
    int get(size_t index) override {
      std::this_thread::sleep_for(milliseconds(10 - static_cast<int>(index)));
      return Ten::get(index);
    }
  };

  /// 0 to 9 in batches, from several threads.
  struct Stream : datasets::StatefulDataset<Stream, Batch> {
    etude::optional<Batch> get_batch(size_t count) override {
      const std::lock_guard<std::mutex> lock(mutex);
      if (next == 10) return etude::nullopt;
      Batch batch;
      while (next < 10 && batch.size() < count) batch.push_back(next++);
      return batch;
    }
    etude::optional<size_t> size() const override { return etude::nullopt; }
    void reset() override { next = 0; }
    void save(etude::serialize::OutputArchive&) const override {}
    void load(etude::serialize::InputArchive&) override {}
    int next = 0;
    std::mutex mutex;
  };

  template <typename Loader>
  std::vector<Batch> epoch_of(Loader& loader) {
    std::vector<Batch> batches;
    for (const Batch& batch : loader) batches.push_back(batch);
    return batches;
  }

  template <typename Loader>
  Batch sorted_epoch_of(Loader& loader) {
    Batch all;
    for (const Batch& batch : loader) all.insert(all.end(), batch.begin(), batch.end());
    std::sort(all.begin(), all.end());
    return all;
  }

  const Batch kAll = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

  }  // namespace

  TEST_CASE("options have defaults, and as many jobs as twice the workers") {
    const data::FullDataLoaderOptions none{DataLoaderOptions()};
    CHECK(none.batch_size == 1);
    CHECK(none.workers == 0);
    CHECK(none.max_jobs == 0);
    CHECK_FALSE(none.timeout.has_value());
    CHECK(none.enforce_ordering);
    CHECK_FALSE(none.drop_last);
    const data::FullDataLoaderOptions some(
        DataLoaderOptions(5).workers(3).timeout(milliseconds(7)).enforce_ordering(false).drop_last(true));
    CHECK(some.batch_size == 5);
    CHECK(some.max_jobs == 6);
    CHECK(some.timeout->count() == 7);
    CHECK_FALSE(some.enforce_ordering);
    CHECK(some.drop_last);
    CHECK(data::FullDataLoaderOptions(DataLoaderOptions().workers(3).max_jobs(4)).max_jobs == 4);
    CHECK(make_data_loader(Ten(), 32)->options().batch_size == 32);
  }

  TEST_CASE("batches come in the order of the sampler, epoch after epoch, for any number of workers") {
    for (const size_t workers : {0, 1, 3}) {
      CAPTURE(workers);
      auto loader =
          make_data_loader<samplers::SequentialSampler>(Ten(), DataLoaderOptions(4).workers(workers));
      for (int epoch = 0; epoch < 3; ++epoch)
        CHECK(epoch_of(*loader) == std::vector<Batch>{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}});
      auto dropping = make_data_loader(Ten(), samplers::SequentialSampler(10),
                                       DataLoaderOptions(4).workers(workers).drop_last(true));
      CHECK(epoch_of(*dropping) == std::vector<Batch>{{0, 1, 2, 3}, {4, 5, 6, 7}});
      auto slow =
          make_data_loader<samplers::SequentialSampler>(Slow(), DataLoaderOptions(1).workers(workers));
      Batch order;
      for (const Batch& batch : *slow) order.push_back(batch[0]);
      CHECK(order == kAll);
    }
  }

  TEST_CASE("without an order every batch comes once") {
    auto loader = make_data_loader<samplers::SequentialSampler>(
        Slow(), DataLoaderOptions(1).workers(3).enforce_ordering(false));
    for (int epoch = 0; epoch < 2; ++epoch) CHECK(sorted_epoch_of(*loader) == kAll);
  }

  TEST_CASE("by default a random sampler says the order, a new one each epoch") {
    etude::manual_seed(6);
    etude::randperm(10);  // when the sampler is made
    const auto order = etude::randperm(10);
    etude::manual_seed(6);
    auto loader = make_data_loader(Ten(), 10);
    const Batch first = epoch_of(*loader).at(0);
    for (int64_t i = 0; i < 10; ++i) CHECK(first[static_cast<size_t>(i)] == order[i].item<int64_t>());
    CHECK(epoch_of(*loader).at(0) != first);
    CHECK(sorted_epoch_of(*loader) == kAll);
  }

  TEST_CASE("a stream of batches is asked for by their size") {
    struct Counter : datasets::StreamDataset<Counter, Batch> {
      Batch get_batch(size_t count) override {
        Batch batch(count);
        std::iota(batch.begin(), batch.end(), next);
        next += static_cast<int>(count);
        return batch;
      }
      etude::optional<size_t> size() const override { return etude::nullopt; }
      int next = 0;
    };
    auto loader = make_data_loader(Counter(), samplers::StreamSampler(5), 2);
    CHECK(epoch_of(*loader) == std::vector<Batch>{{0, 1}, {2, 3}, {4}});
  }

  TEST_CASE("a dataset that knows itself what comes next ends the epoch itself") {
    for (const size_t workers : {0, 1, 4}) {
      auto loader =
          make_data_loader(datasets::make_shared_dataset<Stream>(), DataLoaderOptions(3).workers(workers));
      for (int epoch = 0; epoch < 3; ++epoch) CHECK(sorted_epoch_of(*loader) == kAll);
    }
  }

  TEST_CASE("a dataset must know its size for a sampler to be made") {
    struct Unsized : Ten {
      etude::optional<size_t> size() const override { return etude::nullopt; }
    };
    CHECK(refusal([] { make_data_loader(Unsized()); }) ==
          "Error: Expected the dataset to be sized in order to construct the Sampler");
  }

  TEST_CASE("requests may be of a type of one's own") {
    struct Range : samplers::CustomBatchRequest {
      Range(int b, int e) : begin(b), end(e) {}
      size_t size() const override { return static_cast<size_t>(end - begin); }
      int begin, end;
    };
    struct Ranges : samplers::Sampler<Range> {
      void reset(etude::optional<size_t> = etude::nullopt) override { begin = 0; }
      etude::optional<Range> next(size_t size) override {
        if (begin >= 5) return etude::nullopt;
        const int first = begin;
        begin = std::min(5, begin + static_cast<int>(size));
        return Range(first, begin);
      }
      void save(etude::serialize::OutputArchive&) const override {}
      void load(etude::serialize::InputArchive&) override {}
      int begin = 0;
    };
    struct Numbers : datasets::BatchDataset<Numbers, Batch, Range> {
      Batch get_batch(Range range) override {
        Batch batch(range.size());
        std::iota(batch.begin(), batch.end(), range.begin);
        return batch;
      }
      etude::optional<size_t> size() const override { return 5; }
    };
    auto loader = make_data_loader(Numbers(), Ranges(), DataLoaderOptions(3).workers(2));
    CHECK(epoch_of(*loader) == std::vector<Batch>{{0, 1, 2}, {3, 4}});
    auto full = make_data_loader(Numbers(), Ranges(), DataLoaderOptions(3).drop_last(true));
    CHECK(epoch_of(*full) == std::vector<Batch>{{0, 1, 2}});
  }

  TEST_CASE("iterators are equal to themselves, and at the end to the end") {
    auto loader = make_data_loader(Ten(), 5);
    auto i = loader->begin();
    const auto copy = i, end = loader->end();
    CHECK(i == copy);
    CHECK(i != loader->begin());
    CHECK(end == loader->end());
    CHECK(i != end);
    ++i;
    CHECK(i != end);
    ++i;
    CHECK(i == end);
    CHECK(copy == end);  // copies advance together
  }

  TEST_CASE("an iterator is dereferenced as often as one likes, and works with algorithms") {
    auto loader = make_data_loader<samplers::SequentialSampler>(Ten(), 5);
    auto i = loader->begin();
    CHECK(*i == Batch{0, 1, 2, 3, 4});
    CHECK(*i == Batch{0, 1, 2, 3, 4});
    CHECK((++i)->size() == 5);
    CHECK(i->at(0) == 5);
    CHECK(std::distance(loader->begin(), loader->end()) == 2);
    std::vector<Batch> all;
    std::copy(loader->begin(), loader->end(), std::back_inserter(all));
    CHECK(all.at(1) == Batch{5, 6, 7, 8, 9});
  }

  TEST_CASE("an iterator refuses to go beyond the end") {
    auto loader = make_data_loader(Ten(), 10);
    auto i = loader->begin(), end = loader->end();
    ++i;
    CHECK(refusal([&] { ++i; }) == "Error: Attempted to increment iterator past the end");
    CHECK(refusal([&] { *i; }) == "Error: Attempted to dereference iterator that was past the end");
    CHECK(refusal([&] { ++end; }) ==
          "Error: Incrementing the DataLoader's past-the-end iterator is not allowed");
    CHECK(refusal([&] { *end; }) ==
          "Error: Dereferencing the DataLoader's past-the-end iterator is not allowed");
  }

  TEST_CASE("an epoch has to end before the next one begins when there are workers") {
    auto loader = make_data_loader(Ten(), DataLoaderOptions(1).workers(2));
    {
      const auto i = loader->begin();
      CHECK(refusal([&] { loader->begin(); }) ==
            "Error: Attempted to get a new DataLoader iterator while another iterator is not yet exhausted");
    }
    auto without = make_data_loader(Ten(), 1);
    auto i = without->begin();
    ++i;
    CHECK(sorted_epoch_of(*without) == kAll);
  }

  TEST_CASE("an exception of a worker arrives where its batch would") {
    auto loader = make_data_loader<samplers::SequentialSampler>(Broken(), DataLoaderOptions(1).workers(2));
    auto i = loader->begin();
    CHECK(*i == Batch{0});
    CHECK(*++i == Batch{1});
    CHECK(*++i == Batch{2});
    try {
      ++i;
      FAIL("no exception");
    } catch (const data::WorkerException& e) {
      CHECK(std::string(e.what()) ==
            "Caught exception in DataLoader worker thread. Original message: no three");
      CHECK_THROWS_AS(std::rethrow_exception(e.original_exception), std::out_of_range);
    }
    CHECK(*++i == Batch{4});
    auto alone = make_data_loader<samplers::SequentialSampler>(Broken(), DataLoaderOptions(1));
    CHECK_THROWS_AS(epoch_of(*alone), std::out_of_range);
  }

  TEST_CASE("a batch that takes too long is an error, and the workers end nevertheless") {
    struct Stuck : Ten {
      int get(size_t) override {
        std::this_thread::sleep_for(milliseconds(200));
        return 0;
      }
    };
    auto loader = make_data_loader(Stuck(), DataLoaderOptions(1).workers(1).timeout(milliseconds(20)));
    CHECK(refusal([&] { *loader->begin(); }) ==
          "Error: Timeout in DataLoader queue while waiting for next batch (timeout was 20 ms)");
  }

  TEST_CASE("a loader can be left at any time, and joined by hand") {
    for (const size_t taken : {0, 1, 5}) {
      auto loader = make_data_loader<samplers::SequentialSampler>(Slow(), DataLoaderOptions(1).workers(3));
      auto i = loader->begin();
      for (size_t n = 0; n < taken; ++n, ++i) CHECK(*i == Batch{static_cast<int>(n)});
      loader->join();
      loader->join();
    }
  }

  TEST_CASE("a dataset is copied for each worker, a shared one is not") {
    struct Counted : Ten {
      explicit Counted(std::shared_ptr<std::atomic<int>> n) : alive(std::move(n)) { ++*alive; }
      Counted(const Counted& other) : Ten(other), alive(other.alive) { ++*alive; }
      Counted(Counted&& other) noexcept : Ten(other), alive(other.alive) { ++*alive; }
      ~Counted() override { --*alive; }
      std::shared_ptr<std::atomic<int>> alive;
    };
    const auto alive = std::make_shared<std::atomic<int>>(0);
    auto loader = make_data_loader(Counted(alive), DataLoaderOptions(2).workers(3));
    CHECK(sorted_epoch_of(*loader) == kAll);
    CHECK(*alive == 3);
    loader.reset();
    CHECK(*alive == 0);
    auto shared =
        make_data_loader(datasets::make_shared_dataset<Counted>(alive), DataLoaderOptions(2).workers(3));
    CHECK(sorted_epoch_of(*shared) == kAll);
    CHECK(*alive == 1);
  }

  TEST_CASE("workers call ops") {
    const auto loss = [](etude::Tensor x) {
      x = x.detach().requires_grad_();
      etude::matmul(x, x).exp().sum().backward();
      return x.grad();
    };
    const auto rows = etude::linspace(0, 1, 40 * 64).view({40, 8, 8});
    auto loader =
        make_data_loader<samplers::SequentialSampler>(datasets::TensorDataset(rows)
                                                          .map(transforms::TensorLambda<void>(loss))
                                                          .map(transforms::Stack<data::TensorExample>()),
                                                      DataLoaderOptions(4).workers(3));
    int64_t i = 0;
    for (const etude::Tensor& batch : *loader) {
      for (int64_t k = 0; k < 4; ++k) CHECK(etude::allclose(batch[k], loss(rows[i + k])));
      i += 4;
    }
    CHECK(i == 40);
  }
}
