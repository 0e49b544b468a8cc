// What autocast does beyond LibTorch: it warns where it is slow, and notices writes to a weight.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/autograd/grad_mode.h"
#include "etude/autograd/node.h"
#include "etude/core/warning.h"
#include "etude/onednn/backend.h"
#include "etude/ops/autocast.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("autocast, beyond LibTorch") {
  namespace {

  struct Texts : WarningHandler {
    std::vector<std::string> texts;
    void process(const SourceLocation&, const std::string& msg, bool) override { texts.push_back(msg); }
  };

  }  // namespace

  TEST_CASE("it says that it is slow where nothing makes it fast, and computes the same") {
    const Tensor x = (arange(35 * 30).view({35, 30}) * 0.37).remainder(2.0) - 1,
                 w = x.slice(0, 0, 20).clone();
    w.requires_grad_();
    Texts heard;
    const WarningUtils::WarningHandlerGuard guard(&heard);
    const WarningUtils::WarnAlways always;
    const auto product = [&] {
      autocast::set_cpu_enabled(true);
      const Tensor y = linear(x, w);
      autocast::set_cpu_enabled(false);
      autocast::clear_cache();
      return y.detach().to(kFloat);
    };
    const Tensor here = product();
    CHECK(heard.texts.empty() == onednn::multiplies_bfloat16());
    heard.texts.clear();
    const onednn::EnabledGuard off(false);
    const Tensor plain = product();
    REQUIRE(heard.texts.size() == 1);
    CHECK(heard.texts[0].find("autocast to bfloat16 is slow here") == 0);
    // Sums of products, which are exact in float32, are rounded to 8 bits.
    CHECK(((here - plain).abs() <= plain.abs() * 0x1p-7 + 1e-5).all().item<bool>());
    const Tensor exact = linear(x.to(kBFloat16).to(kDouble), w.detach().to(kBFloat16).to(kDouble));
    CHECK(((plain - exact).abs() <= exact.abs() * 0x1p-8 + 1e-5).all().item<bool>());
  }

  TEST_CASE("a weight that was written to is cast again, also without clear_cache") {
    const Tensor w = ones({2, 2}).requires_grad_(), x = ones({2, 2});
    autocast::set_cpu_enabled(true);
    const Tensor before = w.mm(x);
    {
      const NoGradGuard no_grad;
      w.mul_(2);
    }
    const Tensor after = w.mm(x);
    autocast::set_cpu_enabled(false);
    autocast::clear_cache();
    CHECK((before.sum().item<float>() == 8 && after.sum().item<float>() == 16));
  }

  TEST_CASE("without a cache each use is a cast") {
    const Tensor w = ones({2, 2}).requires_grad_();
    autocast::set_autocast_cache_enabled(false);
    autocast::set_cpu_enabled(true);
    const Tensor first = w.mm(w), second = w.mm(w);
    autocast::set_cpu_enabled(false);
    autocast::set_autocast_cache_enabled(true);
    CHECK(first.grad_fn()->next_edges()[0].function != second.grad_fn()->next_edges()[0].function);
  }

  TEST_CASE("it refuses to cast to another type than bfloat16") {
    autocast::set_autocast_cpu_dtype(kFloat);
    autocast::set_cpu_enabled(true);
    const std::string text = refusal_text([] { ones({2, 2}).mm(ones({2, 2})); });
    autocast::set_cpu_enabled(false);
    autocast::set_autocast_cpu_dtype(kBFloat16);
    CHECK(text == "Currently, AutocastCPU only support Bfloat16 as the autocast_cpu_dtype");
  }
}
