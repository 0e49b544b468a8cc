// Nested Sequentials, which LibTorch does not support, clones that keep names and modes, and the hints of
// errors.
#include "etude/sequential.h"

#include <doctest/doctest.h>

#include "etude/activation.h"
#include "etude/dropout.h"
#include "etude/functional.h"
#include "etude/identity.h"
#include "etude/linear.h"
#include "layers/golden.h"

using namespace etude;
using namespace etude::nn;
using Strings = std::vector<std::string>;

TEST_SUITE("Sequential, beyond LibTorch") {
  TEST_CASE("is left as it was by a module whose name it has already") {
    Sequential model;
    model->push_back("any", ReLU());
    CHECK_THROWS_WITH(model->push_back("any", ReLU()), "Submodule 'any' already defined");
    CHECK(model->size() == 1);
  }

  TEST_CASE("refuses positions that it does not have") {
    Sequential model(Linear(2, 2), ReLU());
    CHECK_THROWS_WITH_AS(model->ptr(2), "Index out of range\nSequential: index 2 of 2 modules", IndexError);
    CHECK_THROWS_WITH(model->at<LinearImpl>(7), "Index out of range\nSequential: index 7 of 2 modules");
  }

  TEST_CASE("can be extended by itself") {
    Sequential model(Linear(2, 2), ReLU());
    model->extend(*model);
    CHECK(model->size() == 4);
    CHECK(model->ptr(2) == model->ptr(0));
  }

  TEST_CASE("can stand in another one") {
    Linear fc(2, 2);
    Sequential model(Sequential(fc, ReLU()), Identity());
    const Tensor x = golden::ramp({3, 2});
    CHECK(model->forward(x).equal(relu(fc(x))));
    CHECK(model->named_parameters().keys() == Strings{"0.0.weight", "0.0.bias"});
    Sequential outer;
    outer->push_back(model);
    CHECK(outer->forward(x).equal(relu(fc(x))));
  }

  TEST_CASE("train and eval reach its modules") {
    Sequential model(Dropout(0.5), Sequential(Dropout(0.5), Identity()));
    model->eval();
    const Tensor x = etude::ones({50});
    CHECK(model->forward(x).equal(x));
    model->train();
    CHECK_FALSE(model->forward(x).equal(x));
  }

  TEST_CASE("a clone has names, modes and values of its own") {
    etude::manual_seed(3);  // with some weights relu gives only zeros
    Sequential model({{"fc", Linear(3, 4)},
                      {"drop", Dropout(0.5)},
                      {"inner", Sequential(Functional(relu), Linear(4, 1))}});
    model->eval();
    Sequential copy = std::dynamic_pointer_cast<SequentialImpl>(model->clone());
    CHECK(golden::text(copy) == golden::text(model));
    CHECK_FALSE(copy->is_training());
    CHECK_FALSE(copy[1]->is_training());
    const Tensor x = golden::ramp({2, 3});
    CHECK(copy->forward(x).equal(model->forward(x)));
    nn::init::zeros_(copy->at<LinearImpl>(0).weight);
    nn::init::zeros_(copy->at<LinearImpl>(0).bias);
    CHECK_FALSE(copy->forward(x).equal(model->forward(x)));
    CHECK(copy->named_parameters()["fc.weight"].is_same(copy->at<LinearImpl>(0).weight));
  }

  TEST_CASE("a hook may append a module to the Sequential that runs") {
    Sequential model(Linear(2, 2));
    for (int i = 0; i < 3; ++i)
      model->ptr(0)->register_forward_pre_hook(
          [&](nn::Module&, const std::vector<Tensor>&) { model->push_back(ReLU()); });
    CHECK(model->forward(golden::ramp({1, 2})).ge(0).all().item<bool>());
    CHECK(model->size() == 4);
  }
}
