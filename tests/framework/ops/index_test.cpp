#include <doctest/doctest.h>

#include "etude/autograd/grad_mode.h"
#include "etude/core/shape.h"
#include "etude/ops/ops.h"
#include "support/gradcheck.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;
using indexing::Ellipsis;
using indexing::None;
using indexing::Slice;
using indexing::TensorIndex;

TEST_SUITE("index") {
  namespace {

  // 0, 1, 2, ... in order.
  Tensor counted(IntArrayRef sizes, ScalarType dtype = kFloat) {
    return etude::arange(count_elements(sizes), dtype).reshape(sizes);
  }

  // A tensor in a graph.
  Tensor in_graph(IntArrayRef sizes) { return counted(sizes).set_requires_grad(true) * 1; }

  std::string name_after(const Tensor& x, std::initializer_list<TensorIndex> index, const Tensor& value) {
    Tensor y = x.clone();
    y.index_put_(index, value);
    return node_name(y);
  }

  }  // namespace

  TEST_CASE("integers pick along a dim, from the end if negative, and give a view") {
    const Tensor x = counted({2, 3});
    CHECK(same(x.index({1}), etude::tensor({3., 4., 5.})));
    CHECK(same(x.index({-1, -3}), etude::tensor(3.)));
    CHECK(same(x.index({Slice(), 1}), etude::tensor({1., 4.})));
    CHECK(same(x[1][2], etude::tensor(5.)));
    CHECK(x.index({1, 2}).is_alias_of(x));
    x.index({1, 2}).fill_(-1);
    CHECK(same(x[1], etude::tensor({3., 4., -1.})));
  }

  TEST_CASE("slices take a start, a stop and a step, cut off at the ends as Python's are") {
    const Tensor x = counted({6});
    CHECK(same(x.index({Slice(1, 4)}), etude::tensor({1., 2., 3.})));
    CHECK(same(x.index({Slice(None, None, 2)}), etude::tensor({0., 2., 4.})));
    CHECK(same(x.index({Slice(1, None, 2)}), etude::tensor({1., 3., 5.})));
    CHECK(same(x.index({Slice(-2)}), etude::tensor({4., 5.})));
    CHECK(same(x.index({Slice(None, -4)}), etude::tensor({0., 1.})));
    CHECK(same(x.index({Slice(-100, 100, 5)}), etude::tensor({0., 5.})));
    CHECK(same(x.index({Slice(4, 1)}), etude::zeros({0})));
    CHECK(same(x.index({Slice()}), x));
    CHECK(x.index({Slice(None, None, 2)}).is_alias_of(x));
  }

  TEST_CASE("None adds a dim and Ellipsis stands for as many slices as are missing") {
    const Tensor x = counted({2, 3, 4});
    CHECK(x.index({None}).sizes() == IntArrayRef({1, 2, 3, 4}));
    CHECK(x.index({Slice(), None, 1}).sizes() == IntArrayRef({2, 1, 4}));
    CHECK(same(x.index({"...", 3}), etude::tensor({{3., 7., 11.}, {15., 19., 23.}})));
    CHECK(same(x.index({1, Ellipsis, 0}), etude::tensor({12., 16., 20.})));
    CHECK(same(x.index({1, 2, 3, Ellipsis}), etude::tensor(23.)));
    CHECK(x.index({Ellipsis, None}).sizes() == IntArrayRef({2, 3, 4, 1}));
    CHECK(same(x.index({Ellipsis}), x));
    CHECK_FALSE(x.index({Ellipsis}).is_same(x));
    CHECK(x.index({Ellipsis}).is_alias_of(x));
  }

  TEST_CASE("a bool adds a dim of which it takes the one element or none, as a copy") {
    const Tensor x = counted({2, 2});
    CHECK(same(x.index({true}), etude::tensor({{{0., 1.}, {2., 3.}}})));
    CHECK(same(x.index({false}), etude::zeros({0, 2, 2})));
    CHECK(same(x.index({Slice(), true, 0}), etude::tensor({{0.}, {2.}})));
    CHECK(x.index({true, false}).sizes() == IntArrayRef({0, 2, 2}));
    CHECK_FALSE(x.index({true}).is_alias_of(x));
    CHECK(same(etude::tensor(3.).index({true, true}), etude::tensor({3.})));
  }

  TEST_CASE("a 0-dim tensor is the integer or the bool that it holds") {
    const Tensor x = counted({2, 3});
    CHECK(same(x.index({etude::tensor(1)}), x[1]));
    CHECK(x.index({etude::tensor(1, kInt)}).is_alias_of(x));
    CHECK(same(x[etude::tensor(1)], x[1]));
    CHECK(same(x.index({etude::tensor(true)}), x.unsqueeze(0)));
    CHECK(x.index({etude::tensor(0, kByte)}).sizes() == IntArrayRef({0, 2, 3}));
  }

  TEST_CASE(
      "views of a graph carry PyTorch's names, and a slice of everything beside other entries is skipped") {
    const Tensor x = in_graph({4, 5});
    CHECK(node_name(x.index({0})) == "SelectBackward0");
    CHECK(node_name(x.index({Slice(1, 3)})) == "SliceBackward0");
    CHECK(node_name(x.index({Slice(0, 4)})) == "SliceBackward0");
    CHECK(node_name(x.index({Slice(), Slice()})) == newer("AliasBackward0", "SliceBackward0"));
    CHECK(node_name(x.index({0, Slice(0, 5)})) == "SelectBackward0");
    CHECK(node_name(x.index({Slice(0, 4), Slice(0, 5)})) == "AliasBackward0");
    CHECK(node_name(x.index({"..."})) == "AliasBackward0");
    CHECK(node_name(x.index({None})) == "UnsqueezeBackward0");
    CHECK(node_name(x.index({true})) == "IndexBackward0");
  }

  TEST_CASE("an assignment writes numbers and tensors, broadcast and converted, into what the index names") {
    Tensor x = etude::zeros({2, 4});
    x.index_put_({Slice(), Slice(0, None, 2)}, 1.5);
    CHECK(same(x, etude::tensor({{1.5, 0., 1.5, 0.}, {1.5, 0., 1.5, 0.}})));
    x.index_put_({Slice(), Slice(1, None, 2)}, etude::tensor({{7}, {8}}));
    CHECK(same(x, etude::tensor({{1.5, 7., 1.5, 7.}, {1.5, 8., 1.5, 8.}})));
    x.index_put_({0}, etude::tensor({{{1., 2., 3., 4.}}}));
    CHECK(same(x[0], etude::tensor({1., 2., 3., 4.})));
    x.index_put_({1, 3}, etude::tensor(-1.5, kDouble));
    CHECK(same(x[1], etude::tensor({1.5, 8., 1.5, -1.5})));
    x.index_put_({"..."}, 0);
    CHECK(same(x, etude::zeros({2, 4})));
    CHECK(&x.index_put_({true}, 2) == &x);
    CHECK(same(x, etude::full({2, 4}, 2.f)));
    x.index_put_({false}, etude::zeros({7}));
    CHECK(same(x, etude::full({2, 4}, 2.f)));
  }

  TEST_CASE("assigning to what an index returns writes through") {
    const Tensor x = etude::zeros({2, 2});
    x[0] = etude::tensor({1., 2.});
    x[1][1] = 5;
    x.index({1, 0}) = etude::tensor(4.);
    CHECK(same(x, etude::tensor({{1., 2.}, {4., 5.}})));
  }

  TEST_CASE("numbers are cut to integers, and refused where the type cannot hold them") {
    Tensor x = etude::zeros({2}, kLong), small = etude::zeros({2}, kByte), flags = etude::zeros({2}, kBool);
    x.index_put_({0}, 1.7);
    CHECK(same(x, etude::tensor({1, 0})));
    small.index_put_({0}, -1);
    CHECK(same(small, etude::tensor({255, 0}, kByte)));
    flags.index_put_({0}, 2);
    CHECK(same(flags, etude::tensor({true, false})));
    CHECK(refusal([&] { small.index_put_({0}, 300); }) ==
          "Error: value cannot be converted to type uint8_t without overflow");
    CHECK(refusal([&] { x.index_put_({0}, NAN); }) ==
          "Error: value cannot be converted to type int64_t without overflow");
    CHECK(refusal([&] { etude::zeros({2}).index_put_({0}, 1e300); }) ==
          "Error: value cannot be converted to type float without overflow");
    etude::zeros({2}).index_put_({0}, INFINITY);
  }

  TEST_CASE("an assignment into a graph carries PyTorch's name") {
    const Tensor x = in_graph({4, 5});
    CHECK(name_after(x, {0}, etude::ones({5})) == "CopySlices");
    CHECK(name_after(x, {None}, etude::ones({5})) == "CopySlices");
    CHECK(name_after(x, {true}, etude::ones({5})) == "CopySlices");
    CHECK(name_after(x, {Slice(), true}, etude::ones({5})) == "CopySlices");
    CHECK(name_after(x, {"..."}, etude::ones({5})) == "CopyBackwards");
    CHECK(name_after(x, {Slice(0, 4)}, etude::ones({5})) == "CopyBackwards");
    CHECK(name_after(x, {etude::tensor({0, 1})}, etude::ones({5})) == "IndexPutBackward0");
    CHECK(name_after(x, {Slice(1), etude::tensor({0, 1})}, etude::ones({2})) == "CopySlices");
    CHECK(name_after(x, {false}, etude::ones({5})) == "CloneBackward0");
  }

  TEST_CASE("gradients of reads agree with finite differences") {
    const Tensor x = counted({3, 4}, kDouble);
    const std::vector<std::vector<TensorIndex>> indices = {{1},
                                                           {Slice(None, None, 2), -1},
                                                           {"...", Slice(1, 3)},
                                                           {None, 0, Ellipsis},
                                                           {Ellipsis},
                                                           {true},
                                                           {Slice(0, 3), Slice(0, 4)},
                                                           {Slice(5, 9)},
                                                           {etude::tensor(2), None},
                                                           {Slice(), false},
                                                           {1, true, 2}};
    for (const auto& index : indices) {
      const TensorFunction f = [&](const std::vector<Tensor>& in) { return in[0].index(index); };
      CHECK(gradcheck(f, {x}));
      CHECK(gradgradcheck(f, {x}));
    }
  }

  TEST_CASE(
      "gradients of assignments agree with finite differences, for the tensor and for what was assigned") {
    const Tensor x = counted({3, 4}, kDouble), row = etude::tensor({1.5, -2., 0.5, 3.}, kDouble),
                 column = etude::tensor({{1.}, {2.}, {3.}}, kDouble);
    auto assign = [](std::vector<TensorIndex> index) {
      return TensorFunction([index](const std::vector<Tensor>& in) {
        Tensor y = in[0] * in[0];
        y.index_put_(index, in[1] * 2);
        return y * y;
      });
    };
    CHECK(gradcheck(assign({1}), {x, row}));
    CHECK(gradgradcheck(assign({1}), {x, row}));
    CHECK(gradcheck(assign({Slice(), Slice(1, 3)}), {x, column}));
    CHECK(gradgradcheck(assign({Slice(), Slice(1, 3)}), {x, column}));
    CHECK(gradcheck(assign({"..."}), {x, row}));
    CHECK(gradcheck(assign({None}), {x, etude::tensor(2., kDouble)}));
    CHECK(gradcheck(assign({Slice(1), true}), {x, row}));
  }

  TEST_CASE("a gradient flows through a view that was taken before its base was assigned to") {
    const TensorFunction f = [](const std::vector<Tensor>& in) {
      Tensor y = in[0] * 3, first = y[0];
      y.index_put_({Slice(), 1}, in[1]);
      return first * first + y[1];
    };
    CHECK(gradcheck(f, {counted({2, 3}, kDouble), etude::tensor({5., 6.}, kDouble)}));
  }

  TEST_CASE("indices out of range are refused with the dim and its size") {
    Tensor x = etude::zeros({4, 5});
    CHECK(refusal([&] { x.index({5}); }) ==
          "IndexError: index 5 is out of bounds for dimension 0 with size 4");
    CHECK(refusal([&] {
            x.index({0, -6});
          }) == "IndexError: index -6 is out of bounds for dimension 1 with size 5");
    CHECK(refusal([&] {
            x.index({None, 0, 5});
          }) == "IndexError: index 5 is out of bounds for dimension 2 with size 5");
    CHECK(refusal([&] {
            x.index({"...", etude::tensor(5)});
          }) == "IndexError: index 5 is out of bounds for dimension 1 with size 5");
    CHECK(refusal([&] { x.index({0, 0, 0}); }) == "IndexError: too many indices for tensor of dimension 2");
    CHECK(refusal([&] {
            x.index_put_({0, 0, 0}, 1);
          }) == "IndexError: too many indices for tensor of dimension 2");
    CHECK(refusal([&] {
            x[0][0].index({0, 0});
          }) == "IndexError: too many indices for tensor of dimension 0");
    CHECK(refusal([&] { x[0][0].index({0}); }) ==
          "IndexError: invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` "
          "in C++ to convert a 0-dim "
          "tensor to a number");
    CHECK(refusal([&] { x[0][0].index({Slice()}); }) ==
          "IndexError: slice() cannot be applied to a 0-dim tensor.");
    CHECK(refusal([&] {
            x.index({0, 7});
          }) == "IndexError: index 7 is out of bounds for dimension 1 with size 5");
    CHECK_FALSE(refusal([&] { x.index({Ellipsis, 0, Ellipsis, 0, Ellipsis, 0}); }).empty());
    CHECK(refusal([&] {
            etude::zeros({2, 3, 4}).index({Ellipsis, Ellipsis, 0});
          }) == "IndexError: index 0 is out of bounds for dimension 2 with size 0");
  }

  TEST_CASE("entries that are no index are refused") {
    Tensor x = etude::zeros({4, 5});
    CHECK(refusal([&] { x.index({Slice(None, None, -1)}); }) == "ValueError: step must be greater than zero");
    CHECK(refusal([&] { x.index({Slice(None, None, 0)}); }) == "ValueError: slice step cannot be zero");
    CHECK(refusal([&] {
            x.index({"..", 0});
          }) == "ValueError: Expected \"...\" to represent an ellipsis index, but got \"..\"");
    CHECK(refusal([&] { x.index(ArrayRef<TensorIndex>()); }) ==
          "Error: Passing an empty index list to Tensor::index() is not valid syntax");
    CHECK(refusal([&] { x.index_put_(ArrayRef<TensorIndex>(), 1); }) ==
          "Error: Passing an empty index list to Tensor::index_put_() is not valid syntax");
    CHECK(refusal([&] { x[Tensor()]; }) == "IndexError: Can only index with tensors that are defined");
    CHECK(refusal([&] { x[etude::tensor({1})]; }) ==
          "IndexError: Can only index with tensors that are scalars (zero-dim)");
    CHECK(refusal([&] { x[etude::tensor(1.5)]; }) ==
          "IndexError: Can only index tensors with integral scalars");
    CHECK(refusal([&] { x[etude::tensor(true)]; }) ==
          "IndexError: Can only index tensors with integral scalars");
  }

  TEST_CASE("values that do not fit and leaves are not assigned to") {
    Tensor x = etude::zeros({4, 5});
    CHECK(refusal([&] { x.index_put_({0}, etude::zeros({4})); }) ==
          "Error: The expanded size of the tensor (5) must match the existing size (4) at non-singleton "
          "dimension 0.  Target sizes: [5].  "
          "Tensor sizes: [4]");
    Tensor leaf = etude::zeros({2, 2}, requires_grad());
    CHECK(refusal([&] { leaf.index_put_({0}, 1); }) ==
          "Error: a view of a leaf Variable that requires grad is being used in an in-place operation.");
    CHECK(refusal([&] { leaf.index_put_({"..."}, 1); }) ==
          "Error: a leaf Variable that requires grad is being used in an in-place operation.");
    const NoGradGuard no_grad;
    leaf.index_put_({0}, 1);
    CHECK(same(leaf.detach(), etude::tensor({{1., 1.}, {0., 0.}})));
  }

  TEST_CASE("an index is asked what it is, and is written as LibTorch writes it") {
    using indexing::INDEX_MAX;
    using indexing::INDEX_MIN;
    const std::vector<indexing::TensorIndex> all = {
        None, "...", 3, true, Slice(1, None, 2), etude::tensor({1, 2})};
    CHECK((all[0].is_none() && all[1].is_ellipsis() && all[2].is_integer() && all[3].is_boolean()));
    CHECK((all[4].is_slice() && all[5].is_tensor() && !all[3].is_integer()));
    CHECK((all[2].integer() == 3 && all[3].boolean() && all[4].slice().stop() == INDEX_MAX));
    const std::string open = std::to_string(INDEX_MAX), below = std::to_string(INDEX_MIN);
    CHECK(str(std::vector<TensorIndex>(all.begin(), all.begin() + 5)) ==
          "(None, ..., 3, true, 1:" + open + ":2)");
    CHECK(str(Slice()) == "0:" + open + ":1");
    CHECK(str(Slice(None, None, -1)) == open + ":" + below + ":-1");
    CHECK(str(Slice(-3, 2)) == "-3:2:1");
    CHECK(str(TensorIndex(false)) == "false");
    CHECK(str(std::vector<TensorIndex>()) == "()");
  }
}
