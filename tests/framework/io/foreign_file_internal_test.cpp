// Files of one format given to the readers of others, and names that are not where they are expected.
#include "etude/io/detail/foreign_file.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/data/tokens.h"
#include "etude/io/gguf.h"
#include "etude/io/npy.h"
#include "etude/io/pt.h"
#include "etude/io/safetensors.h"
#include "etude/io/serialize.h"
#include "etude/ops/ops.h"
#include "etude/text/byte_pair_tokenizer.h"
#include "etude/text/tokenizer.h"
#include "support/any_function.h"
#include "support/has.h"
#include "support/pt_files.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;

TEST_SUITE("files of other formats") {
  namespace {

  using namespace std::string_literals;

  struct ForeignExample {
    std::string bytes, what, hint;
  };

  std::vector<ForeignExample> foreign_examples() {
    std::vector<ForeignExample> all = {
        {"GGUF\3\0\0\0"s + std::string(16, '\0'), "a file of llama.cpp (GGUF)",
         "load_gguf reads it, nn::from_pretrained makes a model of it"},
        {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "a pointer of Git LFS",
         "run `git lfs pull`, which brings the file"},
        {read_bytes(ETUDE_GOLDEN_DIR "/io/f4.npy"), "a .npy file", "load_npy reads it"},
        {"etudetok\1\0\0\0\2\0\0\0\x10\0\0\0\0\0\0\0"s, "a file of tokens", "data::Tokens::open reads it"},
        {read_bytes(ETUDE_GOLDEN_DIR "/io/f4.npy.gz"), "a file of gzip", "gunzip it first"},
        {read_bytes(ETUDE_GOLDEN_DIR "/io/python_before_1.6.pt"),
         "a file of torch.save from before PyTorch 1.6",
         "convert it in Python: torch.save(torch.load(path), new_path)"},
        {read_bytes(ETUDE_GOLDEN_DIR "/io/written.safetensors"), "a safetensors file",
         "load_safetensors reads it"},
        {read_bytes(ETUDE_GOLDEN_DIR "/io/model.safetensors.index.json"), "an index of safetensors files",
         "load the files that it names"},
        {" {\"model\": 3}", "a file of JSON", "text::load_tokenizer reads it if it is a tokenizer"},
        {"\xef\xbb\xbf\n<!DOCTYPE html><html></html>", "a page of HTML or XML",
         "a server's answer: download the file again"},
        {"<?xml version=\"1.0\"?><Error/>", "a page of HTML or XML",
         "a server's answer: download the file again"}};
    for (const char* name : {"protocol_2.pkl", "protocol_3.pkl", "protocol_4.pkl", "protocol_5.pkl"})
      all.push_back({read_bytes(ETUDE_GOLDEN_DIR "/io/"s + name), "a pickle of Python",
                     "in Python, torch.save(pickle.load(open(path, 'rb')), new_path)"});
    if (!has_pt_files()) return all;
    for (const char* name : {"python_tensor.pt", "python_today.pt", "libtorch_module.pt"})
      all.push_back(
          {read_bytes(ETUDE_GOLDEN_DIR "/io/"s + name), "a file of torch.save", "load_pt reads it"});
    all.push_back({read_bytes(ETUDE_GOLDEN_DIR "/io/arrays.npz"), "an archive of NumPy (.npz)",
                   "in Python, numpy.save(new_path, numpy.load(path)[name]) for each array"});
    all.push_back({read_bytes(ETUDE_GOLDEN_DIR "/io/notes.zip"), "an archive of zip", "unzip it first"});
    return all;
  }

  struct Reader {
    std::string name, wanted;
    std::vector<std::string> own;  // what it reads
    AnyFunction<void(const std::string& path)> read;
  };

  std::vector<Reader> readers() {
    const auto load_archive = [](const std::string& path) { serialize::InputArchive().load_from(path); };
    const std::string safetensors = "a safetensors file", pt = "a file of torch.save";
    std::vector<Reader> all = {
        {"load_safetensors",
         "safetensors file",
         {safetensors},
         [](const std::string& p) { load_safetensors(p); }},
        {"list_safetensors",
         "safetensors file",
         {safetensors},
         [](const std::string& p) { list_safetensors(p); }},
        {"safetensors_metadata",
         "safetensors file",
         {safetensors},
         [](const std::string& p) { safetensors_metadata(p); }},
        {"load_npy", ".npy file", {"a .npy file"}, [](const std::string& p) { load_npy(p); }},
        {"load_gguf",
         "GGUF file",
         {"a file of llama.cpp (GGUF)"},
         [](const std::string& p) { load_gguf(p); }},
        {"Tokens",
         "file of tokens",
         {"a file of tokens"},
         [](const std::string& p) { data::Tokens::open(p); }},
        {"load_tokenizer",
         "file of a tokenizer",
         {"a file of llama.cpp (GGUF)", "a file of JSON"},
         [](const std::string& p) { text::load_tokenizer(p); }},
        {"BytePairTokenizer",
         "file of a tokenizer",
         {"a file of JSON"},
         [](const std::string& p) { text::BytePairTokenizer::load(p); }},
        // An archive chooses by what it is: other zips are no files of PyTorch, and the rest is no safetensors file.
        {"InputArchive", "", {safetensors, pt}, load_archive}};
    if (has_pt_files()) {
      all.push_back(
          {"load_pt", "file of PyTorch 1.6 or later", {pt}, [](const std::string& p) { load_pt(p); }});
      all.push_back(
          {"list_pt", "file of PyTorch 1.6 or later", {pt}, [](const std::string& p) { list_pt(p); }});
    }
    return all;
  }

  std::string kind_of(const std::string& bytes) {
    const auto* const kind = detail::kind_of_foreign_file(bytes);
    return kind ? kind->what : "";
  }

  }  // namespace

  TEST_CASE("each reader says what a file of another format is, and what reads it") {
    const TemporaryFolder folder;
    for (const ForeignExample& file : foreign_examples()) {
      write_bytes(folder / "x", file.bytes);
      for (const Reader& reader : readers()) {
        CAPTURE(file.what);
        CAPTURE(reader.name);
        const std::string text = refusal_lines([&] { reader.read(folder / "x"); });
        bool is_own = false;
        for (const std::string& own : reader.own) is_own = is_own || own == file.what;
        if (is_own) {
          CHECK_FALSE(has(text, ", and no "));
          continue;
        }
        const bool is_zip = file.bytes.rfind("PK", 0) == 0;
        const std::string wanted = !reader.wanted.empty() ? reader.wanted
                                   : is_zip               ? "file of PyTorch 1.6 or later"
                                                          : "safetensors file";
        CHECK(text == (folder / "x") + ": is " + file.what + ", and no " + wanted + "\nhint: " + file.hint);
      }
    }
  }

  TEST_CASE("bare ids may begin like a format of few magic bytes, but not like one of four") {
    const TemporaryFolder folder;
    write_bytes(folder / "x", "\x1f\x8b\x08\0"s);
    CHECK(data::Tokens::open_raw(folder / "x", 2).size() == 2);
    write_bytes(folder / "x", "\x80\x04\x95\0"s);
    CHECK(data::Tokens::open_raw(folder / "x", 2).size() == 2);
    write_bytes(folder / "x", "GGUF\3\0\0\0"s);
    CHECK(refusal_text([&] { data::Tokens::open_raw(folder / "x", 2); }) ==
          (folder / "x") + ": is a file of llama.cpp (GGUF), and no file of bare ids");
  }

  TEST_CASE("numbers and texts are of no known format") {
    const std::string numbers = "\x80\x02\0\0\x80\x02\0\0"s;  // 640, twice
    for (const std::string& bytes :
         {""s, "\x80"s, "\x80\x02"s, "<"s, "<s>"s, "text"s, "G"s, numbers, std::string(64, '\0')}) {
      CAPTURE(bytes);
      CHECK(kind_of(bytes).empty());
    }
    CHECK(kind_of("\2\0\0\0\0\0\0\0{}"s) == "a safetensors file");
    // Lengths of headers that are letters: 123 is '{', 60 is '<'.
    CHECK(kind_of("{\0\0\0\0\0\0\0{\"w\""s) == "a safetensors file");
    CHECK(kind_of("<\0\0\0\0\0\0\0{\"w\""s) == "a safetensors file");
    CHECK(kind_of("\2\0\0\0\0\0\0\1{}"s).empty());  // longer than a header may be
  }

  TEST_CASE("a safetensors file that is cut is no foreign file to its own reader") {
    const TemporaryFolder folder;
    write_bytes(folder / "x", read_bytes(ETUDE_GOLDEN_DIR "/io/written.safetensors").substr(0, 100));
    CHECK(has(refusal_text([&] { load_safetensors(folder / "x"); }), ": its header is said to be "));
  }

  TEST_CASE("names of formats that are not written are refused before a file is touched") {
    const TemporaryFolder folder;
    for (const std::string& suffix : {".gguf"s, ".onnx"s, ".npy"s, ".npz"s, ".json"s, ".h5"s, ".pkl"s}) {
      const std::string path = folder / ("x" + suffix);
      CHECK(refusal_lines([&] { save(etude::ones({1}), path); }) ==
            path + ": " + suffix + " is the name of a format that save() does not write\nhint: name it " +
                ".safetensors or .pt" + (suffix == ".npy" ? "; save_npy writes a tensor" : ""));
    }
    CHECK(folder.count() == 0);
    for (const char* name : {"x", "x.bin", "x.ckpt", "x.safetensors", "gguf", "x.gguf.1"})
      save(etude::ones({1}), folder / name);
    CHECK(folder.count() == 6);
  }

  TEST_CASE("a missing name is found behind a prefix, and long lists are cut") {
    const auto hint = [](const std::string& missing, const std::vector<std::string>& names) {
      return detail::prefix_hint(missing, names, "take(\"", ".\")");
    };
    CHECK(hint("weight", {"bias", "module.weight"}) ==
          "\nhint: \"module.weight\" is there, as DataParallel writes it: take(\"module.\")");
    CHECK(hint("fc.weight", {"_orig_mod.fc.weight"}) ==
          "\nhint: \"_orig_mod.fc.weight\" is there: take(\"_orig_mod.\")");
    CHECK(hint("fc", {"model.fc.weight"}) == "\nhint: \"model.fc\" is there: take(\"model.\")");
    CHECK(hint("weight", {"bias", "weight.x", "my_weight", "module.weights"}).empty());
    std::vector<std::string> names(12, "n");
    CHECK(detail::some_of({"a", "b"}) == "\"a\", \"b\"");
    CHECK(has(detail::some_of(names), "\"n\" and 2 more"));
  }
}
