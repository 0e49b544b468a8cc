// Conv1d and Conv2d: their options, names, and outputs recorded from PyTorch.
#include "etude/convolution.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/etude.h"
#include "support/refusal.h"

using namespace etude;
using nn::Conv1d;
using nn::Conv1dOptions;
using nn::Conv2d;
using nn::Conv2dOptions;

TEST_SUITE("Conv") {
  namespace {

  Tensor waves(IntArrayRef sizes) {
    return (sin(etude::arange(count_elements(sizes), kDouble) * 1.7 + 0.3) * 2).view(sizes);
  }

  double cosines_of(const Tensor& t) {
    return (t.detach() * cos(etude::arange(t.numel(), kDouble) * 0.7).view(t.sizes())).sum().item<double>();
  }

  // The output of a 3 x 2 convolution with two input channels and one output channel, on an image of 3 x 4.
  Tensor output_of(const Conv2dOptions& options) {
    Conv2d conv(options);
    conv->to(kDouble);
    NoGradGuard no_grad;
    conv->weight.copy_(waves({1, 2, 3, 2}));
    conv->bias.copy_(waves({1}));
    return conv(waves({1, 2, 3, 4}));
  }

  }  // namespace

  TEST_CASE("has PyTorch's outputs for every kind of padding") {
    const auto options = [] { return Conv2dOptions(2, 1, {3, 2}); };
    CHECK(cosines_of(output_of(options().padding(1))) == doctest::Approx(-2.5646226570276816));
    CHECK(cosines_of(output_of(options().padding({2, 0}))) == doctest::Approx(-0.45656798658241093));
    CHECK(cosines_of(output_of(options().padding(kSame))) == doctest::Approx(-0.5297898333796451));
    CHECK(cosines_of(output_of(options().padding(1).padding_mode(kReflect))) ==
          doctest::Approx(20.952619073178315));
    CHECK(cosines_of(output_of(options().padding({2, 0}).padding_mode(kReflect))) ==
          doctest::Approx(-0.18634637829768497));
    CHECK(cosines_of(output_of(options().padding(1).padding_mode(kReplicate))) ==
          doctest::Approx(8.259637482658167));
    CHECK(cosines_of(output_of(options().padding({2, 0}).padding_mode(kReplicate))) ==
          doctest::Approx(0.97728844293107));
    CHECK(cosines_of(output_of(options().padding(1).padding_mode(kCircular))) ==
          doctest::Approx(-0.13101026714666375));
    CHECK(cosines_of(output_of(options().padding({2, 0}).padding_mode(kCircular))) ==
          doctest::Approx(1.0835250042896172));
    CHECK(output_of(options().padding(kValid)).sizes() == IntArrayRef({1, 1, 1, 3}));
  }

  TEST_CASE("is the op with its weights, and gradients reach both") {
    Conv1d conv(Conv1dOptions(4, 6, 3).stride(2).padding(1).dilation(2).groups(2));
    CHECK(conv->named_parameters().keys() == std::vector<std::string>{"weight", "bias"});
    CHECK(conv->weight.sizes() == IntArrayRef({6, 2, 3}));
    const Tensor x = waves({2, 4, 9}).to(kFloat), y = conv(x);
    CHECK(y.equal(conv1d(x, conv->weight, conv->bias, 2, 1, 2, 2)));
    CHECK(conv(x[0]).sizes() == IntArrayRef({6, 4}));
    y.sum().backward();
    for (const Tensor& p : conv->parameters()) CHECK(p.grad().abs().sum().item<double>() > 0);
    conv->eval();
    CHECK(conv(x).equal(y));
  }

  TEST_CASE("draws from U(-1/sqrt(f), 1/sqrt(f)), f = in / groups times the kernel's area") {
    manual_seed(1);
    Conv2d conv(Conv2dOptions(16, 300, 5).groups(4));
    for (const Tensor& p : conv->parameters()) {
      CHECK(p.abs().max().item<float>() <= 0.1f);
      CHECK(p.abs().max().item<float>() > 0.099f);
    }
  }

  TEST_CASE("without bias there is no such parameter, and a clone is trained alone") {
    Conv2d conv(Conv2dOptions(3, 2, {2, 1}).bias(false));
    CHECK_FALSE(conv->bias.defined());
    CHECK(conv->named_parameters().keys() == std::vector<std::string>{"weight"});
    Conv2d copy = std::dynamic_pointer_cast<nn::Conv2dImpl>(conv->clone());
    const Tensor x = etude::ones({1, 3, 4, 4});
    CHECK(conv(x).equal(copy(x)));
    nn::init::zeros_(copy->weight);
    CHECK_FALSE(conv(x).equal(copy(x)));
  }

  TEST_CASE("stands in a Sequential: an image becomes a sequence of patches") {
    nn::Sequential stem(Conv2d(Conv2dOptions(3, 8, 4).stride(4)),
                        nn::Flatten(nn::FlattenOptions().start_dim(2)));
    CHECK(stem->forward(etude::zeros({2, 3, 8, 12})).transpose(1, 2).sizes() == IntArrayRef({2, 6, 8}));
  }

  TEST_CASE("refuses channels that groups do not divide, and strides with kSame") {
    CHECK(refusal_text([] { Conv1d(Conv1dOptions(5, 4, 3).groups(2)); }) ==
          "in_channels must be divisible by groups");
    CHECK(refusal_text([] { Conv1d(Conv1dOptions(4, 5, 3).groups(2)); }) ==
          "out_channels must be divisible by groups");
    CHECK(refusal_text([] {
            Conv2d(Conv2dOptions(4, 4, 3).padding(kSame).stride({1, 2}));
          }) == "padding='same' is not supported for strided convolutions");
    CHECK(refusal_text([] {
            Conv1d(3, 2, 3)(etude::zeros({1, 4, 9}));
          }) ==
          "Given groups=1, weight of size [2, 3, 3], expected input[1, 4, 9] to have 3 channels, but got 4 "
          "channels "
          "instead");
  }
}
