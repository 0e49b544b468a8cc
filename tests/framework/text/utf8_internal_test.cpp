#include <doctest/doctest.h>

#include <string>

#include "etude/text/detail/utf8.h"

using namespace etude::detail;

TEST_SUITE("utf8") {
  TEST_CASE("every code point has its bytes, and they give it back") {
    for (uint32_t code = 0; code < 0x110000; ++code) {
      if (code >= 0xd800 && code < 0xe000) continue;
      std::string bytes;
      append_character(bytes, code);
      const Character c = character_at(bytes, 0);
      const size_t expected = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      if (c.code != code || c.size != bytes.size() || bytes.size() != expected) FAIL(code);
    }
    std::string bytes;
    append_character(bytes, 0x20ac);
    CHECK(bytes == "\xe2\x82\xac");
  }

  TEST_CASE("bytes that are no UTF-8 are characters one by one") {
    for (const std::string bytes :
         {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3\x41", "\xe0\x80\x80", "\xe0\x9f\xbf",
          "\xed\xa0\x80", "\xed\xbf\xbf", "\xe2\x82", "\xe2\x82\x41", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf",
          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf0\x9f\x99", "\xff"}) {
      CAPTURE(bytes);
      const Character c = character_at(bytes, 0);
      CHECK(c.code == kInvalidByte + static_cast<uint8_t>(bytes[0]));
      CHECK(c.size == 1);
      CHECK_FALSE(is_utf8("a" + bytes));
      std::string back;
      append_character(back, c.code);
      CHECK(back == bytes.substr(0, 1));
    }
    CHECK(is_utf8(""));
    CHECK(is_utf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82\xf4\x8f\xbf\xbf"));
  }

  TEST_CASE("messages show a character where it can be seen, and its number") {
    CHECK(described_character('a') == "'a' (U+0061)");
    CHECK(described_character(0xe9) == "'\xc3\xa9' (U+00E9)");
    CHECK(described_character('\n') == "U+000A");
    CHECK(described_character(0x85) == "U+0085");
    CHECK(described_character(kInvalidByte + 0xff) == "the byte 0xff");
  }
}
