#include "etude/explain/detail/event.h"

#include <doctest/doctest.h>

#include "etude/ops/ops.h"

using namespace etude;
using detail::Event;

TEST_SUITE("work") {
  namespace {

  Event counted(const char* name, std::vector<Tensor> given, const Tensor& result) {
    Event e;
    e.kind = detail::listen::Kind::kOp;
    e.name = name;
    for (const Tensor& t : given) e.given.push_back(detail::form_of(t));
    e.results.push_back(detail::form_of(result));
    detail::count_work(e);
    return e;
  }

  }  // namespace

  TEST_CASE("products count two operations for each pair, and biases one for each element") {
    const Tensor a = ones({2, 3}), b = ones({3, 4}), w = ones({4, 3}), y = ones({2, 4}), bias = ones({4});
    CHECK(counted("aten::mm", {a, b}, y).flop == 48);
    CHECK(counted("aten::mm", {a, b}, y).bytes == 4 * (6 + 12 + 8));
    CHECK(counted("aten::matmul", {ones({5, 2, 3}), b}, ones({5, 2, 4})).flop == 240);
    CHECK(counted("aten::bmm", {ones({5, 2, 3}), ones({5, 3, 4})}, ones({5, 2, 4})).flop == 240);
    CHECK(counted("aten::dot", {ones({7}), ones({7})}, ones({})).flop == 14);
    CHECK(counted("aten::mv", {a, ones({3})}, ones({2})).flop == 12);
    CHECK(counted("aten::linear", {a, w, bias}, y).flop == 48 + 8);
    CHECK(counted("aten::linear", {a, w, Tensor()}, y).flop == 48);
    CHECK(counted("aten::addmm", {bias, a, b}, y).flop == 48 + 8);
    // [1, 4, 8, 8] by 6 filters of 4 x 3 x 3
    CHECK(counted("aten::conv2d", {ones({1, 4, 8, 8}), ones({6, 4, 3, 3}), Tensor()}, ones({1, 6, 6, 6}))
              .flop == 2 * 36 * 216);
    CHECK(counted("aten::conv1d", {ones({2, 4, 8}), ones({6, 2, 3}), ones({6})}, ones({2, 6, 6})).flop ==
          (2 * 6 + 1) * 72);
  }

  TEST_CASE("elements, reductions, copies and fills") {
    const Tensor a = ones({2, 3});
    CHECK(counted("aten::exp", {a}, a.clone()).flop == 6);
    CHECK(counted("aten::add", {a, ones({3})}, a.clone()).bytes == 4 * (6 + 3 + 6));
    CHECK(counted("aten::mul_", {a, a}, a).flop == 6);
    CHECK(counted("aten::sum", {a}, ones({})).flop == 6);
    const Event copy = counted("aten::clone", {a}, a.clone());
    CHECK(copy.flop == 0);
    CHECK(copy.bytes == 48);
    CHECK(std::string(copy.way) == "copy");
    CHECK(counted("aten::copy_", {a, a.clone()}, a).bytes == 48);
    CHECK(counted("aten::zeros", {}, a).bytes == 24);
    CHECK(counted("aten::add", {a, ones({1}).expand({2, 3})}, a.clone()).bytes == 4 * (6 + 1 + 6));
  }

  TEST_CASE("nothing is said about what is not known") {
    const Tensor a = ones({2, 3});
    CHECK_FALSE(counted("aten::sort", {a}, a.clone()).flop);
    CHECK_FALSE(counted("aten::sort", {a}, a.clone()).bytes);
    CHECK_FALSE(counted("aten::softmax", {a}, a.clone()).flop);
    CHECK(counted("aten::softmax", {a}, a.clone()).bytes == 48);
    CHECK_FALSE(counted("aten::conv2d", {a}, a).flop);
    CHECK_FALSE(counted("aten::mm", {}, a).flop);
    CHECK_FALSE(counted("aten::exp", {a}, Tensor()).flop);
    CHECK_FALSE(counted("", {a}, a.clone()).flop);
    CHECK(counted("aten::mm", {ones({0, 3}), ones({3, 0})}, ones({0, 0})).flop == 0);
    CHECK_FALSE(counted("aten::conv1d", {a, ones({}), a}, a.clone()).flop);
  }

  TEST_CASE("a view does nothing, and a node of products does what its ops do") {
    Event view;
    view.kind = detail::listen::Kind::kOp;
    view.name = "aten::reshape";
    view.way = "view";
    detail::count_work(view);
    CHECK(view.bytes == 0);
    Event node;
    node.kind = detail::listen::Kind::kNode;
    node.name = "MmBackward0";
    node.inside = {counted("aten::mm", {ones({2, 3}), ones({3, 4})}, ones({2, 4})), view};
    detail::count_work(node);
    CHECK(node.flop == 48);
    node.name = "GeluBackward0";
    node.flop.reset();
    detail::count_work(node);
    CHECK_FALSE(node.flop);
  }
}
