#include "etude/text/detail/added_tokens.h"

#include <doctest/doctest.h>

#include <string>

using namespace etude::text::detail;

TEST_SUITE("added_tokens") {
  namespace {

  // The parts of a text: (text) or [id of a token].
  std::string added_parts(const std::map<std::string, AddedToken, std::less<>>& tokens,
                          const std::string& text, bool specials = true) {
    std::string out;
    AddedTokens(tokens).split(
        text, specials, [&](size_t begin, size_t end) { out += "(" + text.substr(begin, end - begin) + ")"; },
        [&](const AddedToken& token) { out += "[" + std::to_string(token.id) + "]"; });
    return out;
  }

  }  // namespace

  TEST_CASE("the first token wins, and of those at one place the longest") {
    const std::map<std::string, AddedToken, std::less<>> tokens = {
        {"ab", {"ab", 1}}, {"abc", {"abc", 2}}, {"bcd", {"bcd", 3}}, {"", {"", 4}}};
    CHECK(added_parts(tokens, "xabcdab") == "(x)[2](d)[1]");
    CHECK(added_parts(tokens, "bcdabb") == "[3][1](b)");
    CHECK(added_parts({{"a", {"a", 1}}, {"ab", {"ab", 2}}}, "xa") ==
          "(x)[1]");  // the end is too near for "ab"
    CHECK(added_parts(tokens, "xyz") == "(xyz)");
    CHECK(added_parts(tokens, "").empty());
    CHECK(added_parts({}, "ab") == "(ab)");
  }

  TEST_CASE("special tokens may be ordinary text") {
    const std::map<std::string, AddedToken, std::less<>> tokens = {{"<s>", {"<s>", 1, true}},
                                                                   {"s>x", {"s>x", 2}}};
    CHECK(added_parts(tokens, "a<s>x<s>") == "(a)[1](x)[1]");
    CHECK(added_parts(tokens, "a<s>x<s>", false) ==
          "(a<s>x<s>)");  // as tokenizers, which looks behind the special one
  }

  TEST_CASE("tokens take the blanks at their sides, or stand between other characters than those of words") {
    AddedToken left{"<l>", 1}, right{"<r>", 2}, word{"w", 3};
    left.lstrip = right.rstrip = word.single_word = true;
    const std::map<std::string, AddedToken, std::less<>> tokens = {
        {"<l>", left}, {"<r>", right}, {"w", word}};
    CHECK(added_parts(tokens, "a \u3000<l> b<r>\n c") == "(a)[1]( b)[2](c)");
    CHECK(added_parts(tokens, "<r>  <l>") == "[2][1]");
    CHECK(added_parts(tokens, "a<r>  <l>") == "(a)[2][1]");
    // A letter of four bytes belongs to a word; bytes that are no character do not.
    CHECK(added_parts(tokens, "\xf0\x90\x90\xb7w") == "(\xf0\x90\x90\xb7w)");
    CHECK(added_parts(tokens, "a\x80w") == "(a\x80)[3]");
    CHECK(added_parts(tokens, "w w.wx \u00e9w _w \u00b2w w\u0301") ==
          "[3]( )[3](.wx \u00e9w _w \u00b2)[3]( w\u0301)");
  }
}
