// conv1d, conv2d and convolution: values against plain loops and against numbers from PyTorch, gradients, edges, error texts.
#include <doctest/doctest.h>

#include <vector>

#include "etude/framework.h"
#include "support/any_function.h"
#include "support/check_gradients.h"
#include "support/node_name.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("convolution") {
  namespace {

  using Numbers = std::vector<int64_t>;

  // The definition, for [n, in, height, width].
  Tensor by_loops(const Tensor& x, const Tensor& w, const Tensor& bias, const Numbers& stride,
                  const Numbers& padding, const Numbers& dilation, int64_t groups) {
    const int64_t in = w.size(1), out = w.size(0);
    const auto length = [&](size_t d) {
      const auto dim = static_cast<int64_t>(d) + 2;
      return (x.size(dim) + 2 * padding[d] - dilation[d] * (w.size(dim) - 1) - 1) / stride[d] + 1;
    };
    const Tensor y = etude::zeros({x.size(0), out, length(0), length(1)}, kDouble);
    for (int64_t n = 0; n < y.size(0); ++n)
      for (int64_t o = 0; o < out; ++o)
        for (int64_t i = 0; i < y.size(2); ++i)
          for (int64_t j = 0; j < y.size(3); ++j) {
            double sum = bias[o].item<double>();
            for (int64_t c = 0; c < in; ++c)
              for (int64_t k = 0; k < w.size(2); ++k)
                for (int64_t l = 0; l < w.size(3); ++l) {
                  const int64_t row = i * stride[0] - padding[0] + k * dilation[0],
                                column = j * stride[1] - padding[1] + l * dilation[1];
                  if (row < 0 || row >= x.size(2) || column < 0 || column >= x.size(3)) continue;
                  sum += x[n][o / (out / groups) * in + c][row][column].item<double>() *
                         w[o][c][k][l].item<double>();
                }
            y[n][o][i][j] = sum;
          }
    return y;
  }

  struct Case {
    const char* name;
    Numbers input, weight;
    AnyFunction<Tensor(const std::vector<Tensor>&)> op;  // of input, weight and bias
    Numbers sizes;                                       // of the result
    std::vector<double> numbers;  // of the result, the gradients and the second gradients: see fingerprint
    int64_t bias = 0;             // if it is not the weight's first size

    std::vector<Tensor> inputs() const {
      const auto made = [](const Numbers& s) {
        return (sin(etude::arange(count_elements(s), kDouble) * 1.7 + 0.3) * 2).view(s);
      };
      return {made(input), made(weight), made({bias ? bias : weight[0]})};
    }
  };

  double weighted_sum(const Tensor& t) {
    return (t.detach() * cos(etude::arange(t.numel(), kDouble) * 0.7).view(t.sizes())).sum().item<double>();
  }

  // Recorded from PyTorch, as sums weighted by cosines: the result y; the gradients of sum(y / (1, 2, 3, ...)) with respect to
  // input, weight and bias; and the gradients of the sum of their squares.
  const std::vector<Case>& cases() {
    using In = const std::vector<Tensor>&;
    static const std::vector<Case> all = {
        {"strides",
         {2, 3, 7, 8},
         {4, 3, 3, 2},
         [](In t) {
           return conv2d(t[0], t[1], t[2], {2, 3});
         },
         {2, 4, 3, 3},
         {-0.21370210266506628, 0.30574645884557516, -0.7951605125711007, 3.5803951261415636,
          4.93515400568773, 7.697879037647409}},
        {"padding",
         {2, 3, 5, 4},
         {4, 3, 3, 2},
         [](In t) {
           return conv2d(t[0], t[1], t[2], 1, {2, 1});
         },
         {2, 4, 7, 5},
         {-11.047735684289695, 3.4277425700043156, -2.32212741737678, 4.915755400448002, 5.908167525693364,
          -12.969297830142363}},
        {"dilation",
         {2, 3, 7, 8},
         {4, 3, 3, 2},
         [](In t) {
           return conv2d(t[0], t[1], t[2], 1, {1, 2}, {2, 3});
         },
         {2, 4, 5, 9},
         {3.6416525420990418, -0.9406887254355818, 1.7395960849342889, 5.16530018494541, 0.11926360746563619,
          -7.66782855686477}},
        {"groups",
         {2, 4, 5, 6},
         {6, 2, 3, 3},
         [](In t) { return conv2d(t[0], t[1], t[2], 2, 1, 1, 2); },
         {2, 6, 3, 3},
         {-0.8098546889863112, 2.6938910693372664, -3.2996815890469424, 2.93703444697496, -3.713653760697535,
          0.08904049196921804}},
        {"each channel alone",
         {2, 4, 9},
         {8, 1, 3},
         [](In t) { return conv1d(t[0], t[1], t[2], 1, 1, 1, 4); },
         {2, 8, 9},
         {-18.52557974932853, 1.6703500440078587, 1.2220555004973972, 2.83965476550667, 3.216418092015675,
          5.576810729888859}},
        {"each place alone",
         {2, 3, 4, 5},
         {4, 3, 1, 1},
         [](In t) { return conv2d(t[0], t[1], t[2]); },
         {2, 4, 4, 5},
         {3.2195447549321656, 0.8193327452775256, 0.7975809055392243, 4.362092496359322, 4.5156320279490325,
          4.99377059716536}},
        {"patches",
         {2, 3, 8, 12},
         {5, 3, 4, 4},
         [](In t) { return conv2d(t[0], t[1], t[2], 4); },
         {2, 5, 2, 3},
         {8.138783962550555, 2.511165488213886, 6.300312502413595, 2.8291785827367613, 5.468104338365396,
          8.061791268939615}},
        {"same, uneven in both dims",
         {2, 3, 5, 6},
         {4, 3, 4, 2},
         [](In t) {
           return conv2d(t[0], t[1], t[2], 1, "same", {1, 2});
         },
         {2, 4, 5, 6},
         {157.64237104798264, 8.3654633617778, 1.5564727711079585, 4.762930205282994, -8.93595124636428,
          -6.295953474499151}},
        {"same, of a signal",
         {2, 3, 9},
         {4, 3, 4},
         [](In t) { return conv1d(t[0], t[1], t[2], 1, "same", 3); },
         {2, 4, 9},
         {-0.1890003612206934, 6.33083908744094, -0.20857110832565923, 3.5803951261415636,
          -0.4743313982873334, -0.345866977343108}},
        {"a signal",
         {2, 3, 9},
         {4, 3, 3},
         [](In t) { return conv1d(t[0], t[1], t[2], 2, 1, 2); },
         {2, 4, 4},
         {-2.1275641774851675, -0.8081006926572158, 0.31206356347041236, 2.80675974700086, 2.84504834478352,
          -1.937170736596288}},
        {"without a batch",
         {3, 9},
         {4, 3, 3},
         [](In t) { return conv1d(t[0], t[1], t[2], 2); },
         {4, 4},
         {1.7789529746847736, -1.3774657559682368, 3.9667335851550036, 2.4940373108120446,
          -0.03850842988005715, 2.849741568675573}},
        {"transposed",
         {2, 4, 3, 4},
         {4, 3, 3, 2},
         [](In t) {
           return convolution(t[0], t[1], t[2], {2, 3}, {1, 0}, {1, 2}, true, {1, 2}, 2);
         },
         {2, 6, 6, 14},
         {-165.41637056335466, -1.5490317849717143, -0.02222305753603504, 5.13680620061108,
          -1.345835618727772, 0.4966211357651398},
         6},
        {"a transposed signal",
         {2, 4, 5},
         {4, 3, 3},
         [](In t) { return convolution(t[0], t[1], t[2], 3, 1, 2, true, 2, 1); },
         {2, 3, 17},
         {15.579649006426552, 2.9485969524912914, 0.7624527544331803, 4.512325307431353, 0.5299753510531742,
          0.36315744851525134},
         3},
    };
    return all;
  }

  }  // namespace

  TEST_CASE("is the sum of products over each window, for any stride, padding, dilation and groups") {
    for (const auto& stride : {Numbers{1, 1}, Numbers{2, 3}, Numbers{9, 1}})
      for (const auto& padding : {Numbers{0, 0}, Numbers{2, 1}, Numbers{0, 5}})
        for (const auto& dilation : {Numbers{1, 1}, Numbers{2, 3}})
          for (const int64_t groups : {1, 2}) {
            const Tensor x = uneven({2, 4, 7, 8}), w = uneven({6, 4 / groups, 3, 2}), bias = uneven({6});
            const Tensor expected = by_loops(x, w, bias, stride, padding, dilation, groups);
            CHECK(allclose(conv2d(x, w, bias, stride, padding, dilation, groups), expected, 1e-12, 1e-12));
            CHECK(allclose(
                conv2d(x.to(kFloat), w.to(kFloat), bias.to(kFloat), stride, padding, dilation, groups),
                expected.to(kFloat), 1e-5, 1e-5));
          }
  }

  TEST_CASE("has PyTorch's values, gradients and second gradients, and convolution is the same") {
    for (const Case& c : cases()) {
      CAPTURE(c.name);
      std::vector<Tensor> in = c.inputs();
      for (Tensor& t : in) t.requires_grad_();
      const Tensor y = c.op(in);
      CHECK(y.sizes() == IntArrayRef(c.sizes));
      CHECK(weighted_sum(y) == doctest::Approx(c.numbers[0]));
      const Tensor loss = (y / (etude::arange(y.numel(), kDouble) + 1).view(y.sizes())).sum();
      const auto first = autograd::grad({loss}, in, {}, nullopt, /*create_graph=*/true);
      Tensor squares = etude::zeros({}, kDouble);
      for (size_t i = 0; i < 3; ++i) {
        CHECK(weighted_sum(first[i]) == doctest::Approx(c.numbers[1 + i]));
        squares = squares + (first[i] * first[i]).sum();
      }
      const auto second = autograd::grad({squares}, {in[0], in[1]});
      for (size_t i = 0; i < 2; ++i) CHECK(weighted_sum(second[i]) == doctest::Approx(c.numbers[4 + i]));
    }
    const std::vector<Tensor> in = cases()[3].inputs();
    CHECK(convolution(in[0], in[1], in[2], 2, 1, 1, false, 0, 2)
              .equal(conv2d(in[0], in[1], in[2], 2, 1, 1, 2)));
  }

  TEST_CASE("has the gradient and second gradient of finite differences") {
    for (const Case& c : cases()) {
      CAPTURE(c.name);
      const std::vector<Tensor> in = c.inputs();
      if (in[0].numel() > 200) continue;
      check_gradients({c.op}, in);
    }
    const auto without_bias = [](const std::vector<Tensor>& in) { return conv1d(in[0], in[1], {}, 2); };
    check_gradients({without_bias}, {uneven({3, 2, 7}), uneven({2, 2, 3})});
    const auto many_images = [](const std::vector<Tensor>& in) { return conv2d(in[0], in[1], in[2], 1, 1); };
    check_gradients({many_images}, {uneven({11, 1, 2, 2}), uneven({1, 1, 2, 2}), uneven({1})});
  }

  TEST_CASE("gives gradients to those inputs alone that need one, and no more than were asked for") {
    const Case& c = cases()[0];
    for (size_t i = 0; i < 3; ++i) {
      std::vector<Tensor> in = c.inputs(), all = c.inputs();
      in[i].requires_grad_();
      for (Tensor& t : all) t.requires_grad_();
      c.op(in).sum().backward();
      c.op(all).sum().backward();
      for (size_t j = 0; j < 3; ++j) CHECK(in[j].grad().defined() == (i == j));
      CHECK(allclose(in[i].grad(), all[i].grad(), 1e-12, 1e-12));
    }
  }

  TEST_CASE("is recorded as ConvolutionBackward0") {
    const Tensor x = uneven({2, 3, 8}).requires_grad_(), w = uneven({4, 3, 2});
    CHECK(node_name(conv1d(x, w)) == "ConvolutionBackward0");
    CHECK(node_name(conv1d(x[0], w)) == "SqueezeBackward1");
    CHECK(node_name(conv1d(x, w, {}, 1, "same")) == "ConvolutionBackward0");
    CHECK(node_name(convolution(x, uneven({3, 4, 2}), {}, 1, 0, 1, true, 0, 1)) == "ConvolutionBackward0");
  }

  TEST_CASE("reads views, a single number counts for all dims, and no bias is one of zeros") {
    const Tensor x = uneven({3, 4, 9, 10}), w = uneven({2, 4, 3, 3});
    const Tensor part = x.slice(0, 0, 3, 2).slice(3, 1, 10, 2).transpose(2, 3);
    CHECK(
        allclose(conv2d(part, w.transpose(2, 3)), conv2d(part.contiguous(), w.transpose(2, 3).contiguous())));
    CHECK(conv2d(x, w, nullopt, 2, 1, 2)
              .equal(conv2d(x, w, etude::zeros({2}, kDouble), {2, 2}, {1, 1}, {2, 2})));
    CHECK(conv2d(x, w, {}, 1, "valid").equal(conv2d(x, w)));
    CHECK(allclose(conv2d(x[0], w), conv2d(x, w)[0]));
    CHECK(conv2d(etude::ones({1, 1, 2, 3}).expand({2, 4, 2, 3}), etude::ones({1, 4, 2, 3}))
              .eq(24)
              .all()
              .item<bool>());
  }

  TEST_CASE("takes a batch of no images; the weight then has a gradient of zeros") {
    const Tensor x = etude::zeros({0, 4, 5, 5}).requires_grad_(),
                 w = etude::ones({2, 2, 3, 3}).requires_grad_(), b = etude::ones({2}).requires_grad_();
    const Tensor y = conv2d(x, w, b, 1, IntArrayRef(0), 1, 2);
    CHECK(y.sizes() == IntArrayRef({0, 2, 3, 3}));
    y.sum().backward();
    CHECK(x.grad().sizes() == x.sizes());
    CHECK(w.grad().equal(etude::zeros({2, 2, 3, 3})));
    CHECK(b.grad().equal(etude::zeros({2})));
  }

  TEST_CASE("of integers is a sum of integers; bools are refused") {
    for (const ScalarType type : {kLong, kInt, kByte}) {
      const Tensor x = etude::arange(18).view({1, 2, 9}).to(type), w = etude::ones({1, 2, 3}, type);
      const Tensor y = conv1d(x, w, etude::full({1}, 5, type), 3);
      CHECK(y.scalar_type() == type);
      CHECK(y.to(kLong).equal(etude::tensor({38, 56, 74}).view({1, 1, 3})));
    }
    CHECK(refusal_text([] {
            conv1d(etude::ones({1, 2, 9}, kBool), etude::ones({1, 2, 3}, kBool));
          }) == "\"slow_conv2d_cpu\" not implemented for 'Bool'");
  }

  TEST_CASE("of bfloat16 is computed in float32 and rounded") {
    const Tensor x = uneven({2, 3, 8, 8}).to(kBFloat16), w = uneven({4, 3, 3, 3}).to(kBFloat16);
    const Tensor y = conv2d(x, w, {}, 1, 1);
    CHECK(y.scalar_type() == kBFloat16);
    CHECK(allclose(y.to(kFloat), conv2d(x.to(kFloat), w.to(kFloat), {}, 1, 1), 8e-3, 1e-2));
  }

  TEST_CASE("refuses inputs and weights that do not fit, in PyTorch's words") {
    const auto zeros = [](const Numbers& sizes) { return etude::zeros(sizes); };
    const Tensor x = zeros({2, 3, 4, 4}), w = zeros({2, 3, 3, 3}), x1 = zeros({2, 3, 4}),
                 w1 = zeros({2, 3, 3});
    const std::vector<std::pair<AnyFunction<void()>, std::string>> refusals = {
        {[&] { conv1d(zeros({2}), w1); },
         "Expected 2D (unbatched) or 3D (batched) input to conv1d, but got input of size: [2]"},
        {[&] {
           conv2d(zeros({2, 3}), w);
         },
         "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [2, 3]"},
        {[&] { conv1d(x1, w); },
         "Expected 4-dimensional input for 4-dimensional weight [2, 3, 3, 3], but got 3-dimensional input of "
         "size "
         "[2, 3, 4] instead"},
        {[&] {
           conv1d(x1, zeros({2, 3}));
         },
         "weight should have at least three dimensions"},
        {[&] {
           conv2d(x, zeros({2, 4, 3, 3}));
         },
         "Given groups=1, weight of size [2, 4, 3, 3], expected input[2, 3, 4, 4] to have 4 channels, but "
         "got 3 "
         "channels instead"},
        {[&] {
           conv2d(zeros({2, 4, 4, 4}), zeros({3, 2, 3, 3}), {}, 1, 1, 1, 2);
         },
         "Given groups=2, expected weight to be divisible by 2 at dimension 0, but got weight of size [[3, "
         "2, 3, 3]] "
         "instead"},
        {[&] {
           conv2d(x, zeros({0, 3, 3, 3}));
         },
         "Given groups=1, expected weight to be at least 1 at dimension 0, but got weight of size [0, 3, 3, "
         "3] instead"},
        {[&] { conv2d(x, w, {}, 1, 1, 1, -1); }, "non-positive groups is not supported"},
        {[&] { conv2d(x, w, zeros({3})); },
         "Given weight of size [2, 3, 3, 3], expected bias to be 1-dimensional with 2 elements, but got bias "
         "of size "
         "[3] instead"},
        {[&] {
           conv2d(zeros({2, 3, 2, 4}), w);
         },
         "Calculated padded input size per channel: (2 x 4). Kernel size: (3 x 3). Kernel size can't be "
         "greater than "
         "actual input size"},
        {[&] { conv1d(x1, w1, {}, 1, IntArrayRef(0), 2); },
         "Calculated padded input size per channel: (4). Kernel size: (5). Kernel size can't be greater than "
         "actual "
         "input size"},
        {[&] { conv1d(x1, w1, {}, 1, -1); }, "negative padding is not supported"},
        {[&] { conv1d(x1, w1, {}, IntArrayRef(0)); }, "non-positive stride is not supported"},
        {[&] { conv1d(x1, w1, {}, 1, 1, -1); },
         newer("dilation should be greater than zero", "non-positive dilation is not supported")},
        {[&] {
           conv2d(x, w, {}, {1, 1, 1});
         },
         "expected stride to be a single integer value or a list of 2 values to match the convolution "
         "dimensions, but "
         "got stride=[1, 1, 1]"},
        {[&] { conv1d(x1, w1, {}, 1, "full"); }, "Invalid padding string: 'full'"},
        {[&] { conv1d(x1, w1, {}, 2, "same"); }, "padding='same' is not supported for strided convolutions"},
        {[&] { conv2d(x, w1, {}, 1, "same"); },
         "Expected 3-dimensional input for 3-dimensional weight[2, 3, 3], but got 4-dimensional input of "
         "size [2, 3, "
         "4, 4] instead"},
        {[&] { conv1d(x1, w1.to(kDouble)); },
         "Input type (" + tensor_type("Float") + ") and weight type (" + tensor_type("Double") +
             ") should be the same or input should be a MKLDNN tensor and weight is a dense tensor"},
        {[&] { conv1d(x1.to(kDouble), w1); }, "expected scalar type Double but found Float"},
        {[&] { conv1d(x1, w1, zeros({2}).to(kDouble)); },
         newer("Input type (float) and bias type (double) should be the same",
               "Input type (CPUFloatType) and bias type (CPUDoubleType) should be the same or input should "
               "be a MKLDNN "
               "tensor and bias is a dense tensor")},
        {[&] {
           conv2d(zeros({2, 3, 0, 4}), w, {}, 1, 2);
         },
         "Only zero batch or zero channel inputs are supported, but got input shape: [2, 3, 0, 4]"},
        {[&] {
           convolution(x1, zeros({4, 2, 3}), {}, 1, 0, 1, true, 0, 1);
         },
         "Given transposed=1, weight of size [4, 2, 3], expected input[2, 3, 4] to have 4 channels, but got "
         "3 channels "
         "instead"},
        {[&] { convolution(x1, w1, {}, 1, 0, 1, false, -1, 1); }, "negative output_padding is not supported"},
    };
    for (const auto& [call, sentence] : refusals) CHECK(refusal_text(call) == sentence);
  }
}
