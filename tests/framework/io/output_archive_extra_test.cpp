// Errors of an OutputArchive where LibTorch writes nonsense or crashes, and the file that it writes.
#include "etude/io/output_archive.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "etude/io/input_archive.h"
#include "etude/io/safetensors.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;
using serialize::OutputArchive;

TEST_SUITE("OutputArchive, beyond LibTorch") {
  TEST_CASE("the file is a safetensors file with values as JSON") {
    const TemporaryFolder folder;
    OutputArchive archive, nested, empty;
    nested.write("w", etude::ones({2}));
    nested.write("lr", IValue(1e-3));
    archive.write("nested", nested);
    archive.write("empty", empty);
    archive.write("list", IValue(std::vector<Tensor>{etude::zeros({1})}));
    archive.write("none", IValue());
    archive.write("nan", IValue(std::vector<double>{1, 0.0 / 0.0}));
    archive.save_to(folder / "x");
    const auto tensors = load_safetensors(folder / "x");
    CHECK(tensors["nested.w"].equal(etude::ones({2})));
    CHECK(tensors["list.0"].equal(etude::zeros({1})));
    CHECK(safetensors_metadata(folder / "x") ==
          std::unordered_map<std::string, std::string>{{"nested.lr", "0.001"},
                                                       {"empty", "{}"},
                                                       {"list", "{\"TensorList\":1}"},
                                                       {"none", "null"},
                                                       {"nan", "{\"DoubleList\":[1.0,\"nan\"]}"}});
  }

  TEST_CASE("whether a tensor requires a gradient is not saved") {
    OutputArchive archive;
    archive.write("w", etude::ones({2}).requires_grad_());
    std::stringstream stream;
    archive.save_to(stream);
    serialize::InputArchive read;
    read.load_from(stream);
    Tensor w;
    read.read("w", w);
    CHECK(w.equal(etude::ones({2})));
    CHECK_FALSE(w.requires_grad());
  }

  TEST_CASE("undefined tensors are refused by their name") {
    OutputArchive archive;
    CHECK(refusal_text([&] { archive.write("u", Tensor()); }) ==
          "Cannot access storage of UndefinedTensorImpl");
    CHECK(refusal_text([&] { archive.write("u", IValue(std::vector<Tensor>{Tensor()})); }) ==
          "Cannot access storage of UndefinedTensorImpl");
  }

  TEST_CASE("two ways to one name are refused when it is saved") {
    OutputArchive archive, nested;
    archive.write("a.b", etude::ones({2}));
    nested.write("b", etude::ones({2}));
    archive.write("a", nested);
    std::ostringstream stream;
    CHECK(refusal_text([&] { archive.save_to(stream); }) ==
          "two values of the archive have the name \"a.b\"");
  }

  TEST_CASE("an archive is not nested in itself") {
    OutputArchive archive, nested;
    archive.write("nested", nested);
    CHECK(refusal_text([&] { nested.write("above", archive); }) == "an archive can't be nested in itself");
    CHECK(refusal_text([&] { nested.write("self", nested); }) == "an archive can't be nested in itself");
  }

  TEST_CASE("names and texts have to be UTF-8") {
    OutputArchive archive, other;
    CHECK(refusal_text([&] { archive.write("a", IValue("\xff")); }) ==
          "a text in an archive has to be UTF-8");
    CHECK(refusal_lines([&] { archive.write("name", IValue("\xff")); }).find("received it as 'name'") !=
          std::string::npos);
    other.write("\xff", etude::ones({2}));
    std::ostringstream stream;
    CHECK(refusal_text([&] { other.save_to(stream); }) == "the stream: names and metadata have to be UTF-8");
  }

  TEST_CASE("what cannot be written is an error, and a file of that name stays") {
    const TemporaryFolder folder;
    write_bytes(folder / "x", "before");
    OutputArchive archive;
    archive.write("__metadata__", etude::ones({2}));
    CHECK_THROWS_AS(archive.save_to(folder / "x"), Error);
    CHECK(read_bytes(folder / "x") == "before");
    OutputArchive good;
    good.write("x", etude::ones({2}));
    CHECK(refusal_text([&] { good.save_to([](const void*, size_t) { return size_t{1}; }); }) ==
          "the archive: cannot be written");
    std::ostringstream closed;
    closed.setstate(std::ios::badbit);
    CHECK(refusal_text([&] { good.save_to(closed); }) == "the stream: cannot be written");
  }
}
