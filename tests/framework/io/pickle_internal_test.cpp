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
    CHECK(read_other("ca\nc\n)}\x92(NNu(NeNaNNs(N\x90.") == "a.c");
    CHECK(read_other("cos\nsystem\n)R)R.") == "os.system");
    CHECK(read_other("c_codecs\nencode\n\x8c\x01x\x85R.") == "bytes");
    CHECK(read_other("cbuiltins2\nset\n.") == "builtins2.set");
    for (const std::string& bytes :
         {std::string("B\2\0\0\0xy.", 8), std::string("\x8e\2\0\0\0\0\0\0\0xy.", 12),
          std::string("\x96\2\0\0\0\0\0\0\0xy.", 12)})
      CHECK(read_other(bytes) == "bytes");
    CHECK(read_other(std::string("\x8b\x09\0\0\0xxxxxxxxx.", 15)) == "int");
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

  TEST_CASE("a value knows whether a storage is in it") {
    const auto has_storage = [](const std::string& opcodes) {
      const detail::Pickle pickle = read("\x80\x02" + opcodes + ".");
      return std::get<const detail::PickleNode*>(pickle.root)->has_persistent;
    };
    for (const char* with :
         {"NQ", "NQ]\x86", "]NQa", "}NNQs", "NQ\x85\x85", "ca\nc\nNQ\x85R", "ca\nc\n)\x81}NNQsb",
          "ca\nc\n)\x81}\x8c\x01xNQ\x85sb", "\x8f(NQ\x90", "ca\nb\nNQ\x85R", "ca\nc\n)}NNQs\x92"})
      CHECK(has_storage(with));
    for (const char* without : {"]", "]Na", "ca\nc\n", "ca\nc\n)R}b", "C\x01Q"})
      CHECK_FALSE(has_storage(without));
  }

  TEST_CASE("types that are cut, or longer than names are, are refused") {
    const auto refused = [](const std::string& opcodes) {
      return refusal_text([&] { read("\x80\x02" + opcodes); });
    };
    // Each value that is not read repeats the name of its type.
    CHECK(
        refused("c" + std::string(300, 'a') + "\nb\n.").find("x: its pickle has a global with a long name") ==
        0);
    CHECK(refused("c" + std::string(100, 'a') + "\nb\n.").empty());
    for (const char* cut : {"C\x03xy", "B\xff\xff\xff\xff", "\x8e\xff\xff\xff\xff\xff\xff\xff\xff.",
                            "\x8b\xff\xff\xff\xff.", "\x8a\x09xx."})
      CHECK(refused(cut).find("x: its pickle is cut") == 0);
    CHECK(refused("]N\x90.").find("x: its pickle takes a mark that is not there") == 0);
    CHECK(refused("](N\x90.").find("x: its pickle adds to something that is not a set") == 0);
    CHECK(refused("ca\nb\nK\x01\x85\x81.").find("x: its pickle has an object with arguments") == 0);
    CHECK(refused("ca\nb\nN\x81.").find("x: its pickle makes an object without a tuple") == 0);
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
    // What is not read is as deep as anything else.
    CHECK(refused("ca\nc\n" + repeated(")R", 1000) + ".") == "");
    CHECK(refused("ca\nc\n" + repeated("\x85R", 1000) + ".") != "");
    CHECK(refused(repeated("ca\nc\n", 1000)) == deep);
    CHECK(refused(repeated("ca\nc\n(", 1000)) == deep);
    CHECK(refused(repeated("}(N](", 64) + "N" + repeated("eu", 64) + ".") == "");
  }
}
