#include "etude/module_dict.h"

#include <doctest/doctest.h>

#include "etude/dropout.h"
#include "etude/linear.h"
#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;
using Strings = std::vector<std::string>;
using Items = std::vector<std::pair<std::string, std::shared_ptr<Module>>>;

TEST_SUITE("ModuleDict") {
  TEST_CASE("holds modules under their names, in the order of insertion") {
    Linear fc(2, 3);
    const Items items = {{"fc", fc.ptr()}, {"drop", Dropout(0.5).ptr()}};
    ModuleDict dict(items);
    CHECK(dict->size() == 2);
    CHECK_FALSE(dict->empty());
    CHECK(dict->keys() == Strings{"fc", "drop"});
    CHECK(dict->values()[0] == fc.ptr());
    CHECK(dict->items() == items);
    CHECK(dict->named_parameters().keys() == Strings{"fc.weight", "fc.bias"});
    CHECK(dict->named_children().keys() == Strings{"fc", "drop"});
    CHECK(ModuleDict()->empty());
  }

  TEST_CASE("is built from an ordered dict") {
    OrderedDict<std::string, std::shared_ptr<Module>> modules;
    modules.insert("b", Linear(1, 2).ptr());
    modules.insert("a", Dropout().ptr());
    ModuleDict dict(modules);
    CHECK(dict->keys() == Strings{"b", "a"});
    Strings seen;
    for (const auto& item : *dict) seen.push_back(item.key());
    CHECK(seen == dict->keys());
  }

  TEST_CASE("is read by name") {
    Linear fc(2, 3);
    ModuleDict dict(Items{{"fc", fc.ptr()}});
    CHECK(dict["fc"] == fc.ptr());
    CHECK(&dict->at<LinearImpl>("fc") == fc.get());
    CHECK(dict->contains("fc"));
    CHECK_FALSE(dict->contains("other"));
    CHECK(refusal_text([&] { dict["other"]; }) == "Key 'other' is not defined");
  }

  TEST_CASE("update puts new modules at the end and others in their place") {
    Linear first(1, 1), second(2, 2), third(3, 3);
    ModuleDict dict(Items{{"a", first.ptr()}, {"b", second.ptr()}});
    dict->update(Items{{"a", third.ptr()}, {"c", first.ptr()}});
    CHECK(dict->keys() == Strings{"a", "b", "c"});
    CHECK(dict["a"] == third.ptr());
    CHECK(dict->children()[0] == third.ptr());
    ModuleDict other;
    other->update(*dict);
    CHECK(other->items() == dict->items());
    CHECK(other->parameters().size() == 6);
  }

  TEST_CASE("pop takes a module out, clear all of them; they stay registered") {
    Linear fc(2, 3);
    ModuleDict dict(Items{{"fc", fc.ptr()}, {"drop", Dropout().ptr()}});
    CHECK(dict->pop("fc") == fc.ptr());
    CHECK(dict->keys() == Strings{"drop"});
    CHECK(dict->named_children().keys() == Strings{"fc", "drop"});
    CHECK(refusal_text([&] { dict->pop("fc"); }) == "Key 'fc' is not defined");
    dict->clear();
    CHECK(dict->empty());
    CHECK(dict->children().size() == 2);
  }

  TEST_CASE("a clone has modules of its own") {
    Linear fc(2, 3);
    ModuleDict dict(
        Items{{"fc", fc.ptr()}, {"inner", ModuleDict(Items{{"drop", Dropout(0.2).ptr()}}).ptr()}});
    ModuleDict copy = std::dynamic_pointer_cast<ModuleDictImpl>(dict->clone());
    CHECK(copy->keys() == dict->keys());
    CHECK(copy["fc"] != dict["fc"]);
    CHECK(copy->at<LinearImpl>("fc").weight.equal(fc->weight));
    CHECK(copy->named_children()["fc"] == copy["fc"]);
    CHECK(copy->at<ModuleDictImpl>("inner").at<DropoutImpl>("drop").options.p() == 0.2);
  }
}
