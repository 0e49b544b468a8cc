// Nodes of the graph as users see them, and how a long graph is freed.
#include "etude/autograd/node.h"

#include <doctest/doctest.h>

#include "etude/autograd/autograd.h"
#include "etude/ops/ops.h"
#include "support/leaf.h"
#include "support/long_chain.h"
#include "support/node_name.h"

using namespace etude;
using autograd::variable_list;

TEST_SUITE("node") {
  TEST_CASE("grad_fn is the node that made a tensor, with its name and what it leads to") {
    const Tensor x = etude::ones({2}, requires_grad()), a = etude::ones({2});
    CHECK(x.grad_fn() == nullptr);
    CHECK(a.grad_fn() == nullptr);
    Tensor y = x.exp();
    const auto exp = y.grad_fn();
    CHECK((exp && exp == y.grad_fn() && exp != x.exp().grad_fn()));
    CHECK(exp->name() == "ExpBackward0");
    CHECK((exp->num_inputs() == 1 && exp->num_outputs() == 1));
    const autograd::edge_list edges = (a * y).grad_fn()->next_edges();
    CHECK((edges.size() == 2 && !edges[0].is_valid() && edges[1].is_valid()));
    CHECK((edges[1].function == exp && edges[1].input_nr == 0));
    CHECK(exp->next_edge(0).function->name() == kAutogradScope + "AccumulateGrad");
    CHECK(exp->next_edge(0) == x.sin().grad_fn()->next_edge(0));
    CHECK(exp->next_edge(0) != (x * 1).exp().grad_fn()->next_edge(0));
    CHECK(x.sin().grad_fn()->sequence_nr() > exp->sequence_nr());
    const variable_list parts = stack({x, x}).unbind(0);
    CHECK((parts[1].sum().grad_fn()->next_edge(0).input_nr == 1 && parts[0].grad_fn()->num_inputs() == 2));
    y = Tensor();
    CHECK(exp->name() == "ExpBackward0");  // a handle keeps its node
    Tensor written = x * 1;
    written[0].mul_(2);
    CHECK(written.grad_fn()->name() == kAutogradScope + "CopySlices");
  }

  TEST_CASE("a node is named after its op, and the graph's own nodes with their namespace") {
    const Tensor x = leaf({1.0, 2.0});
    CHECK((x * x).grad_fn()->name() == "MulBackward0");
    CHECK(x.sum().grad_fn()->name() == "SumBackward0");
    CHECK(x.exp().grad_fn()->next_edge(0).function->name() == kAutogradScope + "AccumulateGrad");
  }

  TEST_CASE("edges lead to the nodes of the operands, in their order, and a leaf's is the same for all") {
    const Tensor x = leaf({1.0, 2.0}), y = leaf({3.0, 4.0});
    const Tensor a = x.exp(), b = y.sin();
    const autograd::edge_list edges = (a * b).grad_fn()->next_edges();
    REQUIRE(edges.size() == 2);
    CHECK(edges[0].function == a.grad_fn());
    CHECK(edges[1].function == b.grad_fn());
    CHECK(a.grad_fn()->next_edge(0) != b.grad_fn()->next_edge(0));
    CHECK(a.grad_fn()->next_edge(0) == x.sin().grad_fn()->next_edge(0));
    const auto twice = (x * x).grad_fn();
    CHECK(twice->next_edge(0) == twice->next_edge(1));
  }

  TEST_CASE("a node knows how many outputs its op had, and an edge which of them it is for") {
    const Tensor x = leaf({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
    const variable_list rows = x.unbind(0);
    CHECK(rows[0].grad_fn() == rows[2].grad_fn());
    CHECK(rows[0].grad_fn()->num_inputs() == 3);
    CHECK(rows[0].grad_fn()->num_outputs() == 1);
    for (uint32_t i = 0; i < 3; ++i) CHECK(rows[i].exp().grad_fn()->next_edge(0).input_nr == i);
  }

  TEST_CASE("a chain of 100,000 ops that saved tensors is freed without backward and without recursion") {
    bool done = false;
    with_stack(kSmallStack, [&] {
      const Tensor x = leaf({1.0});
      Tensor y = x;
      for (int i = 0; i < kLongChain; ++i) y = y * x;
      y = Tensor();
      done = true;
    });
    CHECK(done);
  }
}
