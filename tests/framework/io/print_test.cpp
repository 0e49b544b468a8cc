// Prints compared with Python's PyTorch: tests/golden/printing.json.
#include "etude/io/print.h"

#include <doctest/doctest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

#include "etude/ops/ops.h"
#include "support/golden.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("print") {
  namespace {

  const std::map<std::string, ScalarType> types = {{"float32", kFloat}, {"float64", kDouble},
                                                   {"int64", kLong},    {"int32", kInt},
                                                   {"uint8", kByte},    {"bool", kBool}};

  // Restores the print options when a case ends, however it ends.
  struct OptionsGuard {
    explicit OptionsGuard(const PrintOptions& options = {}) { set_printoptions(options); }
    ~OptionsGuard() { set_printoptions(PrintOptions{}); }
  };

  double number(const Recorded& v) {
    if (v.is_string()) return v == "nan" ? std::nan("") : v == "inf" ? HUGE_VAL : -HUGE_VAL;
    return v.is_boolean() ? (v.get<bool>() ? 1 : 0) : v.get<double>();
  }

  Tensor values(const Recorded& row) {
    const ScalarType type = types.at(row["dtype"]);
    const Tensor t = empty(row["shape"].get<std::vector<int64_t>>(), type == kLong ? kLong : kDouble);
    for (int64_t i = 0; i < t.numel(); ++i) {
      if (row.contains("fill")) {
        const Recorded& f = row["fill"];
        const double v = static_cast<double>(i * f["a"].get<int64_t>() % f["m"].get<int64_t>()) *
                             f["scale"].get<double>() +
                         f["offset"].get<double>();
        if (type == kLong) t.data_ptr<int64_t>()[i] = static_cast<int64_t>(v);
        else t.data_ptr<double>()[i] = v;
      } else if (type == kLong) {
        t.data_ptr<int64_t>()[i] = row["values"][static_cast<size_t>(i)].get<int64_t>();
      } else {
        t.data_ptr<double>()[i] = number(row["values"][static_cast<size_t>(i)]);
      }
    }
    return t.to(type);
  }

  // The same values as the result of an op of the given name.
  Tensor with_grad_fn(const Tensor& t, const std::string& name) {
    const Tensor leaf = t.clone().requires_grad_();
    return name == "AddBackward0" ? leaf + 0 : name == "MulBackward0" ? leaf * 1 : leaf.clone();
  }

  PrintOptions options_of(const Recorded& row) {
    PrintOptions o;
    if (!row.contains("options")) return o;
    const Recorded& given = row["options"];
    if (given.contains("profile")) {
      set_printoptions(given["profile"].get<std::string>());
      o = get_printoptions();
    }
    o.precision = given.value("precision", o.precision);
    o.threshold = given.value("threshold", o.threshold);
    o.edgeitems = given.value("edgeitems", o.edgeitems);
    o.linewidth = given.value("linewidth", o.linewidth);
    if (given.contains("sci_mode")) o.sci_mode = given["sci_mode"].get<bool>();
    return o;
  }

  template <typename T>
  std::string streamed(const T& v) {
    std::ostringstream out;
    out << v;
    return out.str();
  }

  template <typename... Parts>
  std::string printed(const Parts&... parts) {
    std::ostringstream out;
    std::streambuf* const before = std::cout.rdbuf(out.rdbuf());
    print(parts...);
    std::cout.rdbuf(before);
    return out.str();
  }

  }  // namespace

  TEST_CASE("every recorded tensor prints as in Python") {
    int count = 0;
    for (const Recorded& row : golden_json("printing.json")) {
      if (row["kind"] != "tensor") continue;
      ++count;
      CAPTURE(row["id"].get<std::string>());
      Tensor t = values(row);
      if (row.contains("permute")) t = t.permute(row["permute"].get<std::vector<int64_t>>());
      if (row.contains("slice")) {
        const auto slice = row["slice"].get<std::vector<int64_t>>();
        t = t.slice(slice.at(0), slice.at(1), slice.at(2), slice.at(3));
      }
      if (row.value("requires_grad", false)) t.set_requires_grad(true);
      if (row.contains("grad_fn")) {
        t = with_grad_fn(t, row["grad_fn"]);
        REQUIRE(t.grad_fn_name() == row["grad_fn"].get<std::string>());
      }
      const OptionsGuard options(options_of(row));
      CHECK((row.value("parameter", false) ? parameter_repr(t) : repr(t)) == row["text"].get<std::string>());
    }
    CHECK(count == 137);
  }

  TEST_CASE("every recorded size and type prints as in Python") {
    int count = 0;
    for (const Recorded& row : golden_json("printing.json")) {
      if (row["kind"] == "size") {
        const auto sizes = row["shape"].get<std::vector<int64_t>>();
        CHECK(streamed(IntArrayRef(sizes)) == row["text"].get<std::string>());
      } else if (row["kind"] == "dtype") {
        CHECK(streamed(types.at(row["dtype"])) == row["text"].get<std::string>());
      } else {
        continue;
      }
      ++count;
    }
    CHECK(count == 9);
  }

  TEST_CASE("every recorded list prints as in Python") {
    int count = 0;
    for (const Recorded& row : golden_json("printing.json")) {
      if (row["kind"] != "tolist") continue;
      ++count;
      CHECK(tolist(values(row)) == row["text"].get<std::string>());
    }
    CHECK(count == 2);
  }

  TEST_CASE("lists hold Python's numbers, whatever the layout") {
    CHECK(tolist(tensor(2.5)) == "2.5");
    CHECK(tolist(tensor({true, false})) == "[True, False]");
    CHECK(tolist(tensor({{1, 2}, {3, 4}}).t()) == "[[1, 3], [2, 4]]");
    CHECK(tolist(zeros({2, 0})) == "[[], []]");
    CHECK(tolist(zeros({0, 2})) == "[]");
    CHECK(tolist(tensor({1.0, std::nan(""), -HUGE_VAL}, kDouble)) == "[1.0, nan, -inf]");
    CHECK(tolist(tensor({1, 255}, kByte)) == "[1, 255]");
  }

  TEST_CASE("streaming a tensor gives its repr; one that is not defined says so") {
    CHECK(streamed(tensor({1.0, 2.0})) == "tensor([1., 2.])");
    CHECK(streamed(Tensor()) == "[ Tensor (undefined) ]");
    CHECK(repr(Tensor()) == "[ Tensor (undefined) ]");
  }

  TEST_CASE("print puts blanks between its arguments and writes numbers as Python does") {
    CHECK(printed() == "\n");
    CHECK(printed("x:", tensor({1, 2})) == "x: tensor([1, 2])\n");
    CHECK(printed(1, 0.1, 0.1f, 1.0, true, false, "text", std::string("more")) ==
          "1 0.1 0.10000000149011612 1.0 True False text more\n");
    CHECK(printed(tensor({{1, 2}}).sizes(), kFloat) == "torch.Size([1, 2]) torch.float32\n");
    CHECK(printed(tensor(0.5).item(), tensor(3).item(), tensor(true).item()) == "0.5 3 True\n");
  }

  TEST_CASE("the default type is not named, others are, and empty tensors name all but the default") {
    CHECK(repr(tensor({1.5}, kDouble)) == "tensor([1.5000], dtype=torch.float64)");
    set_default_dtype(kDouble);
    const std::string doubles = repr(tensor({1.5}, kDouble)), floats = repr(tensor({1.5}, kFloat)),
                      empty_floats = repr(zeros({0}, kFloat)), empty_doubles = repr(zeros({0}, kDouble)),
                      integers = repr(tensor({1}));
    set_default_dtype(kFloat);
    CHECK(doubles == "tensor([1.5000])");
    CHECK(floats == "tensor([1.5000], dtype=torch.float32)");
    CHECK(empty_floats == "tensor([], dtype=torch.float32)");
    CHECK(empty_doubles == "tensor([])");
    CHECK(integers == "tensor([1])");
  }

  TEST_CASE("a tensor of 8 dims nests 8 brackets") {
    CHECK(repr(zeros({1, 1, 1, 1, 1, 1, 1, 2}, kLong)) == "tensor([[[[[[[[0, 0]]]]]]]])");
    // Rows of n dims are separated by n - 1 newlines.
    CHECK(repr(zeros({2, 1, 1, 1, 1, 1, 1, 1}, kLong)) ==
          "tensor([[[[[[[[0]]]]]]],\n\n\n\n\n\n\n        [[[[[[[0]]]]]]]])");
  }

  TEST_CASE("views print what they show") {
    const Tensor x = arange(24).view({2, 3, 4});
    CHECK(repr(x.slice(2, 0, 4, 2)[1]) == "tensor([[12, 14],\n        [16, 18],\n        [20, 22]])");
    CHECK(repr(x.permute({2, 0, 1})[3]) == "tensor([[ 3,  7, 11],\n        [15, 19, 23]])");
    CHECK(repr(tensor(7).expand({3})) == "tensor([7, 7, 7])");
  }

  TEST_CASE("what is left out of a summary does not decide the format") {
    const Tensor x = zeros({2000});
    x[1000] = tensor(1e-30);
    CHECK(repr(x) == "tensor([0., 0., 0.,  ..., 0., 0., 0.])");
    x[1] = tensor(0.5);
    CHECK(repr(x) == "tensor([0.0000, 0.5000, 0.0000,  ..., 0.0000, 0.0000, 0.0000])");
  }

  TEST_CASE("texts of numbers do not follow the locale") {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) {
      std::setlocale(LC_ALL, name);  // where it is installed
      CHECK(repr(tensor({1.5})) == "tensor([1.5000])");
      CHECK(python_float(0.25) == "0.25");
    }
    std::setlocale(LC_ALL, before.c_str());
  }

  TEST_CASE("profiles set what Python's set") {
    const OptionsGuard options;
    set_printoptions("short");
    CHECK(get_printoptions().precision == 2);
    CHECK(get_printoptions().edgeitems == 2);
    CHECK(repr(arange(2001.)) == "tensor([0.00e+00, 1.00e+00,  ..., 2.00e+03, 2.00e+03])");
    set_printoptions("full");
    CHECK(std::isinf(get_printoptions().threshold));
    CHECK(get_printoptions().precision == 4);
    PrintOptions scientific;
    scientific.sci_mode = true;
    set_printoptions(scientific);
    set_printoptions("default");
    CHECK_FALSE(get_printoptions().sci_mode.has_value());
    CHECK(repr(tensor({1.0})) == "tensor([1.])");
  }

  TEST_CASE("options that cannot be are refused and change nothing") {
    const OptionsGuard options;
    PrintOptions wrong;
    wrong.precision = -1;
    CHECK(refusal([&] { set_printoptions(wrong); }) == "ValueError: Format specifier missing precision");
    wrong.precision = 4;
    wrong.edgeitems = -1;
    CHECK(refusal([&] { set_printoptions(wrong); }) == "ValueError: edgeitems must not be negative");
    CHECK(refusal([&] { set_printoptions("fancy"); }) == "ValueError: unknown print profile 'fancy'");
    CHECK(get_printoptions().edgeitems == 3);
  }
}
