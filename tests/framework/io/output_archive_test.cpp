#include "etude/io/output_archive.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "etude/io/input_archive.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;
using serialize::InputArchive;
using serialize::OutputArchive;

TEST_SUITE("OutputArchive") {
  namespace {

  InputArchive loaded(OutputArchive& archive) {
    std::stringstream stream;
    archive.save_to(stream);
    InputArchive read;
    read.load_from(stream);
    return read;
  }

  Tensor tensor_of(InputArchive& archive, const std::string& key) {
    Tensor t;
    archive.read(key, t);
    return t;
  }

  }  // namespace

  TEST_CASE("a name holds what was written to it last") {
    OutputArchive archive;
    archive.write("x", etude::ones({2}));
    archive.write("x", etude::zeros({3}));
    archive.write("n", IValue(1));
    archive.write("n", IValue(2));
    InputArchive read = loaded(archive);
    CHECK(tensor_of(read, "x").equal(etude::zeros({3})));
    IValue n;
    read.read("n", n);
    CHECK(n.toInt() == 2);
  }

  TEST_CASE("a name keeps its kind") {
    OutputArchive archive, nested;
    archive.write("x", etude::ones({2}));
    archive.write("nested", nested);
    const std::string sentence = "Parameter field mismatch for the field 'x'";
    CHECK(refusal_text([&] { archive.write("x", IValue(1)); }) == sentence);
    CHECK(refusal_text([&] { archive.write("nested", etude::ones({2})); }) ==
          "Parameter field mismatch for the field 'nested'");
  }

  TEST_CASE("what is written to a nested archive later is saved too") {
    OutputArchive archive, nested;
    archive.write("nested", nested);
    nested.write("late", etude::ones({2}));
    InputArchive read = loaded(archive), inner;
    read.read("nested", inner);
    CHECK(tensor_of(inner, "late").equal(etude::ones({2})));
  }

  TEST_CASE("the call operator writes") {
    OutputArchive archive, nested;
    archive("x", etude::ones({2}), /*is_buffer=*/true);
    archive("n", IValue(4));
    archive("nested", nested);
    InputArchive read = loaded(archive), inner;
    Tensor x;
    read("x", x, /*is_buffer=*/true);
    CHECK(x.equal(etude::ones({2})));
    IValue n;
    read("n", n);
    CHECK(n.toInt() == 4);
    read("nested", inner);
    CHECK(inner.keys().empty());
  }

  TEST_CASE("tensors of every type, of any strides and of no elements come back") {
    const Tensor counted = etude::arange(24).view({2, 3, 4});
    for (const ScalarType dtype : {kFloat, kDouble, kLong, kInt, kByte, kChar, kBool}) {
      const Tensor t = counted.to(dtype);
      OutputArchive archive;
      archive.write("strided", t.transpose(0, 2).slice(1, 0, 3, 2));
      archive.write("flipped", t.flip({1}));
      archive.write("expanded", t[0][1].expand({3, 4}));
      archive.write("number", t[1][1][1]);
      archive.write("empty", t.slice(1, 0, 0));
      InputArchive read = loaded(archive);
      CHECK(same(tensor_of(read, "strided"), t.transpose(0, 2).slice(1, 0, 3, 2)));
      CHECK(same(tensor_of(read, "flipped"), t.flip({1})));
      CHECK(same(tensor_of(read, "expanded"), t[0][1].expand({3, 4})));
      CHECK(same(tensor_of(read, "number"), t[1][1][1]));
      CHECK(tensor_of(read, "empty").sizes().vec() == std::vector<int64_t>{2, 0, 4});
    }
  }

  TEST_CASE("a function takes the bytes in pieces") {
    OutputArchive archive;
    archive.write("x", etude::arange(100000));
    std::string bytes;
    archive.save_to([&bytes](const void* data, size_t size) {
      bytes.append(static_cast<const char*>(data), size);
      return size;
    });
    InputArchive read;
    read.load_from(bytes.data(), bytes.size());
    CHECK(tensor_of(read, "x").equal(etude::arange(100000)));
  }

  TEST_CASE("a folder that is not there is refused") {
    OutputArchive archive;
    CHECK_THROWS_AS(archive.save_to("/nonexistent/folder/x"), Refusal);
  }
}
