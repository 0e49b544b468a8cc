// InputEmbedding's pass over memory beside the steps of its forward.
#include <doctest/doctest.h>

#include "etude/input_embedding.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("InputEmbedding, its fast path") {
  namespace {

  struct DoubledEmbeddingImpl : InputEmbeddingImpl {
    using InputEmbeddingImpl::InputEmbeddingImpl;
    Tensor forward(const Tensor& ids) { return InputEmbeddingImpl::forward(ids) * 2; }
  };
  ETUDE_MODULE(DoubledEmbedding);

  }  // namespace

  TEST_CASE("a class with a forward of its own does not take the path that it inherits") {
    DoubledEmbedding module(InputEmbeddingOptions(9, 6, kBatchFirst));
    const Tensor ids = etude::tensor({{3, 0, 3, 7}});
    CHECK(module(ids).equal(module->forward(ids)));
    CHECK(module(ids).equal(*module->fast_path(ids) * 2));
    CHECK(AnyModule(module).forward(ids).equal(module(ids)));
  }

  TEST_CASE("a call makes one pass over memory and gives the bits that forward's steps give") {
    const Tensor ids = etude::tensor({{3, 0, 3}, {1, 0, 8}});
    for (const auto layout : {kBatchFirst, kSequenceFirst})
      for (const double p : {0.0, 0.3, 1.0})
        for (const auto dtype : {kFloat, kDouble}) {
          InputEmbedding module(InputEmbeddingOptions(9, 6, layout).dropout(p).scale(p > 0).padding_idx(0));
          module->to(dtype);
          const auto run = [&](const auto& forward) {
            manual_seed(4);
            module->zero_grad();
            const Tensor y = forward();
            (y * arange(6)).sum().backward();
            return std::pair(y, module->token_embedding->embedding->weight.grad().clone());
          };
          const auto [y, gradient] = run([&] { return module(ids); });
          const auto [expected, expected_gradient] = run([&] { return module->forward(ids); });
          CHECK(y.equal(expected));
          CHECK(allclose(gradient, expected_gradient, 1e-6, 1e-6));
          CHECK(module->fast_path(ids).has_value() == (p < 1));
        }
  }

  TEST_CASE("a hook of a part hears it, and what it gives goes on") {
    const Tensor ids = etude::tensor({{3, 0, 3, 7}});
    InputEmbedding module(InputEmbeddingOptions(9, 6, kBatchFirst).dropout(0.5));
    module->eval();
    const Tensor before = module(ids);
    for (const auto& part : module->modules(/*include_self=*/false)) {
      const auto hook = part->register_forward_hook(
          [](Module&, const std::vector<Tensor>&, const std::vector<Tensor>& y) { return y[0] + 1; });
      CAPTURE(part->name());
      CHECK_FALSE(module->fast_path(ids).has_value());
      CHECK(allclose(module(ids), before + 1));
      hook.remove();
    }
  }
}
