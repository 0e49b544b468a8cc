#include "etude/nn/module.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "etude/autograd/grad_mode.h"
#include "etude/core/warning.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;
using nn::Module;
using Strings = std::vector<std::string>;

namespace {

struct LeafImpl : Module {
  explicit LeafImpl(int64_t n = 2) {
    weight = register_parameter("weight", etude::ones({n}));
    mean = register_buffer("mean", etude::zeros({n}));
  }
  Tensor forward(const Tensor& x) { return x * weight; }
  Tensor weight, mean;
};
ETUDE_MODULE(Leaf);

// A tree of submodules a, a.inner and b, with parameters and buffers of its own.
struct TreeImpl : Module {
  struct Branch : Module {
    Branch() : inner(register_module("inner", Leaf(3))) {}
    Leaf inner;
  };
  TreeImpl() {
    a = register_module("a", std::make_shared<Branch>());
    bias = register_parameter("bias", etude::ones({1}));
    b = register_module("b", Leaf());
    steps = register_buffer("steps", etude::zeros({1}, kLong));
  }
  std::shared_ptr<Branch> a;
  Leaf b = nullptr;
  Tensor bias, steps;
};
ETUDE_MODULE(Tree);

template <typename Value>
std::vector<Module*> pointers(const Value& modules) {
  std::vector<Module*> result;
  for (const auto& module : modules) result.push_back(module.get());
  return result;
}

}  // namespace

TEST_SUITE("Module registration") {
  TEST_CASE("parameters require grad unless it is said otherwise, buffers do not") {
    Module module;
    CHECK(module.register_parameter("p", etude::ones({2})).requires_grad());
    CHECK_FALSE(module.register_parameter("frozen", etude::ones({2}), false).requires_grad());
    CHECK_FALSE(module.register_buffer("b", etude::ones({2})).requires_grad());
  }

  TEST_CASE("a member and the registered tensor are one") {
    Leaf leaf;
    CHECK(leaf->weight.is_same(leaf->named_parameters()["weight"]));
    CHECK(leaf->mean.is_same(leaf->named_buffers()["mean"]));
  }

  TEST_CASE("names are not empty, hold no dot and stand once") {
    Module module;
    CHECK(refusal([&] { module.register_parameter("name.with.dot", etude::ones({5})); }) ==
          "Error: Parameter name must not contain a dot (got 'name.with.dot')");
    CHECK(refusal([&] { module.register_parameter("", etude::ones({5})); }) ==
          "Error: Parameter name must not be empty");
    CHECK(refusal([&] { module.register_buffer("name.with.dot", etude::ones({5})); }) ==
          "Error: Buffer name must not contain a dot (got 'name.with.dot')");
    CHECK(refusal([&] { module.register_buffer("", etude::ones({5})); }) ==
          "Error: Buffer name must not be empty");
    CHECK(refusal([&] { module.register_module("name.with.dot", Leaf()); }) ==
          "Error: Submodule name must not contain a dot (got 'name.with.dot')");
    CHECK(refusal([&] { module.register_module("", Leaf()); }) == "Error: Submodule name must not be empty");

    module.register_parameter("p", etude::ones({5}));
    module.register_buffer("b", etude::ones({5}));
    module.register_module("linear", Leaf());
    CHECK(refusal([&] { module.register_parameter("p", etude::ones({5})); }) ==
          "Error: Parameter 'p' already defined");
    CHECK(refusal([&] { module.register_buffer("b", etude::ones({5})); }) ==
          "Error: Buffer 'b' already defined");
    CHECK(refusal([&] { module.register_module("linear", Leaf()); }) ==
          "Error: Submodule 'linear' already defined");
  }

  TEST_CASE("a parameter that is left out cannot require grad, and says so if it is asked to") {
    struct Collected : WarningHandler {
      void process(const SourceLocation&, const std::string& msg, bool) override { messages.push_back(msg); }
      std::vector<std::string> messages;
    } collected;
    const WarningUtils::WarningHandlerGuard guard(&collected);
    Module module;
    module.register_parameter("without", Tensor(), /*requires_grad=*/false);
    CHECK(collected.messages.empty());
    module.register_parameter("with", Tensor());
    CHECK(collected.messages == Strings{"An undefined tensor cannot require grad. Ignoring the "
                                        "`requires_grad=true` function parameter."});
    CHECK(module.parameters().empty());
  }

  TEST_CASE("a parameter of integers cannot require grad") {
    Module module;
    CHECK(refusal([&] {
            module.register_parameter("ids", etude::ones({2}, kLong));
          }).find("Only Tensors of floating point and complex dtype can require gradients") !=
          std::string::npos);
    CHECK(module.parameters().empty());
    CHECK_FALSE(module.register_parameter("ids", etude::ones({2}, kLong), false).requires_grad());
  }

  TEST_CASE("undefined tensors can be registered and are left out everywhere") {
    auto module = std::make_shared<Module>();
    module->register_parameter("p", Tensor());
    module->register_buffer("b", Tensor());
    CHECK(module->parameters().empty());
    CHECK(module->buffers().empty());
    CHECK(module->children().empty());
    CHECK(module->modules().size() == 1);
    module->eval();
    module->zero_grad();
    module->to(kDouble);
    module->apply([](Module&) {});
    CHECK_FALSE(module->is_training());
  }

  TEST_CASE("replacing a submodule needs one of that name") {
    auto tree = std::make_shared<TreeImpl>();
    tree->b = tree->replace_module("b", Leaf(9));
    CHECK(tree->named_parameters()["b.weight"].size(0) == 9);
    CHECK(tree->b.get() == tree->named_modules()["b"]->as<Leaf>());
    CHECK(refusal([&] { tree->replace_module("linear", Leaf()); }) ==
          "Error: Submodule 'linear' is not defined");
  }

  TEST_CASE("unregistering a submodule needs one of that name") {
    TreeImpl tree;
    tree.unregister_module("a");
    CHECK(tree.named_children().keys() == Strings{"b"});
    CHECK(refusal([&] { tree.unregister_module("linear"); }) ==
          "Error: No Module with name `linear` is registered");
  }
}

