#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <utility>

#include "etude/core/error.h"
#include "etude/core/record_function.h"
#include "etude/data/dataloader/workers.h"
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
                          std::shared_ptr<Dataset> main_thread_dataset = nullptr)
      : options_(options),
        main_thread_dataset_(std::move(main_thread_dataset)),
        workers_(options_.enforce_ordering) {
    ETUDE_CHECK_VALUE(options_.batch_size > 0, "DataLoader: batch_size can't be 0");
    ETUDE_CHECK_VALUE(options_.workers == 0 || options_.max_jobs > 0, "DataLoader: max_jobs can't be 0 with ",
                      options_.workers, " workers");
  }
  DataLoaderBase(const DataLoaderBase&) = delete;
  DataLoaderBase& operator=(const DataLoaderBase&) = delete;
  virtual ~DataLoaderBase() { join(); }

  /// Begins an epoch. Throws Error while batches of the previous one are pending, also after a WorkerException.
  Iterator<Batch> begin() {
    ETUDE_CHECK(!joined_ || options_.workers == 0, "DataLoader: its threads have been joined");
    ETUDE_CHECK(workers_.in_flight() == 0,
                "Attempted to get a new DataLoader iterator while another iterator is not yet exhausted\n"
                "hint: go on with that iterator to its end, also after it has thrown what a worker threw; or "
                "make a new DataLoader");
    reset();
    return Iterator<Batch>([this] { return next(); });
  }
  Iterator<Batch> end() { return Iterator<Batch>(); }

  /// Ends the worker threads. Batches in progress are finished and discarded.
  void join() {
    workers_.join();
    joined_ = true;
  }

  const FullDataLoaderOptions& options() const noexcept { return options_; }

 protected:
  /// The request for the next batch; nullopt when the epoch is over.
  virtual optional<BatchRequestType> get_batch_request() = 0;

  /// Begins an epoch.
  virtual void reset() {
    if (options_.workers > 0) prefetch(options_.max_jobs);
  }

  /// Starts a thread that makes batches of a dataset.
  void start_worker(std::shared_ptr<Dataset> dataset) {
    workers_.start([dataset = std::move(dataset)](detail::Job& any_job) {
      auto& job = static_cast<Job&>(any_job);
      try {
        job.batch = dataset->get_batch(std::move(job.request));
      } catch (...) {
        job.exception = std::current_exception();
      }
    });
  }

  const FullDataLoaderOptions options_;
  std::shared_ptr<Dataset> main_thread_dataset_;

 private:
  struct Job : detail::Job {
    explicit Job(BatchRequest wanted) : request(std::move(wanted)) {}
    BatchRequest request;
    optional<Batch> batch;
    std::exception_ptr exception;
  };

  void prefetch(size_t jobs) {
    for (; jobs > 0; --jobs) {
      optional<BatchRequestType> request = get_batch_request();
      if (!request) return;
      workers_.push(std::make_shared<Job>(*std::move(request)));
    }
  }

  optional<Batch> next() {
    RECORD_USER_SCOPE("DataLoader.next");
    if (options_.workers == 0) {
      optional<BatchRequestType> request = get_batch_request();
      if (!request) return nullopt;
      return main_thread_dataset_->get_batch(*std::move(request));
    }
    while (const std::shared_ptr<detail::Job> done = workers_.pop(options_.timeout)) {
      auto& job = static_cast<Job&>(*done);
      if (!job.batch && !job.exception) continue;  // the dataset is exhausted
      prefetch(1);
      if (job.exception) throw WorkerException(job.exception);
      return std::move(job.batch);
    }
    return nullopt;
  }

  bool joined_ = false;
  detail::Workers workers_;
};

}  // namespace etude::data
