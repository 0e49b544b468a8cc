// Cases in which LibTorch's loader fails: it crashes without jobs, asserts on empty batches, ends an epoch early after as
// many exceptions as there are jobs, and assigns batches to jobs that no worker takes. Its random sampler returns indices
// beyond the last one if there are more replicas than indices.
#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "etude/core/parallel.h"
#include "etude/data/dataloader.h"
#include "etude/data/datasets.h"
#include "etude/data/samplers.h"
#include "support/refusal.h"
#include "support/thread_count.h"

using namespace etude;
using data::DataLoaderOptions;
using data::make_data_loader;
using data::samplers::SequentialSampler;

TEST_SUITE("dataloader") {
  namespace {

  /// Throws for odd indices; for even ones, returns the number of threads that an op would use.
  struct Even : data::datasets::Dataset<Even, int> {
    int get(size_t index) override {
      if (index % 2 == 1) throw std::out_of_range("odd");
      return get_num_threads();
    }
    optional<size_t> size() const override { return 20; }
  };

  /// The number of threads that an op would use.
  struct Threads : data::datasets::Dataset<Threads, int> {
    int get(size_t) override { return get_num_threads(); }
    optional<size_t> size() const override { return 8; }
  };

  /// 0 to 6.
  struct Places : data::datasets::Dataset<Places, size_t> {
    size_t get(size_t index) override { return index; }
    optional<size_t> size() const override { return 7; }
  };

  }  // namespace

  TEST_CASE("after exceptions the epoch goes on with what is left") {
    auto loader = make_data_loader<SequentialSampler>(Even(), DataLoaderOptions(1).workers(2).max_jobs(2));
    auto i = loader->begin();
    int exceptions = 0, batches = 0;
    for (bool first = true;; first = false) {
      try {
        if (!first) ++i;
        if (i == loader->end()) break;
        batches += *i == std::vector<int>{1};  // an op in a worker uses one thread
      } catch (const data::WorkerException&) {
        ++exceptions;
      }
    }
    CHECK(exceptions == 10);
    CHECK(batches == 10);
  }

  TEST_CASE("after an exception the next epoch needs the end of this one, and the refusal says so") {
    auto loader = make_data_loader<SequentialSampler>(Even(), DataLoaderOptions(10).workers(1));
    auto i = loader->begin();
    CHECK_THROWS_AS(*i, data::WorkerException);
    CHECK(refusal_lines([&] { loader->begin(); }).find("also after it has thrown what a worker threw") !=
          std::string::npos);
    CHECK_THROWS_AS(*i, data::WorkerException);
    CHECK(i == loader->end());
    CHECK_NOTHROW(loader->begin());
  }

  TEST_CASE("an op in a worker uses one thread, and ops outside of the workers keep theirs") {
    const ThreadCount restored;
    set_num_threads(3);
    auto loader = make_data_loader<SequentialSampler>(Threads(), DataLoaderOptions(2).workers(2));
    for (const std::vector<int>& batch : *loader) {
      CHECK(batch == std::vector<int>{1, 1});
      CHECK(get_num_threads() == 3);
    }
  }

  TEST_CASE("batches of nothing and workers without jobs are refused") {
    CHECK(refusal([] { make_data_loader(Even(), DataLoaderOptions(0)); }) ==
          "ValueError: DataLoader: batch_size can't be 0");
    CHECK(refusal([] { make_data_loader(Even(), DataLoaderOptions(1).workers(2).max_jobs(0)); }) ==
          "ValueError: DataLoader: max_jobs can't be 0 with 2 workers");
  }

  TEST_CASE("without workers no batch is given to a job") {
    auto loader = make_data_loader<SequentialSampler>(Places(), DataLoaderOptions(2).max_jobs(2));
    for (int epoch = 0; epoch < 2; ++epoch) {
      std::vector<size_t> places;
      for (const std::vector<size_t>& batch : *loader)
        places.insert(places.end(), batch.begin(), batch.end());
      CHECK(places == std::vector<size_t>{0, 1, 2, 3, 4, 5, 6});
    }
  }

  TEST_CASE("a loader that has been joined does not begin again") {
    auto loader = make_data_loader(Even(), DataLoaderOptions(1).workers(2));
    loader->join();
    CHECK(refusal([&] { loader->begin(); }) == "Error: DataLoader: its threads have been joined");
  }

  TEST_CASE("with more replicas than indices some have the same index") {
    std::vector<int> uses(2);
    for (size_t rank = 0; rank < 7; ++rank) {
      data::samplers::DistributedRandomSampler random(2, 7, rank);
      ++uses.at(random.next(3).value().at(0));
      CHECK_FALSE(random.next(3).has_value());
      data::samplers::DistributedSequentialSampler sequential(2, 7, rank);
      CHECK(sequential.next(3) == std::vector<size_t>{rank % 2});
    }
    CHECK(uses == std::vector<int>{4, 3});
    CHECK_FALSE(data::samplers::DistributedRandomSampler(0, 7, 6).next(3).has_value());
  }

  TEST_CASE("a rank is less than the number of replicas") {
    CHECK(refusal([] { data::samplers::DistributedRandomSampler(10, 2, 2); }) ==
          "ValueError: DistributedSampler: rank 2 of 2 replicas");
  }
}
