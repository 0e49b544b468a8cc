#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "etude/core/error.h"
#include "etude/core/options.h"

namespace etude::data {

/// Iterates once over the batches of a DataLoader (torch::data::Iterator). Copies share their position. The
/// first batch is fetched on first use; if there is none, the iterator equals end().
template <typename Batch>
class Iterator {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = Batch;
  using pointer = Batch*;
  using reference = Batch&;
  using iterator_category = std::input_iterator_tag;

  /// The end iterator.
  Iterator() = default;
  explicit Iterator(std::function<optional<Batch>()> next_batch)
      : state_(std::make_shared<State>(State{std::move(next_batch), nullopt, false})) {}

  Iterator& operator++() {
    ETUDE_CHECK(state_, "Incrementing the DataLoader's past-the-end iterator is not allowed");
    ETUDE_CHECK(state_->current(), "Attempted to increment iterator past the end");
    state_->batch = state_->next_batch();
    return *this;
  }
  Batch& operator*() {
    ETUDE_CHECK(state_, "Dereferencing the DataLoader's past-the-end iterator is not allowed");
    ETUDE_CHECK(state_->current(), "Attempted to dereference iterator that was past the end");
    return *state_->batch;
  }
  Batch* operator->() { return &**this; }

  bool operator==(const Iterator& other) const {
    if (state_ && other.state_) return state_ == other.state_;
    return is_at_end() && other.is_at_end();
  }
  bool operator!=(const Iterator& other) const { return !(*this == other); }

 private:
  struct State {
    std::function<optional<Batch>()> next_batch;
    optional<Batch> batch;
    bool started;

    // Whether there is a batch.
    bool current() {
      if (!started) batch = next_batch();
      started = true;
      return batch.has_value();
    }
  };

  bool is_at_end() const { return !state_ || !state_->current(); }

  std::shared_ptr<State> state_;
};

}  // namespace etude::data
