// The print of grad_fn after each expression of tests/golden/printing.json.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>

#include "etude/framework.h"
#include "support/any_function.h"
#include "support/golden.h"

using namespace etude;
namespace F = etude::nn::functional;

TEST_SUITE("grad_fn names") {
  namespace {

  using indexing::None;
  using indexing::Slice;
  using Expressions = std::map<std::string, AnyFunction<Tensor()>>;

  Tensor leaf(std::vector<int64_t> sizes) { return full(sizes, 0.5, requires_grad()); }

  const Tensor x = leaf({2, 3}), x3 = leaf({2, 2, 3}), W = leaf({4, 3}), b = leaf({4});

  Expressions modules() {
    return {
        {"nn.Linear(3, 4)(x)", [] { return linear(x, W, b); }},
        {"nn.Linear(3, 4)(x3)", [] { return linear(x3, W, b); }},
        {"nn.Linear(3,4,bias=False)(x)", [] { return linear(x, W); }},
        {"nn.Linear(3,4,bias=False)(x3)", [] { return linear(x3, W); }},
        {"nn.Embedding(5, 3)(torch.tensor([[1]]))",
         [] {
           return embedding(leaf({5, 3}), tensor({{1}}));
         }},
        {"F.softmax(x,-1)", [] { return softmax(x, -1); }},
        {"F.log_softmax(x,-1)", [] { return log_softmax(x, -1); }},
        {"F.relu(x)", [] { return F::relu(x); }},
        {"F.cross_entropy(x,torch.tensor([0,1]))",
         [] {
           return F::cross_entropy(x, tensor({0, 1}));
         }},
        {"F.cross_entropy(x,torch.tensor([0,1]),label_smoothing=.1)",
         [] {
           return F::cross_entropy(x, tensor({0, 1}), F::CrossEntropyFuncOptions().label_smoothing(.1));
         }},
        {"F.mse_loss(x,torch.zeros(2,3))",
         [] {
           return F::mse_loss(x, zeros({2, 3}));
         }},
    };
  }

  Expressions arithmetic() {
    return {
        {"x+1", [] { return x + 1; }},
        {"x+x", [] { return x + x; }},
        {"x-1", [] { return x - 1; }},
        {"-x", [] { return -x; }},
        {"x*2", [] { return x * 2; }},
        {"x/2", [] { return x / 2; }},
        {"2**x", [] { return pow(2, x); }},
        {"x3@x3.transpose(1,2)", [] { return matmul(x3, x3.transpose(1, 2)); }},
        {"x3@W.t()", [] { return matmul(x3, W.t()); }},
        {"x.exp()", [] { return x.exp(); }},
        {"x.sqrt()", [] { return x.sqrt(); }},
        {"torch.rsqrt(x.abs())", [] { return rsqrt(x.abs()); }},
        {"x.clamp(0,1)", [] { return x.clamp(0, 1); }},
        {"x.clamp(min=0)", [] { return x.clamp(0); }},
        {"x.clone().mul_(2)", [] { return x.clone().mul_(2); }},
        {"x.pow(2).sum().sqrt()", [] { return x.pow(2).sum().sqrt(); }},
    };
  }

  Expressions reductions() {
    return {
        {"x.sum()", [] { return x.sum(); }},   {"x.sum(0)", [] { return x.sum(0); }},
        {"x.mean()", [] { return x.mean(); }}, {"x.mean(-1)", [] { return x.mean(-1); }},
        {"x.max()", [] { return x.max(); }},   {"x.max(1)[0]", [] { return std::get<0>(x.max(1)); }},
        {"x.std(1)", [] { return x.std(1); }}, {"x.cumsum(0)", [] { return x.cumsum(0); }},
        {"x.norm()", [] { return x.norm(); }},
    };
  }

  Expressions views_and_copies() {
    return {
        {"x.t()", [] { return x.t(); }},
        {"x.view(6)", [] { return x.view({6}); }},
        {"x.reshape(6)", [] { return x.reshape({6}); }},
        {"x.t().reshape(6)", [] { return x.t().reshape({6}); }},
        {"x3.transpose(0,1)", [] { return x3.transpose(0, 1); }},
        {"x.clone()", [] { return x.clone(); }},
        {"x.contiguous()", [] { return x.contiguous(); }},
        {"x.to(torch.float64)", [] { return x.to(kFloat64); }},
        {"x.type_as(x.double())", [] { return x.type_as(x.to(kDouble)); }},
        {"x.squeeze()", [] { return x.squeeze(); }},
        {"x.expand(2,2,3)",
         [] {
           return x.expand({2, 2, 3});
         }},
        {"x.flatten()", [] { return x.flatten(); }},
        {"x3.flatten(1)", [] { return x3.flatten(1); }},
        {"x.repeat(2,1)",
         [] {
           return x.repeat({2, 1});
         }},
        {"x.unbind(0)[0]", [] { return x.unbind(0)[0]; }},
        {"x.select(0,1)", [] { return x.select(0, 1); }},
        {"x.narrow(1,0,2)", [] { return x.narrow(1, 0, 2); }},
        {"x.flip(0)", [] { return x.flip({0}); }},
        {"x.roll(1,0)", [] { return x.roll({1}, {0}); }},
        {"torch.cat([x,x])",
         [] {
           return cat({x, x});
         }},
        {"torch.stack([x,x])",
         [] {
           return stack({x, x});
         }},
    };
  }

  Expressions indexing_ops() {
    return {
        {"x[0]", [] { return x[0]; }},
        {"x[:,1]",
         [] {
           return x.index({Slice(), 1});
         }},
        {"x[torch.tensor([0])]", [] { return x.index({tensor({0})}); }},
        {"x[None]", [] { return x.index({None}); }},
        {"x.masked_fill(x>0,0.)", [] { return x.masked_fill(x > 0, 0.); }},
        {"torch.where(x>0,x,x*0)", [] { return where(x > 0, x, x * 0); }},
        {"x.gather(1,torch.tensor([[0],[1]]))",
         [] {
           return x.gather(1, tensor({{0}, {1}}));
         }},
        {"x.index_select(0,torch.tensor([0]))", [] { return x.index_select(0, tensor({0})); }},
    };
  }

  // Ops and modules of PyTorch that do not exist here.
  const std::set<std::string> missing = {
      "F.layer_norm(x,(3,))",
      "nn.LayerNorm(3)(x)",
      "nn.MultiheadAttention(4,2)(*[torch.randn(3,1,4)]*3)[0]",
      "nn.MultiheadAttention(4,2)(*[torch.randn(3,1,4)]*3)[1]",
      "torch.einsum('ij,kj->ik',x,x)",
  };

  }  // namespace

  TEST_CASE("every recorded expression ends in the node that PyTorch names") {
    Expressions all;
    for (Expressions some : {modules(), arithmetic(), reductions(), views_and_copies(), indexing_ops()})
      all.merge(some);
    int count = 0;
    for (const Recorded& row : golden_json("printing.json")) {
      if (row["kind"] != "grad_fn") continue;
      const std::string expression = row["expr"];
      CAPTURE(expression);
      if (missing.count(expression) == 1) {
        CHECK(all.count(expression) == 0);
        continue;
      }
      REQUIRE(all.count(expression) == 1);
      CHECK(std::string(all.at(expression)().grad_fn_name()) == row["text"].get<std::string>());
      ++count;
    }
    CHECK(static_cast<size_t>(count) == all.size());
  }

  TEST_CASE(
      "a tensor prints the name of its node, a leaf that it requires grad, and a detached one neither") {
    CHECK(repr(x.sum()) == "tensor(3., grad_fn=<SumBackward0>)");
    CHECK(repr(leaf({1})) == "tensor([0.5000], requires_grad=True)");
    CHECK(repr(x.sum().detach()) == "tensor(3.)");
  }
}
