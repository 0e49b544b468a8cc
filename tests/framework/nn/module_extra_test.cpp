// Errors and arguments of modules beyond LibTorch's, and the conversion of tensors as in Python.
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "etude/io/output_archive.h"
#include "etude/nn/cloneable.h"
#include "etude/nn/module.h"
#include "etude/ops/ops.h"
#include "support/any_function.h"
#include "support/long_chain.h"
#include "support/refusal.h"

using namespace etude;
using nn::Module;

TEST_SUITE("Module, beyond LibTorch") {
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

  struct Link : nn::Cloneable<Link> {
    void reset() override {}
  };

  std::shared_ptr<Module> chain_of(int length) {
    auto first = std::make_shared<Link>();
    for (std::shared_ptr<Module> last = first; length > 1; --length)
      last = last->register_module("next", std::make_shared<Link>());
    return first;
  }

  }  // namespace

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
    CHECK(refusal_text([] { Module().register_module("leaf", Leaf(nullptr)); }) ==
          "Accessing empty ModuleHolder");
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

  TEST_CASE(
      "modules that are too deep in each other, or in a cycle, are refused by whatever walks through them") {
    const auto deep = chain_of(30000), cycle = chain_of(3);
    cycle->children()[0]->register_module("back", cycle);
    using Walk = AnyFunction<void(Module&)>;
    const std::vector<std::pair<const char*, Walk>> walks = {
        {"parameters", [](Module& m) { m.parameters(); }},
        {"buffers", [](Module& m) { m.named_buffers(); }},
        {"modules", [](Module& m) { m.modules(); }},
        {"apply", [](Module& m) { m.apply([](Module&) {}); }},
        {"train", [](Module& m) { m.train(); }},
        {"to", [](Module& m) { m.to(kDouble); }},
        {"zero_grad", [](Module& m) { m.zero_grad(); }},
        {"state_dict", [](Module& m) { m.state_dict(); }},
        {"load_state_dict", [](Module& m) { m.load_state_dict(OrderedDict<std::string, Tensor>()); }},
        {"print", [](Module& m) { std::ostringstream() << m; }},
        {"save",
         [](Module& m) {
           serialize::OutputArchive archive;
           m.save(archive);
         }},
    };
    for (const auto& [name, walk] : walks)
      for (const auto& module : {deep, cycle}) {
        CAPTURE(name);
        CHECK_THROWS_WITH_AS(walk(*module),
                             "maximum recursion depth exceeded\nmodules are more than 1000 deep in each "
                             "other\nhint: a module may be one of its own submodules",
                             Error);
      }
    cycle->children()[0]->unregister_module("back");
    CHECK(cycle->modules().size() == 3);
  }

  TEST_CASE("a chain of modules that is not too deep works, and ends on a small stack") {
    auto chain = chain_of(1000);
    CHECK(chain->modules().size() == 1000);
    chain->eval();
    CHECK_FALSE(chain->children()[0]->is_training());
    with_stack(kSmallStack, [] { chain_of(30000).reset(); });
  }
}
