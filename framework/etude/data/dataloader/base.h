#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <utility>

#include "etude/core/error.h"
#include "etude/core/record_function.h"
#include "etude/data/dataloader/queue.h"
#include "etude/data/dataloader_options.h"
#include "etude/data/iterator.h"
#include "etude/data/worker_exception.h"

namespace etude::data {

/// The base of both data loaders (torch::data::DataLoaderBase). Use it only on the thread that made it.
template <typename Dataset, typename Batch, typename BatchRequest>
class DataLoaderBase {
 public:
  using BatchType = Batch;
  using BatchRequestType = BatchRequest;

  explicit DataLoaderBase(const DataLoaderOptions& options,
                          std::unique_ptr<Dataset> main_thread_dataset = nullptr)
      : options_(options), main_thread_dataset_(std::move(main_thread_dataset)) {
    ETUDE_CHECK_VALUE(options_.batch_size > 0, "DataLoader: batch_size can't be 0");
    ETUDE_CHECK_VALUE(options_.workers == 0 || options_.max_jobs > 0, "DataLoader: max_jobs can't be 0 with ",
                      options_.workers, " workers");
    sequencer_ = new_sequencer();
  }
  DataLoaderBase(const DataLoaderBase&) = delete;
  DataLoaderBase& operator=(const DataLoaderBase&) = delete;
  virtual ~DataLoaderBase() { join(); }

  /// Begins an epoch. Throws Error while batches of the previous one are pending, also after a WorkerException.
  Iterator<Batch> begin() {
    ETUDE_CHECK(!joined_ || options_.workers == 0, "DataLoader: its threads have been joined");
    ETUDE_CHECK(shuttle_.in_flight_jobs() == 0,
                "Attempted to get a new DataLoader iterator while another iterator is not yet exhausted\n"
                "hint: go on with that iterator to its end, also after it has thrown what a worker threw; or "
                "make a new DataLoader");
    reset();
    return Iterator<Batch>([this] { return next(); });
  }
  Iterator<Batch> end() { return Iterator<Batch>(); }

  /// Ends the worker threads. Batches in progress are finished and discarded.
  void join() {
    if (joined_) return;
    shuttle_.drain();
    for (size_t w = 0; w < options_.workers; ++w) shuttle_.push_job(Job{nullopt, 0});
    workers_.join();
    joined_ = true;
  }

  const FullDataLoaderOptions& options() const noexcept { return options_; }

 protected:
  /// The request for the next batch; nullopt when the epoch is over.
  virtual optional<BatchRequestType> get_batch_request() = 0;

  /// Begins an epoch.
  virtual void reset() {
    shuttle_.drain();
    sequence_number_ = 0;
    sequencer_ = new_sequencer();
    if (options_.workers > 0) prefetch(options_.max_jobs);
  }

  /// Starts a thread that makes batches of a dataset. The dataset must outlive the thread.
  void start_worker(std::shared_ptr<Dataset> dataset) {
    workers_.start([this, dataset = std::move(dataset)] { work(*dataset); });
  }

  const FullDataLoaderOptions options_;
  std::unique_ptr<Dataset> main_thread_dataset_;

 private:
  struct Job {
    optional<BatchRequest> request;  // nullopt ends the thread
    size_t sequence_number;
  };
  struct Result {
    optional<Batch> batch;
    std::exception_ptr exception;
    size_t sequence_number;
  };

  void prefetch(size_t jobs) {
    for (; jobs > 0; --jobs) {
      optional<BatchRequestType> request = get_batch_request();
      if (!request) return;
      shuttle_.push_job(Job{std::move(request), sequence_number_++});
    }
  }

  optional<Batch> next() {
    RECORD_USER_SCOPE("DataLoader.next");
    if (options_.workers == 0) {
      optional<BatchRequestType> request = get_batch_request();
      if (!request) return nullopt;
      return main_thread_dataset_->get_batch(*std::move(request));
    }
    while (optional<Result> result =
               sequencer_->next([this] { return shuttle_.pop_result(options_.timeout); })) {
      if (!result->batch && !result->exception) continue;  // the dataset is exhausted
      prefetch(1);
      if (result->exception) throw WorkerException(result->exception);
      return std::move(result->batch);
    }
    return nullopt;
  }

  void work(Dataset& dataset) {
    for (;;) {
      Job job = shuttle_.pop_job();
      if (!job.request) return;
      Result result{nullopt, nullptr, job.sequence_number};
      try {
        result.batch = dataset.get_batch(*std::move(job.request));
      } catch (...) {
        result.exception = std::current_exception();
      }
      shuttle_.push_result(std::move(result));
    }
  }

  std::unique_ptr<detail::sequencers::Sequencer<Result>> new_sequencer() const {
    if (options_.enforce_ordering)
      return std::make_unique<detail::sequencers::OrderedSequencer<Result>>(options_.max_jobs);
    return std::make_unique<detail::sequencers::NoSequencer<Result>>();
  }

  size_t sequence_number_ = 0;
  detail::DataShuttle<Job, Result> shuttle_;
  std::unique_ptr<detail::sequencers::Sequencer<Result>> sequencer_;
  bool joined_ = false;
  detail::Threads workers_;
};

}  // namespace etude::data
