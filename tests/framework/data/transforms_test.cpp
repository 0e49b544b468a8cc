#include "etude/data/transforms.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/data/example.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

namespace transforms = etude::data::transforms;
using etude::same;
using etude::data::Example;
using etude::data::TensorExample;

TEST_SUITE("transforms") {
  namespace {

  /// The length of a text.
  struct Length : transforms::Transform<std::string, size_t> {
    size_t apply(std::string text) override { return text.size(); }
  };

  /// Adds one.
  struct Increment : transforms::TensorTransform<int> {
    etude::Tensor operator()(etude::Tensor input) override { return input + 1; }
  };

  }  // namespace

  TEST_CASE("a transform of examples is applied to each of a batch") {
    Length length;
    CHECK(length.apply("abc") == 3);
    CHECK(length.apply_batch({"a", "", "bcd"}) == std::vector<size_t>{1, 0, 3});
    transforms::Lambda<int, std::string> text([](int i) { return std::to_string(i); });
    CHECK(text.apply(7) == "7");
    CHECK(text.apply_batch({1, 2}) == std::vector<std::string>{"1", "2"});
  }

  TEST_CASE("a transform of batches sees the whole batch") {
    transforms::BatchLambda<std::vector<int>, size_t> count(
        [](const std::vector<int>& batch) { return batch.size(); });
    CHECK(count.apply_batch({4, 5, 6}) == 3);
    transforms::Collate<int> last([](const std::vector<int>& batch) { return batch.back(); });
    CHECK(last.apply_batch({4, 5, 6}) == 6);
    transforms::Collation<int>& base = last;
    CHECK(base.apply_batch({1}) == 1);
  }

  TEST_CASE("stack makes one example of many") {
    transforms::Stack<> stack;
    const std::vector<Example<>> examples = {{etude::tensor({1, 2}), etude::tensor({5})},
                                             {etude::tensor({3, 4}), etude::tensor({6})}};
    const Example<> batch = stack.apply_batch(examples);
    CHECK(same(batch.data, etude::tensor({1, 2, 3, 4}).view({2, 2})));
    CHECK(same(batch.target, etude::tensor({5, 6}).view({2, 1})));
    transforms::Stack<TensorExample> stack_alone;
    const TensorExample rows = stack_alone.apply_batch({etude::tensor({1, 2}), etude::tensor({3, 4})});
    CHECK(same(rows.data, etude::tensor({1, 2, 3, 4}).view({2, 2})));
    CHECK_FALSE(etude::refusal([&] {
                  stack_alone.apply_batch({etude::ones({1}), etude::ones({2})});
                }).empty());
  }

  TEST_CASE("a transform of tensors leaves the target") {
    Increment increment;
    const auto changed = increment.apply({etude::zeros({2}), 9});
    CHECK(same(changed.data, etude::ones({2})));
    CHECK(changed.target == 9);
    transforms::TensorLambda<> negated([](etude::Tensor t) { return -t; });
    const auto batch = negated.apply_batch({{etude::ones({1}), etude::ones({2})}});
    CHECK(same(batch.at(0).data, -etude::ones({1})));
    CHECK(same(batch.at(0).target, etude::ones({2})));
  }

  TEST_CASE("normalize takes the mean of each channel away and divides") {
    transforms::Normalize<int> one(2.0, 4.0);
    CHECK(same(one.apply({etude::full({1, 1, 2}, 10.f), 1}).data, etude::full({1, 1, 2}, 2.f)));
    transforms::Normalize<int> two({1.0, 2.0}, {0.5, 4.0});
    const auto image = etude::stack({etude::full({2, 2}, 3.f), etude::full({2, 2}, 6.f)});
    const auto expected = etude::stack({etude::full({2, 2}, 4.f), etude::full({2, 2}, 1.f)});
    CHECK(same(two.apply({image, 1}).data, expected));
    CHECK(same(two.mean, etude::tensor({1.f, 2.f}).view({2, 1, 1})));
    CHECK(same(two.stddev, etude::tensor({0.5f, 4.f}).view({2, 1, 1})));
  }
}
