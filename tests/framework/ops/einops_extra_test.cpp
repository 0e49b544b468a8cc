// rearrange, reduce, repeat and parse_shape against einops on PyTorch (tests/golden/make_einops.py).
#include <doctest/doctest.h>

#include "etude/core/shape.h"
#include "etude/ops/ops.h"
#include "support/check_gradients.h"
#include "support/golden.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("einops") {
  namespace {

  // Tensor k of make_einops.py.
  Tensor tensor_for(const Recorded& sizes, const Recorded& reduction, ScalarType dtype, int64_t k) {
    const auto list = sizes.get<std::vector<int64_t>>();
    Tensor x = etude::arange(count_elements(list), kDouble).view(list) + 1000 * k;
    if (!reduction.is_null() && reduction == "prod") x = (x.remainder(7) + 1) / 4;
    return x.to(dtype);
  }

  AxesLengths lengths_of(const Recorded& list) {
    AxesLengths lengths;
    for (const Recorded& axis : list) lengths.emplace_back(axis[0], axis[1].get<int64_t>());
    return lengths;
  }

  struct PatternCase {
    explicit PatternCase(const Recorded& c)
        : op(c.at("op")), pattern(c.at("pattern")), axes(lengths_of(c.at("axes"))) {
      if (!c.at("reduction").is_null()) reduction = c.at("reduction").get<std::string>();
      const ScalarType dtype = golden_dtype(c.at("dtype").get<std::string>());
      const Recorded sizes = c.at("sizes");
      is_list = !sizes.empty() && sizes[0].is_array();
      if (!is_list) tensors.push_back(tensor_for(sizes, c.at("reduction"), dtype, 0));
      else
        for (const Recorded& own : sizes)
          tensors.push_back(tensor_for(own, c.at("reduction"), dtype, static_cast<int64_t>(tensors.size())));
    }

    Tensor run() const { return is_list ? run_on(tensors) : run_on(tensors[0]); }

    template <typename T>
    Tensor run_on(const T& x) const {
      if (op == "reduce") return reduce(x, pattern, reduction, axes);
      return op == "repeat" ? repeat(x, pattern, axes) : rearrange(x, pattern, axes);
    }

    std::string op, pattern, reduction;
    AxesLengths axes;
    std::vector<Tensor> tensors;
    bool is_list = false;
  };

  double weighted(const Tensor& y) {
    const Tensor flat = y.to(kDouble).reshape({-1});
    return (flat * (etude::arange(flat.numel(), kDouble).remainder(97) + 1)).sum().item<double>();
  }

  // The part of our text that must equal the text of einops.
  std::string begin_of(const std::string& text, size_t length) { return text.substr(0, length); }

  }  // namespace

  TEST_CASE("patterns give what einops gives, as a view where that is one, and are refused in its words") {
    int count = 0, refused = 0;
    for (const Recorded& c : golden_json("einops.json")) {
      const std::string text = c.dump();
      CAPTURE(text);
      ++count;
      const PatternCase p(c);
      const auto run = [&] {
        if (p.op == "parse_shape") parse_shape(p.tensors[0], p.pattern);
        else p.run();
      };
      if (c.contains("error")) {
        ++refused;
        const std::string sentence = c.at("error");
        CHECK(begin_of(refusal_lines(run), sentence.size()) == sentence);
        continue;
      }
      CHECK_NOTHROW(run());
      if (p.op == "parse_shape") {
        CHECK((parse_shape(p.tensors[0], p.pattern) == lengths_of(c.at("lengths"))));
        continue;
      }
      const Tensor y = p.run();
      CHECK(y.sizes() == IntArrayRef(c.at("shape").get<std::vector<int64_t>>()));
      CHECK((y.scalar_type() == golden_dtype(c.at("result").get<std::string>())));
      CHECK(weighted(y) == doctest::Approx(c.at("check").get<double>()).epsilon(1e-12));
      CHECK(y.is_alias_of(p.tensors[0]) == c.at("view").get<bool>());
      if (c.at("view").get<bool>())
        CHECK(y.strides() == IntArrayRef(c.at("strides").get<std::vector<int64_t>>()));
    }
    CHECK(count == 453);
    CHECK(refused > 50);
  }

  TEST_CASE("gradients and second gradients agree with finite differences") {
    const Tensor x = sin(etude::arange(24, kDouble) * 0.7).view({4, 3, 2}), w = cos(x);
    check_gradients(
        {[](const std::vector<Tensor>& in) {
           return rearrange(in[0] * in[0], "(a b) c d -> d (c a) b", {{"b", 2}});
         },
         [](const std::vector<Tensor>& in) { return reduce(in[0], "(a 2) c d -> d a", "sum") * 2; },
         [](const std::vector<Tensor>& in) { return reduce(in[0] * in[0], "a c ... -> a 1 ...", "mean"); },
         [](const std::vector<Tensor>& in) { return reduce(in[0], "(a 2) c d -> a d", "max"); },
         [](const std::vector<Tensor>& in) { return reduce(in[0] + 2, "a c d -> c", "prod"); },
         [](const std::vector<Tensor>& in) {
           return repeat(in[0] * in[0], "a b c -> c (a 2) (n b)", {{"n", 2}});
         }},
        {x});
    CHECK(same(rearrange({x, w}, "n a b c -> a n b c"), stack({x, w}, 1)));
    check_gradients({[](const std::vector<Tensor>& in) { return rearrange(in, "n a b c -> (a n) c b"); }},
                    {x, w});
  }

  TEST_CASE("a function reduces the axes that only the left names, which it sees last") {
    const Tensor x = etude::arange(24, kDouble).view({2, 3, 4}) / 10;
    std::vector<int64_t> seen;
    const Tensor y = reduce(x, "a b c -> b", [&](const Tensor& t, IntArrayRef dims) {
      seen = dims.vec();
      CHECK(t.sizes() == IntArrayRef({3, 2, 4}));
      return t.logsumexp(dims);
    });
    CHECK((seen == std::vector<int64_t>{1, 2}));
    CHECK(allclose(y, x.logsumexp({0, 2})));
  }

  TEST_CASE("nothing is done, or recorded, where a pattern changes nothing") {
    const Tensor x = etude::ones({2, 3}, requires_grad());
    CHECK(rearrange(x, "a b -> a b").is_same(x));
    CHECK(rearrange(x, "... -> ...").is_same(x));
    CHECK(node_name(rearrange(x, "a b -> b a")) == "PermuteBackward0");
    CHECK(rearrange(x, "höhe breite -> breite höhe").sizes() == IntArrayRef({3, 2}));
  }

  TEST_CASE("the lengths that a pattern finds are lengths for another") {
    const Tensor x = etude::zeros({2, 3, 4, 5});
    const AxesLengths lengths = parse_shape(x, "b _ h w");
    CHECK((lengths == AxesLengths{{"b", 2}, {"h", 4}, {"w", 5}}));
    CHECK(rearrange(etude::zeros({280}), "(b c h w) -> b c h w", lengths).sizes() ==
          IntArrayRef({2, 7, 4, 5}));
  }

  TEST_CASE("refusals of its own say what to do") {
    const Tensor x = etude::zeros({6, 2});
    CHECK(refusal_lines([&] { rearrange(x, "(h w) c -> h w c"); }) ==
          " Error while processing rearrange-reduction pattern \"(h w) c -> h w c\".\n"
          " Input tensor shape: torch.Size([6, 2]). Additional info: {}.\n"
          " Could not infer sizes for {'h', 'w'}\n"
          "hint: all but one of them are to be given, as in {{\"h\", 2}}");
    CHECK(refusal_text([&] { rearrange(std::vector<Tensor>(), "a -> a"); }) ==
          "Rearrange/Reduce/Repeat can't be applied to an empty list");
    CHECK(refusal_text([&] { rearrange(x, "h w"); }) == "not enough values to unpack (expected 2, got 1)");
    CHECK(refusal([&] { repeat(x, "h w -> h w 12345678901234567890"); }) ==
          "Error:  Error while processing repeat-reduction pattern \"h w -> h w 12345678901234567890\".");
    CHECK(refusal([&] { repeat(x, "h w -> h w c", {{"c", -2}}); }) != "");
    CHECK(refusal([&] { rearrange(x, "(h w) c -> h w c", {{"h", 0}}); }) != "");
    CHECK(refusal([&] { rearrange(x, "(h w) c -> h w c", {{"h", -2}}); }) != "");
    CHECK(refusal([&] {
            rearrange(x, "(a b c d e f g h i) j -> a b c d e f g h i j",
                      {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}, {"f", 1}, {"g", 1}, {"h", 1}});
          }) == "Error: tensors of more than 8 dims are not supported");
  }
}
