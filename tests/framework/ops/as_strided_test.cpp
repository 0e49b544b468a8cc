#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "etude/ops/ops.h"
#include "support/any_function.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("as_strided") {
  const Tensor x = sin(etude::arange(12, kDouble) + 0.3).reshape({3, 4});

  namespace {

  // Tensors of sizes {3, 4} with contiguous elements, with gaps, transposed, or with shared memory.
  std::vector<Tensor> differently_laid() {
    const Tensor memory = sin(etude::arange(48, kDouble) + 0.3);
    return {memory.slice(0, 0, 12).view({3, 4}),
            memory.view({6, 8}).slice(0, 0, 6, 2).slice(1, 1, 8, 2),
            memory.slice(0, 5, 17).view({4, 3}).t(),
            memory.slice(0, 7, 11).expand({3, 4}),
            memory.slice(0, 7, 10).view({3, 1}).expand({3, 4}),
            memory[5].expand({3, 4}),
            memory.as_strided({3, 4}, {2, 1}, 1),
            memory.as_strided({3, 4}, {1, 1}, 3)};
  }

  struct Gradients {
    Tensor first, second;
  };

  Tensor weights(const Tensor& like) {
    return (etude::arange(like.numel(), kDouble) + 1).reshape(like.sizes());
  }

  // The gradient of the weighted sum of view(in)^3, and the gradient of that gradient's weighted sum.
  template <typename View>
  Gradients gradients_of_cubes(const Tensor& in, const View& view) {
    const Tensor leaf = in.detach().requires_grad_(), y = view(leaf);
    const Tensor first =
        autograd::grad({(y.pow(3) * weights(y)).sum()}, {leaf}, {}, true, /*create_graph=*/true)[0];
    return {first.detach(), autograd::grad({(first * weights(in)).sum()}, {leaf})[0]};
  }

  }  // namespace

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

  TEST_CASE("the gradient of a view that sees its input by its dims is the same wherever the elements lie") {
    const std::vector<AnyFunction<Tensor(const Tensor&)>> views{
        [](const Tensor& t) { return t.unfold(1, 2, 1); },
        [](const Tensor& t) { return t.unfold(1, 1, 1); },
        [](const Tensor& t) { return t.unfold(0, 2, 1); },
        [](const Tensor& t) { return t.unfold(-1, 3, 2); },
        [](const Tensor& t) { return t.unfold(0, 2, 1).unfold(1, 2, 1); },
        [](const Tensor& t) { return t.t(); },
        [](const Tensor& t) {
          return t.permute({1, 0});
        },
        [](const Tensor& t) { return t.slice(1, 0, 4, 3); },
        [](const Tensor& t) { return t.select(0, 1); },
        [](const Tensor& t) { return t.narrow(1, 1, 2); },
        [](const Tensor& t) { return t.diagonal(1); },
        [](const Tensor& t) { return t.unsqueeze(1); },
        [](const Tensor& t) { return t.unsqueeze(1).squeeze(1); },
        [](const Tensor& t) {
          return t.unsqueeze(1).expand({3, 2, 4});
        },
        [](const Tensor& t) {
          return t.reshape({2, 6});
        },
        [](const Tensor& t) {
          return t.unflatten(1, {2, 2});
        },
        [](const Tensor& t) { return t.split(3, 1)[0]; },
        [](const Tensor& t) { return t.unbind(1)[2]; },
    };
    for (size_t v = 0; v < views.size(); ++v)
      for (const Tensor& in : differently_laid()) {
        CAPTURE(v);
        CAPTURE(in.strides());
        const Gradients here = gradients_of_cubes(in, views[v]),
                        there = gradients_of_cubes(in.contiguous().clone(), views[v]);
        CHECK(allclose(here.first, there.first));
        CHECK(allclose(here.second, there.second));
      }
  }

  TEST_CASE("each element that unfold sees gets the sum over the windows in which it stands") {
    // The windows as copies of slices.
    const auto along_rows = [](const Tensor& t) {
      return etude::stack({t.slice(1, 0, 2), t.slice(1, 1, 3), t.slice(1, 2, 4)}, 1);
    };
    const auto along_columns = [](const Tensor& t) {
      return etude::stack({t.slice(0, 0, 2).t(), t.slice(0, 1, 3).t()});
    };
    for (const Tensor& in : differently_laid()) {
      CAPTURE(in.strides());
      const Gradients rows = gradients_of_cubes(in, along_rows),
                      columns = gradients_of_cubes(in, along_columns);
      const Gradients own_rows = gradients_of_cubes(in, [](const Tensor& t) { return t.unfold(1, 2, 1); });
      const Gradients own_columns = gradients_of_cubes(in, [](const Tensor& t) { return t.unfold(0, 2, 1); });
      CHECK(allclose(own_rows.first, rows.first));
      CHECK(allclose(own_rows.second, rows.second));
      CHECK(allclose(own_columns.first, columns.first));
      CHECK(allclose(own_columns.second, columns.second));
    }
  }

  TEST_CASE("elements at one place of memory share evenly what as_strided sees there") {
    struct View {
      std::vector<int64_t> sizes, strides;
      int64_t offset;
    };
    for (const View& v : {View{{2, 3}, {2, 1}, 1}, View{{3, 2}, {1, 1}, 2}, View{{4}, {0}, 8}})
      for (const Tensor& in : differently_laid()) {
        CAPTURE(v.sizes);
        CAPTURE(in.strides());
        // The memory position of each element. A position outside of the input has a count of zero and contributes nothing.
        const Tensor places = etude::arange(48);
        const Tensor seen = places.as_strided(v.sizes, v.strides, v.offset).reshape(-1);
        const Tensor own = places.as_strided(in.sizes(), in.strides(), in.storage_offset()).reshape(-1);
        const auto at_places = [](const Tensor& where, const Tensor& values) {
          return etude::zeros({48}, kDouble).index_add(0, where, values.reshape(-1));
        };
        const Tensor sharers = at_places(own, etude::ones({12}, kDouble)).clamp_min(1);
        const Tensor y = in.as_strided(v.sizes, v.strides, v.offset), w = weights(y);
        const auto put_back = [&](const Tensor& dy) {
          return (at_places(seen, dy) / sharers).index_select(0, own).view({3, 4});
        };
        const Tensor looked = (at_places(own, weights(in)) / sharers).index_select(0, seen).view(y.sizes());

        const Gradients g = gradients_of_cubes(
            in, [&](const Tensor& t) { return t.as_strided(v.sizes, v.strides, v.offset); });
        CHECK(allclose(g.first, put_back(3 * y * y * w)));
        CHECK(allclose(g.second, put_back(6 * y * w * looked)));
      }
  }

  TEST_CASE("the gradient that an expanded tensor retains tells its elements apart if the view does") {
    const Tensor w = etude::tensor({{1., 2., 3.}});
    const auto retained = [&](const auto& view) {
      const Tensor leaf = etude::ones({1, 1}, requires_grad()), wide = (leaf * 1).expand({1, 3});
      wide.retain_grad();
      (view(wide) * w).sum().backward();
      CHECK(equal(leaf.grad(), etude::tensor({{6.}})));
      return wide.grad();
    };
    CHECK(equal(retained([](const Tensor& t) { return t.unfold(1, 1, 1).squeeze(2); }), w));
    CHECK(equal(retained([](const Tensor& t) { return t.slice(1, 0, 3); }), w));
    CHECK(equal(retained([](const Tensor& t) {
                  return t.as_strided({1, 3}, {0, 0});
                }),
                etude::tensor({{2., 2., 2.}})));
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
          newer("Error: size is -1 but must be >= 0",
                "Error: Storage size calculation overflowed with sizes=[8, -1] and strides=[1, 1]"));
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
    CHECK(refusal([&] { (leaf + 0).unbind()[0].squeeze_(); })
              .rfind(newer("Error: Output 0 of Unbind is a view and is being modified inplace.",
                           "Error: Output 0 of UnbindBackward0 is a view and is being modified inplace."),
                     0) == 0);
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
