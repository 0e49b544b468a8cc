#include "support/example.h"

/// # Samplers
///
/// A sampler chooses the examples of the next batch. It can be saved in the middle of an epoch, and goes on there when it is
/// loaded.

/// - Units: elements
/// - Errors: `the saved index is 7; this sampler takes 0 to 5` where a longer sampler was saved
EXAMPLE(etude::data::samplers::SequentialSampler) {
  etude::data::samplers::SequentialSampler sampler(5);
  while (const auto batch = sampler.next(2)) print(etude::Join(" ", *batch), "of", sampler.index());
  sampler.reset(3);
  print(sampler.next(10)->size());
}

/// Another order in each epoch, which `etude::manual_seed` fixes.
///
/// - Units: elements
/// - Errors: none of its own
EXAMPLE(etude::data::samplers::RandomSampler) {
  etude::manual_seed(0);
  etude::data::samplers::RandomSampler sampler(6);
  print(etude::Join(" ", *sampler.next(6)));
  print(sampler.next(6).has_value());
  sampler.reset();
  print(etude::Join(" ", *sampler.next(6)));
}

/// For datasets without indices: it gives sizes of batches, as `BatchSize`, which is a `CustomBatchRequest`.
///
/// - Units: elements
/// - Errors: `the saved examples_retrieved_so_far is 7; this sampler takes 0 to 5` where a longer sampler was saved
EXAMPLE(etude::data::samplers::StreamSampler, etude::data::samplers::BatchSize,
        etude::data::samplers::CustomBatchRequest) {
  etude::data::samplers::StreamSampler sampler(5);
  while (const auto batch = sampler.next(2)) print(batch->size());
  const etude::data::samplers::BatchSize three(3);
  const etude::data::samplers::CustomBatchRequest& request = three;
  print(request.size());
}

/// Each of several processes goes through a part of its own; all of them call `set_epoch` before the epoch.
///
/// - Units: elements
/// - Errors: `DistributedSampler: rank 2 of 2 replicas` where there is no such rank
EXAMPLE(etude::data::samplers::DistributedSequentialSampler, etude::data::samplers::DistributedSampler) {
  for (const size_t rank : {0, 1}) {
    etude::data::samplers::DistributedSequentialSampler sampler(5, /*num_replicas=*/2, rank);
    print("rank", rank, "has", etude::Join(" ", *sampler.next(10)));
  }
  etude::data::samplers::DistributedSequentialSampler fewer(5, 2, 1, /*allow_duplicates=*/false);
  print(etude::Join(" ", *fewer.next(10)));
}

/// - Units: elements
/// - Errors: `DistributedSampler: rank 2 of 2 replicas` where there is no such rank
EXAMPLE(etude::data::samplers::DistributedRandomSampler) {
  etude::data::samplers::DistributedRandomSampler sampler(6, /*num_replicas=*/2, /*rank=*/0);
  for (const size_t epoch : {0, 1}) {
    sampler.set_epoch(epoch);
    sampler.reset();
    print(sampler.epoch(), sampler.next(10)->size());
  }
}

/// A sampler of one's own: here every index twice.
///
/// - Errors: where it does not override them, `save` and `load` throw a sentence of their own
EXAMPLE(etude::data::samplers::Sampler) {
  struct Twice : etude::data::samplers::Sampler<> {
    explicit Twice(size_t size) : end(2 * size) {}
    void reset(etude::optional<size_t> new_size) override {
      end = 2 * new_size.value_or(end / 2);
      place = 0;
    }
    etude::optional<std::vector<size_t>> next(size_t batch_size) override {
      std::vector<size_t> batch;
      for (; place < end && batch.size() < batch_size; ++place) batch.push_back(place / 2);
      if (batch.empty()) return etude::nullopt;
      return batch;
    }
    void save(etude::serialize::OutputArchive&) const override {}
    void load(etude::serialize::InputArchive&) override {}
    size_t place = 0, end;
  };
  Twice sampler(2);
  while (const auto batch = sampler.next(3)) print(etude::Join(" ", *batch));
}

/// A sampler goes through `<<` and `>>` of archives, as an optimizer does.
///
/// - Errors: none of its own
EXAMPLE(etude::serialize::operator<<, etude::serialize::operator>>) {
  etude::data::samplers::SequentialSampler sampler(10), later(10);
  sampler.next(4);
  std::stringstream file;
  etude::serialize::OutputArchive saved;
  saved << sampler;
  saved.save_to(file);
  etude::serialize::InputArchive loaded;
  loaded.load_from(file);
  loaded >> later;
  print(later.index());
}
