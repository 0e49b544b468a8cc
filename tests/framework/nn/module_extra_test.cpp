// What modules refuse and take beyond LibTorch's, and how Python's convert their tensors.
#include <doctest/doctest.h>

#include <string>

#include "etude/nn/module.h"
#include "etude/ops/ops.h"

using namespace etude;
using nn::Module;

namespace {

struct LeafImpl : Module {
  LeafImpl() {
    weight = register_parameter("weight", etude::ones({2}));
    mean = register_buffer("mean", etude::zeros({2}));
    steps = register_buffer("steps", etude::zeros({1}, kLong));
  }
  Tensor weight, mean, steps;
};
ETUDE_MODULE(Leaf);

}  // namespace

TEST_SUITE("Module, beyond LibTorch") {
  TEST_CASE("a parameter and a buffer of one name would be one entry of the state, and are refused") {
    Module module;
    module.register_parameter("p", etude::ones({5}));
    module.register_buffer("b", etude::ones({5}));
    CHECK_THROWS_WITH(module.register_buffer("p", etude::ones({5})),
                      "attribute 'p' already exists\nit is registered as a parameter");
    CHECK_THROWS_WITH(module.register_parameter("b", etude::ones({5})),
                      "attribute 'b' already exists\nit is registered as a buffer");
  }

  TEST_CASE("null submodules can be registered and are left out everywhere") {
    auto module = std::make_shared<Module>();
    module->register_parameter("p", Tensor());
    module->register_buffer("b", Tensor());
    CHECK(module->register_module("none", std::shared_ptr<LeafImpl>()) == nullptr);
    CHECK(module->parameters().empty());
    CHECK(module->buffers().empty());
    CHECK(module->children().empty());
    CHECK(module->modules().size() == 1);
    CHECK(module->state_dict().is_empty());
    module->eval();
    module->zero_grad();
    module->to(kDouble);
    module->apply([](Module&) {});
    CHECK_FALSE(module->is_training());
  }

  TEST_CASE("an empty holder cannot be registered") {
    CHECK_THROWS_WITH(Module().register_module("leaf", Leaf(nullptr)), "Accessing empty ModuleHolder");
  }

  TEST_CASE("to converts floating parameters, gradients and buffers in place and leaves integers alone") {
    Leaf leaf;
    (leaf->weight * 2).sum().backward();
    const Tensor weight = leaf->weight;
    leaf->to(kDouble);
    CHECK((weight.dtype() == kDouble));
    CHECK((weight.grad().dtype() == kDouble));
    CHECK(weight.grad().equal(etude::full({2}, 2.0, kDouble)));
    CHECK((leaf->mean.dtype() == kDouble));
    CHECK((leaf->steps.dtype() == kLong));
    leaf->to(kCPU, kFloat);
    CHECK((weight.grad().dtype() == kFloat));
    CHECK((leaf->steps.dtype() == kLong));
  }

  TEST_CASE("to refuses types that are not floating") {
    CHECK_THROWS_WITH_AS(
        Leaf()->to(kLong),
        "nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=torch.int64\n"
        "hint: convert single tensors with Tensor::to",
        TypeError);
  }
}
