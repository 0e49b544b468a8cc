#include "etude/module_list.h"

#include <doctest/doctest.h>

#include "etude/dropout.h"
#include "etude/linear.h"
#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;
using Strings = std::vector<std::string>;

TEST_SUITE("ModuleList") {
  TEST_CASE("holds modules under their positions") {
    ModuleList list(Linear(2, 3), Dropout(), std::make_shared<LinearImpl>(3, 1));
    list->push_back(DropoutImpl(0.1));
    CHECK(list->size() == 4);
    CHECK(list->named_children().keys() == Strings{"0", "1", "2", "3"});
    CHECK(list->named_parameters().keys() == Strings{"0.weight", "0.bias", "2.weight", "2.bias"});
    CHECK(ModuleList()->is_empty());
  }

  TEST_CASE("insert moves the later ones up") {
    ModuleList list(Linear(2, 2), Linear(4, 4));
    list->insert(1, Linear(3, 3));
    list->insert(3, Linear(5, 5));
    list->insert(0, std::make_shared<LinearImpl>(1, 1));
    for (size_t i = 0; i < 5; ++i) {
      CAPTURE(i);
      CHECK(list->at<LinearImpl>(i).options.in_features() == static_cast<int64_t>(i) + 1);
    }
    CHECK(list->size() == 5);
    CHECK(refusal_text([&] { list->insert(6, Linear(1, 1)); }) == "Index out of range");
  }

  TEST_CASE("is read by position and iterated") {
    Linear fc(2, 2);
    ModuleList list(fc, Dropout());
    CHECK(list->ptr(0).get() == fc.get());
    CHECK(list->ptr<LinearImpl>(0).get() == fc.get());
    CHECK(&list->at<LinearImpl>(0) == fc.get());
    size_t count = 0;
    for (const auto& module : *list) count += module ? 1 : 0;
    CHECK(count == 2);
    CHECK(refusal_text([&] { list->ptr(2); }) == "Index out of range");
  }

  TEST_CASE("extend appends the modules of another container, which may be lists themselves") {
    ModuleList inner(Linear(2, 2)), list(Linear(1, 1));
    list->extend(*inner);
    list->push_back(inner);
    CHECK(list->size() == 3);
    CHECK(list[1] == inner[0]);
    CHECK(list->named_modules("", /*include_self=*/false).keys() == Strings{"0", "1", "2", "2.0"});
  }

  TEST_CASE("a clone has modules of its own") {
    ModuleList list(Linear(2, 2), ModuleList(Dropout(0.2)));
    ModuleList copy = std::dynamic_pointer_cast<ModuleListImpl>(list->clone());
    CHECK(copy->size() == 2);
    CHECK(copy[0] != list[0]);
    CHECK(copy->at<LinearImpl>(0).weight.equal(list->at<LinearImpl>(0).weight));
    CHECK(copy->named_children()["0"] == copy[0]);
    CHECK(copy->at<ModuleListImpl>(1).at<DropoutImpl>(0).options.p() == 0.2);
  }
}
