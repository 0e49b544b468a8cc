#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "etude/data/dataloader/base.h"

namespace etude::data {

/// Batches of a dataset that itself decides what comes next, shared by all threads (torch::data::StatefulDataLoader).
template <typename Dataset>
class StatefulDataLoader : public DataLoaderBase<Dataset, typename Dataset::BatchType::value_type,
                                                 typename Dataset::BatchRequestType> {
 public:
  using super = typename StatefulDataLoader::DataLoaderBase;
  using typename super::BatchRequestType;

  StatefulDataLoader(Dataset dataset, const DataLoaderOptions& options)
      : super(options, std::make_shared<Dataset>(std::move(dataset))) {
    for (size_t w = 0; w < this->options_.workers; ++w) this->start_worker(this->main_thread_dataset_);
  }
  ~StatefulDataLoader() override { this->join(); }

 private:
  void reset() override {
    this->main_thread_dataset_->reset();
    super::reset();
  }

  optional<BatchRequestType> get_batch_request() override { return this->options_.batch_size; }
};

}  // namespace etude::data
