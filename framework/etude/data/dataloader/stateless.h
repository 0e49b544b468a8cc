#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "etude/data/dataloader/base.h"

namespace etude::data {

/// Batches of the examples that a sampler chooses. Each thread has a copy of the dataset (torch::data::StatelessDataLoader).
template <typename Dataset, typename Sampler>
class StatelessDataLoader
    : public DataLoaderBase<Dataset, typename Dataset::BatchType, typename Sampler::BatchRequestType> {
 public:
  using super = DataLoaderBase<Dataset, typename Dataset::BatchType, typename Sampler::BatchRequestType>;
  using typename super::BatchRequestType;

  StatelessDataLoader(Dataset dataset, Sampler sampler, const DataLoaderOptions& options)
      : super(options), sampler_(std::move(sampler)) {
    for (size_t w = 0; w < this->options_.workers; ++w)
      this->start_worker(std::make_shared<Dataset>(dataset));
    if (this->options_.workers == 0)
      this->main_thread_dataset_ = std::make_shared<Dataset>(std::move(dataset));
  }
  // Joins the threads before any member is destroyed.
  ~StatelessDataLoader() override { this->join(); }

 private:
  void reset() override {
    sampler_.reset(nullopt);
    super::reset();
  }

  optional<BatchRequestType> get_batch_request() override {
    optional<BatchRequestType> request = sampler_.next(this->options_.batch_size);
    if (request && this->options_.drop_last && request->size() < this->options_.batch_size) return nullopt;
    return request;
  }

  Sampler sampler_;
};

}  // namespace etude::data
