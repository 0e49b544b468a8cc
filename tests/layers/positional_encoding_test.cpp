#include "etude/positional_encoding.h"

#include <doctest/doctest.h>

#include <cmath>

#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;
using Strings = std::vector<std::string>;

TEST_SUITE("sinusoidal_table") {
  TEST_CASE("is the formula of the paper, element by element, for every d_model") {
    const int64_t max_len = 40;
    for (const int64_t d_model : {1, 2, 3, 4, 5, 16, 63, 64}) {
      const Tensor table = sinusoidal_table(max_len, d_model);
      REQUIRE(table.sizes() == IntArrayRef({max_len, d_model}));
      CHECK((table.dtype() == kFloat));
      for (int64_t pos = 0; pos < max_len; ++pos)
        for (int64_t j = 0; j < d_model; ++j) {
          const double angle = static_cast<double>(pos) / std::pow(10000.0, static_cast<double>(j - j % 2) /
                                                                                static_cast<double>(d_model));
          const double expected = j % 2 == 0 ? std::sin(angle) : std::cos(angle);
          CAPTURE(d_model);
          CAPTURE(pos);
          CAPTURE(j);
          // The float32 angle is off by its last bits, up to 40 * 2^-23.
          REQUIRE(std::abs(table[pos][j].item<double>() - expected) < 1e-5);
        }
    }
  }

  TEST_CASE("is what PyTorch's lines compute, to the last bits") {
    for (const auto& [name, expected] : golden::layers().at("positions").at("tables").items()) {
      CAPTURE(name);
      const auto sizes = expected.at("sizes").get<std::vector<int64_t>>();
      CHECK(golden::close(sinusoidal_table(sizes[0], sizes[1]), expected, 2.4e-7));
    }
  }

  TEST_CASE("position 0 is 0, 1, 0, 1, ...") {
    CHECK(sinusoidal_table(1, 5)[0].equal(etude::tensor({0.0, 1.0, 0.0, 1.0, 0.0})));
  }

  TEST_CASE("stays float32 whatever the default type") {
    set_default_dtype(scalarTypeToTypeMeta(kDouble));
    const Tensor table = sinusoidal_table(3, 4);
    set_default_dtype(scalarTypeToTypeMeta(kFloat));
    CHECK((table.dtype() == kFloat));
    CHECK(table.equal(sinusoidal_table(3, 4)));
  }

  TEST_CASE("sizes are positive") {
    CHECK(refusal([&] { sinusoidal_table(4, 0); }) ==
          "ValueError: sinusoidal_table: d_model must be positive, but got 0");
    CHECK(refusal([&] { sinusoidal_table(-1, 4); }) ==
          "ValueError: sinusoidal_table: max_len must be positive, but got -1");
  }
}

