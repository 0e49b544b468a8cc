// The coordinates of a grid.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/framework.h"
#include "support/gradcheck.h"
#include "support/node_name.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("meshgrid") {
  namespace {

  struct Heard : WarningHandler {
    void process(const SourceLocation&, const std::string& message, bool) override {
      messages.push_back(message);
    }
    std::vector<std::string> messages;
  };

  const Tensor a = etude::arange(2.), b = etude::arange(3.), c = etude::arange(4.);

  }  // namespace

  TEST_CASE("each tensor changes along its own dim; 'xy' swaps the first two") {
    const auto ij = meshgrid({a, b}, "ij"), xy = meshgrid({a, b}, "xy");
    CHECK(same(ij[0], etude::tensor({{0.f, 0.f, 0.f}, {1.f, 1.f, 1.f}})));
    CHECK(same(ij[1], etude::tensor({{0.f, 1.f, 2.f}, {0.f, 1.f, 2.f}})));
    CHECK(same(xy[0], ij[0].t()));
    CHECK(same(xy[1], ij[1].t()));
    const auto three = meshgrid({a, b, c}, "xy");
    const std::vector<std::vector<int64_t>> strides = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    for (size_t k = 0; k < 3; ++k) {
      CHECK(three[k].sizes() == IntArrayRef({3, 2, 4}));
      CHECK(three[k].strides() == IntArrayRef(strides[k]));
    }
    CHECK(three[0].is_alias_of(a));
    CHECK(same(meshgrid({a}, "xy")[0], a));
    CHECK(meshgrid({a, etude::zeros({0})}, "ij")[0].sizes() == IntArrayRef({2, 0}));
    CHECK(same(meshgrid({etude::tensor(3.f), a}, "xy")[0], etude::tensor({{3.f}, {3.f}})));
    CHECK(same(meshgrid({c.slice(0, 0, 4, 2), a}, "ij")[0], etude::tensor({{0.f, 0.f}, {2.f, 2.f}})));
  }

  TEST_CASE("without a word on the order there is a warning, once") {
    Heard heard;
    const WarningUtils::WarningHandlerGuard guard(&heard);
    CHECK(same(meshgrid({a, b})[1], meshgrid({a, b}, "ij")[1]));
    meshgrid({a, b});
    CHECK(heard.messages.size() <= 1);  // another test may have warned already
    for (const std::string& message : heard.messages)
      CHECK(message ==
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.");
  }

  TEST_CASE("gradients are sums over the other dims") {
    const auto f = [](const std::vector<Tensor>& in) {
      const auto ij = meshgrid({in[0], in[1]}, "ij"), xy = meshgrid({in[0], in[1]}, "xy");
      return (ij[0] * ij[1] * uneven({2, 3})).sum() + (xy[0] * xy[0] * xy[1] * uneven({3, 2})).sum();
    };
    const Tensor x = uneven({2}).requires_grad_(), y = uneven({3}).requires_grad_();
    CHECK(gradcheck(f, {x, y}));
    CHECK(gradgradcheck(f, {x, y}));
    CHECK(node_name(meshgrid({x, y}, "xy")[0]) == "ExpandBackward0");
  }

  TEST_CASE("refuses what is no list of vectors") {
    CHECK(refusal([] { meshgrid({a}, "up"); }) ==
          "Error: torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: up");
    CHECK(refusal([] { meshgrid(std::vector<Tensor>(), "up"); }) ==
          "Error: meshgrid expects a non-empty TensorList");
    CHECK(refusal([] {
            meshgrid({a, b.to(kDouble)}, "ij");
          }) == "Error: meshgrid expects all tensors to have the same dtype");
    CHECK(refusal([] {
            meshgrid({a, etude::ones({2, 2})}, "ij");
          }).find("Error: torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: ") == 0);
  }
}
