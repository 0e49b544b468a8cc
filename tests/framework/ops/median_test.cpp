// Medians: values, indices and gradients recorded from both versions of PyTorch.
#include <cmath>
#include <limits>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/golden_functions.h"
#include "support/node_name.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("median") {
  namespace {

  using List = std::vector<Tensor>;

  List whole(const List& in, const Recorded&) { return {in[0].median()}; }
  List whole_of_numbers(const List& in, const Recorded&) { return {etude::nanmedian(in[0])}; }
  List along(const List& in, const Recorded& arguments) {
    const auto [values, indices] =
        in[0].median(arguments.at("dim").get<int64_t>(), arguments.at("keepdim").get<bool>());
    return {values, indices};
  }

  }  // namespace

  TEST_CASE("values, positions and gradients are PyTorch's, also those of equal elements") {
    check_recorded("median", whole);
    check_recorded("median along", along);
    check_recorded("nanmedian", whole_of_numbers);
    check_recorded("nanmedian along", [](const List& in, const Recorded& arguments) {
      const auto [values, indices] =
          in[0].nanmedian(arguments.at("dim").get<int64_t>(), arguments.at("keepdim").get<bool>());
      return List{values, indices};
    });
  }

  TEST_CASE("floats of 16 bits have medians") {
    check_recorded("median", whole, true);
    check_recorded("nanmedian", whole_of_numbers, true);
    check_recorded("median along", along, true);
  }

  TEST_CASE("views are read where they lie") {
    const Tensor x = uneven({5, 4, 3}).sin();
    for (const Tensor& view : {x.transpose(0, 2), x.slice(0, 0, 5, 2), x.flip(1)}) {
      CHECK(same(view.median(), view.contiguous().median()));
      for (int64_t dim = 0; dim < view.dim(); ++dim) {
        CHECK(same(std::get<0>(view.median(dim)), std::get<0>(view.contiguous().median(dim))));
        CHECK(same(std::get<1>(median(view, dim, true)), std::get<1>(view.contiguous().median(dim, true))));
      }
    }
    CHECK(same(etude::tensor({3, 1, 2}, kChar).median(), etude::tensor(2, kChar)));
  }

  TEST_CASE("gradients and second gradients agree with finite differences") {
    check_gradients({[](const List& in) { return in[0].median().square(); },
                     [](const List& in) { return std::get<0>(in[0].median(0)).square(); },
                     [](const List& in) { return std::get<0>(in[0].t().median(0, true)).square(); }},
                    {uneven({3, 4}).to(kDouble)});
    check_gradients({[](const List& in) { return in[0].median() * std::get<0>(in[0].median(0)); }},
                    {etude::tensor(1.5, kDouble)});
    const Tensor x = uneven({3, 4}).to(kDouble), some = x.gt(-1);
    const auto holed = [&some](const Tensor& t) {
      return where(some, t, etude::full({}, std::nan(""), kDouble));
    };
    check_gradients({[&](const List& in) { return holed(in[0]).nanmedian().square(); },
                     [&](const List& in) { return std::get<0>(etude::nanmedian(holed(in[0]), 1)).square(); }},
                    {x});
    const Tensor leaf = etude::ones({2, 2}, requires_grad());
    CHECK(node_name(leaf.median()) == "MedianBackward0");
    CHECK(node_name(std::get<0>(leaf.median(0))) == "MedianBackward1");
    CHECK(node_name(leaf.nanmedian()) == "NanmedianBackward0");
    CHECK(node_name(std::get<0>(leaf.nanmedian(0))) == "NanmedianBackward1");
    CHECK_FALSE(std::get<1>(leaf.median(0)).requires_grad());
  }

  TEST_CASE("refuses bools, and dims without elements or that are not there") {
    CHECK(refusal_text([] { etude::ones({2}, kBool).median(); }) ==
          "\"median_cpu\" not implemented for 'Bool'");
    CHECK(refusal_text([] { etude::ones({2}, kBool).median(0); }) ==
          "\"median_out\" not implemented for 'Bool'");
    CHECK(refusal_text([] {
            etude::zeros({0, 3}).median(0);
          }) == "median(): Expected reduction dim 0 to have non-zero size.");
    CHECK(refusal_text([] { etude::tensor(2.f).median(1); }) ==
          "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
  }
}
