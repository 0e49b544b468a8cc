#include "etude/io/detail/pickle.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/refusal.h"

using namespace etude;

TEST_SUITE("pickles") {
  namespace {

  detail::Pickle read(const std::string& bytes) {
    return detail::read_pickle("x", bytes.data(), bytes.size(),
                               [](const std::string& global) { return global == "a b"; });
  }
  detail::Pickle again(detail::PickleWriter& writer) {
    writer.code(".");
    return read(writer.bytes());
  }
  template <typename T>
  T again(const T& v) {
    detail::PickleWriter writer;
    writer.put(v);
    return std::get<T>(again(writer).root);
  }

  }  // namespace

  TEST_CASE("numbers come back") {
    for (const int64_t v : {int64_t{0}, int64_t{255}, int64_t{256}, int64_t{-1}, int64_t{INT32_MIN},
                            int64_t{INT32_MAX} + 1, INT64_MIN, INT64_MAX})
      CHECK(again(v) == v);
    for (const double v : {0.1, -1e300, 1.0 / 0.0}) CHECK(again(v) == v);
    CHECK(again(true));
    CHECK_FALSE(again(false));
  }

  TEST_CASE("texts, lists, dicts and calls of known globals are read, and nothing is called") {
    detail::PickleWriter writer;
    writer.code("}(");
    writer.put("list");
    writer.code("](");
    writer.put(int64_t{1});
    writer.put("text");
    writer.code("e");
    writer.put("call");
    writer.global("a", "b");
    writer.code(")Ru");
    const detail::Pickle pickle = again(writer);
    const auto node = [](const detail::PickleValue& v) { return std::get<const detail::PickleNode*>(v); };
    const auto& items = node(pickle.root)->items;
    REQUIRE(items.size() == 4);
    CHECK(node(items[0])->text == "list");
    CHECK(node(node(items[1])->items[1])->text == "text");
    CHECK(node(items[3])->kind == detail::PickleNode::Call);
    CHECK(node(node(items[3])->items[0])->text == "a b");
  }

  TEST_CASE("other protocols and globals are refused") {
    CHECK(refusal_text([] { read("\x80\x01N."); }) ==
          "x: its pickle has the protocol 1, of which 2 to 5 are read at byte 2");
    CHECK(refusal_text([] { read("N."); }) == "x: its pickle does not begin with a protocol at byte 1");
  }

  TEST_CASE("other globals, and what is made of them, have a type and hold what they were given") {
    const auto read_other = [](const std::string& opcodes) {
      const detail::Pickle pickle = read("\x80\x04" + opcodes);
      const auto* const node = std::get<const detail::PickleNode*>(pickle.root);
      CHECK(node->kind == detail::PickleNode::Other);
      return node->text + (node->has_persistent ? " with a storage" : "");
    };
    CHECK(read_other("ca\nc\n.") == "a.c");
    CHECK(read_other("ca\nc\n(K\x01NtR.") == "a.c");
    CHECK(read_other("ca\nc\n)\x81}b.") == "a.c");
    CHECK(read_other("ca\nc\n)}\x92.") == "a.c");
    CHECK(read_other("cbuiltins\nset\n]\x85R.") == "set");
    CHECK(read_other("ca\nc\n(NQtR.") == "a.c with a storage");
    CHECK(read_other("ca\nc\n)\x81}K\x01](NQesb.") == "a.c with a storage");
    CHECK(read_other("\x8f(K\x01K\x02\x90.") == "set");
    CHECK(read_other("(K\x01\x91.") == "frozenset");
    CHECK(read_other("C\x03"
                     "abc.") == "bytes");
    CHECK(read_other("\x8a\x09"
                     "123456789.") == "int");
    CHECK(refusal_text([&] { read_other("c" + std::string(200, 'a') + "\nc\n."); }).find("long name") !=
          std::string::npos);
  }

  TEST_CASE("what is nested too deeply is refused before it is closed, or as soon as it is") {
    const std::string begin = "\x80\x02";
    const auto repeated = [](const std::string& opcodes, int times) {
      std::string all;
      for (int i = 0; i < times; ++i) all += opcodes;
      return all;
    };
    const auto refused = [&](const std::string& opcodes) {
      return refusal_text([&] { read(begin + opcodes); });
    };
    const std::string deep = "x: has values nested deeper than 64";
    // None of them has an end, so the depth must be found before the missing end.
    for (const char* opened : {"]", "](", "(", "}N", "}(N", "NN"})
      CHECK(refused(repeated(opened, 1000)) == deep);
    CHECK(refused("N" + repeated("\x85", 1000)) == deep);
    CHECK(refused("(" + repeated("]", 1000) + repeated("a", 999)) == deep);
    CHECK(refused("(" + repeated("}N", 1000) + "N" + repeated("s", 999)) == deep);
    // Many values side by side are allowed.
    CHECK(refused("](" + repeated("]", 100000) + "e.") == "");
    CHECK(refused("]" + repeated("]a", 100000) + ".") == "");
    // 64 nested values, each a call with a list in its arguments.
    const std::string call = "ca\nb\n](";
    CHECK(refused(repeated(call, 64) + "N" + repeated("e\x85R", 64) + ".") == "");
    CHECK(refused(repeated("}(N](", 64) + "N" + repeated("eu", 64) + ".") == "");
  }
}