TEST_SUITE("PositionalEncoding") {
  TEST_CASE("adds to each position its row, batch first") {
    PositionalEncoding encoding(PositionalEncodingOptions(6, kBatchFirst).max_len(9));
    const Tensor x = golden::ramp({3, 5, 6}), table = sinusoidal_table(9, 6);
    const Tensor y = encoding(x);
    for (int64_t b = 0; b < 3; ++b)
      for (int64_t t = 0; t < 5; ++t) CHECK(y[b][t].equal(x[b][t] + table[t]));
  }

  TEST_CASE("adds to each position its row, sequence first") {
    PositionalEncoding encoding(PositionalEncodingOptions(6, kSequenceFirst).max_len(9));
    const Tensor x = golden::ramp({5, 3, 6}), table = sinusoidal_table(9, 6);
    const Tensor y = encoding(x);
    for (int64_t t = 0; t < 5; ++t)
      for (int64_t b = 0; b < 3; ++b) CHECK(y[t][b].equal(x[t][b] + table[t]));
  }

  TEST_CASE("gives PyTorch's values") {
    const auto& expected = golden::layers().at("positions");
    PositionalEncoding plain(PositionalEncodingOptions(7, kBatchFirst).max_len(9));
    CHECK(golden::close(plain(golden::ramp({2, 5, 7})), expected.at("batch first")));
  }

  TEST_CASE("the table is a buffer pe and never trained") {
    PositionalEncoding encoding(4, kBatchFirst);
    CHECK(encoding->named_buffers().keys() == Strings{"pe"});
    CHECK(encoding->pe.sizes() == IntArrayRef({1, 5000, 4}));
    CHECK(encoding->parameters().empty());
    PositionalEncoding temporary(PositionalEncodingOptions(4, kSequenceFirst).persistent(false));
    CHECK(temporary->named_buffers().keys() == Strings{"pe"});
    CHECK(temporary->pe.sizes() == IntArrayRef({5000, 1, 4}));
    encoding->to(kDouble);
    CHECK((encoding->pe.dtype() == kDouble));
  }

  TEST_CASE("drops in training only") {
    PositionalEncoding encoding(PositionalEncodingOptions(4, kBatchFirst).dropout(0.5));
    const Tensor x = golden::ramp({2, 3, 4});
    CHECK_FALSE(encoding(x).equal(x + encoding->pe.narrow(1, 0, 3)));
    encoding->eval();
    CHECK(encoding(x).equal(x + encoding->pe.narrow(1, 0, 3)));
  }

  TEST_CASE("gradients pass through to the input") {
    PositionalEncoding encoding(4, kBatchFirst);
    const Tensor x = golden::ramp({2, 3, 4}).requires_grad_();
    (encoding(x) * golden::ramp({2, 3, 4})).sum().backward();
    CHECK(x.grad().equal(golden::ramp({2, 3, 4})));
  }

  TEST_CASE("a sequence may have any length up to max_len") {
    PositionalEncoding encoding(PositionalEncodingOptions(4, kBatchFirst).max_len(5));
    CHECK(encoding(etude::zeros({2, 5, 4})).sizes() == IntArrayRef({2, 5, 4}));
    CHECK(encoding(etude::zeros({2, 0, 4})).sizes() == IntArrayRef({2, 0, 4}));
    CHECK(encoding(etude::zeros({9, 1, 4})).sizes() == IntArrayRef({9, 1, 4}));
  }

  TEST_CASE("a longer one is refused with its length, max_len and what to do") {
    PositionalEncoding encoding(PositionalEncodingOptions(4, kBatchFirst).max_len(5));
    CHECK(
        refusal_lines([&] {
          encoding(etude::zeros({6, 7, 4}));
        })
            .rfind(
                "The size of tensor a (7) must match the size of tensor b (5) at non-singleton dimension 1\n"
                "PositionalEncoding: the input [6, 7, 4], read as [batch, sequence, d_model], has 7 "
                "positions, but "
                "max_len is 5\n"
                "hint: construct it with max_len(7) or more, or shorten the sequence",
                0) == 0);
    PositionalEncoding single(PositionalEncodingOptions(4, kBatchFirst).max_len(1));
    CHECK(refusal_lines([&] {
            single(etude::zeros({1, 7, 4}));
          }).find("has 7 positions, but max_len is 1") != std::string::npos);
  }

  TEST_CASE("if the other layout would fit, the hint says so") {
    PositionalEncoding batch_first(PositionalEncodingOptions(4, kBatchFirst).max_len(5));
    CHECK(refusal_lines([&] {
            batch_first(etude::zeros({3, 7, 4}));
          }).find("; if the input is [sequence, batch, d_model], construct it with kSequenceFirst") !=
          std::string::npos);
    PositionalEncoding sequence_first(PositionalEncodingOptions(4, kSequenceFirst).max_len(5));
    CHECK(
        refusal_lines([&] {
          sequence_first(etude::zeros({7, 3, 4}));
        })
            .rfind(
                "The size of tensor a (7) must match the size of tensor b (5) at non-singleton dimension 0\n"
                "PositionalEncoding: the input [7, 3, 4], read as [sequence, batch, d_model], has 7 "
                "positions, but "
                "max_len is 5\n"
                "hint: construct it with max_len(7) or more, or shorten the sequence; if the input is "
                "[batch, "
                "sequence, d_model], "
                "construct it with kBatchFirst",
                0) == 0);
  }

  TEST_CASE("another width is refused") {
    CHECK(
        refusal_lines([&] {
          PositionalEncoding(8, kBatchFirst)(etude::zeros({2, 3, 6}));
        })
            .rfind(
                "The size of tensor a (6) must match the size of tensor b (8) at non-singleton dimension 2\n"
                "PositionalEncoding: the input [2, 3, 6] is 6 wide and d_model is 8; expected [batch, "
                "sequence, "
                "d_model]",
                0) == 0);
  }

  TEST_CASE("ids and single sequences are refused with a hint") {
    CHECK(refusal_lines([&] {
            PositionalEncoding(8, kSequenceFirst)(etude::zeros({2, 8}));
          })
              .rfind("PositionalEncoding: expected an input of 3 dims [sequence, batch, d_model], but got "
                     "2\nreceived "
                     "sizes [2, 8]\n"
                     "hint: ids of tokens go through an Embedding first; unsqueeze(1) makes a batch of a "
                     "single sequence",
                     0) == 0);
  }

  TEST_CASE("the layout cannot be left out") {
    CHECK_FALSE(std::is_constructible_v<PositionalEncodingOptions, int64_t>);
    CHECK_FALSE(std::is_constructible_v<PositionalEncodingImpl, int64_t>);
    CHECK_FALSE(std::is_constructible_v<PositionalEncodingImpl, int64_t, bool>);
    CHECK_FALSE(std::is_constructible_v<PositionalEncodingImpl, int64_t, int64_t>);
    CHECK(PositionalEncodingOptions(4, kBatchFirst).batch_first());
    CHECK_FALSE(PositionalEncodingOptions(4, kSequenceFirst).batch_first());
  }

  TEST_CASE("a clone has a table and a dropout of its own") {
    PositionalEncoding encoding(
        PositionalEncodingOptions(4, kBatchFirst).max_len(5).dropout(0.5).persistent(false));
    encoding->eval();
    PositionalEncoding copy = std::dynamic_pointer_cast<PositionalEncodingImpl>(encoding->clone());
    const Tensor x = golden::ramp({1, 5, 4});
    CHECK(copy(x).equal(encoding(x)));
    CHECK_FALSE(copy->pe.is_alias_of(encoding->pe));
    CHECK(copy->dropout.get() != encoding->dropout.get());
  }
}
