// Values of archives as JSON text: what is written, and that every text is read as some value.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "etude/io/detail/archive_value.h"

using namespace etude;
using detail::tensor_list_size;
using detail::value_from_json;
using detail::value_to_json;

TEST_SUITE("values of archives, inside") {
  TEST_CASE("plain JSON where it says all, and the type beside it elsewhere") {
    CHECK(value_to_json(IValue()) == "null");
    CHECK(value_to_json(IValue(true)) == "true");
    CHECK(value_to_json(IValue(3)) == "3");
    CHECK(value_to_json(IValue(3.0)) == "3.0");
    CHECK(value_to_json(IValue(0.1)) == "0.1");
    CHECK(value_to_json(IValue("3")) == "\"3\"");
    CHECK(value_to_json(IValue(-HUGE_VAL)) == "{\"Double\":\"-inf\"}");
    CHECK(value_to_json(IValue(std::vector<int64_t>{1, 2})) == "[1,2]");
    CHECK(value_to_json(IValue(std::vector<double>{1, 2})) == "[1.0,2.0]");
    CHECK(value_to_json(IValue(std::vector<double>{})) == "{\"DoubleList\":[]}");
    CHECK(value_to_json(IValue(std::vector<bool>{true})) == "[true]");
    CHECK(value_to_json(IValue(std::vector<std::string>{"a"})) == "[\"a\"]");
  }

  TEST_CASE("lists of bools and of texts come back") {
    for (const std::vector<bool>& list : {std::vector<bool>{true, false}, std::vector<bool>{}})
      CHECK(value_from_json(value_to_json(IValue(list))).to<std::vector<bool>>() == list);
    for (const std::vector<std::string>& list :
         {std::vector<std::string>{"nan", ""}, std::vector<std::string>{}})
      CHECK(value_from_json(value_to_json(IValue(list))).to<std::vector<std::string>>() == list);
  }

  TEST_CASE("random doubles come back with the same bits") {
    std::mt19937_64 random(3);
    for (int i = 0; i < 20000; ++i) {
      const uint64_t bits = random();
      double v;
      static_assert(sizeof v == sizeof bits);
      std::memcpy(&v, &bits, sizeof v);
      if (std::isnan(v)) continue;
      const double read = value_from_json(value_to_json(IValue(v))).toDouble();
      REQUIRE(std::memcmp(&read, &v, sizeof v) == 0);
    }
  }

  TEST_CASE("what is no such JSON is a text") {
    const std::string deep = std::string(100000, '[');
    for (const std::string& text :
         {std::string("pt"), std::string(), std::string("[1,\"a\"]"), std::string("[]"), std::string("{}"),
          std::string("[[1]]"), std::string("{\"Double\":3,\"x\":1}"), std::string("{\"Double\":\"3\"}"),
          std::string("{\"IntList\":[0.5]}"), std::string("{\"IntList\":[[]]}"),
          std::string("18446744073709551615"), std::string("{\"Other\":[]}"), std::string("1 2"), deep})
      CHECK(value_from_json(text).toStringRef() == text);
  }

  TEST_CASE("the size of a list of tensors is a number") {
    CHECK(tensor_list_size(detail::tensor_list_json(0)) == 0);
    CHECK(tensor_list_size(detail::tensor_list_json(12)) == 12);
    for (const char* text : {"", "{}", "12", "{\"TensorList\":-1}", "{\"TensorList\":1.5}",
                             "{\"TensorList\":18446744073709551615}", "{\"TensorList\":[1]}"})
      CHECK(tensor_list_size(text) == -1);
  }
}
