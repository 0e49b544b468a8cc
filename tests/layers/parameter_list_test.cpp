#include "etude/parameter_list.h"

#include <doctest/doctest.h>

#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;
using Strings = std::vector<std::string>;

TEST_SUITE("ParameterList") {
  TEST_CASE("holds parameters under their positions, those that need no gradient as they are") {
    Tensor a = etude::ones({2}, requires_grad()), b = etude::zeros({3});
    ParameterList list(a, b, etude::ones({1}));
    CHECK(list->size() == 3);
    CHECK_FALSE(list->is_empty());
    CHECK(list->named_parameters().keys() == Strings{"0", "1", "2"});
    CHECK(list->parameters()[0].is_same(a));
    CHECK(a.requires_grad());
    CHECK_FALSE(b.requires_grad());
    CHECK(ParameterList()->is_empty());
  }

  TEST_CASE("append and extend add to the end") {
    Tensor a = etude::ones({2}, requires_grad()), b = etude::zeros({3});
    ParameterList list, other(a, b);
    list->append(a);
    list->append(etude::ones({4}));
    list->extend(std::vector<Tensor>{b, a});
    list->extend(*other);
    *list += *other;
    CHECK(list->size() == 8);
    CHECK(list->at(2).is_same(b));
    CHECK(list[3].is_same(a));
    CHECK(list->at(7).is_same(b));
    Strings keys;
    for (const auto& item : *list) keys.push_back(item.key());
    CHECK(keys == Strings{"0", "1", "2", "3", "4", "5", "6", "7"});
  }

  TEST_CASE("is read by position and iterated with names") {
    Tensor a = etude::ones({2}), b = etude::zeros({3});
    ParameterList list(a, b);
    Strings names;
    for (const auto& item : *list) {
      names.push_back(item.key());
      CHECK(item.value().is_same(names.size() == 1 ? a : b));
    }
    CHECK(names == Strings{"0", "1"});
    list->at(0) = b;
    CHECK(list->parameters()[0].is_same(b));
    CHECK(refusal_text([&] { list->at(2); }) == "Index out of range");
    CHECK(refusal_text([&] { list[5]; }) == "Index out of range");
  }

  TEST_CASE("a module finds its parameters and gives them gradients") {
    struct Net : Module {
      Net() : list(register_module("list", ParameterList(etude::ones({2}, requires_grad())))) {}
      ParameterList list;
    } net;
    CHECK(net.named_parameters().keys() == Strings{"list.0"});
    (net.list[0] * 3).sum().backward();
    CHECK(same(net.parameters()[0].grad(), etude::full({2}, 3.0)));
  }
}
