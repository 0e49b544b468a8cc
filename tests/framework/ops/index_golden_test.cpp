// x.index(...) and x.index_put_(...) against PyTorch: values, sizes, grad_fn, gradients and errors
// (tests/golden/make_index.py).
#include <doctest/doctest.h>

#include "etude/autograd/autograd.h"
#include "etude/core/shape.h"
#include "etude/ops/ops.h"
#include "support/golden.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;
using indexing::Slice;
using indexing::TensorIndex;

TEST_SUITE("golden indexing") {
  namespace {

  Tensor read(const Recorded& j, const char* sizes, ScalarType dtype) {
    return golden_numbers(j.at("values"), dtype).reshape(j.at(sizes).get<std::vector<int64_t>>());
  }

  optional<int64_t> part(const Recorded& j) {
    return j.is_null() ? optional<int64_t>() : optional<int64_t>(j.get<int64_t>());
  }

  TensorIndex entry(const Recorded& j) {
    if (j.is_null()) return indexing::None;
    if (j.is_string()) return j.get<std::string>().c_str();
    if (j.is_boolean()) return j.get<bool>();
    if (j.is_number()) return j.get<int64_t>();
    if (j.contains("slice"))
      return Slice(part(j.at("slice").at(0)), part(j.at("slice").at(1)), part(j.at("slice").at(2)));
    return j.contains("ids") ? read(j, "ids", kLong) : read(j, "mask", kBool);
  }

  std::vector<TensorIndex> entries(const Recorded& list) {
    std::vector<TensorIndex> result;
    for (const Recorded& j : list) result.push_back(entry(j));
    return result;
  }

  // The text of an error, with the tensor type named as in the errors here.
  std::string sentence(std::string text) {
    const std::string type = "torch.DoubleTensor";
    const size_t at = text.find(type);
    return at == std::string::npos ? text : text.replace(at, type.size(), tensor_type("Double"));
  }

  struct Example {
    explicit Example(const Recorded& c) : index(entries(c.at("index"))) {
      const std::vector<int64_t> sizes = c.at("x").get<std::vector<int64_t>>();
      leaf = etude::arange(count_elements(sizes), kDouble).reshape(sizes).set_requires_grad(true);
      x = (leaf * 2).permute(c.at("dims").get<std::vector<int64_t>>());
      if (!c.contains("value")) return;
      x = x.clone();
      is_number = c.at("value").is_number();
      if (!is_number) value = read(c.at("value"), "sizes", kDouble).set_requires_grad(true);
      else number = c.at("value").get<double>();
      assigns = true;
    }

    Tensor run() {
      if (!assigns) return x.index(index);
      if (is_number) x.index_put_(index, number);
      else x.index_put_(index, value);
      return x;
    }

    std::vector<TensorIndex> index;
    Tensor leaf, x, value;
    Scalar number;
    bool assigns = false, is_number = false;
  };

  void check_gradients(const Recorded& c, const Example& e, const Tensor& y) {
    const Tensor dy = etude::arange(1, y.numel() + 1, kDouble).reshape(y.sizes());
    std::vector<Tensor> leaves{e.leaf};
    if (e.value.defined()) leaves.push_back(e.value);
    const std::vector<Tensor> found = autograd::grad({y}, leaves, {dy}, nullopt, false, true);
    for (size_t i = 0; i < leaves.size(); ++i) {
      CAPTURE(i);
      const Tensor g = found[i].defined() ? found[i] : etude::zeros_like(leaves[i]);
      CHECK(same(g.reshape({-1}), golden_numbers(c.at(i == 0 ? "dx" : "dvalue"), kDouble)));
    }
  }

  // Compares the cases that PyTorch 2 changed, or the others, and counts them.
  int compare(bool changed) {
    int count = 0;
    for (const Recorded& c : golden_json("index.json")) {
      if (c.contains("before") != changed) continue;
      const std::string text = c.dump();
      CAPTURE(text);
      ++count;
      Example e(c);
      if (c.contains("error") && !c.at("error").is_null()) {
        const std::string type = c.at("error").at(0) == "IndexError" ? "IndexError: " : "Error: ";
        CHECK(refusal([&] { e.run(); }) == type + sentence(c.at("error").at(1).get<std::string>()));
        continue;
      }
      Tensor y;
      CHECK_NOTHROW(y = e.run());
      if (!y.defined()) continue;
      CHECK(same(y, read(c, "sizes", kDouble)));
      CHECK(node_name(y) == c.at("grad_fn").get<std::string>());
      check_gradients(c, e, y);
    }
    return count;
  }

  }  // namespace

  TEST_CASE("reads and assignments, their gradients and their refusals are PyTorch's") {
    CHECK(compare(false) == 391);
  }

  TEST_CASE("whole slices are no slices, and what follows a mask indexes the dims behind it") {
    CHECK(compare(true) == 9);
  }
}
