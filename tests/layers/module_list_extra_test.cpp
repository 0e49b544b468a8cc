// Errors of ModuleList beyond LibTorch's, the names that insert moves up, and the modes that clones keep.
#include "etude/module_list.h"

#include <doctest/doctest.h>

#include "etude/dropout.h"
#include "etude/linear.h"
#include "layers/golden.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("ModuleList, beyond LibTorch") {
  TEST_CASE("insert moves the later ones up, and their names with them") {
    ModuleList list(Linear(2, 2), Linear(4, 4));
    list->insert(1, Linear(3, 3));
    list->insert(3, Linear(5, 5));
    list->insert(0, std::make_shared<LinearImpl>(1, 1));
    for (size_t i = 0; i < 5; ++i) {
      CAPTURE(i);
      CHECK(list->at<LinearImpl>(i).options.in_features() == static_cast<int64_t>(i) + 1);
      CHECK(list->named_children()[std::to_string(i)] == list[i]);
    }
  }

  TEST_CASE("refuses positions that it does not have, and modules of another class") {
    Linear fc(2, 2);
    ModuleList list(fc, Dropout());
    CHECK_THROWS_WITH_AS(list->insert(6, Linear(1, 1)),
                         "Index out of range\nModuleList: insert at 6 of 2 modules", IndexError);
    CHECK_THROWS_WITH_AS(list->ptr(2), "Index out of range\nModuleList: index 2 of 2 modules", IndexError);
    CHECK_THROWS_WITH_AS(
        list->at<LinearImpl>(1),
        "Attempted to cast module of type etude::nn::DropoutImpl to type etude::nn::LinearImpl", TypeError);
  }

  TEST_CASE("can be extended by itself") {
    ModuleList list(Linear(2, 3), Linear(3, 2));
    list->extend(*list);
    CHECK(list->size() == 4);
    CHECK(list[2] == list[0]);
  }

  TEST_CASE("a null pointer is refused") {
    CHECK_THROWS_WITH_AS(ModuleList()->push_back(std::shared_ptr<Module>()),
                         "ModuleList: the module is a null pointer", ValueError);
  }

  TEST_CASE("a clone has modes and modules of its own") {
    ModuleList list(Linear(2, 2), ModuleList(Dropout(0.2)));
    list->eval();
    ModuleList copy = std::dynamic_pointer_cast<ModuleListImpl>(list->clone());
    CHECK(golden::text(copy) == golden::text(list));
    CHECK_FALSE(copy->is_training());
    CHECK(copy[0] != list[0]);
    CHECK(copy->at<LinearImpl>(0).weight.equal(list->at<LinearImpl>(0).weight));
    CHECK(copy->named_children()["0"] == copy[0]);
  }
}
