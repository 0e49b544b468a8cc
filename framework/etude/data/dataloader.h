#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "etude/core/error.h"
#include "etude/data/dataloader/stateful.h"
#include "etude/data/dataloader/stateless.h"
#include "etude/data/samplers/random.h"

namespace etude::data {

/// Makes batches of a dataset, of the examples that a sampler chooses (torch::data::make_data_loader).
template <typename Dataset, typename Sampler>
std::enable_if_t<!Dataset::is_stateful, std::unique_ptr<StatelessDataLoader<Dataset, Sampler>>>
make_data_loader(Dataset dataset, Sampler sampler, DataLoaderOptions options) {
  return std::make_unique<StatelessDataLoader<Dataset, Sampler>>(std::move(dataset), std::move(sampler),
                                                                 options);
}

/// The same with a new sampler of the dataset's size. Throws Error if the dataset does not know its size.
template <typename Sampler = samplers::RandomSampler, typename Dataset>
std::enable_if_t<!Dataset::is_stateful && std::is_constructible_v<Sampler, size_t>,
                 std::unique_ptr<StatelessDataLoader<Dataset, Sampler>>>
make_data_loader(Dataset dataset, DataLoaderOptions options = {}) {
  const optional<size_t> size = dataset.size();
  ETUDE_CHECK(size.has_value(), "Expected the dataset to be sized in order to construct the Sampler");
  return make_data_loader(std::move(dataset), Sampler(*size), options);
}

/// Makes batches of a stateful dataset.
template <typename Dataset, typename = std::enable_if_t<Dataset::is_stateful>>
std::unique_ptr<StatefulDataLoader<Dataset>> make_data_loader(Dataset dataset,
                                                              DataLoaderOptions options = {}) {
  return std::make_unique<StatefulDataLoader<Dataset>>(std::move(dataset), options);
}

}  // namespace etude::data
