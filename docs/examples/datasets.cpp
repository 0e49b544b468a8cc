#include "support/example.h"

/// # Datasets
///
/// Where examples come from: by an index, in a stream, or all at once. A `DataLoader` makes batches of them.

/// A `TensorExample` has no target; it converts to its data where a tensor is expected.
///
/// - Shapes: data [*], target [*]
/// - Errors: none of its own
EXAMPLE(etude::data::Example, etude::data::TensorExample, etude::data::example::NoTarget) {
  const etude::data::Example<> seen(etude::tensor({1.0, 2.0}), etude::tensor(1));
  print(seen.data, seen.target);
  const etude::data::Example<std::string, int> word("cat", 3);
  print(word.data, word.target);
  const etude::data::TensorExample alone(etude::ones({2}));
  const Tensor& data = alone;
  print(data);
}

/// A class of your own defines `get`, the example at an index, and `size`, the number of examples; `get_batch` calls `get`.
///
/// - Errors: none of its own
EXAMPLE(etude::data::datasets::Dataset) {
  struct Squares : etude::data::datasets::Dataset<Squares, size_t> {
    size_t get(size_t index) override { return index * index; }
    etude::optional<size_t> size() const override { return 10; }
  };
  Squares squares;
  print(squares.get(3), squares.size().value());
  print(etude::Join(" ", squares.get_batch(std::vector<size_t>{1, 2, 9})));
}

/// - Shapes: tensor [n, *] to n examples [*]
/// - Errors: none of its own
EXAMPLE(etude::data::datasets::TensorDataset) {
  etude::data::datasets::TensorDataset rows(etude::tensor({{1.0, 2.0}, {3.0, 4.0}}));
  print(rows.size().value(), rows.get(1).data);
}

/// The dataset defines what a request is: here the first number of a batch and the last.
///
/// - Errors: none of its own
EXAMPLE(etude::data::datasets::BatchDataset) {
  using Range = std::pair<int64_t, int64_t>;
  struct Numbers : etude::data::datasets::BatchDataset<Numbers, Tensor, Range> {
    Tensor get_batch(Range range) override { return etude::arange(range.first, range.second + 1); }
    etude::optional<size_t> size() const override { return etude::nullopt; }
  };
  print(Numbers().get_batch({3, 6}), Numbers::is_stateful);
}

/// The request is the number of examples.
///
/// - Errors: none of its own
EXAMPLE(etude::data::datasets::StreamDataset) {
  struct Counter : etude::data::datasets::StreamDataset<Counter, std::vector<int>> {
    std::vector<int> get_batch(size_t count) override {
      std::vector<int> batch;
      while (batch.size() < count) batch.push_back(next++);
      return batch;
    }
    etude::optional<size_t> size() const override { return etude::nullopt; }
    int next = 0;
  };
  Counter counter;
  print(etude::Join(" ", counter.get_batch(3)));
  print(etude::Join(" ", counter.get_batch(2)));
}

/// It keeps its own place: no sampler is needed, and an empty optional ends the epoch.
///
/// - Errors: `this dataset has no save()`, and the same of load, where it does not override them
EXAMPLE(etude::data::datasets::StatefulDataset) {
  struct Down : etude::data::datasets::StatefulDataset<Down, std::vector<int>> {
    etude::optional<std::vector<int>> get_batch(size_t count) override {
      std::vector<int> batch;
      while (left > 0 && batch.size() < count) batch.push_back(left--);
      if (batch.empty()) return etude::nullopt;
      return batch;
    }
    void reset() override { left = 3; }
    etude::optional<size_t> size() const override { return 3; }
    void save(etude::serialize::OutputArchive&) const override {}
    void load(etude::serialize::InputArchive&) override {}
    int left = 3;
  };
  Down down;
  while (const auto batch = down.get_batch(2)) print(etude::Join(" ", *batch));
  down.reset();
  print(down.get_batch(1).has_value());
}

/// - Shapes: those of the dataset and of the transform
/// - Errors: none of its own
EXAMPLE(etude::data::datasets::map, etude::data::datasets::MapDataset) {
  etude::data::datasets::TensorDataset rows(etude::tensor({{1.0, 2.0}, {3.0, 4.0}}));
  auto stacked = rows.map(etude::data::transforms::Stack<etude::data::TensorExample>());
  print(stacked.get_batch(std::vector<size_t>{1, 0}).data);
  const etude::data::transforms::Stack<etude::data::TensorExample> stack;
  print(etude::data::datasets::map(rows, stack).size().value());
}

/// Copies share one dataset, which would otherwise be copied for each thread of a `DataLoader`.
///
/// - Errors: none of its own
EXAMPLE(etude::data::datasets::make_shared_dataset, etude::data::datasets::SharedBatchDataset) {
  using etude::data::datasets::TensorDataset;
  const auto shared = etude::data::datasets::make_shared_dataset<TensorDataset>(etude::zeros({4, 2}));
  etude::data::datasets::SharedBatchDataset<TensorDataset> copy = shared;
  copy->tensor.fill_(1);
  print(shared->tensor[0], shared.size().value());
}
