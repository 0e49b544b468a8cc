#pragma once

#include <chrono>
#include <cstddef>

#include "etude/core/options.h"
#include "etude/nn/arg.h"

namespace etude::data {

/// Options of a data loader (torch::data::DataLoaderOptions).
struct DataLoaderOptions {
  DataLoaderOptions() = default;
  DataLoaderOptions(size_t batch_size) : batch_size_(batch_size) {}

  /// The number of examples in a batch.
  ETUDE_ARG(size_t, batch_size) = 1;
  /// The number of threads that make batches; with 0 the calling thread makes them.
  ETUDE_ARG(size_t, workers) = 0;
  /// How many batches the threads prepare ahead; by default twice the number of threads.
  ETUDE_ARG(optional<size_t>, max_jobs);
  /// How long to wait for a batch from a thread before an Error is thrown.
  ETUDE_ARG(optional<std::chrono::milliseconds>, timeout);
  /// Whether batches come in the order of the sampler, whichever thread finishes first.
  ETUDE_ARG(bool, enforce_ordering) = true;
  /// Whether to drop a last batch that is smaller than the others.
  ETUDE_ARG(bool, drop_last) = false;
};

/// The same options with defaults filled in (torch::data::FullDataLoaderOptions).
struct FullDataLoaderOptions {
  explicit FullDataLoaderOptions(const DataLoaderOptions& options)
      : batch_size(options.batch_size()),
        workers(options.workers()),
        max_jobs(options.max_jobs().value_or(2 * workers)),
        timeout(options.timeout()),
        enforce_ordering(options.enforce_ordering()),
        drop_last(options.drop_last()) {}

  size_t batch_size;
  size_t workers;
  size_t max_jobs;
  optional<std::chrono::milliseconds> timeout;
  bool enforce_ordering;
  bool drop_last;
};

}  // namespace etude::data
