// Messages of protocol buffers by hand. The tests of PretrainedTokenizer compare ids with sentencepiece's.
#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "etude/text/detail/pretrained_vocabulary.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::text::detail;

TEST_SUITE("sentencepiece") {
  namespace {

  std::string number_field(int number, int value) {
    return {static_cast<char>(number << 3), static_cast<char>(value)};
  }
  std::string bytes_field(int number, const std::string& bytes) {
    return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
  }
  std::string model_piece(const std::string& text, float score, int type) {
    std::string bits(sizeof score, '\0');
    std::memcpy(bits.data(), &score, sizeof score);
    return bytes_field(1,
                       bytes_field(1, text) + static_cast<char>(2 << 3 | 5) + bits + number_field(3, type));
  }

  const std::string kPieces = model_piece("<unk>", 0, 2) + model_piece("<s>", 0, 3) +
                              model_piece("</s>", 0, 3) + model_piece("a", -1.5, 1) +
                              model_piece("the", -2, 4);
  const std::string kBpe = bytes_field(2, number_field(3, 2));
  const std::string kIdentity = bytes_field(3, bytes_field(1, "identity") + number_field(4, 0));

  std::string wrong_with(const std::string& model) {
    return refusal_text([&] { read_sentencepiece("file", model); });
  }

  }  // namespace

  TEST_CASE("pieces, scores and types") {
    const PretrainedVocabulary v = read_sentencepiece("file", kPieces + kBpe + kIdentity);
    CHECK(v.tokens == std::vector<std::string>{"<unk>", "<s>", "</s>", "a", "the"});
    CHECK(v.scores == std::vector<float>{0, 0, 0, -1.5, -2});
    CHECK(v.unknown == 0);
    CHECK(v.begin == 1);
    CHECK(v.end == 2);
    CHECK(v.before == std::vector<int64_t>{1});
    REQUIRE(v.added.size() == 3);
    CHECK(v.added[0].special);
    CHECK_FALSE(v.added[2].special);
    CHECK_FALSE(v.added[0].normalized);
    CHECK(v.added[2].normalized);
    CHECK_FALSE(v.byte_fallback);
    CHECK(v.strips_prefix);
    CHECK(v.prefix == SpacePrefix::kAfterSpecial);
  }

  TEST_CASE("a blank before the text, and tokens before and after it, may be missing") {
    const std::string minus_one = std::string(9, '\xff') + '\x01', trainer = number_field(3, 2) + "\xc8\x02" +
                                                                             minus_one + "\xd0\x02" +
                                                                             minus_one;  // fields 41 and 42
    const std::string normalizer = bytes_field(3, number_field(3, 0) + number_field(4, 0));
    const PretrainedVocabulary v = read_sentencepiece("file", kPieces + bytes_field(2, trainer) + normalizer);
    CHECK(v.before.empty());
    CHECK_FALSE(v.begin);
    CHECK_FALSE(v.end);
    CHECK_FALSE(v.strips_prefix);
    CHECK(v.prefix == SpacePrefix::kNone);
  }

  TEST_CASE("models that are not known are refused by name") {
    CHECK(wrong_with(kPieces + kIdentity) ==
          "file: has pieces of another type than BPE, which is not known here");
    CHECK(wrong_with(kPieces + kBpe + bytes_field(3, bytes_field(1, "nmt_nfkc") + bytes_field(2, "map"))) ==
          "file: has the normalizer nmt_nfkc, which is not known here");
    CHECK(wrong_with(kPieces + kBpe) ==
          "file: has blanks that it takes away or puts behind words, which is not known here");
    CHECK(
        wrong_with(kPieces + bytes_field(2, number_field(3, 2) + "\xc0\x01\x01") + kIdentity) ==  // field 24
        "file: has blanks that it takes away or puts behind words, which is not known here");
    CHECK(wrong_with(kPieces + kBpe + bytes_field(3, number_field(4, 0) + number_field(5, 0))) ==
          "file: has blanks that are not marked, which is not known here");
    CHECK(wrong_with(model_piece("x", 0, 5)) == "file: token 0 is of the type 5, which is not known here");
  }

  TEST_CASE("what is no model is refused") {
    CHECK(wrong_with(kPieces.substr(0, 5)) ==
          "file: is not a model of sentencepiece: it ends inside a field");
    CHECK(wrong_with("\x0b") == "file: is not a model of sentencepiece: it has a field of the kind 3");
    CHECK(wrong_with("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff") ==
          "file: is not a model of sentencepiece: it ends inside a field");
    CHECK(wrong_with(std::string(100, '\xff')).find("is not a model of sentencepiece") != std::string::npos);
  }
}
