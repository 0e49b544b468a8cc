#include "support/example.h"

#include <stdexcept>

/// # Data loaders
///
/// Batches of a dataset, made by the thread that asks for them or ahead of it by several others.

/// A loop over the loader goes through one epoch. The default sampler is a `RandomSampler`.
///
/// - Errors: `Attempted to get a new DataLoader iterator while another iterator is not yet exhausted` where an epoch begins
///   while threads still work for the one before; `Expected the dataset to be sized in order to construct the Sampler`
///   without a size
EXAMPLE(etude::data::make_data_loader, etude::data::StatelessDataLoader) {
  namespace data = etude::data;
  auto dataset =
      data::datasets::TensorDataset(etude::arange(5.0)).map(data::transforms::Stack<data::TensorExample>());
  auto loader = data::make_data_loader<data::samplers::SequentialSampler>(dataset, 2);
  for (const auto& batch : *loader) print(batch.data);
  etude::manual_seed(0);
  auto shuffled = data::make_data_loader(dataset, 5);
  for (const auto& batch : *shuffled) print(batch.data);
}

/// - Units: `timeout` in milliseconds, `batch_size` in elements
/// - Errors: `DataLoader: batch_size can't be 0`, `DataLoader: max_jobs can't be 0 with 2 workers`, from the loader
EXAMPLE(etude::data::DataLoaderOptions, etude::data::FullDataLoaderOptions) {
  namespace data = etude::data;
  const auto options =
      data::DataLoaderOptions(2).workers(3).drop_last(true).timeout(std::chrono::milliseconds(500));
  const data::FullDataLoaderOptions full(options);
  print(full.batch_size, full.workers, full.max_jobs, full.drop_last, full.enforce_ordering);
  const data::datasets::TensorDataset five(etude::arange(5.0));
  auto loader = data::make_data_loader<data::samplers::SequentialSampler>(five, options);
  for (const auto& batch : *loader) print(batch.size());
}

/// A dataset that keeps its place needs no sampler.
///
/// - Errors: those of `make_data_loader`
EXAMPLE(etude::data::StatefulDataLoader, etude::data::DataLoaderBase) {
  struct Lines : etude::data::datasets::StatefulDataset<Lines, std::string> {
    explicit Lines(std::string of) : text(std::move(of)) {}
    etude::optional<std::string> get_batch(size_t) override {
      std::string line;
      if (!std::getline(stream, line)) return etude::nullopt;
      return line;
    }
    void reset() override { stream = std::istringstream(text); }
    etude::optional<size_t> size() const override { return etude::nullopt; }
    void save(etude::serialize::OutputArchive&) const override {}
    void load(etude::serialize::InputArchive&) override {}
    std::string text;
    std::istringstream stream;
  };
  auto shared = etude::data::datasets::make_shared_dataset<Lines>("first\nsecond\n");
  auto loader = etude::data::make_data_loader(shared);
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (const std::string& line : *loader) print(epoch, line);
  }
  print(loader->options().batch_size);
}

/// The methods `begin` and `end` of a data loader return it.
///
/// - Errors: `Attempted to increment iterator past the end`, and
///   `Incrementing the DataLoader's past-the-end iterator is not allowed` for what `end` gave
EXAMPLE(etude::data::Iterator) {
  const etude::data::datasets::TensorDataset two(etude::arange(2.0));
  auto loader = etude::data::make_data_loader<etude::data::samplers::SequentialSampler>(two);
  auto place = loader->begin();
  print((*place)[0].data, place == loader->end());
  ++place;
  ++place;
  print(place == loader->end());
  print(examples::message_of([&] { ++place; }));
  print(examples::message_of([&] { ++loader->end(); }));
}

/// The thread's own exception is kept, to be thrown again.
///
/// - Errors: none of its own; it says `Caught exception in DataLoader worker thread. Original message: TEXT`
EXAMPLE(etude::data::WorkerException) {
  struct Broken : etude::data::datasets::Dataset<Broken, int> {
    int get(size_t) override { throw std::runtime_error("no such picture"); }
    etude::optional<size_t> size() const override { return 1; }
  };
  auto loader = etude::data::make_data_loader(Broken(), etude::data::DataLoaderOptions().workers(1));
  try {
    for (const auto& batch : *loader) print(batch.size());
  } catch (const etude::data::WorkerException& error) {
    print(error.what());
    print(examples::message_of([&] { std::rethrow_exception(error.original_exception); }));
  }
}
