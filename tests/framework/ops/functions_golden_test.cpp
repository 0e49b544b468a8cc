// Small functions that programs written for LibTorch call: tests/golden/functions.json has the answers of PyTorch 1.13.1, and
// those of 2.14.1 where they differ, which are Etude's.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "etude/framework.h"
#include "support/golden.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("small functions, as PyTorch answered") {
  namespace {

  using Inputs = std::vector<Tensor>;

  // What a row of the file calls, and with what.
  struct RecordedCall {
    TensorFunction op;
    Inputs inputs;
  };
  using RecordedCalls = std::map<std::string, RecordedCall>;

  Tensor recorded_steps(const std::vector<int64_t>& sizes, int64_t start = 0) {
    int64_t n = 1;
    for (const int64_t size : sizes) n *= size;
    return (((etude::arange(n, kDouble) * 7 + start).remainder(11) - 5) / 4).view(sizes);
  }

  // A function of one tensor.
  TensorFunction on_one(Tensor (*op)(const Tensor&)) {
    return [op](const Inputs& in) { return op(in[0]); };
  }

  void add_functions(RecordedCalls& calls) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const Tensor points =
        etude::tensor({0.0, -0.0, 0.25, -0.75, 1.0, -1.0, 1.5, -2.5, inf, -inf, std::nan("")}, kDouble);
    const std::map<std::string, Tensor (*)(const Tensor&)> functions = {
        {"asin", etude::asin},   {"acos", etude::acos},   {"atan", etude::atan},
        {"sinh", etude::sinh},   {"cosh", etude::cosh},   {"asinh", etude::asinh},
        {"acosh", etude::acosh}, {"atanh", etude::atanh}, {"frac", etude::frac}};
    for (const auto& [name, op] : functions) calls[name] = {on_one(op), {points}};
    const std::map<std::string, Tensor (*)(const Tensor&)> aliases = {
        {"arcsin", etude::arcsin},   {"arccos", etude::arccos},   {"arctan", etude::arctan},
        {"arcsinh", etude::arcsinh}, {"arccosh", etude::arccosh}, {"arctanh", etude::arctanh}};
    for (const auto& [name, op] : aliases) calls[name] = {on_one(op), {recorded_steps({5}).abs() / 2}};
    const TensorFunction angle = [](const Inputs& in) { return atan2(in[0], in[1]); };
    calls["atan2"] = {angle, {points.repeat_interleave(11), points.repeat({11})}};
    calls["atan2 broadcast"] = {angle, {recorded_steps({2, 1}), recorded_steps({3}, 4)}};
    calls["atan2 sizes"] = {angle, {recorded_steps({2}), recorded_steps({3})}};
  }

  void add_matrices(RecordedCalls& calls) {
    for (int64_t k = -3; k <= 4; ++k) {
      const TensorFunction op = [k](const Inputs& in) { return diag(in[0], k); };
      calls["diag " + std::to_string(k)] = {op, {recorded_steps({2, 3})}};
      calls["diag of vector " + std::to_string(k)] = {op, {recorded_steps({2})}};
      calls["diag of nothing " + std::to_string(k)] = {op, {recorded_steps({0})}};
    }
    const TensorFunction diagonal = [](const Inputs& in) { return diag(in[0]); };
    calls["diag of 0 dims"] = {diagonal, {recorded_steps({})}};
    calls["diag of 3 dims"] = {diagonal, {recorded_steps({1, 2, 3})}};
    calls["trace"] = {on_one(etude::trace), {recorded_steps({3, 2})}};
    calls["trace of nothing"] = {on_one(etude::trace), {recorded_steps({0, 3})}};
    calls["trace of a vector"] = {on_one(etude::trace), {recorded_steps({3})}};
    for (const std::vector<int64_t>& dims : {std::vector<int64_t>{}, {2}, {2, 3}, {2, 1, 3}, {0, 2}, {-1}}) {
      std::string text;
      for (const int64_t d : dims) text += (text.empty() ? "" : ", ") + std::to_string(d);
      calls["tile [" + text + "]"] = {[dims](const Inputs& in) { return tile(in[0], dims); },
                                      {recorded_steps({2, 2})}};
    }
    calls["tile of a number"] = {[](const Inputs& in) { return in[0].tile({2, 1}); }, {recorded_steps({})}};
  }

  void add_choices(RecordedCalls& calls) {
    const Tensor x = recorded_steps({2, 5});
    calls["clip"] = {[](const Inputs& in) { return clip(in[0], -0.5, 0.75); }, {x}};
    calls["clip min"] = {[](const Inputs& in) { return in[0].clip(-0.5); }, {x}};
    calls["clip max"] = {[](const Inputs& in) { return clip(in[0], nullopt, 0.75); }, {x}};
    calls["clip tensors"] = {[](const Inputs& in) { return clip(in[0], in[1], in[2]); },
                             {x, recorded_steps({5}, 3) - 0.625, recorded_steps({5}, 5) + 0.625}};
    calls["clip without bounds"] = {[](const Inputs& in) { return clip(in[0]); }, {recorded_steps({2})}};
    const TensorFunction broadcast = [](const Inputs& in) { return stack(broadcast_tensors(in)); };
    calls["stacked broadcast_tensors"] = {
        broadcast, {recorded_steps({2, 1}), recorded_steps({3}, 4), recorded_steps({})}};
    calls["broadcast_tensors sizes"] = {broadcast, {recorded_steps({2}), recorded_steps({3})}};
    const Tensor counted = etude::tensor({0.0, -0.0, 2.0, std::nan(""), 1.0, 0.0}, kDouble).view({2, 3});
    for (const std::vector<int64_t>& dims : {std::vector<int64_t>{}, {0}, {1}, {-1}, {0, 1}, {0, 0}, {2}}) {
      std::string text;
      for (const int64_t d : dims) text += (text.empty() ? "" : ", ") + std::to_string(d);
      calls["count_nonzero [" + text + "]"] = {
          [dims](const Inputs& in) { return count_nonzero(in[0], IntArrayRef(dims)); }, {counted}};
    }
    calls["count_nonzero of nothing"] = {
        [](const Inputs& in) { return in[0].count_nonzero(IntArrayRef({0})); }, {recorded_steps({0, 3})}};
  }

  void add_types(RecordedCalls& calls) {
    const std::map<std::string, TensorFunction> ops = {
        {"atan", on_one(etude::atan)},
        {"atan_", [](const Inputs& in) { return in[0].clone().atan_(); }},
        {"frac", on_one(etude::frac)},
        {"frac_", [](const Inputs& in) { return in[0].clone().frac_(); }},
        {"atan2", [](const Inputs& in) { return atan2(in[0], in[0]); }},
        {"atan2_", [](const Inputs& in) { return in[0].clone().atan2_(in[0]); }},
        {"trace", on_one(etude::trace)},
        {"diag", [](const Inputs& in) { return in[0].diag(); }},
        {"diag of vector", [](const Inputs& in) { return in[0][0].diag(); }},
        {"clip", [](const Inputs& in) { return in[0].clip(0, 1); }},
        {"tile", [](const Inputs& in) { return in[0].tile({2}); }},
        {"count_nonzero", [](const Inputs& in) { return in[0].count_nonzero(); }}};
    for (const char* type : {"bool", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64"})
      for (const auto& [name, op] : ops)
        calls[name + " of " + type] = {op, {etude::tensor({{1, 0, 1}, {0, 1, 1}}).to(golden_dtype(type))}};
  }

  // The losses of ATen take a number of this enum.
  void add_losses(RecordedCalls& calls) {
    const std::map<std::string, int64_t> reductions = {
        {"none", Reduction::None}, {"mean", Reduction::Mean}, {"sum", Reduction::Sum}};
    const Tensor target = recorded_steps({3}, 4).abs();
    for (const auto& [name, reduction] : reductions) {
      const auto add = [&calls, end = " " + name](const std::string& loss, TensorFunction op) {
        calls[loss + end] = {std::move(op), {recorded_steps({3})}};
      };
      const int64_t r = reduction;
      add("mse_loss", [=](const Inputs& in) { return mse_loss(in[0], target, r); });
      add("l1_loss", [=](const Inputs& in) { return l1_loss(in[0], target, r); });
      add("smooth_l1_loss", [=](const Inputs& in) { return smooth_l1_loss(in[0], target, r); });
      add("huber_loss", [=](const Inputs& in) { return huber_loss(in[0], target, r); });
      add("soft_margin_loss", [=](const Inputs& in) { return soft_margin_loss(in[0], target, r); });
      add("kl_div", [=](const Inputs& in) { return kl_div(in[0], target, r); });
      add("binary_cross_entropy_with_logits",
          [=](const Inputs& in) { return binary_cross_entropy_with_logits(in[0], target, {}, {}, r); });
    }
  }

  bool has_numbers(const Tensor& found, const Recorded& numbers) {
    const double close = found.dtype() == kDouble ? 1e-12 : 1e-6;
    return allclose(found.detach().flatten().to(kDouble), golden_numbers(numbers, kDouble), close, 0, true);
  }

  void check_recorded(const Recorded& row, const RecordedCall& call) {
    if (row.contains("error")) {
      CHECK(refusal_text([&] { call.op(call.inputs); }) == row.at("error").get<std::string>());
      return;
    }
    Inputs leaves;
    leaves.reserve(call.inputs.size());
    for (const Tensor& x : call.inputs)
      leaves.push_back(x.detach().clone().set_requires_grad(row.contains("gradients")));
    const Tensor y = call.op(leaves);
    CHECK(y.dtype() == golden_dtype(row.at("type").get<std::string>()));
    CHECK(y.sizes().vec() == row.at("sizes").get<std::vector<int64_t>>());
    CHECK(has_numbers(y, row.at("values")));
    if (!row.contains("gradients")) return;
    y.backward(((etude::arange(y.numel(), kDouble).remainder(3) + 1) / 2).view(y.sizes()));
    for (size_t i = 0; i < leaves.size(); ++i)
      CHECK(has_numbers(leaves[i].grad(), row.at("gradients").at(i)));
  }

  RecordedCalls recorded_calls() {
    RecordedCalls calls;
    add_functions(calls);
    add_matrices(calls);
    add_choices(calls);
    add_types(calls);
    add_losses(calls);
    return calls;
  }

  }  // namespace

  TEST_CASE("values, types, gradients and errors are PyTorch's") {
    const Recorded answers = golden_json("functions.json");
    std::set<std::string> changed;
    for (const Recorded& row : answers.at("2.14.1")) changed.insert(row.at("name").get<std::string>());
    const RecordedCalls calls = recorded_calls();
    CHECK(answers.at("1.13.1").size() == calls.size());
    for (const Recorded& row : answers.at("1.13.1")) {
      const std::string name = row.at("name");
      CAPTURE(name);
      if (!changed.count(name)) check_recorded(row, calls.at(name));
    }
  }

  TEST_CASE("where PyTorch 2 changed them, values, types, gradients and errors are PyTorch 2's") {
    const RecordedCalls calls = recorded_calls();
    for (const Recorded& row : golden_json("functions.json").at("2.14.1")) {
      const std::string name = row.at("name");
      CAPTURE(name);
      check_recorded(row, calls.at(name));
    }
  }
}
