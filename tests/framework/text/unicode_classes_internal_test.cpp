// Against Python's unicodedata, recorded by tests/golden/text/make.py.
#include <doctest/doctest.h>

#include <vector>

#include "etude/text/detail/unicode_classes.h"
#include "etude/text/detail/utf8.h"
#include "support/golden.h"

using namespace etude::detail;

TEST_SUITE("unicode_classes") {
  TEST_CASE("letters, numbers, accents and blanks are those of Python") {
    const auto golden = etude::golden_json("text/unicode.json");
    int64_t counts[5] = {}, sums[5] = {};
    std::vector<uint32_t> spaces;
    for (uint32_t code = 0; code < 0x110000; ++code) {
      const auto kind = class_of(code);
      ++counts[static_cast<int>(kind)];
      sums[static_cast<int>(kind)] += code;
      if (kind == CharacterClass::kSpace) spaces.push_back(code);
    }
    const auto check = [&](const char* name, CharacterClass kind) {
      CAPTURE(name);
      CHECK(counts[static_cast<int>(kind)] == golden["counts_and_sums"][name][0].get<int64_t>());
      CHECK(sums[static_cast<int>(kind)] == golden["counts_and_sums"][name][1].get<int64_t>());
    };
    check("letters", CharacterClass::kLetter);
    check("numbers", CharacterClass::kNumber);
    check("marks", CharacterClass::kMark);
    CHECK(spaces == golden["spaces"].get<std::vector<uint32_t>>());
    CHECK(class_of(kInvalidByte + 0x80) == CharacterClass::kOther);
    CHECK(class_of('_') == CharacterClass::kOther);
    CHECK(class_of(0x4e2d) == CharacterClass::kLetter);
    CHECK(class_of(0xbd) == CharacterClass::kNumber);
    CHECK(class_of(0x301) == CharacterClass::kMark);
  }

  TEST_CASE("capital letters and characters of words are those of Python") {
    const auto golden = etude::golden_json("text/unicode.json");
    const auto check = [&](const char* name, const auto& is) {
      CAPTURE(name);
      int64_t count = 0, sum = 0;
      for (uint32_t code = 0; code < 0x110000; ++code) {
        count += is(code);
        if (is(code)) sum += code;
      }
      CHECK(count == golden["counts_and_sums"][name][0].get<int64_t>());
      CHECK(sum == golden["counts_and_sums"][name][1].get<int64_t>());
    };
    check("upper", [](uint32_t code) { return case_of(code) == LetterCase::kUpper; });
    check("lower", [](uint32_t code) { return case_of(code) == LetterCase::kLower; });
    check("words", is_word_character);
    CHECK(case_of(0x1c5) == LetterCase::kUpper);  // title case
    CHECK(case_of(0x4e2d) == LetterCase::kNone);
    CHECK(is_word_character('_'));
    CHECK_FALSE(is_word_character(0xb2));  // a superscript
    CHECK_FALSE(is_word_character(kInvalidByte + 0xc0));
  }

  TEST_CASE("packed numbers") {
    CHECK(unpacked("#\n$`b#b$~`") == std::vector<uint32_t>{0, 1, 61, 62, 63, 29 * 62 + 61});
    CHECK(signed_number(4) == 2);
    CHECK(signed_number(5) == -3);
  }

  TEST_CASE("small forms of letters are those of Python") {
    const auto golden = etude::golden_json("text/unicode.json");
    int64_t count = 0, sum = 0;
    for (uint32_t code = 0; code < 0x110000; ++code) {
      const uint32_t lower = lower_case(code);
      count += lower != code;
      if (lower != code) sum += static_cast<int64_t>(code) * lower;
    }
    CHECK(count == golden["lower_count"].get<int64_t>());
    CHECK(sum == golden["lower_sum"].get<int64_t>());
    CHECK(lower_case('Q') == 'q');
    CHECK(lower_case('@') == '@');
    CHECK(lower_case(0xdc) == 0xfc);
    CHECK(lower_case(0x416) == 0x436);
    CHECK(lower_case(kInvalidByte + 0xc0) == kInvalidByte + 0xc0);
  }
}
