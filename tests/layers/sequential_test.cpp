#include "etude/sequential.h"

#include <doctest/doctest.h>

#include "etude/activation.h"
#include "etude/dropout.h"
#include "etude/functional.h"
#include "etude/identity.h"
#include "etude/linear.h"
#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;
using Strings = std::vector<std::string>;

TEST_SUITE("Sequential") {
  namespace {

  struct AddImpl : Module {
    explicit AddImpl(int given) : value(given) {}
    int forward(int x) { return x + value; }
    int value;
  };
  ETUDE_MODULE(Add);

  }  // namespace

  TEST_CASE("calls its modules one after the other") {
    Linear first(3, 4), second(4, 2);
    Sequential model(first, ReLU(), second);
    const Tensor x = golden::ramp({5, 3});
    CHECK(model->forward(x).equal(second(relu(first(x)))));
    CHECK(model->named_parameters().keys() == Strings{"0.weight", "0.bias", "2.weight", "2.bias"});
  }

  TEST_CASE("in braces, builds its modules from left to right") {
    manual_seed(0);
    Linear first(3, 4);
    Linear second(4, 2);
    manual_seed(0);
    Sequential model{Linear(3, 4), Linear(4, 2)};
    CHECK(model->at<LinearImpl>(0).weight.equal(first->weight));
    CHECK(model->at<LinearImpl>(1).weight.equal(second->weight));
  }

  TEST_CASE("gradients reach every parameter") {
    Sequential model(Linear(3, 4), Tanh(), Linear(4, 2));
    model->forward(golden::ramp({5, 3})).pow(2).sum().backward();
    for (const auto& parameter : model->named_parameters()) {
      CAPTURE(parameter.key());
      REQUIRE(parameter->grad().defined());
      CHECK(parameter->grad().abs().max().item<float>() > 0);
    }
  }

  TEST_CASE("passes values of any type on, and returns what it is asked for") {
    Sequential sum(AddImpl(1), Add(2), std::make_shared<AddImpl>(3));
    CHECK(sum->forward<int>(10) == 16);
    CHECK(refusal([&] { sum->forward<float>(10); }) ==
          "Error: The type of the return value is int, but you asked for type float");
    CHECK(refusal([&] { sum->forward<int>(1.0); }) ==
          "Error: Expected argument #0 to be of type int, but received value of type double");
  }

  TEST_CASE("the first module may take several arguments") {
    struct Sum : Module {
      Tensor forward(Tensor a, Tensor b) { return a + b; }
    };
    Sequential model(Sum{}, Identity());
    CHECK(model->forward(etude::ones({2}), etude::ones({2})).equal(etude::full({2}, 2.0)));
  }

  TEST_CASE("forward of an empty one is refused") {
    CHECK(refusal([&] { Sequential()->forward(etude::ones({1})); }) ==
          "Error: Cannot call forward() on an empty Sequential");
    CHECK(refusal([&] { Sequential()->forward<int>(); }) ==
          "Error: Cannot call forward() on an empty Sequential");
  }

  TEST_CASE("modules have the names they are given, or their positions") {
    Sequential named({{"fc", Linear(2, 2)},
                      {std::string("act"), ReLU()},
                      {"add", AddImpl(1)},
                      {"ptr", std::make_shared<AddImpl>(1)}});
    CHECK(named->named_children().keys() == Strings{"fc", "act", "add", "ptr"});

    Sequential model;
    CHECK(model->is_empty());
    model->push_back(Linear(2, 2));
    model->push_back("named", ReLU());
    model->push_back(AddImpl(1));
    model->push_back(std::string("shared"), std::make_shared<AddImpl>(1));
    AnyModule any(Linear(2, 2));
    model->push_back(any);
    model->push_back("any", any);
    CHECK(model->named_children().keys() == Strings{"0", "named", "2", "shared", "4", "any"});
    CHECK(model->size() == 6);
    CHECK(refusal([&] { model->push_back("any", ReLU()); }) == "Error: Submodule 'any' already defined");

    OrderedDict<std::string, AnyModule> dict;
    dict.insert("x", AnyModule(Linear(2, 2)));
    CHECK(Sequential(std::move(dict))->named_parameters().keys() == Strings{"x.weight", "x.bias"});
  }

  TEST_CASE("takes functions") {
    Sequential model(Linear(2, 2), Functional(relu), Functional([](Tensor x) { return x.sum(); }));
    CHECK(model->forward(etude::ones({2})).dim() == 0);
  }

  TEST_CASE("its modules are read by position") {
    Linear fc(2, 2);
    Sequential model(fc, ReLU());
    CHECK(model->ptr(0).get() == fc.get());
    CHECK(model[0].get() == fc.get());
    CHECK(&model->at<LinearImpl>(0) == fc.get());
    CHECK(model->ptr<LinearImpl>(0).get() == fc.get());
    CHECK(refusal_text([&] { model->ptr(2); }) == "Index out of range");
    CHECK(refusal_text([&] { model->at<LinearImpl>(7); }) == "Index out of range");
    CHECK(
        refusal([&] { model->at<LinearImpl>(1); }) ==
        spelled("Error: Attempted to cast module of type etude::nn::ReLUImpl to type etude::nn::LinearImpl"));
    size_t count = 0;
    for (AnyModule& module : *model) count += module.is_empty() ? 0 : 1;
    CHECK(count == 2);
  }

  TEST_CASE("extend appends the modules of another container") {
    Sequential a(Add(1), Add(2)), b(Add(3));
    a->extend(*b);
    a->extend(std::vector<std::shared_ptr<AddImpl>>{std::make_shared<AddImpl>(4)});
    CHECK(a->size() == 4);
    CHECK(a->forward<int>(0) == 10);
    CHECK(a[2] == b[0]);
  }

  TEST_CASE("inside a class that can be cloned it is cloned with it") {
    struct NetImpl : Cloneable<NetImpl> {
      NetImpl() { NetImpl::reset(); }
      void reset() override { body = register_module("body", Sequential(Linear(2, 2), ReLU())); }
      Sequential body = nullptr;
    };
    NetImpl net;
    auto copy = std::dynamic_pointer_cast<NetImpl>(net.clone());
    const Tensor x = golden::ramp({3, 2});
    CHECK(copy->body->forward(x).equal(net.body->forward(x)));
    CHECK(copy->named_parameters()["body.0.weight"].is_same(copy->body->at<LinearImpl>(0).weight));
    CHECK_FALSE(copy->parameters()[0].is_alias_of(net.parameters()[0]));
  }

  TEST_CASE("train and eval reach its modules") {
    Sequential model(Dropout(0.5), Identity());
    model->eval();
    const Tensor x = etude::ones({50});
    CHECK(model->forward(x).equal(x));
    model->train();
    CHECK_FALSE(model->forward(x).equal(x));
  }

  TEST_CASE("a clone has values of its own") {
    Sequential model(Linear(3, 4), Functional(relu), Linear(4, 1));
    Sequential copy = std::dynamic_pointer_cast<SequentialImpl>(model->clone());
    const Tensor x = golden::ramp({2, 3});
    CHECK(copy->forward(x).equal(model->forward(x)));
    init::zeros_(copy->at<LinearImpl>(0).weight);
    init::zeros_(copy->at<LinearImpl>(0).bias);
    CHECK_FALSE(copy->forward(x).equal(model->forward(x)));
    CHECK(copy->named_parameters()["0.weight"].is_same(copy->at<LinearImpl>(0).weight));
  }
}
