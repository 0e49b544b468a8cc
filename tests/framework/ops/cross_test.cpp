// Vector products recorded from both versions of PyTorch.
#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/golden_functions.h"
#include "support/node_name.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("cross") {
  namespace {

  using List = std::vector<Tensor>;

  List product(const List& in, const Recorded& arguments) {
    return {in[0].cross(in[1], arguments.at("dim").get<int64_t>())};
  }

  }  // namespace

  TEST_CASE("products and their gradients are PyTorch's, along a dim or the first of size 3") {
    check_recorded("cross", product);
    check_recorded("cross", [](const List& in, const Recorded& arguments) {
      return List{linalg_cross(in[0], in[1], arguments.at("dim").get<int64_t>())};
    });
    check_recorded("cross of a default dim",
                   [](const List& in, const Recorded&) { return List{etude::cross(in[0], in[1])}; });
    const Tensor x = uneven({2, 3}), y = uneven({2, 3}).flip(0);
    CHECK(same(linalg_cross(x, y), x.cross(y, 1)));
    CHECK(same(x.t().cross(y.t(), 0), x.cross(y, 1).t()));
  }

  TEST_CASE("floats of 16 bits have vector products") { check_recorded("cross", product, true); }

  TEST_CASE("gradients and second gradients agree with finite differences") {
    const Tensor x = uneven({2, 3, 2}).to(kDouble);
    check_gradients({[](const List& in) { return in[0].cross(in[1], 1); }}, {x, x.flip(0).sin()});
    check_gradients({[](const List& in) { return in[0].cross(in[1], 1); }}, {x, x.sin().narrow(2, 0, 1)});
    const Tensor leaf = etude::ones({3}, requires_grad());
    CHECK(node_name(leaf.cross(leaf)) == "LinalgCrossBackward0");
  }

  TEST_CASE("refuses sizes, dims and types that do not go together") {
    const auto of = [](IntArrayRef a, IntArrayRef b, optional<int64_t> dim = nullopt) {
      return refusal_text([&] { etude::cross(etude::ones(a), etude::ones(b), dim); });
    };
    CHECK(of({3}, {3, 3}) == "linalg.cross: inputs must have the same number of dimensions.");
    CHECK(of({2, 3}, {2, 2}) == "linalg.cross: inputs dimension 1 must have length 3. Got 3 and 2");
    CHECK(of({2, 3}, {2, 3}, 0) == "linalg.cross: inputs dimension 0 must have length 3. Got 2 and 2");
    CHECK(of({2, 2}, {2, 2}) == "no dimension of size 3 in input");
    CHECK(of({}, {}) == "no dimension of size 3 in input");
    CHECK(of({2, 3}, {2, 3}, 5) == "Dimension out of range (expected to be in range of [-2, 1], but got 5)");
    CHECK(of({4, 3}, {2, 3}, 1) ==
          "The size of tensor a (4) must match the size of tensor b (2) at non-singleton dimension 0");
    CHECK(refusal_text([] { etude::cross(etude::ones({3}), etude::ones({3}, kLong)); }) ==
          "expected scalar type Float but found Long");
    const Tensor bools = etude::ones({3}, kBool);
    CHECK(refusal_text([&] { bools.cross(bools); }) == "\"cross\" not implemented for 'Bool'");
  }
}
