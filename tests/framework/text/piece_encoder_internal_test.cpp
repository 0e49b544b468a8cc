// The tests of PretrainedTokenizer compare ids with those of other programs.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/text/detail/byte_pairs.h"

using namespace etude::detail;

TEST_SUITE("piece_encoder") {
  namespace {

  // Tokens: a 0, b 1, ab 2, bytes of U+00E9 3 and 4, that character 5.
  BytePairModel small_model() {
    BytePairModel model;
    model.bytes.fill(-1);
    model.bytes['a'] = 0;
    model.bytes['b'] = 1;
    model.bytes[0xc3] = 3;
    model.bytes[0xa9] = 4;
    model.tokens = {{"a", 0}, {"b", 1}, {"ab", 2}, {"\u00e9", 5}, {"ba", 6}};
    model.rules[{0, 1}] = {0, 2};
    return model;
  }

  using EncodedIds = std::vector<int64_t>;

  EncodedIds encoded_by(const BytePairModel& model, const std::string& text) {
    PieceEncoder encoder(model);
    encoder.append(text);
    return encoder.ids;
  }

  }  // namespace

  TEST_CASE("pieces are merged each for itself, also when they come again") {
    const BytePairModel model = small_model();
    CHECK(encoded_by(model, "ab\nab") == EncodedIds{2, 2});  // the line break has no token
    CHECK(encoded_by(model, "aab'ab") == EncodedIds{0, 2, 2});
    CHECK(encoded_by(model, "").empty());
    const std::string parts = "aab";
    PieceEncoder encoder(model);
    encoder.append(std::string_view(parts).substr(1));
    encoder.ids.push_back(9);  // what stands between parts stays
    encoder.append(parts);
    encoder.append(std::string_view(parts).substr(1));
    CHECK(encoder.ids == EncodedIds{2, 9, 0, 2, 2});
  }

  TEST_CASE("a piece that is a token is not merged if the model says so") {
    BytePairModel model = small_model();
    CHECK(encoded_by(model, "ba") == EncodedIds{1, 0});
    model.whole_pieces = true;
    CHECK(encoded_by(model, "ba") == EncodedIds{6});
    CHECK(encoded_by(model, "bab") == EncodedIds{1, 2});
  }

  TEST_CASE("characters are tokens before their bytes are") {
    BytePairModel model = small_model();
    CHECK(encoded_by(model, "\u00e9") == EncodedIds{3, 4});
    model.of_characters = true;
    CHECK(encoded_by(model, "\u00e9") == EncodedIds{5});
    model.tokens.erase("\u00e9");
    CHECK(encoded_by(model, "\u00e9") == EncodedIds{3, 4});
  }

  TEST_CASE("what has no token is unknown, and of neighbours one if they are joined") {
    BytePairModel model = small_model();
    model.of_characters = true;
    model.pattern = PiecePattern::kWhole;
    CHECK(encoded_by(model, "axyb") == EncodedIds{2});  // left out
    model.unknown = 7;
    CHECK(encoded_by(model, "axyb\u00e8") == EncodedIds{0, 7, 7, 1, 7});
    model.fuse_unknown = true;
    CHECK(encoded_by(model, "axyb\u00e8") == EncodedIds{0, 7, 1, 7});
    CHECK(encoded_by(model, "x\u00e9y") == EncodedIds{7, 5, 7});
  }
}
