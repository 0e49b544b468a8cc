// Errors of ModuleDict beyond LibTorch's, and the state of its clones.
#include "etude/module_dict.h"

#include <doctest/doctest.h>

#include "etude/dropout.h"
#include "etude/linear.h"
#include "layers/golden.h"

using namespace etude;
using namespace etude::nn;
using Items = ModuleDictImpl::Items;

TEST_SUITE("ModuleDict, beyond LibTorch") {
  TEST_CASE("refuses modules of another class, and null pointers") {
    ModuleDict dict(Items{{"drop", Dropout().ptr()}});
    CHECK_THROWS_WITH_AS(
        dict->at<LinearImpl>("drop"),
        "Attempted to cast module of type etude::nn::DropoutImpl to type etude::nn::LinearImpl", TypeError);
    CHECK_THROWS_WITH_AS(dict->update(Items{{"none", nullptr}}),
                         "ModuleDict: the module 'none' is a null pointer", ValueError);
    CHECK_FALSE(dict->contains("none"));
  }

  TEST_CASE("a name that modules cannot have leaves the dict as it was") {
    ModuleDict dict;
    CHECK_THROWS_AS(dict->update(Items{{"a.b", Dropout().ptr()}}), Error);
    CHECK(dict->empty());
  }

  TEST_CASE("a clone keeps modes, and leaves out what has been popped") {
    ModuleDict dict(Items{{"fc", Linear(2, 2).ptr()}, {"drop", Dropout().ptr()}});
    dict->pop("fc");
    dict->eval();
    const std::shared_ptr<Module> copy = dict->clone();
    CHECK_FALSE(copy->is_training());
    CHECK_FALSE(copy->children()[0]->is_training());
    CHECK(copy->named_children().keys() == std::vector<std::string>{"drop"});
  }

  TEST_CASE("its state dict has the names of its modules") {
    ModuleDict dict(Items{{"fc", Linear(2, 2).ptr()}});
    CHECK(dict->state_dict().keys() == std::vector<std::string>{"fc.weight", "fc.bias"});
  }
}
