#include "etude/optim/named_values.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "etude/io/input_archive.h"
#include "etude/io/output_archive.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;
using optim::NamedValues;

TEST_SUITE("named values") {
  namespace {

  /// A value of every type.
  struct Everything {
    double number = 0;
    bool flag = false;
    int64_t count = 0;
    unsigned steps = 0;
    std::tuple<double, double> betas = {0, 0};
    std::vector<double> lrs = {0, 0};
    Tensor buffer;
    optional<double> initial;

    void name_values(NamedValues& values) {
      values("number", number);
      values("flag", flag);
      values("count", count);
      values("steps", steps);
      values("betas", betas);
      values("lrs", lrs);
      values("buffer", buffer);
      values("initial", initial);
    }
  };

  serialize::InputArchive saved(serialize::OutputArchive& archive) {
    std::stringstream stream;
    archive.save_to(stream);
    serialize::InputArchive read;
    read.load_from(stream);
    return read;
  }

  serialize::InputArchive saved(Everything& everything) {
    serialize::OutputArchive archive;
    NamedValues values(archive);
    CHECK_FALSE(values.is_reading());
    everything.name_values(values);
    return saved(archive);
  }

  /// The error of reading one value.
  template <typename T>
  std::string refused(const IValue& value, T into = {}) {
    serialize::OutputArchive archive;
    archive.write("x", value);
    serialize::InputArchive read = saved(archive);
    NamedValues values(read);
    return refusal_text([&] { values("x", into); });
  }

  }  // namespace

  TEST_CASE("one list writes and reads, and nothing is in its place before commit") {
    Everything from, to;
    from.number = 0.1;
    from.flag = true;
    from.count = int64_t{1} << 53;
    from.steps = 4;
    from.betas = {0.9, 1};
    from.lrs = {1, 1.0 / 3};
    from.buffer = etude::ones({2});
    from.initial = 0.5;
    serialize::InputArchive archive = saved(from);
    NamedValues values(archive);
    CHECK(values.is_reading());
    to.name_values(values);
    CHECK(to.number == 0);
    CHECK_FALSE(to.buffer.defined());
    values.commit();
    CHECK(to.number == 0.1);
    CHECK(to.flag);
    CHECK(to.count == int64_t{1} << 53);
    CHECK(to.steps == 4);
    CHECK(to.betas == std::tuple(0.9, 1.0));
    CHECK(to.lrs == std::vector<double>{1, 1.0 / 3});
    CHECK(to.buffer.equal(etude::ones({2})));
    CHECK(to.initial == 0.5);
  }

  TEST_CASE("what was not there to be saved is not there when it was loaded") {
    Everything from, to;
    to.buffer = etude::ones({2});
    to.initial = 3;
    serialize::InputArchive archive = saved(from);
    NamedValues values(archive);
    to.name_values(values);
    values.commit();
    CHECK_FALSE(to.buffer.defined());
    CHECK_FALSE(to.initial);
  }

  TEST_CASE("other types, lengths and counts are refused") {
    CHECK(refused<double>(IValue("a")) == "Expected Double but got String");
    CHECK(refused<double>(IValue(3)) == "");
    CHECK(refused<bool>(IValue(1)) == "Expected Bool but got Int");
    CHECK(refused<int64_t>(IValue(1.0)) == "Expected Int but got Double");
    CHECK(refused<int64_t>(IValue(-1)) == "expected a count for x, got -1");
    CHECK(refused<int64_t>(IValue((int64_t{1} << 53) + 1)) == "expected a count for x, got 9007199254740993");
    CHECK(refused<unsigned>(IValue(int64_t{1} << 31)) == "expected a count for x, got 2147483648");
    CHECK(refused<std::tuple<double, double>>(IValue(std::vector<double>{1})) ==
          "expected 2 values for x, got 1");
    CHECK(refused<std::vector<double>>(IValue(std::vector<double>{1}), {1, 2}) ==
          "expected 2 values for x, got 1");
    CHECK(refused<std::vector<double>>(IValue(std::vector<int64_t>{1, 2}), {1, 2}) == "");
    CHECK(refused<optional<double>>(IValue("a")) == "Expected Double but got String");
  }

  TEST_CASE("names that were not asked for can be refused") {
    serialize::OutputArchive archive;
    archive.write("x", IValue(1.0));
    archive.write("y", etude::ones({2}));
    serialize::InputArchive read = saved(archive);
    NamedValues values(read);
    double x = 0;
    Tensor y;
    values("x", x);
    CHECK(refusal_text([&] { values.check_no_others(); }) ==
          "the archive has a field with the unknown name 'y'");
    values("y", y);
    values.check_no_others();
  }

  TEST_CASE("a name that is missing is refused") {
    serialize::InputArchive archive;
    NamedValues values(archive);
    double number = 0;
    CHECK(refusal_text([&] { values("x", number); }) == "the archive does not have a field with name 'x'");
  }
}
