// Views against PyTorch: random chains of views (tests/golden/core/record.py), and the memory they share.
#include <doctest/doctest.h>

#include <limits>

#include "etude/core/shape.h"
#include "etude/ops/ops.h"
#include "support/golden.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("views") {
  namespace {

  optional<int64_t> maybe(const Recorded& v) {
    return v.is_null() ? nullopt : optional<int64_t>(v.get<int64_t>());
  }

  Tensor viewed(const Tensor& t, const Recorded& step) {
    const std::string kind = step.at(0);
    auto number = [&](size_t i) { return step.at(i).get<int64_t>(); };
    auto list = [&](size_t i) { return step.at(i).get<std::vector<int64_t>>(); };
    if (kind == "transpose") return t.transpose(number(1), number(2));
    if (kind == "permute") return t.permute(list(1));
    if (kind == "slice") return t.slice(number(1), maybe(step.at(2)), maybe(step.at(3)), number(4));
    if (kind == "select") return t.select(number(1), number(2));
    if (kind == "narrow") return t.narrow(number(1), number(2), number(3));
    if (kind == "unsqueeze") return t.unsqueeze(number(1));
    if (kind == "squeeze") return t.squeeze(number(1));
    if (kind == "squeeze_all") return t.squeeze();
    if (kind == "expand") return t.expand(list(1));
    if (kind == "view") return t.view(list(1));
    if (kind == "reshape") return t.reshape(list(1));
    if (kind == "flatten") return t.flatten(number(1), number(2));
    if (kind == "unflatten") return t.unflatten(number(1), list(2));
    if (kind == "unfold") return t.unfold(number(1), number(2), number(3));
    if (kind == "diagonal") return t.diagonal(number(1), number(2), number(3));
    if (kind == "split") return t.split(number(1), number(2)).back();
    if (kind == "split_sizes") return t.split(list(1), number(2)).back();
    if (kind == "chunk") return t.chunk(number(1), number(2)).back();
    if (kind == "unbind") return t.unbind(number(1)).back();
    if (kind == "t") return t.t();
    if (kind == "mT") return t.mT();
    if (kind == "as_strided") return t.as_strided(list(1), list(2), number(3));
    FAIL("unknown step " << kind);
    return t;
  }

  Tensor base_of(const Recorded& row) {
    const auto sizes = row.at("base").get<std::vector<int64_t>>();
    return etude::arange(count_elements(sizes)).reshape(sizes);
  }

  std::string with_type(const Recorded& refusal) {
    return (refusal.at(0) == "IndexError" ? "IndexError: " : "Error: ") + refusal.at(1).get<std::string>();
  }

  }  // namespace

  TEST_CASE("random chains of views have PyTorch's sizes, strides, offsets and values, or its refusal") {
    for (const auto& row : golden_json("core/views.json")) {
      const std::string text = row.dump();
      CAPTURE(text);
      const Tensor base = base_of(row);
      Tensor t = base;
      const std::string found = refusal([&] {
        for (const auto& step : row.at("steps")) t = viewed(t, step);
      });
      CHECK(found == (row.contains("refusal") ? with_type(row.at("refusal")) : ""));
      if (row.contains("refusal") || !found.empty()) continue;
      CHECK(t.sizes().vec() == row.at("sizes").get<std::vector<int64_t>>());
      CHECK(t.strides().vec() == row.at("strides").get<std::vector<int64_t>>());
      CHECK(t.storage_offset() == row.at("offset").get<int64_t>());
      CHECK(t.is_alias_of(base) == row.at("view").get<bool>());
      if (!row.at("values").is_null()) CHECK(equal(t.flatten(), golden_numbers(row.at("values"), kLong)));
    }
  }

  TEST_CASE("the gradients of random chains of views agree with finite differences") {
    int count = 0;
    for (const auto& row : golden_json("core/views.json")) {
      // as_strided may read outside of its input; those elements are not part of the input's gradient.
      if (row.contains("refusal") || base_of(row).numel() == 0 || base_of(row).numel() > 30 ||
          row.dump().find("as_strided") != std::string::npos)
        continue;
      const std::string text = row.dump();
      CAPTURE(text);
      const TensorFunction f = [&](const std::vector<Tensor>& in) {
        Tensor t = in[0];
        for (const auto& step : row.at("steps")) t = viewed(t, step);
        return t * t;
      };
      const Tensor x = sin(base_of(row).to(kDouble));
      CHECK(gradcheck(f, {x}));
      if (++count % 4 == 0) CHECK(gradgradcheck(f, {x}));
    }
    CHECK(count > 150);
  }

  TEST_CASE("writing into a view writes into its base, and the other way round") {
    const Tensor x = etude::zeros({2, 3, 4});
    x.permute({2, 0, 1}).select(0, 1).slice(1, 0, 3, 2).fill_(7);
    CHECK(x.sum().item<float>() == 28);
    CHECK(x[1][2][1].item<float>() == 7);
    const Tensor v = x.view({6, 4}), d = x[0].diagonal();
    x.fill_(2);
    CHECK(equal(v, etude::full({6, 4}, 2.0)));
    CHECK(equal(d, etude::full({3}, 2.0)));
  }

  TEST_CASE("reshape copies only where no view exists") {
    const Tensor x = etude::arange(6).reshape({2, 3});
    CHECK(x.reshape({3, 2}).is_alias_of(x));
    CHECK_FALSE(x.t().reshape({6}).is_alias_of(x));
    CHECK(equal(x.t().reshape({6}), etude::tensor({0, 3, 1, 4, 2, 5})));
    CHECK(x.flatten().is_alias_of(x));
    CHECK(x.reshape({-1}).size(0) == 6);
    CHECK(x.reshape_as(etude::zeros({6, 1})).sizes() == IntArrayRef({6, 1}));
    CHECK(x.view_as(etude::zeros({6})).sizes() == IntArrayRef({6}));
    CHECK(x.expand_as(etude::zeros({4, 2, 3})).sizes() == IntArrayRef({4, 2, 3}));
  }

  TEST_CASE("free functions and methods are the same") {
    const Tensor x = etude::arange(24).reshape({2, 3, 4});
    CHECK(equal(permute(x, {2, 0, 1}), x.permute({2, 0, 1})));
    CHECK(equal(transpose(x, 0, -1), x.transpose(0, -1)));
    CHECK(equal(swapaxes(x, 0, 1), x.swapaxes(0, 1)));
    CHECK(equal(reshape(x, {4, 6}), x.reshape({4, 6})));
    CHECK(equal(flatten(x, 1), x.flatten(1)));
    CHECK(equal(squeeze(x.unsqueeze(1), 1), x));
    CHECK(equal(unsqueeze(x, -1).squeeze(), x));
    CHECK(equal(select(x, 1, -1), x.select(1, -1)));
    CHECK(equal(narrow(x, 2, 1, 2), x.narrow(2, 1, 2)));
    CHECK(equal(slice(x, 2, 0, 4, 3), x.slice(2, 0, 4, 3)));
    CHECK(equal(diagonal(x, 1, 1, 2), x.diagonal(1, 1, 2)));
    CHECK(equal(t(x[0]), x[0].t()));
    CHECK(equal(x[0].numpy_T(), x[0].t()));
    CHECK(equal(as_strided(x, {2, 2}, {1, 2}, 3), x.as_strided({2, 2}, {1, 2}, 3)));
  }

  TEST_CASE("extreme numbers are refused, and strides that no element needs are not") {
    const int64_t most = std::numeric_limits<int64_t>::max();
    const Tensor six = etude::ones({6}), pairs = etude::ones({6, 2});
    CHECK(refusal([&] { six.narrow(0, 3, most); }) ==
          "Error: start (3) + length (9223372036854775807) exceeds dimension size (6).");
    CHECK(six.slice(0, 0, 6, most - 8).sizes() == IntArrayRef({1}));
    CHECK(six.slice(0, 6, 6, most).sizes() == IntArrayRef({0}));
    CHECK(refusal([&] { pairs.slice(0, 0, 6, most); }) ==
          "Error: as_strided: Negative strides are not supported at the moment, got strides: [-2, 1]");
    const Tensor far = pairs.as_strided({1, 2}, {most, 1});
    CHECK(far.unsqueeze(0).strides() == IntArrayRef({most, most, 1}));
    CHECK(equal(far.view({2}), etude::ones({2})));
    CHECK(equal(far + 1, etude::full({1, 2}, 2.)));
    CHECK(pairs.diagonal(most).numel() == 0);
    CHECK(pairs.diagonal(-most - 1).numel() == 0);
    CHECK(refusal([&] {
            etude::ones({1}).expand({most, most});
          }) == "Error: numel: integer multiplication overflow");
  }

  TEST_CASE("unflatten names the dim that a number lacks") {
    CHECK(refusal([] { etude::ones({}).unflatten(0, {-1}); }) ==
          "IndexError: Dimension specified as 0 but tensor has no dimensions");
  }

  TEST_CASE("unflatten refuses in its own words") {
    CHECK(refusal([] {
            etude::ones({2, 6}).unflatten(1, {4, 2});
          }) ==
          "Error: unflatten: Provided sizes [4, 2] don't multiply up to the size of dim 1 (6) in the input "
          "tensor");
    CHECK(refusal([] {
            etude::ones({6}).unflatten(0, {-1, -1});
          }) == "Error: unflatten got an unexpected error:");
    CHECK(refusal([] {
            etude::ones({6}).unflatten(0, {-2, -3});
          }) == newer("Error: unflatten got an unexpected error:", "Error: invalid shape dimension -2"));
  }

  TEST_CASE("a new leading dim of one element has the stride of a contiguous one") {
    CHECK(etude::ones({3}).expand({1, 3}).strides() == IntArrayRef({3, 1}));
    CHECK(etude::ones({3}).expand({2, 1, 3}).strides() == IntArrayRef({0, 3, 1}));
    CHECK(etude::ones({}).expand({1, 1}).strides() == IntArrayRef({0, 0}));
  }
}
