// Archives in Etude's file format, which differs from LibTorch's.
#include "etude/io/input_archive.h"

#include <doctest/doctest.h>

#include <cstring>
#include <sstream>
#include <string>

#include "etude/io/output_archive.h"
#include "etude/io/safetensors.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;
using serialize::InputArchive;
using serialize::OutputArchive;

TEST_SUITE("InputArchive, beyond LibTorch") {
  TEST_CASE("a missing name is reported with the file, what is in it, and where the name is") {
    const TemporaryFolder folder;
    save_safetensors(folder / "x", {{"module.weight", etude::ones({2})}, {"module.bias", etude::zeros({1})}});
    InputArchive archive, none;
    archive.load_from(folder / "x");
    Tensor t;
    CHECK(refusal_lines([&] { archive.read("weight", t); }) ==
          "No such serialized tensor 'weight'\nreceived " + (folder / "x") +
              ", which has \"module.bias\", \"module.weight\"\nhint: \"module.weight\" is there, as "
              "DataParallel "
              "writes it: archive.read(\"module\", nested) gives the archive that has it");
    CHECK(refusal_lines([&] { archive.read("fc", none); }) ==
          "No such serialized submodule: 'fc'\nreceived " + (folder / "x") +
              ", which has \"module.bias\", \"module.weight\"");
    save_safetensors(folder / "x", {{"model.fc.w", etude::ones({2})}, {"step", etude::zeros({1})}});
    archive.load_from(folder / "x");
    CHECK(refusal_lines([&] { archive.read("fc", none); }) ==
          "No such serialized submodule: 'fc'\nreceived " + (folder / "x") +
              ", which has \"model\", \"step\"\nhint: \"model.fc\" is there: archive.read(\"model\", nested) "
              "gives "
              "the archive that has it");
  }

  TEST_CASE("any safetensors file is an archive, and its texts are values") {
    const TemporaryFolder folder;
    save_safetensors(folder / "x", {{"a.b.weight", etude::ones({2})}, {"a.bias", etude::zeros({1})}},
                     {{"format", "pt"}, {"steps", "12"}});
    InputArchive archive, a, b;
    archive.load_from(folder / "x");
    CHECK(archive.keys() == std::vector<std::string>{"a", "format", "steps"});
    CHECK(archive.tensor_names() == std::vector<std::string>{"a.b.weight", "a.bias"});
    archive.read("a", a);
    a.read("b", b);
    CHECK(a.tensor_names() == std::vector<std::string>{"b.weight", "bias"});
    Tensor t;
    b.read("weight", t);
    CHECK(t.equal(etude::ones({2})));
    CHECK(archive.try_read("a.b.weight", t));
    IValue v;
    archive.read("format", v);
    CHECK(v.toStringRef() == "pt");
    archive.read("steps", v);
    CHECK(v.toInt() == 12);
  }

  TEST_CASE("a name begins another one without being above it") {
    const TemporaryFolder folder;
    save_safetensors(folder / "x", {{"ab.c", etude::ones({2})}, {"a!", etude::ones({2})}});
    InputArchive archive, none;
    archive.load_from(folder / "x");
    CHECK_FALSE(archive.try_read("a", none));
    CHECK(archive.try_read("ab", none));
  }

  TEST_CASE("readers that give too little or too much are refused") {
    InputArchive archive;
    const auto give = [&archive](size_t given) {
      return refusal_text([&] {
        archive.load_from([given](uint64_t pos, void*, size_t) { return pos == 0 ? given : 0; },
                          [] { return size_t{10}; });
      });
    };
    CHECK(give(0) == "the archive: ends after 0 of 10 bytes");
    CHECK(give(4) == "the archive: ends after 4 of 10 bytes");
    CHECK(give(11) == "the archive: ends after 0 of 10 bytes");
    std::istringstream closed("abc");
    closed.setstate(std::ios::failbit);
    CHECK(refusal_text([&] { archive.load_from(closed); }) == "the stream: cannot be read");
    CHECK(refusal_text([&] { archive.load_from("", 0, Device("cuda")); }) != "");
  }

  TEST_CASE("a load that fails leaves the archive as it was") {
    OutputArchive output;
    output.write("x", etude::ones({2}));
    std::stringstream stream;
    output.save_to(stream);
    InputArchive archive;
    archive.load_from(stream);
    CHECK_THROWS_AS(archive.load_from("abc", 3), Error);
    Tensor x;
    CHECK(archive.try_read("x", x));
  }

  TEST_CASE("a list of tensors that are not all there is not there, however many it is said to have") {
    const TemporaryFolder folder;
    for (const char* text : {"{\"TensorList\":3}", "{\"TensorList\":9000000000000000000}"}) {
      save_safetensors(folder / "x", {{"list.0", etude::ones({2})}, {"list.1", etude::ones({2})}},
                       {{"list", text}});
      InputArchive archive;
      archive.load_from(folder / "x");
      IValue v;
      CHECK_FALSE(archive.try_read("list", v));
    }
  }

  TEST_CASE("a tensor and a text of one name are refused") {
    const TemporaryFolder folder;
    save_safetensors(folder / "x", {{"a", etude::ones({2})}}, {{"a", "1"}});
    InputArchive archive;
    CHECK(refusal_text([&] { archive.load_from(folder / "x"); }) ==
          (folder / "x") + ": a tensor and a text have the name \"a\"");
  }

  TEST_CASE("a name that is missing is refused with those that are there") {
    const TemporaryFolder folder;
    const std::string path = folder / "x";
    const Tensor t = etude::ones({2});
    save_safetensors(path, {{"a.b.weight", t}, {"a.bias", t}}, {{"steps", "12"}});
    InputArchive archive, a;
    archive.load_from(path);
    archive.read("a", a);
    IValue value;
    Tensor read;
    CHECK(refusal_lines([&] { archive.read("step", value); }) ==
          "the archive does not have a field with name 'step'\nreceived " + path +
              ", which has \"a\", \"steps\"");
    CHECK(refusal_lines([&] { a.read("wieght", read); }) ==
          "No such serialized tensor 'a.wieght'\nreceived " + path + ", which has \"b\", \"bias\"");
    CHECK(refusal_lines([&] { archive.read("weight", read); }) ==
          "No such serialized tensor 'weight'\nreceived " + path +
              ", which has \"a\", \"steps\"\nhint: \"a.b.weight\" is there: archive.read(\"a.b\", nested) "
              "gives the "
              "archive that has it");
    CHECK(refusal_lines([&] { a.read("c", archive); }) ==
          "No such serialized submodule: 'a.c'\nreceived " + path + ", which has \"b\", \"bias\"");
    CHECK(refusal_lines([] {
            IValue v;
            InputArchive().read("x", v);
          }) ==
          "the archive does not have a field with name 'x'\nreceived an archive without a file, which has no "
          "names");
    save_safetensors(path, OrderedDict<std::string, Tensor>(), {{"only", "1"}});
    archive.load_from(path);
    CHECK(refusal_lines([&] { archive.read("x", read); }) ==
          "No such serialized tensor 'x'\nreceived " + path + ", which has \"only\"");
    std::stringstream stream;
    OutputArchive output;
    output.write("x", t);
    output.save_to(stream);
    archive.load_from(stream);
    CHECK(refusal_lines([&] { archive.read("y", read); }) ==
          "No such serialized tensor 'y'\nreceived the archive, which has \"x\"");
  }
}
