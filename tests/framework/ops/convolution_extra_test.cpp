// Convolutions beyond LibTorch: the same bits for any number of threads, both paths, the whole text of errors,
// the warning of "same", and a padding that is a literal 0.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/framework.h"
#include "support/refusal.h"
#include "support/thread_count.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("convolution, beyond LibTorch") {
  namespace {

  // The result and all gradients, one after the other.
  Tensor all_of(const std::vector<Tensor>& given, int64_t stride, int64_t padding, int64_t groups) {
    std::vector<Tensor> in;
    for (const Tensor& t : given) in.push_back(t.detach().requires_grad_());
    const Tensor y = conv2d(in[0], in[1], in[2], stride, padding, 1, groups);
    y.backward(cos(etude::arange(y.numel()).view(y.sizes())));
    return cat({y.detach().flatten(), in[0].grad().flatten(), in[1].grad().flatten(), in[2].grad()});
  }

  std::vector<std::vector<Tensor>> all_inputs() {
    const auto made = [](IntArrayRef sizes) { return uneven(sizes).to(kFloat); };
    return {{made({3, 3, 48, 48}), made({64, 3, 16, 16}), made({64})},  // few large images
            {made({40, 4, 9, 9}), made({6, 4, 3, 3}), made({6})},       // many small ones
            {made({2, 64, 20, 20}), made({64, 64, 1, 1}), made({64})},  // windows of one place
            {made({19, 8, 14, 14}), made({16, 8, 3, 3}), made({16})}};  // parts of unequal length
  }

  }  // namespace

  TEST_CASE("the result and the gradients have the same bits for any number of threads") {
    const ThreadCount restored;
    for (const auto& in : all_inputs())
      for (const bool fast : {true, false}) {
        const onednn::EnabledGuard path(fast);
        set_num_threads(1);
        const Tensor one = all_of(in, 1, 0, 1);
        for (const int threads : {2, 3}) {
          set_num_threads(threads);
          CHECK(same(all_of(in, 1, 0, 1), one));
        }
      }
  }

  TEST_CASE("is the same with oneDNN and without, up to the rounding of float32") {
    for (const auto& in : all_inputs()) {
      const onednn::EnabledGuard with(true);
      const Tensor fast = all_of(in, 2, 1, 1);
      const onednn::EnabledGuard without(false);
      CHECK(allclose(fast, all_of(in, 2, 1, 1), 1e-4, 1e-3));
      std::vector<Tensor> exact;
      for (const Tensor& t : in) exact.push_back(t.to(kDouble));
      CHECK(allclose(fast.to(kDouble), all_of(exact, 2, 1, 1), 1e-4, 1e-3));
    }
  }

  TEST_CASE("float32 is the same with oneDNN and without over strides, dilations, groups and paddings") {
    struct Setting {
      std::vector<int64_t> x, w, stride, padding, dilation;
      int64_t groups;
    };
    const Setting settings[] = {
        {{9, 8, 19, 11}, {8, 8, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1},
        {{19, 6, 20, 18}, {10, 6, 3, 2}, {2, 1}, {0, 1}, {1, 2}, 1},  // the last part is not reached
        {{60, 6, 22, 32}, {4, 3, 3, 5}, {3, 2}, {2, 0}, {2, 1}, 2},
        {{1, 48, 27, 27}, {48, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 48},
        {{30, 3, 38, 38}, {6, 1, 3, 3}, {2, 2}, {4, 3}, {1, 3}, 3},
        {{9, 3, 50, 50}, {4, 3, 2, 2}, {2, 2}, {0, 0}, {1, 1}, 1},  // windows apart
        {{0, 3, 5, 5}, {4, 3, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1},
        {{4, 6, 520}, {8, 6, 3}, {1}, {2}, {2}, 1},
        {{90, 8, 221}, {16, 1, 4}, {2}, {3}, {1}, 8}};
    for (const Setting& s : settings)
      for (const bool transposed : {false, true}) {
        CAPTURE(IntArrayRef(s.x));
        CAPTURE(transposed);
        const int64_t out = transposed ? s.w[1] * s.groups : s.w[0];
        std::vector<int64_t> sizes = s.x;
        if (transposed) sizes[1] = s.w[0];
        const auto results = [&](bool fast, ScalarType type) {
          const onednn::EnabledGuard path(fast);
          const auto made = [&](IntArrayRef of) { return uneven(of).to(type).requires_grad_(); };
          const Tensor x = made(sizes), w = made(s.w), b = made({out});
          const Tensor y = convolution(x, w, b, s.stride, s.padding, s.dilation, transposed, 0, s.groups);
          y.backward(cos(etude::arange(y.numel()).view(y.sizes())).to(type));
          return cat({y.detach().flatten(), x.grad().flatten(), w.grad().flatten(), b.grad()});
        };
        const Tensor fast = results(true, kFloat);
        CHECK(allclose(fast, results(false, kFloat), 1e-4, 1e-3));
        CHECK(allclose(fast.to(kDouble), results(true, kDouble), 1e-4, 1e-3));
      }
  }

  TEST_CASE("an uneven same is the same with oneDNN and without") {
    const Tensor x = uneven({14, 6, 19, 19}).to(kFloat), w = uneven({6, 6, 4, 2}).to(kFloat);
    const onednn::EnabledGuard with(true);
    const Tensor fast = conv2d(x, w, {}, 1, "same", IntArrayRef({1, 3}));
    const onednn::EnabledGuard without(false);
    CHECK(allclose(fast, conv2d(x, w, {}, 1, "same", IntArrayRef({1, 3})), 1e-4, 1e-4));
  }

  TEST_CASE("takes a literal 0 as padding, and lists of zeros") {
    const Tensor x = uneven({2, 3, 5, 6}), w = uneven({4, 3, 2, 2});
    CHECK(conv2d(x, w, {}, 1, 0).equal(conv2d(x, w)));
    CHECK(conv2d(x, w, {}, 1, {0, 0}).equal(conv2d(x, w)));
    CHECK(conv2d(x, w, {}, 1, std::string("valid")).equal(conv2d(x, w)));
  }

  TEST_CASE("autocast computes in bfloat16, and gradients have the types of the inputs") {
    const Tensor x = uneven({2, 3, 8}).to(kFloat).requires_grad_(),
                 w = uneven({4, 3, 3}).to(kFloat).requires_grad_(),
                 b = uneven({4}).to(kFloat).requires_grad_();
    autocast::set_cpu_enabled(true);
    const Tensor y = conv1d(x, w, b, 1, "same");
    autocast::set_cpu_enabled(false);
    autocast::clear_cache();
    CHECK(y.scalar_type() == kBFloat16);
    y.sum().backward();
    for (const Tensor& t : {x, w, b}) CHECK(t.grad().scalar_type() == kFloat);
    CHECK(allclose(y.to(kFloat), conv1d(x, w, b, 1, "same"), 2e-2, 5e-2));
  }

  TEST_CASE("the gradients of bfloat16 are those of float32, rounded") {
    const Tensor x = uneven({2, 3, 8}).to(kBFloat16).requires_grad_(),
                 w = uneven({4, 3, 3}).to(kBFloat16).requires_grad_();
    const Tensor x32 = x.detach().to(kFloat).requires_grad_(), w32 = w.detach().to(kFloat).requires_grad_();
    conv1d(x, w).sum().backward();
    conv1d(x32, w32).sum().backward();
    CHECK(same(x.grad(), x32.grad().to(kBFloat16)));
    CHECK(same(w.grad(), w32.grad().to(kBFloat16)));
  }

  TEST_CASE("refuses what PyTorch cannot do or does in another way: the whole text") {
    const Tensor x = etude::zeros({2, 3, 4}), w = etude::zeros({2, 3, 3});
    CHECK(refusal_lines([&] { conv1d(x, w, {}, 1, "full"); }) ==
          "Invalid padding string: 'full'\nhint: it is 'same' or 'valid'");
    CHECK(refusal_lines([&] { conv1d(x, w, {}, 0); }) ==
          "non-positive stride is not supported\nreceived [0]");
    CHECK(
        refusal_lines([&] { conv1d(x.to(kDouble), w); }) ==
        "expected scalar type Double but found Float\nhint: a convolution does not promote; convert one side "
        "with .to(...)");
    CHECK(refusal_text([&] {
            conv1d(etude::zeros({2, 0, 4}), etude::zeros({2, 0, 3}));
          }) == "a convolution needs channels, but got input shape: [2, 0, 4] and weight of size [2, 0, 3]");
    CHECK(refusal_text([&] { conv1d(x, etude::zeros({2, 3, 0})); }) == "kernel sizes must be positive");
    CHECK(
        refusal_text([&] {
          convolution(etude::zeros({1, 1, 3, 3, 3}), etude::zeros({1, 1, 2, 2, 2}), {}, 1, 0, 1, false, 0, 1);
        }) == "convolutions over more than two dims of space are not supported");
    CHECK(refusal_text([&] {
            convolution(x, etude::zeros({3, 2, 3}), {}, 1, 0, 1, true, 1, 1);
          }) == "output padding must be smaller than the stride, but got output_padding [1] and stride [1]");
    CHECK(refusal_text([&] {
            convolution(x, etude::zeros({3, 2, 3}), {}, 1, 5, 1, true, 0, 1);
          }) ==
          "Given input size per channel: (4). Calculated output size per channel: (-4). Output size is too "
          "small");
    CHECK(refusal_text([&] {
            convolution(etude::zeros({1, 1, 0}), etude::zeros({1, 1, 3}), {}, 1, 0, 1, true, 0, 1);
          }) == "Only zero batch or zero channel inputs are supported, but got input shape: [1, 1, 0]");
    CHECK(refusal_text([&] { conv1d(x, w, {}, 1, int64_t{1} << 40); }) ==
          "windows over a dim of more than 536870912 are not supported");
    CHECK(refusal_text([&] { conv1d(x, w, {}, 1, 1, int64_t{1} << 62); }) ==
          "windows over a dim of more than 536870912 are not supported");
    CHECK(refusal_text([&] { conv1d(x, w, {}, 1, "same", int64_t{1} << 62); }) ==
          "windows over a dim of more than 536870912 are not supported");
  }

  TEST_CASE("same warns of a padding that is uneven") {
    struct Handler : WarningHandler {
      std::vector<std::string> texts;
      void process(const SourceLocation&, const std::string& text, bool) override { texts.push_back(text); }
    } handler;
    const WarningUtils::WarningHandlerGuard guard(&handler);
    const WarningUtils::WarnAlways always;
    conv1d(etude::ones({1, 1, 4}), etude::ones({1, 1, 3}), {}, 1, "same");
    CHECK(handler.texts.empty());
    conv1d(etude::ones({1, 1, 4}), etude::ones({1, 1, 2}), {}, 1, "same");
    CHECK(handler.texts == std::vector<std::string>{
                               "Using padding='same' with even kernel lengths and odd dilation may require "
                               "a zero-padded copy of the input be created"});
  }
}
