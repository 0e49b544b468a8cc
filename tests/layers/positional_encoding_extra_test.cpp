// The dropout for a seed, the state and the print of PositionalEncoding.
#include "etude/positional_encoding.h"

#include <doctest/doctest.h>

#include "layers/golden.h"

using namespace etude;
using namespace etude::nn;
using Strings = std::vector<std::string>;

TEST_SUITE("PositionalEncoding, as in Python") {
  TEST_CASE("gives PyTorch's values, with the same elements dropped for a seed") {
    const auto& expected = golden::layers().at("positions");
    manual_seed(2);
    PositionalEncoding encoding(PositionalEncodingOptions(6, kSequenceFirst).max_len(9).dropout(0.25));
    CHECK(golden::close(encoding(golden::ramp({5, 2, 6})), expected.at("sequence first")));
    CHECK(golden::text(encoding) == expected.at("texts")[0].get<std::string>());

    PositionalEncoding plain(PositionalEncodingOptions(7, kBatchFirst).max_len(9));
    CHECK(golden::close(plain(golden::ramp({2, 5, 7})), expected.at("batch first")));
    CHECK(golden::text(plain) == expected.at("texts")[1].get<std::string>());
  }

  TEST_CASE("the table is saved unless it is not persistent") {
    const auto& names = golden::layers().at("positions").at("names");
    CHECK(PositionalEncoding(4, kBatchFirst)->state_dict().keys() == names.at("persistent").get<Strings>());
    PositionalEncoding temporary(PositionalEncodingOptions(4, kSequenceFirst).persistent(false));
    CHECK(temporary->state_dict().keys() == names.at("not persistent").get<Strings>());
    CHECK(temporary->clone()->state_dict().is_empty());
  }
}
