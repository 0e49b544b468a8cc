// The elements of a tensor as a[i][j].
#include <doctest/doctest.h>

#include <type_traits>

#include "etude/framework.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("tensor accessor") {
  TEST_CASE("reads and writes the memory of the tensor, by its strides") {
    Tensor x = etude::arange(6., kFloat).view({2, 3});
    auto a = x.accessor<float, 2>();
    CHECK(a[1][2] == 5);
    CHECK(a.size(0) == 2);
    CHECK(a.size(1) == 3);
    CHECK(a.stride(0) == 3);
    CHECK(a.sizes() == x.sizes());
    CHECK(a[0].strides() == IntArrayRef({1}));
    CHECK(a.data() == x.data_ptr<float>());
    CHECK(a[1].data() == a.data() + 3);
    a[1][0] = 7;
    float& element = a[0][1];
    element = -1;
    CHECK(same(x, etude::tensor({{0.f, -1.f, 2.f}, {7.f, 4.f, 5.f}})));
    const Tensor turned = x.t();
    auto b = turned.accessor<float, 2>();
    CHECK(b[0][1] == 7);
    CHECK(b[2].size(0) == 2);
    const Tensor part = x.select(1, 2);
    CHECK(part.accessor<float, 1>()[1] == 5);
    const Tensor ids = etude::arange(8, kLong).view({2, 2, 2});
    CHECK(ids.accessor<int64_t, 3>()[1][0][1] == 5);
    const Tensor row = etude::tensor({true}).expand({3});
    CHECK(row.accessor<bool, 1>()[2]);
    static_assert(std::is_same_v<decltype(b[0][0]), float&>);
  }

  TEST_CASE("refuses other dims and types") {
    const Tensor x = etude::ones({2, 3});
    CHECK(refusal([&] { x.accessor<float, 3>(); }) ==
          "Error: TensorAccessor expected 3 dims but tensor has 2");
    CHECK(refusal([&] { x.accessor<double, 2>(); }) == "Error: expected scalar type Double but found Float");
  }
}
