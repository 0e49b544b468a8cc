#include "etude/text/detail/tokenizer_file.h"

#include <doctest/doctest.h>

#include <string>

#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;
using namespace etude::text::detail;
using nlohmann::json;

TEST_SUITE("tokenizer_file") {
  namespace {

  std::string wrong_with(const std::string& bytes) {
    const TemporaryFolder folder;
    const std::string path = folder / "t.json";
    write_bytes(path, bytes);
    const std::string text = refusal_text([&] { read_tokenizer_file(path); });
    return text.empty() ? text : text.substr(path.size() + 2);
  }

  }  // namespace

  TEST_CASE("a file is read as it was written, in one line of JSON") {
    const TemporaryFolder folder;
    write_tokenizer_file(folder / "t.json", "some", {{"words", {"a", "\xc3\xa9"}}});
    CHECK(read_bytes(folder / "t.json") ==
          "{\"etude_tokenizer\":\"some\",\"version\":1,\"words\":[\"a\",\"\xc3\xa9\"]}\n");
    CHECK(folder.count() == 1);
    const json file = read_tokenizer_file(folder / "t.json", "some");
    CHECK(entry("t.json", file, "words", &json::is_array).size() == 2);
    CHECK(refusal_text([&] { entry("t.json", file, "x", &json::is_array); }) == "t.json: has no entry \"x\"");
    CHECK(refusal_text([&] { entry("t.json", file, "words", &json::is_string); }) ==
          "t.json: its entry \"words\" is an array, which it can't be");
    CHECK(refusal_text([&] {
            read_tokenizer_file(folder / "t.json", "other");
          }).find("is a tokenizer of the kind") != std::string::npos);
  }

  TEST_CASE("what is not a file of a tokenizer is refused, and nothing else is built of it") {
    CHECK(wrong_with("{\"etude_tokenizer\":\"x\",\"version\":1}").empty());
    CHECK(wrong_with("") == "is not JSON at byte 1");
    CHECK(wrong_with("{\"a\":1") == "is not JSON at byte 7");
    CHECK(wrong_with("{\"a\":\"\xff\"}").substr(0, 11) == "is not JSON");
    CHECK(wrong_with("{} x").substr(0, 11) == "is not JSON");
    CHECK(wrong_with(std::string("{}\0", 3)) == "has a zero byte");
    CHECK(wrong_with("{}") == "is not a file of a tokenizer");
    CHECK(wrong_with("[]") == "is not a file of a tokenizer");
    CHECK(wrong_with("3") == "is not a file of a tokenizer");
    CHECK(wrong_with("{\"etude_tokenizer\":3,\"version\":1}") == "is not a file of a tokenizer");
    CHECK(wrong_with("{\"etude_tokenizer\":\"x\"}") == "is of version null, where 1 is known");
    CHECK(wrong_with("{\"etude_tokenizer\":\"x\",\"version\":2}") == "is of version 2, where 1 is known");
    CHECK(wrong_with("{\"a\":1,\"a\":2}") == "has the entry \"a\" twice");
    CHECK(wrong_with("{\"a\":1e999}") == "has a number that is too large");
    CHECK(wrong_with(std::string(100000, '[')) == "has lists in lists, more than 10 deep");
    CHECK_FALSE(refusal([] { read_tokenizer_file("/nowhere/at/all"); }).empty());
  }
}
