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

/// Makes a data loader, which gives batches of the examples that a sampler chooses (torch::data::make_data_loader).
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

/// Makes a data loader of a stateful dataset, which needs no sampler.
template <typename Dataset, typename = std::enable_if_t<Dataset::is_stateful>>
std::unique_ptr<StatefulDataLoader<Dataset>> make_data_loader(Dataset dataset,
                                                              DataLoaderOptions options = {}) {
  return std::make_unique<StatefulDataLoader<Dataset>>(std::move(dataset), options);
}

namespace detail {
template <typename T, typename = void>
inline constexpr bool is_dataset = false;
template <typename T>
inline constexpr bool is_dataset<T, std::void_t<decltype(T::is_stateful)>> = true;
}  // namespace detail
template <typename InheritsDataDataset, typename... More,
          typename = std::enable_if_t<!detail::is_dataset<InheritsDataDataset>>>
void make_data_loader(const InheritsDataDataset&, const More&...) = delete;  // struct D : data::Dataset<D>
template <typename WriteAStarBeforeTheLoader>
void begin(const std::unique_ptr<WriteAStarBeforeTheLoader>&) = delete;  // for (auto& batch : *loader)
template <typename WriteAStarBeforeTheLoader>
void end(const std::unique_ptr<WriteAStarBeforeTheLoader>&) = delete;

}  // namespace etude::data
