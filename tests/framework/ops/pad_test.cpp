// Padding: values by hand and from PyTorch, negative padding, all types, gradients, error texts.
#include <doctest/doctest.h>

#include <vector>

#include "etude/framework.h"
#include "support/any_function.h"
#include "support/check_gradients.h"
#include "support/node_name.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("pad") {
  namespace {

  // 0 ... 23 as [1, 2, 3, 4]; the tests look at its first image.
  Tensor ramp() { return etude::arange(24.0).view({1, 2, 3, 4}); }

  bool is_first(const Tensor& y, const std::vector<std::vector<double>>& rows) {
    for (size_t i = 0; i < rows.size(); ++i)
      for (size_t j = 0; j < rows[i].size(); ++j)
        if (y[0][0][static_cast<int64_t>(i)][static_cast<int64_t>(j)].item<double>() != rows[i][j])
          return false;
    return y.size(2) == static_cast<int64_t>(rows.size()) &&
           y.size(3) == static_cast<int64_t>(rows[0].size());
  }

  }  // namespace

  TEST_CASE("a constant stands around, from the last dim on, and negative numbers cut") {
    const Tensor x = etude::tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
    CHECK(constant_pad_nd(x, {1, 0}).equal(etude::tensor({{0.0, 1.0, 2.0, 3.0}, {0.0, 4.0, 5.0, 6.0}})));
    CHECK(constant_pad_nd(x, {-1, 1, 1, -1}, 7).equal(etude::tensor({{7.0, 7.0, 7.0}, {2.0, 3.0, 7.0}})));
    CHECK(pad(x, {0, -2}).equal(etude::tensor({{1.0}, {4.0}})));
    CHECK(pad(x, {0, 0, 0, 1}, "constant", 2.5)[2].eq(2.5).all().item<bool>());
    CHECK(constant_pad_nd(x, {-2, -1}).sizes() == IntArrayRef({2, 0}));
    CHECK(constant_pad_nd(etude::zeros({0, 3}), {1, 1, 1, 1}, 4).equal(etude::full({2, 5}, 4.0)));
    CHECK(constant_pad_nd(etude::tensor(2.0), std::vector<int64_t>{}).equal(etude::tensor(2.0)));
    CHECK_FALSE(constant_pad_nd(x, std::vector<int64_t>{}).is_alias_of(x));
  }

  TEST_CASE("a constant goes around elements of every type") {
    for (const ScalarType type : {kFloat, kDouble, kBFloat16, kLong, kInt, kByte}) {
      const Tensor y = constant_pad_nd(etude::arange(1, 3).to(type), {1, 2}, 9);
      CHECK(y.scalar_type() == type);
      CHECK(y.to(kLong).equal(etude::tensor({9, 1, 2, 9, 9})));
    }
    CHECK(constant_pad_nd(etude::zeros({1}, kBool), {0, 1}, true).to(kLong).equal(etude::tensor({0, 1})));
  }

  TEST_CASE("a mirror, the last element or the other end goes on, as in PyTorch, and is cut") {
    const Tensor x = ramp();
    CHECK(is_first(reflection_pad2d(x, {-2, 2, 0, 0}), {{2, 3, 2, 1}, {6, 7, 6, 5}, {10, 11, 10, 9}}));
    CHECK(is_first(reflection_pad2d(x, {2, -2, 0, 0}), {{2, 1, 0, 1}, {6, 5, 4, 5}, {10, 9, 8, 9}}));
    CHECK(is_first(reflection_pad2d(x, {2, -3, -1, 2}), {{6, 5, 4}, {10, 9, 8}, {6, 5, 4}, {2, 1, 0}}));
    CHECK(is_first(replication_pad2d(x, {-2, 2, 0, 0}), {{2, 3, 3, 3}, {6, 7, 7, 7}, {10, 11, 11, 11}}));
    CHECK(is_first(replication_pad2d(x, {2, -3, -1, 2}), {{4, 4, 4}, {8, 8, 8}, {8, 8, 8}, {8, 8, 8}}));
    CHECK(is_first(pad(x, {-2, 2, 0, 0}, "circular"), {{2, 3, 2, 3}, {6, 7, 6, 7}, {10, 11, 10, 11}}));
    CHECK(is_first(
        pad(x, {1, 2, 1, 0}, "circular"),
        {{11, 8, 9, 10, 11, 8, 9}, {3, 0, 1, 2, 3, 0, 1}, {7, 4, 5, 6, 7, 4, 5}, {11, 8, 9, 10, 11, 8, 9}}));
    const Tensor signal = etude::tensor({{1.0, 2.0, 3.0}});
    CHECK(reflection_pad1d(signal, {2, 1}).equal(etude::tensor({{3.0, 2.0, 1.0, 2.0, 3.0, 2.0}})));
    CHECK(replication_pad1d(signal, {2, 1}).equal(etude::tensor({{1.0, 1.0, 1.0, 2.0, 3.0, 3.0}})));
    CHECK(replication_pad1d(signal, {0, 5}).equal(etude::tensor({{1.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0}})));
  }

  TEST_CASE("pad finds the kind by the number of dims, and makes a tensor of its own") {
    const Tensor x = uneven({2, 3, 4, 5});
    CHECK(pad(x, {1, 2, 3, 0}, "reflect").equal(reflection_pad2d(x, {1, 2, 3, 0})));
    CHECK(pad(x[0], {1, 2, 3, 0}, "replicate").equal(replication_pad2d(x[0], {1, 2, 3, 0})));
    CHECK(pad(x[0], {1, 2}, "reflect").equal(reflection_pad1d(x[0], {1, 2})));
    CHECK(pad(x[0][0], {1, 2}, "replicate").equal(replication_pad1d(x[0][0], {1, 2})));
    CHECK(pad(x, {1, 1, 1, 1, 1, 1}, "reflect").equal(reflection_pad3d(x, {1, 1, 1, 1, 1, 1})));
    CHECK(pad(x, {0, 0, 0, 0, 0, 2}, "replicate").select(1, 4).equal(x.select(1, 2)));
    const Tensor same = pad(x, {0, 0, 0, 0}, "reflect");
    CHECK(same.equal(x));
    CHECK_FALSE(same.is_alias_of(x));
    for (const ScalarType type : {kBool, kByte, kInt, kLong, kBFloat16})
      CHECK(pad(etude::ones({1, 1, 2}, type), {1, 1}, "circular").scalar_type() == type);
    CHECK(pad(etude::zeros({0, 3, 4}), {1, 2}, "reflect").sizes() == IntArrayRef({0, 3, 7}));
  }

  TEST_CASE("has the gradient and second gradient of finite differences, and PyTorch's names") {
    using In = const std::vector<Tensor>&;
    const auto constant = [](In in) { return constant_pad_nd(in[0], {1, -1, -1, 2}, 3); };
    const auto reflect = [](In in) { return reflection_pad2d(in[0], {2, 1, 1, -1}); };
    const auto replicate = [](In in) { return replication_pad2d(in[0], {2, -1, 1, 3}); };
    const auto circular = [](In in) { return pad(in[0], {1, 2, 2, 1}, "circular"); };
    check_gradients({constant, reflect, replicate, circular}, {uneven({1, 2, 3, 3})});
    const auto reflect1 = [](In in) { return reflection_pad1d(in[0], {2, 1}); };
    const auto replicate1 = [](In in) { return replication_pad1d(in[0], {2, 3}); };
    check_gradients({reflect1, replicate1}, {uneven({2, 3})});
    const auto reflect3 = [](In in) { return reflection_pad3d(in[0], {1, 0, 0, 1, 1, 1}); };
    const auto replicate3 = [](In in) { return replication_pad3d(in[0], {1, 0, 0, 1, 1, 1}); };
    check_gradients({reflect3, replicate3}, {uneven({1, 2, 2, 2})});
    const Tensor x = uneven({1, 2, 3, 3}).requires_grad_();
    CHECK(node_name(constant({x})) == "ConstantPadNdBackward0");
    CHECK(node_name(reflect({x})) == "ReflectionPad2DBackward0");
    CHECK(node_name(replicate1({x[0][0]})) == "ReplicationPad1DBackward0");
    CHECK(node_name(circular({x})) == "CopySlices");
  }

  TEST_CASE("the gradient of a mirror or of a repeated element is a function of the input, a constant one") {
    for (const char* const mode : {"reflect", "replicate"}) {
      const Tensor x = uneven({1, 2, 3}).requires_grad_();
      const Tensor dx =
          autograd::grad({pad(x, {2, 1}, mode).sum()}, {x}, {}, nullopt, /*create_graph=*/true)[0];
      CHECK(dx.requires_grad());
      CHECK(same(autograd::grad({dx.sum()}, {x})[0], etude::zeros({1, 2, 3}, kDouble)));
    }
  }

  TEST_CASE("refuses what does not fit, in PyTorch's words") {
    const Tensor x = etude::zeros({2, 3, 4}), image = etude::zeros({2, 3, 4, 4});
    const std::vector<int64_t> big = {4, 0};
    const std::vector<std::pair<AnyFunction<void()>, std::string>> refusals = {
        {[&] {
           constant_pad_nd(x, {1, 1, 1});
         },
         "Length of pad must be even but instead it equals 3"},
        {[&] {
           constant_pad_nd(x[0][0], {1, 1, 1, 1});
         },
         "Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
         "4while the "
         "input has 1dimensions."},
        {[&] {
           constant_pad_nd(x, {-2, -3});
         },
         newer("narrow(): length must be non-negative.",
               "start (0) + length (-1) exceeds dimension size (2).")},
        {[&] {
           pad(x, {1, 1, 1}, "reflect");
         },
         "Padding length must be divisible by 2"},
        {[&] {
           pad(x[0][0], {1, 1, 1, 1});
         },
         newer("Padding length should be less than or equal to two times the input dimension but got padding "
               "length 4 and input of dimension 1",
               "Padding length too large")},
        {[&] {
           pad(x, {1, 1}, "mirror");
         },
         "Unrecognised padding mode mirror"},
        {[&] {
           pad(x, {1, 1}, "reflect", 1.0);
         },
         "Padding mode \"reflect\" doesn't take in value argument"},
        {[&] {
           pad(image, {1, 1}, "reflect");
         },
         newer("Padding size 2 is not supported for 4D input tensor.",
               "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now")},
        {[&] {
           pad(x, {5, 1}, "circular");
         },
         "Padding value causes wrapping around more than once."},
        {[&] {
           pad(x, {-2, -3}, "circular");
         },
         "Negative padding value is resulting in an empty dimension"},
        {[&] { reflection_pad1d(x, big); },
         "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding "
         "(4, 0) at "
         "dimension 2 of input [2, 3, 4]"},
        {[&] {
           replication_pad1d(x, {1, 1, 1});
         },
         "padding size is expected to be 2"},
        {[&] {
           replication_pad2d(image, {1, 1});
         },
         "padding size is expected to be 4"},
        {[&] {
           replication_pad2d(image, {-2, -3, 0, 0});
         },
         newer("Calculated output H: 4 W: -1 must be >= 1 in every dimension (input H: 4, W: 4)",
               "Trying to create tensor with negative dimension -1: [2, 3, 4, -1]")},
        {[&] {
           replication_pad1d(etude::zeros({2, 0, 4}), {1, 1});
         },
         "Expected 2D or 3D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
         "input, "
         "but got: [2, 0, 4]"},
        {[&] {
           reflection_pad1d(x.to(kBool), {1, 1});
         },
         "\"reflection_pad1d\" not implemented for 'Bool'"},
        {[&] {
           replication_pad2d(image.to(kBool), {1, 1, 1, 1});
         },
         newer("\"replication_pad2d\" not implemented for 'Bool'",
               "\"replication_pad2d_cpu\" not implemented for 'Bool'")},
        {[&] {
           replication_pad1d(x, {-2, -2});
         },
         "input (W: 4) is too small. Calculated output W: 0"},
    };
    for (const auto& [call, sentence] : refusals) CHECK(refusal_text(call) == sentence);
    CHECK(
        refusal_text([&] {
          reflection_pad1d(etude::zeros({2, 3, 4, 4}), {1, 1});
        })
            .find(newer("Expected 2D or 3D (batch mode) tensor with possibly 0 batch size and other non-zero "
                        "dimensions for input, but got: [2, 3, 4, 4]",
                        "2D or 3D (batch mode) tensor expected for input, but got: ")) == 0);
  }

  TEST_CASE("integers are mirrored and repeated") {
    const Tensor row = etude::tensor({{1, 2, 3}});
    for (const ScalarType type : {kByte, kChar, kInt, kLong}) {
      CHECK(same(reflection_pad1d(row.to(type), {2, 0}), etude::tensor({{3, 2, 1, 2, 3}}).to(type)));
      CHECK(same(replication_pad1d(row.to(type), {0, 2}), etude::tensor({{1, 2, 3, 3, 3}}).to(type)));
    }
  }

  TEST_CASE("circular padding takes signals without a batch, too, and every mode the same sizes") {
    const Tensor row = etude::tensor({{1., 2., 3.}});
    CHECK(same(pad(row, {1, 1}, "circular"), etude::tensor({{3., 1., 2., 3., 1.}})));
    for (const char* mode : {"circular", "reflect", "replicate"})
      CHECK(refusal_text([&] {
              pad(etude::ones({1, 1, 3, 4}), {1, 1}, mode);
            }) == "Padding size 2 is not supported for 4D input tensor.");
  }

  TEST_CASE("replication leaves no dim of an image empty") {
    CHECK(refusal_text([] {
            replication_pad3d(etude::ones({2, 3, 4, 4, 4}), {-2, -2, 0, 0, 0, 0});
          }) == "Calculated output D: 4 H: 4 W: 0 must be >= 1 in every dimension (input D: 4, H: 4, W: 4)");
  }
}
