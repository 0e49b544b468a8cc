#include "etude/parameter_dict.h"

#include <doctest/doctest.h>

#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;
using Strings = std::vector<std::string>;

TEST_SUITE("ParameterDict") {
  TEST_CASE("holds parameters under their names, those that need no gradient as they are") {
    const Tensor a = etude::ones({2}).requires_grad_(), b = etude::zeros({3});
    ParameterDict dict;
    CHECK(dict->empty());
    CHECK(dict->insert("b", b).is_same(b));
    dict->insert("a", a);
    CHECK(dict->size() == 2);
    CHECK(dict->keys() == Strings{"b", "a"});
    CHECK(dict->values()[1].is_same(a));
    CHECK(dict->named_parameters().keys() == Strings{"b", "a"});
    CHECK_FALSE(b.requires_grad());
    CHECK(refusal_text([&] { dict->insert("a", b); }) == "Parameter 'a' already defined");
  }

  TEST_CASE("is built from an ordered dict") {
    const OrderedDict<std::string, Tensor> params = {{"w", etude::ones({2})}, {"b", etude::zeros({2})}};
    ParameterDict dict(params);
    CHECK(dict->keys() == Strings{"w", "b"});
    CHECK(dict->parameters()[0].is_same(params["w"]));
  }

  TEST_CASE("is read by name and iterated") {
    const Tensor a = etude::ones({2});
    ParameterDict dict;
    dict->insert("a", a);
    CHECK(dict["a"].is_same(a));
    CHECK(dict->get("a").is_same(a));
    CHECK(dict->contains("a"));
    CHECK_FALSE(dict->contains("b"));
    for (const auto& item : *dict) CHECK(item.key() == "a");
    CHECK(refusal_text([&] { dict["b"]; }) == "Parameter 'b' is not defined");
    CHECK(refusal_text([&] { dict->get("b"); }) == "Parameter 'b' is not defined");
  }

  TEST_CASE("update replaces tensors of names that are there, and refuses others") {
    ParameterDict dict, other;
    dict->insert("a", etude::ones({2}));
    other->insert("a", etude::zeros({3}));
    dict->update(*other);
    CHECK(dict["a"].is_same(other["a"]));
    other->insert("b", etude::zeros({1}));
    CHECK(refusal_text([&] { dict->update(*other); }) == "Parameter 'b' is not defined");
  }

  TEST_CASE("pop takes a parameter out, clear all of them") {
    const Tensor a = etude::ones({2});
    ParameterDict dict;
    dict->insert("a", a);
    dict->insert("b", a);
    CHECK(dict->pop("a").is_same(a));
    CHECK(dict->keys() == Strings{"b"});
    CHECK(refusal_text([&] { dict->pop("a"); }) == "Parameter 'a' is not defined");
    dict->clear();
    CHECK(dict->parameters().empty());
  }
}
