#include "etude/io/input_archive.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "etude/io/output_archive.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;
using serialize::InputArchive;
using serialize::OutputArchive;

TEST_SUITE("InputArchive") {
  namespace {

  /// x, which counts from `first`, and y, and z in an archive "inner" of "nested".
  std::string saved_bytes(int64_t first = 0) {
    OutputArchive archive, nested, inner;
    archive.write("x", etude::arange(first, first + 6).view({2, 3}));
    archive.write("y", etude::ones({2}), /*is_buffer=*/true);
    archive.write("n", IValue(3));
    inner.write("z", etude::zeros({1}));
    nested.write("inner", inner);
    archive.write("nested", nested);
    std::ostringstream stream;
    archive.save_to(stream);
    return stream.str();
  }

  InputArchive saved() {
    const std::string bytes = saved_bytes();
    InputArchive archive;
    archive.load_from(bytes.data(), bytes.size());
    return archive;
  }

  IValue back(const IValue& value) {
    OutputArchive archive;
    archive.write("v", value);
    std::stringstream stream;
    archive.save_to(stream);
    InputArchive read;
    read.load_from(stream);
    IValue v;
    read.read("v", v);
    return v;
  }

  void check_saved(InputArchive& archive, int64_t first) {
    Tensor x;
    archive.read("x", x);
    CHECK(x.equal(etude::arange(first, first + 6).view({2, 3})));
  }

  }  // namespace

  TEST_CASE("names that are not there are refused, or false") {
    InputArchive archive = saved(), nested, inner, none;
    Tensor t;
    IValue v;
    CHECK(refusal_text([&] { archive.read("q", t); }) == "No such serialized tensor 'q'");
    CHECK(refusal_text([&] { archive.read("q", none); }) == "No such serialized submodule: 'q'");
    CHECK(refusal_text([&] { archive.read("q", v); }).find("does not have a field with name 'q'") !=
          std::string::npos);
    CHECK_FALSE(archive.try_read("q", t));
    CHECK_FALSE(archive.try_read("q", v));
    CHECK_FALSE(archive.try_read("q", none));
    CHECK_FALSE(t.defined());
    CHECK(v.isNone());

    archive.read("nested", nested);
    nested.read("inner", inner);
    CHECK(refusal_text([&] { inner.read("q", t); }) == "No such serialized tensor 'nested.inner.q'");
    CHECK(refusal_text([&] { nested.read("q", none); }) == "No such serialized submodule: 'nested.q'");
    CHECK(inner.try_read("z", t));
  }

  TEST_CASE("a tensor, a value and an archive are different kinds") {
    InputArchive archive = saved(), none;
    Tensor t;
    CHECK_FALSE(archive.try_read("n", t));
    CHECK_FALSE(archive.try_read("nested", t));
    CHECK_FALSE(archive.try_read("x", none));
    CHECK_FALSE(archive.try_read("n", none));
    IValue v;
    CHECK(archive.try_read("x", v));
    CHECK(v.toTensor().equal(etude::arange(6).view({2, 3})));
  }

  TEST_CASE("buffers and parameters are read alike") {
    InputArchive archive = saved();
    Tensor x, y;
    archive.read("x", x, /*is_buffer=*/true);
    archive.read("y", y);
    CHECK(x.equal(etude::arange(6).view({2, 3})));
    CHECK(y.equal(etude::ones({2})));
  }

  TEST_CASE("a tensor that is defined takes over what was saved, and stays who it is") {
    InputArchive archive = saved();
    Tensor y = etude::zeros({3, 4}).requires_grad_();
    const Tensor same_one = y;
    archive.read("y", y);
    CHECK(y.is_same(same_one));
    CHECK(y.requires_grad());
    CHECK(y.detach().equal(etude::ones({2})));
  }

  TEST_CASE("keys are the names of one level") {
    InputArchive archive = saved(), nested;
    std::vector<std::string> keys = archive.keys();
    std::sort(keys.begin(), keys.end());
    CHECK(keys == std::vector<std::string>{"n", "nested", "x", "y"});
    archive.read("nested", nested);
    CHECK(nested.keys() == std::vector<std::string>{"inner"});
    CHECK(InputArchive().keys().empty());
  }

  TEST_CASE("values come back as what they were") {
    CHECK(back(IValue()).isNone());
    CHECK(back(IValue(true)).toBool());
    CHECK(back(IValue(false)).isBool());
    for (const int64_t n :
         {int64_t{0}, int64_t{-5}, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()})
      CHECK(back(IValue(n)).toInt() == n);
    for (const double d : {0.0, 1.0, 0.1, -1.0 / 3, 1e300, 5e-324, HUGE_VAL, -HUGE_VAL}) {
      CHECK(back(IValue(d)).isDouble());
      CHECK(back(IValue(d)).toDouble() == d);
    }
    CHECK(std::signbit(back(IValue(-0.0)).toDouble()));
    CHECK(std::isnan(back(IValue(std::nan(""))).toDouble()));
    for (const char* text : {"", "a \"quoted\"\n\\line", "3", "null", "{}", "[1]", "\xc3\xa4"})
      CHECK(back(IValue(std::string(text))).toStringRef() == text);
    const std::vector<int64_t> ints = {1, -2};
    CHECK(back(IValue(ints)).toIntVector() == ints);
    CHECK(back(IValue(std::vector<int64_t>())).toIntVector().empty());
    const std::vector<double> doubles = {1, 0.5, HUGE_VAL};
    CHECK(back(IValue(doubles)).toDoubleVector() == doubles);
    CHECK(back(IValue(std::vector<double>{2})).toDoubleVector() == std::vector<double>{2});
    CHECK(back(IValue(std::vector<double>())).toDoubleVector().empty());
    const std::vector<Tensor> tensors =
        back(IValue(std::vector<Tensor>{etude::ones({2}), etude::zeros({})})).toTensorVector();
    REQUIRE(tensors.size() == 2);
    CHECK(tensors[0].equal(etude::ones({2})));
    CHECK(tensors[1].equal(etude::zeros({})));
    CHECK(back(IValue(std::vector<Tensor>())).toTensorVector().empty());
  }

  TEST_CASE("an archive is loaded from a file, a stream, memory or functions, again and again") {
    const TemporaryFolder folder;
    write_bytes(folder / "archive", saved_bytes(1));
    InputArchive archive;
    archive.load_from(folder / "archive", Device(kCPU));
    check_saved(archive, 1);
    std::string bytes = saved_bytes(2);
    archive.load_from(bytes.data(), bytes.size());
    check_saved(archive, 2);
    std::istringstream stream(saved_bytes(3));
    archive.load_from(stream);
    check_saved(archive, 3);
    bytes = saved_bytes(4);
    archive.load_from(
        [&bytes](uint64_t pos, void* buffer, size_t size) -> size_t {
          if (pos >= bytes.size()) return 0;
          const size_t given = std::min(size, bytes.size() - pos);
          std::memcpy(buffer, bytes.data() + pos, given);
          return given;
        },
        [&bytes] { return bytes.size(); });
    check_saved(archive, 4);
    stream.seekg(0);
    archive.load_from(stream);
    check_saved(archive, 3);
  }

  TEST_CASE("a part that was read lives on without the whole") {
    InputArchive inner;
    {
      InputArchive archive = saved(), nested;
      archive.read("nested", nested);
      nested.read("inner", inner);
    }
    InputArchive moved = std::move(inner);
    Tensor z;
    moved.read("z", z);
    CHECK(z.equal(etude::zeros({1})));
  }

  TEST_CASE("what is no archive is refused") {
    InputArchive archive;
    CHECK_THROWS_AS(archive.load_from("/nonexistent/x"), Refusal);
    CHECK_THROWS_AS(archive.load_from("abc", 3), Refusal);
    const std::string bytes = saved_bytes();
    CHECK_THROWS_AS(archive.load_from(bytes.data(), bytes.size() / 2), Refusal);
    std::istringstream empty;
    CHECK_THROWS_AS(archive.load_from(empty), Refusal);
  }
}
