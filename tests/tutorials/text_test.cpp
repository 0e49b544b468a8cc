#include "support/text.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/files.h"

namespace {

using tutorials::count_characters;
using tutorials::FileError;
using tutorials::find_invalid_utf8;
using tutorials::split_tokens;
using tutorials::visible;
using tutorials::Vocabulary;

using Tokens = std::vector<std::string_view>;
constexpr size_t kValid = std::string_view::npos;

/// A file with the given bytes that is gone after the test.
struct File {
  std::filesystem::path path;
  File(const std::string& name, const std::string& bytes)
      : path(std::filesystem::temp_directory_path() / ("etude_" + name + std::to_string(::getpid()))) {
    tutorials::write_file(path, bytes);
  }
  ~File() { std::filesystem::remove(path); }
};

TEST_CASE("characters of one to four bytes are UTF-8") {
  CHECK(find_invalid_utf8("") == kValid);
  CHECK(find_invalid_utf8("plain\n") == kValid);
  CHECK(find_invalid_utf8("é ω 日本 🎵") == kValid);
  CHECK(find_invalid_utf8("\xF4\x8F\xBF\xBF") == kValid);          // U+10FFFF, the last one
  CHECK(find_invalid_utf8("\xED\x9F\xBF\xEE\x80\x80") == kValid);  // around the surrogates
  CHECK(find_invalid_utf8(std::string_view("\0", 1)) == kValid);
}

TEST_CASE("the first byte that begins no character is named") {
  CHECK(find_invalid_utf8("ab\xFF") == 2);
  CHECK(find_invalid_utf8("\x80") == 0);              // a continuation without a beginning
  CHECK(find_invalid_utf8("é\xC3") == 2);             // the end is missing
  CHECK(find_invalid_utf8("x\xE6\x97") == 1);         // of three bytes
  CHECK(find_invalid_utf8("x\xF0\x9F\x8E") == 1);     // of four
  CHECK(find_invalid_utf8("\xC3(") == 0);             // something else where a continuation belongs
  CHECK(find_invalid_utf8("\xC0\xAF") == 0);          // overlong
  CHECK(find_invalid_utf8("\xE0\x80\xAF") == 0);      // overlong
  CHECK(find_invalid_utf8("\xF0\x80\x80\xAF") == 0);  // overlong
  CHECK(find_invalid_utf8("\xED\xA0\x80") == 0);      // a surrogate
  CHECK(find_invalid_utf8("\xF4\x90\x80\x80") == 0);  // above U+10FFFF
  CHECK(find_invalid_utf8("\xF8\x88\x80\x80\x80") == 0);
}

TEST_CASE("a file that is not UTF-8 is refused with the byte, its offset and its line") {
  const File file("latin1", "one\ntwo caf\xE9\n");
  try {
    tutorials::read_text(file.path);
    FAIL("it was not refused");
  } catch (const FileError& error) {
    CHECK(std::string(error.what()) ==
          file.path.string() + " is not UTF-8: the byte 0xe9 at offset 11 (line 2) begins no character");
  }
}

TEST_CASE("a byte order mark is dropped, everything else kept") {
  CHECK(tutorials::read_text(File("bom", "\xEF\xBB\xBFtext\r\n").path) == "text\r\n");
  CHECK(tutorials::read_text(File("empty", "").path) == "");
  CHECK_THROWS_AS(tutorials::read_text("no/such/file"), FileError);
}

TEST_CASE("characters are counted, not bytes") {
  CHECK(count_characters("") == 0);
  CHECK(count_characters("aé日🎵") == 4);
}

TEST_CASE("words are kept together, other characters stand alone, white space is dropped") {
  CHECK(split_tokens("The dog, the cat.") == Tokens{"The", "dog", ",", "the", "cat", "."});
  CHECK(split_tokens("a_1 x2\t\r\n--") == Tokens{"a_1", "x2", "-", "-"});
  CHECK(split_tokens("") == Tokens{});
  CHECK(split_tokens(" \n\u3000\u2009") == Tokens{});
}

TEST_CASE("accents and other alphabets make words, ideographs and emoji do not") {
  CHECK(split_tokens("naïve Façade") == Tokens{"naïve", "Façade"});
  CHECK(split_tokens("Ελληνικά русский") == Tokens{"Ελληνικά", "русский"});
  CHECK(split_tokens("日本語") == Tokens{"日", "本", "語"});
  CHECK(split_tokens("🎵🎶") == Tokens{"🎵", "🎶"});
  CHECK(split_tokens("¿Y tú?") == Tokens{"¿", "Y", "tú", "?"});
  CHECK(split_tokens("2×3÷4") == Tokens{"2", "×", "3", "÷", "4"});
  CHECK(split_tokens("a\u00A0b\u1680c") == Tokens{"a", "b", "c"});  // blanks that are not ASCII
}

TEST_CASE("bytes that are not UTF-8 are tokens of one byte and never read past the end") {
  CHECK(split_tokens("a\xFF") == Tokens{"a", "\xFF"});
  CHECK(split_tokens("a\xE6\x97") == Tokens{"a", "\xE6", "\x97"});
}

TEST_CASE("printing a token does nothing to a terminal") {
  CHECK(visible("plain é 日") == "plain é 日");
  CHECK(visible("\x1B[31m") == "\uFFFD[31m");
  CHECK(visible("\u0085\x7F") == "\uFFFD\uFFFD");
  CHECK(visible("\xFF") == "\uFFFD");
}

TEST_CASE("ids are given in the order of first appearance, from 1") {
  const Tokens tokens = split_tokens("b a b c a");
  const Vocabulary vocabulary(tokens);
  CHECK(vocabulary.size() == 4);
  CHECK(vocabulary.id("b") == 1);
  CHECK(vocabulary.id("a") == 2);
  CHECK(vocabulary.id("c") == 3);
  CHECK(vocabulary.token(2) == "a");
  CHECK(vocabulary.token(0) == "<unk>");
  CHECK_THROWS_AS(vocabulary.token(4), std::out_of_range);
}

TEST_CASE("what is unknown or beyond the limit is number 0") {
  const Vocabulary vocabulary(split_tokens("a b c a"), 2);
  CHECK(vocabulary.size() == 3);
  CHECK(vocabulary.id("b") == 2);
  CHECK(vocabulary.id("c") == 0);
  CHECK(vocabulary.id("never seen") == 0);
  CHECK(Vocabulary({}).size() == 1);
}

}  // namespace
