// Conv1d and Conv2d compared with Python: initial values for a seed, printing, and kSame with non-zero padding modes.
#include "etude/convolution.h"

#include <doctest/doctest.h>

#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using nn::Conv1d;
using nn::Conv1dOptions;
using nn::Conv2d;
using nn::Conv2dOptions;

TEST_SUITE("Conv, beyond LibTorch") {
  TEST_CASE("has Python's initial values for a seed") {
    const Tensor drawn =
        etude::tensor({0.26964953541755676, -0.3052791655063629, 0.33269762992858887, 0.2612193524837494,
                       0.3430130183696747, -0.3130078911781311, -0.274023175239563, 0.194260373711586,
                       -0.3810878396034241, 0.40350016951560974, 0.0868985578417778, 0.05272221565246582});
    manual_seed(5);
    Conv2d image(Conv2dOptions(3, 2, {2, 1}));
    CHECK(image->weight.equal(drawn.view({2, 3, 2, 1})));
    CHECK(image->bias.equal(etude::tensor({-0.3491239845752716, 0.13009971380233765})));
    CHECK(etude::rand({1}).item<float>() == 0.7150057554244995f);
    manual_seed(5);
    Conv1d signal(Conv1dOptions(4, 2, 3).groups(2).bias(false));
    CHECK(signal->weight.equal(drawn.view({2, 2, 3})));
    CHECK(etude::rand({1}).item<float>() == 0.07241219282150269f);
  }

  TEST_CASE("prints its options as Python does") {
    CHECK(golden::text(Conv2d(Conv2dOptions(3, 768, 16).stride(16))) ==
          "Conv2d(3, 768, kernel_size=(16, 16), stride=(16, 16))");
    CHECK(golden::text(Conv1d(
              Conv1dOptions(4, 6, 3).padding(1).dilation(2).groups(2).bias(false).padding_mode(kCircular))) ==
          "Conv1d(4, 6, kernel_size=(3,), stride=(1,), padding=(1,), dilation=(2,), groups=2, bias=False, "
          "padding_mode=circular)");
    CHECK(golden::text(Conv2d(Conv2dOptions(4, 6, {3, 2}).padding(kSame))) ==
          "Conv2d(4, 6, kernel_size=(3, 2), stride=(1, 1), padding=same)");
    CHECK(golden::text(Conv2d(Conv2dOptions(4, 6, {3, 2}).padding(kValid).padding_mode(kReflect))) ==
          "Conv2d(4, 6, kernel_size=(3, 2), stride=(1, 1), padding=valid, padding_mode=reflect)");
  }

  TEST_CASE("kSame keeps the size with every border, whose dims LibTorch takes in another order") {
    const auto waves = [](IntArrayRef sizes) {
      return (sin(etude::arange(count_elements(sizes), kDouble) * 1.7 + 0.3) * 2).view(sizes);
    };
    const auto sum_with = [&](Conv2dOptions::padding_mode_t mode) {
      Conv2d conv(Conv2dOptions(2, 1, {3, 2}).padding(kSame).padding_mode(mode));
      conv->to(kDouble);
      NoGradGuard no_grad;
      conv->weight.copy_(waves({1, 2, 3, 2}));
      conv->bias.copy_(waves({1}));
      const Tensor y = conv(waves({1, 2, 3, 4}));
      CHECK(y.sizes() == IntArrayRef({1, 1, 3, 4}));
      return (y * cos(etude::arange(12, kDouble) * 0.7).view(y.sizes())).sum().item<double>();
    };
    CHECK(sum_with(kReflect) == doctest::Approx(6.214058473581916));
    CHECK(sum_with(kReplicate) == doctest::Approx(4.240444918835976));
    CHECK(sum_with(kCircular) == doctest::Approx(1.7111116926896823));
  }

  TEST_CASE("has at least one group") {
    CHECK(refusal_lines([] { Conv1d(Conv1dOptions(4, 4, 3).groups(0)); }) ==
          "groups must be a positive integer\nreceived 0");
  }
}
