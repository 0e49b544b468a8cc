#include "etude/core/ordered_dict.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "support/refusal.h"

using etude::OrderedDict;
using etude::refusal;

TEST_SUITE("OrderedDict") {
  using Dict = OrderedDict<std::string, int>;
  using Strings = std::vector<std::string>;

  TEST_CASE("starts empty and calls its keys keys") {
    Dict dict;
    CHECK(dict.is_empty());
    CHECK(dict.size() == 0);
    CHECK(dict.key_description() == "Key");
    CHECK(dict.begin() == dict.end());
  }

  TEST_CASE("keeps the order of insertion, not that of the keys") {
    Dict dict;
    for (const char* key : {"c", "a", "b"}) CHECK(dict.insert(key, key[0]) == key[0]);
    CHECK(dict.keys() == Strings{"c", "a", "b"});
    CHECK(dict.values() == std::vector<int>{'c', 'a', 'b'});
    CHECK(dict.pairs()[1] == std::pair<std::string, int>("a", 'a'));
    CHECK(dict.items().size() == 3);
    CHECK(dict.front().key() == "c");
    CHECK(dict.back().value() == 'b');
  }

  TEST_CASE("is read by key and by position, and written through both") {
    Dict dict = {{"a", 1}, {"b", 2}};
    CHECK(dict["b"] == 2);
    CHECK(dict[0].key() == "a");
    CHECK(dict[1].value() == 2);
    CHECK(*dict[1] == 2);
    dict["a"] = 5;
    *dict[1] = 6;
    CHECK(dict.values() == std::vector<int>{5, 6});
    const Dict& constant = dict;
    CHECK(constant["a"] == 5);
    CHECK(constant[1].pair().first == "b");
    CHECK(constant.front().value() == 5);
    CHECK(constant.back().value() == 6);
  }

  TEST_CASE("an item points at its value") {
    OrderedDict<std::string, std::string> dict = {{"a", "text"}};
    CHECK(dict[0]->size() == 4);
    CHECK(std::as_const(dict)[0]->size() == 4);
  }

  TEST_CASE("finds a value or says null") {
    Dict dict = {{"a", 1}};
    REQUIRE(dict.find("a") != nullptr);
    CHECK(*dict.find("a") == 1);
    CHECK(dict.find("") == nullptr);
    CHECK(dict.contains("a"));
    CHECK_FALSE(dict.contains("b"));
  }

  TEST_CASE("refuses a key twice and leaves the first value") {
    Dict dict = {{"a", 1}};
    CHECK(refusal([&] { dict.insert("a", 2); }) == "Error: Key 'a' already defined");
    CHECK(dict["a"] == 1);
    CHECK(dict.size() == 1);
  }

  TEST_CASE("names what is missing, in the words it was given") {
    Dict dict("Penguin");
    dict.insert("a", 1);
    CHECK(refusal([&] { dict["b"]; }) == "Error: Penguin 'b' is not defined");
    CHECK(refusal([&] { dict.insert("a", 1); }) == "Error: Penguin 'a' already defined");
    CHECK(refusal([&] { dict[4]; }) == "Error: Index 4 is out of bounds");
    CHECK(refusal([&] { dict.erase("z"); }) == "Error: Key 'z' doesn't exist");
    CHECK(refusal([&] { Dict()["foo"]; }) == "Error: Key 'foo' is not defined");
    CHECK(refusal([&] { Dict()[""]; }) == "Error: Key '' is not defined");
    CHECK(refusal([&] { Dict().front(); }) == "Error: Called front() on an empty OrderedDict");
    CHECK(refusal([&] { Dict().back(); }) == "Error: Called back() on an empty OrderedDict");
  }

  TEST_CASE("update appends every item of another dict and refuses keys that are there") {
    Dict dict = {{"c", 3}};
    const Dict other = {{"a", 1}, {"b", 2}};
    dict.update(other);
    CHECK(dict.keys() == Strings{"c", "a", "b"});
    CHECK(refusal([&] { dict.update(Dict{{"b", 1}}); }) == "Error: Key 'b' already defined");
    OrderedDict<std::string, std::unique_ptr<int>> owners, more;
    more.insert("x", std::make_unique<int>(7));
    owners.update(std::move(more));
    CHECK(*owners["x"] == 7);
  }

  TEST_CASE("erase closes the gap, and what stood behind is found again") {
    Dict dict = {{"a", 1}, {"b", 2}, {"c", 3}};
    dict.erase("a");
    CHECK(dict.keys() == Strings{"b", "c"});
    CHECK(dict["c"] == 3);
    CHECK(dict[0].key() == "b");
    dict.insert("a", 9);
    CHECK(dict.keys() == Strings{"b", "c", "a"});
    CHECK(dict["a"] == 9);
    dict.clear();
    CHECK(dict.is_empty());
    CHECK_FALSE(dict.contains("b"));
  }

  TEST_CASE("copies are independent, a moved-from dict can be filled again") {
    Dict dict = {{"a", 1}};
    Dict copy = dict;
    copy["a"] = 2;
    copy.insert("b", 3);
    CHECK(dict["a"] == 1);
    CHECK(dict.size() == 1);
    Dict moved = std::move(copy);
    CHECK(moved["b"] == 3);
    copy = dict;
    CHECK(copy["a"] == 1);
  }

  TEST_CASE("is equal to a dict with the same items in the same order") {
    CHECK(Dict{{"a", 1}, {"b", 2}} == Dict{{"a", 1}, {"b", 2}});
    CHECK_FALSE(Dict{{"a", 1}, {"b", 2}} == Dict{{"b", 2}, {"a", 1}});
    CHECK_FALSE(Dict{{"a", 1}} == Dict{{"a", 2}});
    CHECK_FALSE(Dict{{"a", 1}} == Dict{});
  }

  TEST_CASE("takes keys of any type that can be hashed and printed") {
    OrderedDict<int, std::string> dict;
    dict.insert(7, "seven");
    CHECK(refusal([&] { dict.insert(7, "again"); }) == "Error: Key '7' already defined");
  }
}
