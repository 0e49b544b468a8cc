// Weights that several modules share, treated as in Python.
#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "etude/autograd/anomaly_mode.h"
#include "etude/core/warning.h"
#include "etude/framework.h"
#include "etude/nn/cloneable.h"
#include "etude/ops/ops.h"
#include "etude/optim/adam.h"
#include "etude/optim/sgd.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("Weight tying") {
  namespace {

  struct ProductImpl : nn::Cloneable<ProductImpl> {
    ProductImpl() { reset(); }
    void reset() override { weight = register_parameter("weight", etude::randn({4, 3})); }
    Tensor forward(const Tensor& x) { return x.matmul(weight.t()); }
    int64_t calls = 0;
    Tensor weight;
  };
  ETUDE_MODULE(Product);

  struct LanguageImpl : nn::Cloneable<LanguageImpl> {
    LanguageImpl() { reset(); }
    void reset() override {
      table = register_module("table", Product());
      scale = register_parameter("scale", etude::ones({3}));
      head = register_module("head", Product());
    }
    void tie() { head->weight = head->replace_parameter("weight", table->weight); }
    Tensor forward(const Tensor& ids) { return head(table->weight.index_select(0, ids) * scale); }
    Product table = nullptr, head = nullptr;
    Tensor scale;
  };

  std::shared_ptr<LanguageImpl> tied() {
    auto model = std::make_shared<LanguageImpl>();
    model->tie();
    return model;
  }

  struct Warnings : WarningHandler {
    void process(const SourceLocation&, const std::string& text, bool) override { texts.push_back(text); }
    std::vector<std::string> texts;
    WarningUtils::WarningHandlerGuard guard{this};
  };

  }  // namespace

  TEST_CASE("a parameter of two modules is one, under its first name, and state under both") {
    const auto model = tied();
    CHECK(model->head->weight.is_same(model->table->weight));
    CHECK(model->named_parameters().keys() == std::vector<std::string>{"scale", "table.weight"});
    CHECK(model->parameters().size() == 2);
    CHECK(model->head->parameters().size() == 1);
    CHECK(model->state_dict().keys() == std::vector<std::string>{"scale", "table.weight", "head.weight"});
  }

  TEST_CASE("its gradient is that of both uses, and an optimizer moves it once") {
    const auto model = tied();
    const Tensor before = model->table->weight.detach().clone();
    optim::SGD optimizer(model->parameters(), 0.5);
    const Tensor ids = etude::tensor({1, 3});
    model->forward(ids).sum().backward();
    const Tensor rows = before.index_select(0, ids), gradient = etude::zeros({4, 3});
    gradient.add_(rows.sum(0));                                 // the head's part
    gradient.index_add_(0, ids, before.sum(0).expand({2, 3}));  // the table's part
    // Both are sums of at most six terms, each no larger than the largest weight.
    const double rounding = 6 * 6e-8 * 6 * before.abs().max().item<double>();
    CHECK(model->table->weight.grad().allclose(gradient, 0, rounding));
    optimizer.step();
    CHECK(model->head->weight.allclose(before - 0.5 * gradient, 0, rounding));
  }

  TEST_CASE("a clone is tied like the original, and to itself") {
    const auto model = tied();
    const auto copy = std::dynamic_pointer_cast<LanguageImpl>(model->clone());
    CHECK(copy->head->weight.is_same(copy->table->weight));
    CHECK_FALSE(copy->head->weight.is_same(model->head->weight));
    CHECK(copy->head->weight.equal(model->head->weight));
    CHECK(copy->parameters().size() == 2);
    const auto untied = std::dynamic_pointer_cast<LanguageImpl>(LanguageImpl().clone());
    CHECK(untied->parameters().size() == 3);
    CHECK_FALSE(untied->head->weight.is_same(untied->table->weight));
  }

  TEST_CASE("a clone shares what lists, sequences and shared modules share, and only that") {
    struct NetImpl : nn::Cloneable<NetImpl> {
      NetImpl() { reset(); }
      void reset() override {
        first = register_module("first", Product());
        own = register_parameter("own", first->weight);
        second = register_module("second", first);
      }
      Product first = nullptr, second = nullptr;
      Tensor own;
    };
    const auto net = std::make_shared<NetImpl>();
    const auto shared = std::dynamic_pointer_cast<NetImpl>(net->clone());
    CHECK(shared->own.is_same(shared->first->weight));
    CHECK(shared->own.is_same(shared->second->weight));
    CHECK(shared->own.equal(net->own));
    CHECK_FALSE(shared->own.is_same(net->own));
    CHECK(shared->parameters().size() == 1);

    // No longer shared, although reset() shares it.
    net->own = net->replace_parameter("own", etude::ones({4, 3}).requires_grad_(false));
    const auto apart = std::dynamic_pointer_cast<NetImpl>(net->clone());
    CHECK(apart->own.equal(net->own));
    CHECK_FALSE(apart->own.requires_grad());
    CHECK(apart->first->weight.equal(net->first->weight));
    CHECK(apart->parameters()[0].is_same(apart->own));
  }

  TEST_CASE("modules that reset() clones are not tied to each other") {
    struct StackImpl : nn::Cloneable<StackImpl> {
      explicit StackImpl(Product given) : layer(std::move(given)) { reset(); }
      void reset() override {
        for (const char* name : {"a", "b"}) register_module(name, layer->clone());
        for (auto& spare : spares) spare = layer->clone();
      }
      Product layer;
      std::shared_ptr<nn::Module> spares[2];  // registered nowhere
    };
    const auto stack = std::make_shared<StackImpl>(Product());
    CHECK(stack->parameters().size() == 2);
    const auto copy = std::dynamic_pointer_cast<StackImpl>(stack->clone());
    CHECK(copy->parameters().size() == 2);
    CHECK_FALSE(copy->spares[0]->parameters()[0].is_same(copy->spares[1]->parameters()[0]));
    CHECK(copy->parameters()[0].equal(stack->parameters()[0]));
    CHECK(copy->parameters()[1].equal(stack->parameters()[1]));
  }

  TEST_CASE("a reset() that keeps another tensor than it registers cannot be tied, and says so") {
    struct ForgetfulImpl : nn::Cloneable<ForgetfulImpl> {
      ForgetfulImpl() { reset(); }
      void reset() override {
        weight = etude::randn({4, 3});
        register_parameter("weight", weight);
      }
      Tensor weight;
    };
    struct PairImpl : nn::Cloneable<PairImpl> {
      PairImpl() { reset(); }
      void reset() override {
        a = register_module("a", std::make_shared<ForgetfulImpl>());
        b = register_module("b", std::make_shared<ForgetfulImpl>());
      }
      std::shared_ptr<ForgetfulImpl> a, b;
    } pair;
    CHECK(std::dynamic_pointer_cast<PairImpl>(pair.clone())->parameters().size() == 2);
    pair.b->weight = pair.b->replace_parameter("weight", pair.a->weight);
    CHECK(
        refusal_lines([&] { pair.clone(); }) ==
        "clone() cannot share the parameter 'weight' of Forgetful\nthe original shares it, and reset() keeps "
        "another tensor than it has registered\nhint: keep what register_parameter returns: member = "
        "register_parameter(\"weight\", ...)");
    CHECK(Product()->clone()->parameters().size() == 1);  // and the next clone is independent
  }

  TEST_CASE("what is saved is loaded by tied and by untied models, and stays tied") {
    const auto model = tied();
    std::stringstream stream;
    etude::save(model, stream);
    const std::string bytes = stream.str();
    auto other = tied(), untied = std::make_shared<LanguageImpl>();
    for (auto& target : {other, untied}) {
      std::stringstream in(bytes);
      std::shared_ptr<nn::Module> module = target;
      etude::load(module, in);
      CHECK(target->head->weight.equal(model->table->weight));
      CHECK(target->table->weight.equal(model->table->weight));
    }
    CHECK(other->head->weight.is_same(other->table->weight));
    CHECK(other->load_state_dict(model->state_dict()).missing_keys.empty());
  }

  TEST_CASE("conversions keep it one, and zero_grad meets it") {
    const auto model = tied();
    model->forward(etude::tensor({0})).sum().backward();
    model->to(kDouble);
    CHECK(model->head->weight.is_same(model->table->weight));
    CHECK(model->head->weight.dtype() == kDouble);
    CHECK(model->head->weight.grad().dtype() == kDouble);
    model->zero_grad(/*set_to_none=*/true);
    CHECK_FALSE(model->table->weight.grad().defined());
  }

  TEST_CASE("a module that is registered under two names has each parameter and buffer once") {
    nn::Module both;
    const Product product;
    both.register_module("a", product);
    both.register_module("b", product);
    product.ptr()->register_buffer("steps", etude::zeros({}));
    CHECK(both.named_parameters().keys() == std::vector<std::string>{"a.weight"});
    CHECK(both.named_buffers().keys() == std::vector<std::string>{"a.steps"});
    CHECK(both.state_dict().size() == 4);
  }

  TEST_CASE("replace_parameter gives back what is registered, and knows only what is") {
    Product product;
    const Tensor before = product->weight, other = etude::ones({4, 3}).requires_grad_();
    Tensor& registered = product->replace_parameter("weight", other);
    CHECK(registered.is_same(other));
    CHECK(product->weight.is_same(before));  // the result is to be assigned
    product->weight = registered;
    CHECK(product->parameters()[0].is_same(product->weight));
    CHECK(refusal_text([&] { static_cast<void>(product->replace_parameter("bias", other)); }) ==
          "Parameter 'bias' is not defined");
  }

  TEST_CASE("neither replacing nor cloning touches a byte of a module that is no registered tensor") {
    struct HeadImpl : nn::Cloneable<HeadImpl> {
      HeadImpl() { reset(); }
      void reset() override {
        weight = register_parameter("weight", etude::full({4, 3}, 2.0));
        again = register_parameter("again", weight);
      }
      Tensor weight, again;
      optional<Tensor> last;          // kept for a while, then dropped
      const void* address = nullptr;  // a member of the user
    };
    auto head = std::make_shared<HeadImpl>();
    head->last = head->weight;
    head->last.reset();
    head->address = head->weight.unsafeGetTensorImpl();
    Tensor kept = head->weight;
    head->weight = head->replace_parameter("weight", etude::ones({4, 3}).requires_grad_());
    head->again = head->replace_parameter("again", head->weight);
    CHECK(kept.use_count() == 1);
    CHECK(head->address == kept.unsafeGetTensorImpl());
    const auto copy = std::dynamic_pointer_cast<HeadImpl>(head->clone());
    CHECK(copy->again.is_same(copy->weight));
    CHECK(copy->weight.use_count() == 4);  // two members, two entries of the list
    CHECK(copy->address == kept.unsafeGetTensorImpl());
    CHECK(kept.equal(etude::full({4, 3}, 2.0)));
    CHECK(kept.use_count() == 1);
    // Two parameters now, although reset() registers one tensor twice.
    head->again = head->replace_parameter("again", etude::full({4, 3}, 5.0).requires_grad_());
    const auto apart = std::dynamic_pointer_cast<HeadImpl>(head->clone());
    CHECK(apart->weight.equal(head->weight));
    CHECK(apart->again.equal(head->again));
    CHECK(apart->parameters().size() == 2);
  }

  TEST_CASE("in anomaly mode parameters() warns of a member that was assigned") {
    const autograd::DetectAnomalyGuard anomaly;
    const auto model = tied();
    {
      const Warnings warnings;
      model->parameters();
      CHECK(warnings.texts.empty());
    }
    model->head->weight = etude::zeros({4, 3});
    model->table->weight = etude::zeros({4, 3});
    const Warnings warnings;
    model->parameters();
    CHECK(warnings.texts.empty());  // the two lists hold it, so this cannot be detected
    LanguageImpl alone;
    alone.head->weight = alone.table->weight;
    alone.parameters();
    REQUIRE(warnings.texts.size() == 1);
    CHECK(warnings.texts[0].find("the parameter 'head.weight' of Product is held by no member any more\n") ==
          0);
    alone.head->parameters(/*recurse=*/false);
    CHECK(warnings.texts.size() == 2);
  }

  TEST_CASE("an optimizer without parameters, or with one twice, says so") {
    const Warnings warnings;
    optim::Adam none(std::vector<Tensor>{});
    REQUIRE(warnings.texts.size() == 1);
    CHECK(warnings.texts[0].find("optimizer got an empty parameter list\n") == 0);
    const Tensor p = etude::ones({2}).requires_grad_();
    optim::SGD twice({p, p}, 0.1);
    REQUIRE(warnings.texts.size() == 2);
    CHECK(warnings.texts[1].find("optimizer contains a parameter group with duplicate parameters\n") == 0);
    CHECK(twice.param_groups()[0].params().size() == 1);
  }

  TEST_CASE("a member that was never registered is named when a holder has built its module") {
    struct NetImpl : nn::Module {
      explicit NetImpl(bool registers) {
        if (registers) register_module("layer", layer);
      }
      Product layer;
      Product spare = nullptr;
    };
    ETUDE_MODULE(Net);
    const Warnings warnings;
    Net(true);
    CHECK(warnings.texts.empty());
    Net(false);
    REQUIRE(warnings.texts.size() == 1);
    CHECK(warnings.texts[0].find("a Product in Net is not registered with a module\n") == 0);
  }

  TEST_CASE("an empty holder says which module it lacks") {
    Product empty = nullptr;
    CHECK(refusal_lines([&] { empty->forward(etude::ones({3})); }).find("ProductImpl\nhint") !=
          std::string::npos);
  }
}
