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
    CHECK(refusal_text([] {
            read(
                "\x80\x02"
                "ca\nc\n.");
          }) == "x: refers to a.c, which is not read");
  }
}
