// Errors of the engine in Python's words, which differ from LibTorch's.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "etude/autograd/anomaly_mode.h"
#include "etude/autograd/autograd.h"
#include "etude/autograd/function.h"
#include "etude/core/warning.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("engine, beyond LibTorch") {
  namespace {

  // A backward that nests `times` further backwards. Each adds 1 to the gradient of the inner one; the innermost returns
  // `last`.
  struct Inside : autograd::Function<Inside> {
    static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x, int64_t times, double last) {
      ctx->saved_data["times"] = times;
      ctx->saved_data["last"] = last;
      return x.clone();
    }
    static autograd::variable_list backward(autograd::AutogradContext* ctx, autograd::variable_list dy) {
      const int64_t times = ctx->saved_data["times"].toInt();
      const double last = ctx->saved_data["last"].toDouble();
      if (times == 0) return {etude::full({1}, last), {}, {}};
      const EnableGradGuard on;
      const Tensor x = etude::ones({1}, TensorOptions().requires_grad(true));
      Inside::apply(x, times - 1, last).sum().backward();
      return {x.grad() * dy[0] + 1, {}, {}};
    }
  };

  }  // namespace

  TEST_CASE("a gradient of other sizes than its tensor's is told with both") {
    const Tensor x = etude::ones({2}, TensorOptions(kDouble).requires_grad(true));
    CHECK(refusal([&] { (x * 2).backward(etude::ones({3}, kDouble)); }) ==
          "Error: Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape "
          "of torch.Size([2]).");
  }

  TEST_CASE("a second backward is told how to keep the graph") {
    const Tensor x = ones({2}).requires_grad_();
    const Tensor y = x.exp().sum();
    y.backward();
    const std::string text = refusal_lines([&] { y.backward(); });
    CHECK(text.find(" again\nhint: backward({}, /*retain_graph=*/true) keeps the graph") !=
          std::string::npos);
  }

  TEST_CASE("5,000 backwards inside of each other end, and each gets the gradient of the one inside") {
    const Tensor x = etude::ones({1}, TensorOptions().requires_grad(true));
    Inside::apply(x, 5000, 5.0).sum().backward();
    CHECK(x.grad().item<float>() == 5005);
  }

  TEST_CASE("anomaly mode knows what is around a backward that has a thread of its own") {
    struct Collected : WarningHandler {
      void process(const SourceLocation&, const std::string& msg, bool) override { messages.push_back(msg); }
      std::vector<std::string> messages;
    } collected;
    const WarningUtils::WarningHandlerGuard guard(&collected);
    const autograd::DetectAnomalyGuard anomaly;
    const Tensor x = etude::ones({1}, TensorOptions().requires_grad(true));
    CHECK(refusal([&] { Inside::apply(x, 60, std::nan("")).sum().backward(); }).find("returned nan values") !=
          std::string::npos);
    REQUIRE(collected.messages.size() == 2 * 61 - 1);  // another backward induced all but the outermost
    CHECK(collected.messages[1].rfind("Previous calculation was induced by ", 0) == 0);
  }
}