TEST_SUITE("Module state") {
  TEST_CASE("own parameters and buffers come first, then those of the submodules in their order") {
    Tree tree;
    CHECK(tree->named_parameters().keys() == Strings{"bias", "a.inner.weight", "b.weight"});
    CHECK(tree->named_buffers().keys() == Strings{"steps", "a.inner.mean", "b.mean"});
    CHECK(tree->named_parameters(/*recurse=*/false).keys() == Strings{"bias"});
    CHECK(tree->named_buffers(/*recurse=*/false).keys() == Strings{"steps"});
    CHECK(tree->parameters().size() == 3);
    CHECK(tree->parameters()[2].is_same(tree->b->weight));
    CHECK(tree->buffers(false)[0].is_same(tree->steps));
  }

  TEST_CASE("a shared submodule is listed under both of its names") {
    Module module;
    Leaf leaf;
    module.register_module("x", leaf);
    module.register_module("y", leaf);
    CHECK(module.named_modules("", /*include_self=*/false).keys() == Strings{"x", "y"});
    CHECK(module.named_parameters()[0].key() == "x.weight");
  }

  TEST_CASE("zero_grad fills gradients that exist with zeros if it is told to") {
    Tree tree;
    (tree->bias * 2).sum().backward();
    const Tensor grad = tree->bias.grad();
    tree->zero_grad(/*set_to_none=*/false);
    CHECK(tree->bias.grad().equal(etude::zeros({1})));
    CHECK(grad.equal(etude::zeros({1})));
    CHECK_FALSE(tree->b->weight.grad().defined());
  }

  TEST_CASE("zero_grad drops gradients") {
    Tree tree;
    (tree->bias * 2).sum().backward();
    const Tensor grad = tree->bias.grad();
    tree->zero_grad();
    CHECK_FALSE(tree->bias.grad().defined());
    CHECK(grad.equal(etude::full({1}, 2)));
  }

  TEST_CASE("zero_grad also reaches gradients that belong to a graph") {
    Leaf leaf;
    leaf->weight.pow(3).sum().backward({}, /*retain_graph=*/nullopt, /*create_graph=*/true);
    CHECK(leaf->weight.grad().requires_grad());
    leaf->zero_grad(/*set_to_none=*/false);
    CHECK(leaf->weight.grad().equal(etude::zeros({2})));
    CHECK_FALSE(leaf->weight.grad().requires_grad());
  }

  TEST_CASE("to converts floating parameters and buffers in place") {
    Tree tree;
    (tree->bias * 2).sum().backward();
    const Tensor bias = tree->bias;
    tree->to(kDouble);
    CHECK((bias.dtype() == kDouble));
    CHECK(bias.is_leaf());
    CHECK(bias.requires_grad());
    CHECK(bias.grad().item<double>() == 2);
    CHECK((tree->b->mean.dtype() == kDouble));
    (tree->b->forward(etude::ones({2}, kDouble)).sum() + tree->bias.sum()).backward();
    CHECK(bias.grad().item<double>() == 3);
    tree->to(kCPU, kFloat);
    CHECK((tree->bias.dtype() == kFloat));
    tree->to(kCPU);
    CHECK((tree->bias.dtype() == kFloat));
  }

  TEST_CASE("train and eval reach every submodule") {
    Tree tree;
    CHECK(tree->is_training());
    tree->eval();
    for (const auto& module : tree->modules()) CHECK_FALSE(module->is_training());
    tree->train();
    for (const auto& module : tree->modules()) CHECK(module->is_training());
    tree->train(false);
    CHECK_FALSE(tree->a->inner->is_training());
  }
}

