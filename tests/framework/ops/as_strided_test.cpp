#include <doctest/doctest.h>

#include <limits>

#include "etude/ops/ops.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("as_strided") {
  const Tensor x = sin(etude::arange(12, kDouble) + 0.3).reshape({3, 4});

  TEST_CASE("any sizes and strides inside the storage are a view") {
    const Tensor v = x.as_strided({2, 3}, {1, 2}, 3);
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < 3; ++j)
        CHECK(v[i][j].item<double>() == x.flatten()[3 + i + 2 * j].item<double>());
    CHECK(v.is_alias_of(x));
    CHECK(equal(x[1].as_strided({2}, {1}), x[1].slice(0, 0, 2)));
    CHECK(equal(x[2].as_strided({2}, {1}, 0), x[0].slice(0, 0, 2)));
  }

  TEST_CASE("nothing outside the storage can be seen") {
    CHECK(refusal([&] { x.as_strided({13}, {1}, 0); }) ==
          "Error: setStorage: sizes [13], strides [1], storage offset 0, and itemsize 8 requiring a storage "
          "size of 104 are out of bounds "
          "for storage of size 96");
    CHECK(refusal([&] { x.as_strided({2}, {1}, -1); }) == "Error: Tensor: invalid storage offset -1");
    CHECK(refusal([&] { x.as_strided({2}, {-1}, 3); }) ==
          "Error: as_strided: Negative strides are not supported at the moment, got strides: [-1]");
    CHECK(refusal([&] { x.as_strided({2}, {1, 1}); }) == "Error: mismatch in length of strides and shape");
    const int64_t vast = int64_t{1} << 62;
    CHECK(refusal([&] {
            x.as_strided({vast, 4}, {vast, 1});
          }) ==
          "Error: Storage size calculation overflowed with sizes=[4611686018427387904, 4] and "
          "strides=[4611686018427387904, 1]");
    CHECK(refusal([&] { x.as_strided({2}, {vast}); }) ==
          "Error: Storage size calculation overflowed with sizes=[2] and strides=[4611686018427387904]");
    CHECK(x.as_strided({vast, 0}, {vast, 1}).numel() == 0);
  }

  TEST_CASE("gradients agree with finite differences, of views that repeat elements too") {
    CHECK(gradcheck(
        [](const std::vector<Tensor>& in) {
          return in[0].as_strided({3, 2}, {1, 1}, 2).exp();
        },
        {x}));
    CHECK(gradgradcheck(
        [](const std::vector<Tensor>& in) {
          return in[0].as_strided({3, 2}, {1, 1}, 2).exp();
        },
        {x}));
    CHECK(gradcheck(
        [](const std::vector<Tensor>& in) {
          return in[0].t().exp().as_strided({2, 2}, {3, 2}, 1);
        },
        {x}));
    CHECK(gradcheck([](const std::vector<Tensor>& in) { return in[0].unfold(1, 3, 1).exp(); }, {x}));
    CHECK(gradgradcheck([](const std::vector<Tensor>& in) { return in[0].unfold(1, 2, 2).exp(); }, {x}));
    CHECK(gradgradcheck([](const std::vector<Tensor>& in) { return in[0].t().unfold(0, 2, 1).exp(); }, {x}));
  }

  TEST_CASE(
      "gradients agree with finite differences where the input is itself a view, expanded or with gaps") {
    const auto check = [](const TensorFunction& f, const Tensor& in) {
      CHECK(gradcheck(f, {in}));
      CHECK(gradgradcheck(f, {in}));
    };
    check(
        [](const std::vector<Tensor>& in) {
          return (in[0] * 1).slice(1, 0, 4, 2).as_strided({2, 2}, {4, 2}, 4).exp();
        },
        x);
    check(
        [](const std::vector<Tensor>& in) {
          return (in[0] * 1).expand({3, 4}).as_strided({3}, {1}, 1).exp();
        },
        x[0]);
    check(
        [](const std::vector<Tensor>& in) {
          return (in[0] * 1).expand({3, 4}).unfold(1, 2, 1).exp();
        },
        x[0]);
    check([](const std::vector<Tensor>& in) { return in[0].unfold(0, 3, 1).unfold(0, 2, 1).exp(); }, x[0]);
  }

  TEST_CASE("the gradient of a view that looks outside of its input stays inside it") {
    const Tensor leaf = x.clone().requires_grad_();
    const Tensor row = (leaf * 1)[1];  // elements 4 to 7 of the memory
    row.as_strided({6}, {2}, 1).sum().backward();
    CHECK(equal(leaf.grad(), etude::tensor({{0, 0, 0, 0}, {0, 1, 0, 1}, {0, 0, 0, 0}}, kDouble)));
  }

  TEST_CASE("unfold gives the windows along a dim as a last dim") {
    const Tensor v = x.unfold(1, 2, 2);
    CHECK(v.sizes() == IntArrayRef({3, 2, 2}));
    CHECK(equal(v.select(1, 1), x.slice(1, 2, 4)));
    CHECK(refusal([&] { x.unfold(1, 5, 1); }) ==
          "Error: maximum size for tensor at dimension 1 is 4 but size is 5");
    CHECK(refusal([&] { x.unfold(1, 2, 0); }) == "Error: step is 0 but must be > 0");
    CHECK(etude::scalar_tensor(2).unfold(0, 1, 1).sizes() == IntArrayRef({1}));
  }

  TEST_CASE("the views in place change the tensor itself") {
    Tensor t = etude::arange(6).reshape({2, 3});
    t.t_();
    CHECK(equal(t, etude::tensor({{0, 3}, {1, 4}, {2, 5}})));
    t.unsqueeze_(1);
    CHECK(t.sizes() == IntArrayRef({3, 1, 2}));
    t.squeeze_();
    t.transpose_(0, 1);
    CHECK(equal(t, etude::tensor({{0, 1, 2}, {3, 4, 5}})));
    t.squeeze_(0);
    CHECK(t.sizes() == IntArrayRef({2, 3}));
  }

  TEST_CASE("sizes and strides that no memory has are refused where the view is made") {
    const int64_t most = std::numeric_limits<int64_t>::max();
    const Tensor six = etude::ones({6});
    CHECK(refusal([&] {
            six.as_strided({-2, -3}, {1, 1});
          }) == "Error: Storage size calculation overflowed with sizes=[-2, -3] and strides=[1, 1]");
    CHECK(refusal([&] {
            six.as_strided({most, most}, {0, 0});
          }) == "Error: numel: integer multiplication overflow");
    CHECK(refusal([&] { six.as_strided({-most - 1}, {1}); }) != "");
    CHECK(refusal([&] { six.unfold(0, -most - 1, 1); }) != "");
    CHECK(refusal([&] { six.unfold(0, -1, 1); }) ==
          "Error: Storage size calculation overflowed with sizes=[8, -1] and strides=[1, 1]");
    CHECK(six.unfold(0, 2, most).sizes() == IntArrayRef({1, 2}));
    CHECK(refusal([&] {
            six.view({3, 2}).unfold(0, 2, most);
          }) ==
          "Error: as_strided: Negative strides are not supported at the moment, got strides: [-2, 1, 2]");
  }

  TEST_CASE("what changes a view itself is refused where a write would be") {
    const Tensor leaf = etude::ones({2, 3}, requires_grad());
    CHECK(refusal([&] { leaf[0].unsqueeze_(0); }) ==
          "Error: a view of a leaf Variable that requires grad is being used in an in-place operation.");
    CHECK(refusal([&] {
            (leaf + 0).unbind()[0].squeeze_();
          }).rfind("Error: Output 0 of UnbindBackward0 is a view and is being modified inplace.", 0) == 0);
    CHECK(refusal([&] { leaf.t_(); }) ==
          "Error: a leaf Variable that requires grad is being used in an in-place operation.");
    CHECK(refusal([] {
            etude::ones({2, 3, 4}).t_();
          }) == "Error: t_() expects a tensor with <= 2 dimensions, but self is 3D");
    Tensor inner = (leaf * 2)[0];
    inner.unsqueeze_(0);
    inner.sum().backward();
    CHECK(equal(leaf.grad(), etude::tensor({{2., 2., 2.}, {0., 0., 0.}})));
  }
}
