#include "etude/core/shape.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "support/refusal.h"

using namespace etude;

TEST_SUITE("shape") {
  TEST_CASE("a shape is a list of at most eight numbers") {
    Shape s{2, 3};
    s.push_back(4);
    s.insert(0, 1);
    CHECK(s.ref() == IntArrayRef({1, 2, 3, 4}));
    s.erase(1);
    CHECK(s.ref() == IntArrayRef({1, 3, 4}));
    CHECK((s.size() == 3 && !s.empty() && s.back() == 4 && Shape().empty()));
    CHECK(Shape::filled(3, 7).ref() == IntArrayRef({7, 7, 7}));
    CHECK(Shape({2, 3}) == Shape(std::vector<int64_t>{2, 3}));
    CHECK(Shape({2, 3}) != Shape({2, 3, 1}));
    Shape eight = Shape::filled(8, 1);
    const std::vector<int64_t> nine(9, 1);
    CHECK(refusal([&] { eight.push_back(1); }) == "Error: tensors of more than 8 dims are not supported");
    CHECK(refusal([&] { Shape s9(nine); }) == "Error: tensors of more than 8 dims are not supported");
    CHECK(refusal([&] { Shape::filled(9, 1); }) == "Error: tensors of more than 8 dims are not supported");
  }

  TEST_CASE("a negative dim counts from the end, and a 0-dim tensor counts as one dim") {
    CHECK(wrap_dim(0, 3) == 0);
    CHECK(wrap_dim(-1, 3) == 2);
    CHECK(wrap_dim(-3, 3) == 0);
    CHECK(wrap_dim(0, 0) == 0);
    CHECK(wrap_dim(-1, 0) == 0);
    CHECK(refusal([] { wrap_dim(3, 3); }) ==
          "IndexError: Dimension out of range (expected to be in range of [-3, 2], but got 3)");
    CHECK(refusal([] { wrap_dim(-4, 3); }) ==
          "IndexError: Dimension out of range (expected to be in range of [-3, 2], but got -4)");
    CHECK(refusal([] { wrap_dim(1, 0); }) ==
          "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)");
  }

  TEST_CASE("the number of elements is the product of the sizes, and must not overflow") {
    CHECK(count_elements({}) == 1);
    CHECK(count_elements({2, 3, 4}) == 24);
    CHECK(count_elements({2, 0, 4}) == 0);
    CHECK(count_elements({int64_t{1} << 40, 0, int64_t{1} << 40}) == 0);
    CHECK(refusal([] {
            count_elements({int64_t{1} << 40, int64_t{1} << 40});
          }).find("overflow") != std::string::npos);
  }

  TEST_CASE("contiguous strides are row-major; an empty dim counts as one") {
    CHECK(contiguous_strides({2, 3, 4}).ref() == IntArrayRef({12, 4, 1}));
    CHECK(contiguous_strides({}).empty());
    CHECK(contiguous_strides({2, 0, 3}).ref() == IntArrayRef({3, 3, 1}));
  }

  TEST_CASE("sizes are broadcast from the last dim on") {
    CHECK(broadcast_sizes({2, 1, 4}, {3, 1}).ref() == IntArrayRef({2, 3, 4}));
    CHECK(broadcast_sizes({}, {3}).ref() == IntArrayRef({3}));
    CHECK(broadcast_sizes({0, 3}, {1, 1}).ref() == IntArrayRef({0, 3}));
    CHECK(refusal([] {
            broadcast_sizes({2, 3}, {2, 4});
          }) ==
          "Error: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1");
    CHECK(refusal([] {
            broadcast_sizes({2, 4}, {3, 1});
          }) ==
          "Error: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0");
    CHECK(refusal([] { broadcast_sizes({0}, {2}); }) ==
          "Error: The size of tensor a (0) must match the size of tensor b (2) at non-singleton dimension 0");
  }

  TEST_CASE("one size may be left to be inferred") {
    CHECK(infer_sizes({4, -1}, 12).ref() == IntArrayRef({4, 3}));
    CHECK(infer_sizes({-1}, 0).ref() == IntArrayRef({0}));
    CHECK(infer_sizes({}, 1).empty());
    CHECK(infer_sizes({3, 0}, 0).ref() == IntArrayRef({3, 0}));
    CHECK(refusal([] { infer_sizes({-1, -1}, 4); }) == "Error: only one dimension can be inferred");
    CHECK(refusal([] {
            infer_sizes({4, -1}, 6);
          }) == "Error: shape '[4, -1]' is invalid for input of size 6");
    CHECK(refusal([] {
            infer_sizes({2, -2}, 6);
          }) == "Error: invalid shape dimension -2 at index 1 of shape [2, -2]");
    CHECK(refusal([] {
            infer_sizes({-1, 0}, 0);
          }) ==
          "Error: cannot reshape tensor of 0 elements into shape [-1, 0] because the unspecified dimension "
          "size -1 can be any value and is "
          "ambiguous");
    CHECK(refusal([] {
            infer_sizes({-1, 0}, 6);
          }) == "Error: shape '[-1, 0]' is invalid for input of size 6");
    CHECK(refusal([] { infer_sizes({int64_t{1} << 62, 4}, 0); }).rfind("Error: ", 0) == 0);
  }

  TEST_CASE("memory can be seen with other sizes exactly where every element keeps its place") {
    // By brute force: the address of the i-th element in row-major order must agree for all i.
    auto addresses = [](const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
      std::vector<int64_t> result;
      const int64_t n = count_elements(sizes);
      for (int64_t i = 0; i < n; ++i) {
        int64_t rest = i, at = 0;
        for (size_t d = sizes.size(); d-- > 0;) {
          at += rest % sizes[d] * strides[d];
          rest /= sizes[d];
        }
        result.push_back(at);
      }
      return result;
    };
    // All strides that could describe the target, tried one dim at a time.
    auto exists = [&](const std::vector<int64_t>& wanted, const std::vector<int64_t>& target) {
      std::vector<int64_t> strides(target.size(), 0);
      int64_t block = 1;
      for (size_t d = target.size(); d-- > 0;) {
        if (target[d] > 1) strides[d] = wanted[static_cast<size_t>(block)] - wanted[0];
        block *= target[d];
      }
      return addresses(target, strides) == wanted;
    };
    std::mt19937 random(3);
    int possible = 0;
    for (int i = 0; i < 3000; ++i) {
      std::vector<int64_t> sizes, strides, target;
      for (size_t d = 0; d < random() % 4; ++d) sizes.push_back(static_cast<int64_t>(1 + random() % 4));
      const Shape dense = contiguous_strides(sizes);
      for (size_t d = 0; d < sizes.size(); ++d)
        strides.push_back(random() % 3 ? dense[static_cast<int64_t>(d)] : static_cast<int64_t>(random() % 5));
      int64_t rest = count_elements(sizes);
      while (rest > 1 || random() % 3 == 0) {
        int64_t part = static_cast<int64_t>(1 + random() % 4);
        if (rest % part || target.size() > 5) part = target.size() > 5 ? rest : 1;
        target.push_back(part);
        rest /= part;
        if (target.size() > 6) break;
      }
      if (rest != 1) target.push_back(rest);
      Shape found;
      const std::vector<int64_t> wanted = addresses(sizes, strides);
      const bool can = view_strides(sizes, strides, target, found);
      CHECK(can == exists(wanted, target));
      if (!can) continue;
      ++possible;
      CHECK(addresses(target, found.ref().vec()) == wanted);
    }
    CHECK(possible > 500);
  }
}