TEST_SUITE("Module tree") {
  TEST_CASE("modules are listed before their submodules") {
    Tree tree;
    CHECK(pointers(tree->modules()) ==
          std::vector<Module*>{tree.get(), tree->a.get(), tree->a->inner.get(), tree->b.get()});
    CHECK(tree->named_modules().keys() == Strings{"", "a", "a.inner", "b"});
    CHECK(tree->named_modules("tree").keys() == Strings{"tree", "tree.a", "tree.a.inner", "tree.b"});
    CHECK(tree->named_modules("", /*include_self=*/false).keys() == Strings{"a", "a.inner", "b"});
    CHECK(tree->modules(/*include_self=*/false).size() == 3);
    CHECK(pointers(tree->children()) == std::vector<Module*>{tree->a.get(), tree->b.get()});
    CHECK(tree->named_children().keys() == Strings{"a", "b"});
  }

  TEST_CASE("every form of apply visits every module once, in the same order") {
    Tree tree;
    const TreeImpl& constant = *tree;
    std::vector<const Module*> seen;
    Strings names;
    const std::vector<const Module*> all{tree.get(), tree->a.get(), tree->a->inner.get(), tree->b.get()};
    const auto check = [&](const Strings& expected) {
      CHECK(seen == all);
      CHECK(names == expected);
      seen.clear();
      names.clear();
    };
    tree->apply([&](Module& module) { seen.push_back(&module); });
    check({});
    constant.apply([&](const Module& module) { seen.push_back(&module); });
    check({});
    tree->apply([&](const std::shared_ptr<Module>& module) { seen.push_back(module.get()); });
    check({});
    const auto named = [&](const std::string& name, const Module* module) {
      names.push_back(name);
      seen.push_back(module);
    };
    tree->apply([&](const std::string& name, Module& module) { named(name, &module); });
    check({"", "a", "a.inner", "b"});
    constant.apply([&](const std::string& name, const Module& module) { named(name, &module); }, "t");
    check({"t", "t.a", "t.a.inner", "t.b"});
    tree->apply(
        [&](const std::string& name, const std::shared_ptr<Module>& module) { named(name, module.get()); },
        "t");
    check({"t", "t.a", "t.a.inner", "t.b"});
  }

  TEST_CASE("a pointer to the top exists only if a shared_ptr owns it") {
    const char* sentence =
        "It looks like you attempted to retrieve your top-level module as a shared_ptr, but it is not stored "
        "in a shared_ptr. Use "
        "std::make_shared<(anonymous namespace)::TreeImpl> instead of creating your module on the stack, or "
        "alternatively do not try "
        "to access your top-level module at all by passing /*include_self=*/false to modules() or "
        "named_modules()";
    TreeImpl tree;
    CHECK(refusal([&] { tree.modules(); }) == "Error: " + std::string(sentence));
    CHECK(refusal([&] { tree.named_modules(); }) == "Error: " + std::string(sentence));
    CHECK(refusal([&] { tree.apply([](const std::shared_ptr<Module>&) {}); }) ==
          "Error: " + std::string(sentence));
    CHECK(tree.modules(/*include_self=*/false).size() == 3);
    CHECK(tree.children().size() == 2);
    CHECK(std::make_shared<TreeImpl>()->modules().size() == 4);
  }

  TEST_CASE("as gives the module as its class, a base of it, or its holder, and null otherwise") {
    Leaf leaf;
    Module& base = *leaf;
    CHECK(base.as<LeafImpl>() == leaf.get());
    CHECK(base.as<Leaf>() == leaf.get());
    CHECK(base.as<Module>() == leaf.get());
    CHECK(base.as<Tree>() == nullptr);
    CHECK(base.as<TreeImpl>() == nullptr);
    const Module& constant = *leaf;
    CHECK(constant.as<LeafImpl>() == leaf.get());
    CHECK(constant.as<Leaf>()->weight.size(0) == 2);
  }

  TEST_CASE("clone is refused with the class that would have it") {
    CHECK(refusal([&] { Leaf()->clone(); }) ==
          spelled(
              "Error: clone() has not been implemented for (anonymous namespace)::LeafImpl. Subclass "
              "etude::nn::Cloneable<(anonymous namespace)::LeafImpl> instead of etude::nn::Module to inherit "
              "the ability to clone."));
  }

  TEST_CASE("a copy of a module shares its tensors") {
    LeafImpl leaf;
    LeafImpl copy = leaf;
    CHECK(copy.weight.is_same(leaf.weight));
    CHECK(copy.named_parameters()["weight"].is_same(leaf.weight));
  }
}
