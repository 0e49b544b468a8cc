#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "etude/ops/ops.h"
#include "support/any_function.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("split") {
  const Tensor x = sin(etude::arange(15, kDouble)).reshape({5, 3});

  TEST_CASE("parts lie side by side and share memory with the whole") {
    const auto parts = split(x, 2);
    CHECK(parts.size() == 3);
    CHECK(equal(parts[2], x.slice(0, 4, 5)));
    for (const Tensor& p : parts) CHECK(p.is_alias_of(x));
    CHECK(equal(cat(parts, 0), x));
    CHECK(equal(cat(x.split({1, 0, 2}, 1), 1), x));
    CHECK(x.split_with_sizes({2, 3}).size() == 2);
    CHECK(x.chunk(2)[0].size(0) == 3);
    CHECK(x.chunk(9).size() == 5);
    CHECK(x.unbind(1).size() == 3);
    CHECK(equal(x.unbind(-1)[2], x.select(1, 2)));
    CHECK(unbind(etude::zeros({0, 2})).empty());
    CHECK(split(etude::zeros({0, 2}), 3).size() == 1);
    CHECK(chunk(etude::zeros({0, 2}), 3).size() == 3);
  }

  TEST_CASE("gradients of the parts come together again, also if some got none") {
    CHECK(gradcheck([](const std::vector<Tensor>& in) { return split(in[0], 2); }, {x}));
    CHECK(gradcheck([](const std::vector<Tensor>& in) { return split(in[0], {1, 2}, 1); }, {x}));
    CHECK(gradcheck([](const std::vector<Tensor>& in) { return chunk(in[0], 2, 1); }, {x}));
    CHECK(gradcheck([](const std::vector<Tensor>& in) { return unbind(in[0], 1); }, {x}));
    CHECK(gradgradcheck([](const std::vector<Tensor>& in) { return split(in[0], {1, 2}, 1)[1].exp(); }, {x}));
    CHECK(gradgradcheck([](const std::vector<Tensor>& in) { return unbind(in[0])[3].exp(); }, {x}));
    CHECK(gradgradcheck([](const std::vector<Tensor>& in) { return split(in[0], 4)[1].exp() * 2; }, {x}));
  }

  TEST_CASE("what does not add up is refused") {
    CHECK(refusal([&] { split(x, 0); }) ==
          "Error: split_size can only be 0 if dimension size is 0, but got dimension size of 5");
    CHECK(refusal([&] { split(x, -1); }) ==
          "Error: split expects split_size be non-negative, but got split_size=-1");
    CHECK(refusal([&] { chunk(x, 0); }) == "Error: chunk expects `chunks` to be greater than 0, got: 0");
    CHECK(refusal([&] {
            split(x, {1, 1}, 1);
          }).rfind("Error: split_with_sizes expects split_sizes to sum exactly to 3", 0) == 0);
    CHECK(refusal([&] { split(etude::scalar_tensor(1), 1); }) ==
          "Error: split expects at least a 1-dimensional tensor");
  }

  TEST_CASE("sizes that only overflow makes fit are refused") {
    const int64_t most = std::numeric_limits<int64_t>::max();
    const Tensor six = etude::ones({6});
    CHECK(refusal([&] {
            split_with_sizes(six, {most, most, 6});
          }).rfind("Error: split_with_sizes expects split_sizes to sum exactly to 6", 0) == 0);
    CHECK(split(six, most).size() == 1);
    CHECK(split_with_sizes(six, {2, 4})[1].size(0) == 4);
  }

  TEST_CASE("the parts can be differentiated one after the other") {
    const std::vector<AnyFunction<std::vector<Tensor>(const Tensor&)>> cuts{
        [](const Tensor& t) { return t.chunk(3); }, [](const Tensor& t) { return t.unbind(); },
        [](const Tensor& t) { return t.split(1); },
        [](const Tensor& t) {
          return t.split(IntArrayRef{1, 2});
        }};
    for (const auto& cut : cuts) {
      const Tensor leaf = etude::ones({3}, requires_grad());
      const std::vector<Tensor> parts = cut(leaf + 0);
      parts[0].sum().backward();
      parts[1].sum().backward();
      CHECK(equal(leaf.grad().slice(0, 0, 2), etude::ones({2})));
    }
  }
}
