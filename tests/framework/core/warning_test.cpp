#include "etude/core/warning.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/framework.h"

namespace WarningUtils = etude::WarningUtils;

TEST_SUITE("warning") {
  namespace {

  struct Collected : etude::WarningHandler {
    void process(const etude::SourceLocation&, const std::string& msg, bool verbatim) override {
      messages.push_back(msg + (verbatim ? "!" : ""));
    }
    std::vector<std::string> messages;
  };
  using Messages = std::vector<std::string>;

  void warn_once_about(int what) { ETUDE_WARN_ONCE("once about ", what); }
  void warn_once_more() { ETUDE_WARN_ONCE("once more"); }

  }  // namespace

  TEST_CASE("warnings go to the handler of the scope") {
    Collected outer, inner;
    auto* const before = WarningUtils::get_warning_handler();
    {
      const WarningUtils::WarningHandlerGuard outer_guard(&outer);
      CHECK(WarningUtils::get_warning_handler() == &outer);
      ETUDE_WARN("one of ", 3);
      {
        const WarningUtils::WarningHandlerGuard inner_guard(&inner);
        ETUDE_WARN("two");
      }
      ETUDE_WARN("three");
      ETUDE_WARN("three");
    }
    CHECK(WarningUtils::get_warning_handler() == before);
    CHECK(outer.messages == Messages{"one of 3", "three", "three"});
    CHECK(etude::Join("; ", outer.messages) == "one of 3; three; three");
    CHECK(etude::Join(", ", std::vector<int>{1, 2}) == "1, 2");
    CHECK(etude::Join("; ", Messages{}).empty());
    CHECK(inner.messages == Messages{"two"});
  }

  TEST_CASE("a warning that is given once is given always under a guard") {
    Collected collected;
    const WarningUtils::WarningHandlerGuard guard(&collected);
    warn_once_about(1);
    warn_once_about(2);
    warn_once_more();
    CHECK(collected.messages == Messages{"once about 1", "once more"});
    CHECK_FALSE(WarningUtils::get_warnAlways());
    {
      const WarningUtils::WarnAlways always;
      CHECK(WarningUtils::get_warnAlways());
      warn_once_about(3);
      warn_once_about(4);
      {
        const WarningUtils::WarnAlways once(false);
        CHECK_FALSE(WarningUtils::get_warnAlways());
        warn_once_about(5);
      }
      CHECK(WarningUtils::get_warnAlways());
    }
    CHECK_FALSE(WarningUtils::get_warnAlways());
    warn_once_about(6);
    CHECK(collected.messages == Messages{"once about 1", "once more", "once about 3", "once about 4"});
  }

  TEST_CASE("masks of bytes are deprecated") {
    const auto x = etude::arange(4.), mask = etude::tensor({1, 0, 1, 0}, etude::kByte);
    const std::string once =
        "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a "
        "future version of PyTorch. Use a boolean condition instead.";
    Collected where, index;
    {
      const WarningUtils::WarningHandlerGuard guard(&where);
      etude::where(mask, x, x);
      where.messages.clear();
      etude::where(mask, x, x);
      CHECK(where.messages.empty());
      const WarningUtils::WarnAlways always;
      etude::where(mask, x, x);
      CHECK(where.messages == Messages{once});
    }
    const WarningUtils::WarningHandlerGuard guard(&index);
    x.index({mask});
    x.index({mask, etude::indexing::None});
    x.clone().index_put_({mask}, etude::zeros({2}));
    const std::string sentence =
        "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.";
    CHECK(index.messages == Messages{sentence, sentence, sentence});
  }

  TEST_CASE("a gradient that will not come, and one that keeps its graph") {
    Collected collected;
    const WarningUtils::WarningHandlerGuard guard(&collected);
    const auto x = etude::ones({2}).requires_grad_();
    const auto y = x * x;
    CHECK_FALSE(x.grad().defined());
    CHECK(collected.messages.empty());
    CHECK_FALSE(y.grad().defined());
    REQUIRE(collected.messages.size() == 1);
    CHECK(collected.messages[0].find(
              "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. "
              "Its .grad attribute won't be populated during autograd.backward(). If you "
              "indeed want the .grad field to be populated for a non-leaf Tensor, use "
              ".retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by "
              "mistake, make sure you access the leaf Tensor instead.") == 0);
    y.retain_grad();
    CHECK_FALSE(y.grad().defined());
    etude::autograd::grad({y.sum()}, {x}, {}, true, true);
    CHECK(collected.messages.size() == 1);
    y.sum().backward({}, true, true);
    collected.messages.resize(1);
    y.sum().backward({}, true, true);
    CHECK(collected.messages.size() == 1);
    const WarningUtils::WarnAlways always;
    y.sum().backward({}, true, true);
    REQUIRE(collected.messages.size() == 2);
    CHECK(collected.messages[1].find(
              "Using backward() with create_graph=True will create a reference cycle between "
              "the parameter and its gradient which can cause a memory leak. We recommend "
              "using autograd.grad when creating the graph to avoid this.") == 0);
    x.mutable_grad() = etude::Tensor();
    y.mutable_grad() = etude::Tensor();
  }
}
