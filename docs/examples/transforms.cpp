#include "support/example.h"

/// # Transforms of data
///
/// What happens to examples between a dataset and a model: `dataset.map(transform)` applies it to every batch.

/// - Shapes: n examples of data [*] and target [*] to data [n, *] and target [n, *]
/// - Errors: `stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1` where sizes differ
EXAMPLE(etude::data::transforms::Stack) {
  using etude::data::Example;
  etude::data::transforms::Stack<> stack;
  const Example<> batch = stack.apply_batch(
      {Example<>(etude::zeros({2}), etude::tensor(0)), Example<>(etude::ones({2}), etude::tensor(1))});
  print(batch.data);
  print(batch.target);
  const etude::data::TensorExample short_one(etude::zeros({2})), long_one(etude::zeros({3}));
  etude::data::transforms::Stack<etude::data::TensorExample> alone;
  print(examples::message_of([&] { alone.apply_batch({short_one, long_one}); }));
}

/// - Shapes: image [channels, height, width] to the same
/// - Errors: `The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0` where the image has
///   another number of channels than there are means
EXAMPLE(etude::data::transforms::Normalize) {
  etude::data::transforms::Normalize<> normalize({0.5, 1.0}, {0.5, 2.0});
  const Tensor image = etude::tensor({0.0, 1.0, 1.0, 5.0}).view({2, 1, 2});
  print(normalize(image));
  print(normalize.apply({image, etude::tensor(7)}).target);
  print(examples::message_of([&] { normalize(etude::ones({3, 1, 2})); }));
}

/// A class of one's own, or a function; both leave the target alone.
///
/// - Shapes: data [*] to what it gives
/// - Errors: none of its own
EXAMPLE(etude::data::transforms::TensorTransform, etude::data::transforms::TensorLambda) {
  struct Double : etude::data::transforms::TensorTransform<> {
    Tensor operator()(Tensor input) override { return input * 2; }
  };
  etude::data::transforms::TensorLambda<> halve([](Tensor input) { return input / 2; });
  const etude::data::Example<> seen(etude::ones({2}), etude::tensor(3));
  print(Double().apply(seen).data, halve.apply(seen).data, halve.apply(seen).target);
}

/// One example to one example, of any types.
///
/// - Errors: none of its own
EXAMPLE(etude::data::transforms::Transform, etude::data::transforms::Lambda) {
  struct Length : etude::data::transforms::Transform<std::string, size_t> {
    size_t apply(std::string word) override { return word.size(); }
  };
  print(etude::Join(" ", Length().apply_batch({"a", "word", "or", "two"})));
  etude::data::transforms::Lambda<int> next([](int number) { return number + 1; });
  print(etude::Join(" ", next.apply_batch({1, 2, 3})));
}

/// One batch to another, which may be of another size: here examples that are too long are left out.
///
/// - Errors: none of its own
EXAMPLE(etude::data::transforms::BatchTransform, etude::data::transforms::BatchLambda) {
  using Words = std::vector<std::string>;
  struct First : etude::data::transforms::BatchTransform<Words, Words> {
    Words apply_batch(Words words) override { return {words.at(0)}; }
  };
  print(etude::Join(" ", First().apply_batch({"one", "two"})));
  etude::data::transforms::BatchLambda<Words> no_long_ones([](const Words& words) {
    Words left;
    for (const std::string& word : words)
      if (word.size() < 5) left.push_back(word);
    return left;
  });
  print(etude::Join(" ", no_long_ones.apply_batch({"cat", "elephant", "dog"})));
}

/// - Errors: none of its own
EXAMPLE(etude::data::transforms::Collate, etude::data::transforms::Collation) {
  struct Sum : etude::data::transforms::Collation<int> {
    int apply_batch(std::vector<int> numbers) override {
      int sum = 0;
      for (const int number : numbers) sum += number;
      return sum;
    }
  };
  print(Sum().apply_batch({1, 2, 3}));
  etude::data::transforms::Collate<int> count(
      [](const std::vector<int>& numbers) { return static_cast<int>(numbers.size()); });
  print(count.apply_batch({1, 2, 3}));
}
