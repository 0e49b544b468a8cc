#include "etude/explain/draw.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "etude/autograd/autograd.h"
#include "etude/explain/explain.h"
#include "support/half_nets.h"
#include "support/has.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("draw") {
  namespace {

  size_t box_called(const Drawing& d, const std::string& title) {
    const auto found =
        std::find_if(d.boxes.begin(), d.boxes.end(), [&](const auto& box) { return box.title == title; });
    REQUIRE(found != d.boxes.end());
    return static_cast<size_t>(found - d.boxes.begin());
  }
  bool leads(const Drawing& d, const std::string& from, const std::string& to) {
    const std::pair<size_t, size_t> arrow(box_called(d, from), box_called(d, to));
    return std::find(d.arrows.begin(), d.arrows.end(), arrow) != d.arrows.end();
  }

  }  // namespace

  TEST_CASE("a graph has the nodes that backward walks, and leaves by their names") {
    HalfNet net;
    const Drawing d = draw(net(ones({2, 3})).sum(), net->named_parameters());
    CHECK(d.boxes[0].title == "SumBackward0");
    CHECK(d.boxes[0].kind == Drawing::Kind::Result);
    CHECK(leads(d, "out.weight", "TBackward0"));
    CHECK(leads(d, "ReluBackward0", "MmBackward0"));
    CHECK(d.boxes[box_called(d, "out.weight")].note == "[3, 4]");
    CHECK(d.boxes[box_called(d, "out.weight")].kind == Drawing::Kind::Leaf);
    for (const auto& [from, to] : d.arrows) CHECK(d.boxes[from].level < d.boxes[to].level);
  }

  TEST_CASE("leaves without a name, used twice, and alone") {
    const Tensor x = ones({2}).requires_grad_();
    const Drawing d = draw(x * x + x.detach());
    CHECK(d.boxes.size() == 3);
    CHECK(d.arrows.size() == 2);
    CHECK(d.boxes[box_called(d, "leaf")].note == "[2]");
    CHECK(draw(x).boxes.size() == 1);
    CHECK(draw(x).arrows.empty());
  }

  TEST_CASE("a long chain and a wide graph") {
    Tensor x = ones({1}).requires_grad_();
    Tensor y = x;
    for (int i = 0; i < 5000; ++i) y = y + 1;
    CHECK(draw(y).boxes.size() == 5001);
    Tensor sum = x;
    for (int i = 0; i < 60; ++i) sum = sum + x.exp();
    CHECK(has(draw(sum).svg(), "</svg>"));
  }

  TEST_CASE("a node has the module where it was made if somebody listened then") {
    const HalfNets made;
    HalfNets net = made;
    std::ostringstream out;
    explain(out);
    const Tensor y = net(ones({2, 3}));
    explain(false);
    const Drawing d = draw(y);
    CHECK(d.boxes[box_called(d, "MmBackward0")].note == "[2, 3] in second.out");
  }

  TEST_CASE("drawing changes nothing") {
    HalfNet net;
    const Tensor loss = net(ones({2, 3})).sum();
    draw(loss, net->named_parameters()).svg();
    CHECK(loss.use_count() == 1);
    loss.backward();
    CHECK(net->fc->weight.grad().defined());
  }

  TEST_CASE("a tensor outside of any graph is refused") {
    CHECK(refusal([] { draw(ones({2})); }) ==
          "Error: element 0 of tensors does not require grad and does not have a grad_fn");
    CHECK_THROWS_AS(draw(Tensor()), Error);
  }

  TEST_CASE("a model is a tree of its modules") {
    const Drawing d = draw(HalfNets());
    REQUIRE(d.boxes.size() == 7);
    CHECK(d.is_tree);
    CHECK(d.boxes[0].title == "HalfNets");
    CHECK(d.boxes[2].title == "fc (Fc)");
    CHECK(d.boxes[2].note == "12 parameters");
    CHECK(leads(d, "HalfNets", "first (HalfNet)"));
    CHECK(leads(d, "first (HalfNet)", "fc (Fc)"));
  }
}
