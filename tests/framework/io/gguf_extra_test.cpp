// GGUF files, which LibTorch does not read: their bytes are written here by hand, or by tests/golden/io/make_gguf.py.
#include "etude/io/gguf.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <string>

#include "etude/ops/ops.h"
#include "support/has.h"
#include "support/mutated_bytes.h"
#include "support/refusal.h"
#include "support/stored_values.h"
#include "support/temporary_folder.h"

using namespace etude;

TEST_SUITE("gguf") {
  namespace {

  const std::string gguf_golden = std::string(ETUDE_GOLDEN_DIR) + "/io/";

  template <typename T>
  std::string bytes_of(T v) {
    return std::string(reinterpret_cast<const char*>(&v), sizeof v);
  }
  std::string bytes_of(const std::string& text) { return bytes_of<uint64_t>(text.size()) + text; }
  template <typename... Parts>
  std::string joined_bytes(const Parts&... parts) {
    return (bytes_of(parts) + ... + std::string());
  }

  /// A file of `tensors` tensors and `values` metadata, which `rest` describes.
  std::string gguf_of(uint64_t tensors, uint64_t values, const std::string& rest) {
    return "GGUF" + joined_bytes(uint32_t{3}, tensors, values) + rest;
  }

  /// The header of a tensor x, and where it begins.
  std::string gguf_entry(uint32_t type, const std::vector<int64_t>& inner_first, uint64_t offset,
                         const std::string& name = "x") {
    std::string text = joined_bytes(name, static_cast<uint32_t>(inner_first.size()));
    for (const int64_t size : inner_first) text += bytes_of(size);
    return text + joined_bytes(type, offset);
  }

  std::string padded(std::string bytes, size_t alignment = 32) {
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
    return bytes;
  }

  using GgufTensors = OrderedDict<std::string, QuantizedWeight>;

  GgufTensors tensors_of(const GgufFile& file) {
    GgufTensors tensors;
    for (const auto& item : file.entries)
      tensors.insert(item.key(), item->type == "Q8_0" ? file.quantized(item.key())
                                                      : QuantizedWeight{file.tensor(item.key()), {}});
    return tensors;
  }

  /// The error of reading these bytes, after the path; empty if there is none.
  std::string wrong_with_gguf(const std::string& bytes) {
    static const TemporaryFolder folder;
    write_bytes(folder / "x", bytes);
    const std::string text = refusal_text([&] { tensors_of(load_gguf(folder / "x")); });
    if (text.empty()) return text;
    const std::string path = (folder / "x") + ": ";
    REQUIRE(text.rfind(path, 0) == 0);
    return text.substr(path.size());
  }

  /// A file with one value of metadata.
  std::string with_value(uint32_t type, const std::string& value) {
    return gguf_of(0, 1, joined_bytes(std::string("k"), type) + value);
  }

  }  // namespace

  TEST_CASE("every type of metadata is read") {
    const auto metadata = load_gguf(gguf_golden + "every_type.gguf").metadata;
    CHECK(metadata["general.architecture"].toStringRef() == "golden");
    CHECK(metadata["general.alignment"].toInt() == 64);
    const std::vector<std::pair<std::string, std::vector<int64_t>>> integers = {
        {"uint8", {0, 255}},         {"int8", {-128, 127}},
        {"uint16", {0, 65535}},      {"int16", {-32768, 32767}},
        {"uint32", {0, 4294967295}}, {"int32", {INT32_MIN, INT32_MAX}},
        {"uint64", {0, INT64_MAX}},  {"int64", {INT64_MIN, INT64_MAX}}};
    for (const auto& [name, values] : integers) {
      CAPTURE(name);
      CHECK(metadata[name].toInt() == values[1]);
      CHECK(metadata[name + "s"].toIntVector() == values);
    }
    CHECK(metadata["float32"].toDouble() == -1.5);
    CHECK(metadata["float32s"].toDoubleVector() == std::vector<double>{0.1F, -1.5});
    CHECK(metadata["float64s"].toDoubleVector() == std::vector<double>{0.1, -1.5});
    CHECK(metadata["bool"].toBool());
    CHECK(metadata["bools"].to<std::vector<bool>>() == std::vector<bool>{false, true});
    const std::string text(
        "\xc3\x9c"
        "bung\0",
        7);
    CHECK(metadata["string"].toStringRef() == text);
    CHECK(metadata["strings"].to<std::vector<std::string>>() == std::vector<std::string>{"", text});
    const GenericDict nested = metadata["nested"].toGenericDict();
    CHECK(nested.size() == 2);
    CHECK(nested.at(0).toIntVector() == std::vector<int64_t>{1, 2});
    CHECK(nested.at(1).toIntVector() == std::vector<int64_t>{3});
  }

  TEST_CASE("tensors have the sizes that they had in Python") {
    const GgufFile file = load_gguf(gguf_golden + "every_type.gguf");
    CHECK(file.entries.keys() ==
          std::vector<std::string>{"f32", "f16", "bf16", "q8_0", "f64", "i8", "i32", "i64"});
    CHECK(same(file.tensor("f32"), stored_values({2, 3}, kFloat)));
    CHECK(same(file.tensor("f16"), stored_values({3, 1, 2}, kHalf)));
    CHECK(same(file.tensor("bf16"), stored_values({5}, kBFloat16)));
    CHECK(same(file.tensor("f64"), stored_values({2, 2}, kDouble)));
    CHECK(same(file.tensor("i8"), stored_values({7}, kChar)));
    CHECK(same(file.tensor("i32"), stored_values({2, 1, 1, 2}, kInt)));
    CHECK(same(file.tensor("i64"), stored_values({3}, kLong)));
    for (const auto& item : file.entries) {
      const Tensor t = file.tensor(item.key());
      CHECK(item->sizes == t.sizes().vec());
      CHECK(item->dtype == t.scalar_type());
      if (item.key() != "q8_0") CHECK(item->nbytes == t.nbytes());
    }
    CHECK(file.entries["q8_0"].type == "Q8_0");
    CHECK(file.entries["q8_0"].nbytes == 4 * 34);
    CHECK(file.entries["bf16"].type == "BF16");
    CHECK(refusal([&] { file.tensor("x"); }) == "Error: tensor 'x' is not defined");
    CHECK(refusal_text([&] { file.quantized("f32"); }) ==
          file.path + ": the tensor \"f32\" has the type F32, not Q8_0");
  }

  // Every block has 2.5 as its largest magnitude: values are multiples of 1/2 times 127 / 2.5.
  TEST_CASE("Q8_0 is int8 values and a float16 scale for each 32 of them") {
    const GgufFile file = load_gguf(gguf_golden + "every_type.gguf");
    const QuantizedWeight w = file.quantized("q8_0");
    CHECK(w.values.sizes() == IntArrayRef({2, 64}));
    const Tensor scale = etude::full({2, 2}, 2.5F / 127.0F, kFloat).to(kHalf);
    CHECK(same(w.scales, scale));
    const Tensor x = stored_values({2, 64}, kFloat) * (1.0F / (2.5F / 127.0F));
    CHECK(same(w.values, (x.abs() + 0.5).floor().mul(x.sign()).to(kChar)));
    const Tensor each = w.scales.to(kFloat).repeat_interleave(32, 1);
    CHECK(same(file.tensor("q8_0"), w.values.to(kFloat) * each));
  }

  TEST_CASE("what is written is llama.cpp's bytes") {
    const GgufFile golden = load_gguf(gguf_golden + "written.gguf");
    const OrderedDict<std::string, IValue> metadata = {{"general.architecture", "golden"},
                                                       {"count", 7},
                                                       {"least", -5},
                                                       {"epsilon", 1e-5F},
                                                       {"tenth", 0.1},
                                                       {"flag", true},
                                                       {"text", "\xc3\xa4"},
                                                       {"texts", std::vector<std::string>{"", "b"}},
                                                       {"counts", std::vector<int64_t>{1, 2, 3}},
                                                       {"flags", std::vector<bool>{true, false}},
                                                       {"scores", std::vector<double>{-1.5, 0.25}}};
    const Tensor f32 = stored_values({2, 3}, kFloat);
    const GgufTensors tensors = {{"f32", {f32.t().contiguous().t(), {}}},
                                 {"q8_0", golden.quantized("q8_0")},
                                 {"bf16", {stored_values({5}, kBFloat16), {}}},
                                 {"f16", {stored_values({3, 1, 2}, kHalf), {}}}};
    const TemporaryFolder folder;
    save_gguf(folder / "x", tensors, metadata);
    CHECK(read_bytes(folder / "x") == read_bytes(gguf_golden + "written.gguf"));
    save_gguf(folder / "x", tensors_of(golden), golden.metadata);
    CHECK(read_bytes(folder / "x") == read_bytes(gguf_golden + "written.gguf"));
    CHECK(folder.count() == 1);
  }

  TEST_CASE("values and layouts come back as they were") {
    const std::string long_name(63, 'n');
    const Tensor t = stored_values({3, 4, 2}, kFloat);
    const OrderedDict<std::string, IValue> metadata = {
        {"general.alignment", 256},
        {"integers", std::vector<int64_t>{-1, INT64_MAX}},
        {"none", std::vector<double>{}},
        {"reals", std::vector<double>{1e300, std::numeric_limits<double>::infinity()}}};
    const GgufTensors tensors = {{"columns", {t.permute({2, 0, 1}), {}}},
                                 {"steps", {t.slice(1, 0, nullopt, 2), {}}},
                                 {"number", {t[0][1][1], {}}},
                                 {"empty", {t.slice(0, 1, 1), {}}},
                                 {long_name, {t.to(kLong), {}}}};
    const TemporaryFolder folder;
    save_gguf(folder / "x", tensors, metadata);
    const GgufFile back = load_gguf(folder / "x");
    REQUIRE(back.entries.keys() == tensors.keys());
    for (const auto& item : tensors) CHECK(same(back.tensor(item.key()), item->values));
    CHECK(back.get<int64_t>("general.alignment", 0) == 256);
    CHECK(back.get<std::string>("no", "none") == "none");
    CHECK(refusal_text([&] { back.get<std::string>("reals", ""); }) ==
          back.path + ": the metadata \"reals\": Expected another type but got GenericList");
    CHECK(back.metadata["integers"].toIntVector() == metadata["integers"].toIntVector());
    CHECK(back.metadata["none"].toDoubleVector().empty());
    CHECK(back.metadata["reals"].toDoubleVector() == metadata["reals"].toDoubleVector());
    save_gguf(folder / "x", GgufTensors());
    CHECK(load_gguf(folder / "x").entries.is_empty());
  }

  TEST_CASE("types that are not read are listed, and refused by their name") {
    const GgufFile file = load_gguf(gguf_golden + "other_types.gguf");
    CHECK(file.entries.keys() == std::vector<std::string>{"first", "q4_0", "q4_k", "last"});
    CHECK(file.entries["q4_k"].type == "Q4_K");
    CHECK(file.entries["q4_k"].sizes == std::vector<int64_t>{3, 256});
    CHECK_FALSE(file.entries["q4_k"].dtype);
    CHECK(same(file.tensor("last"), stored_values({2}, kFloat)));
    CHECK(refusal_lines([&] { file.tensor("q4_0"); }) ==
          file.path +
              ": the tensor \"q4_0\" has the type Q4_0, which is not read\nhint: llama-quantize "
              "--allow-requantize "
              "makes it Q8_0 or F16");
  }

  TEST_CASE("version 2 is read, and others are refused") {
    std::string bytes = read_bytes(gguf_golden + "every_type.gguf");
    bytes[4] = 2;
    CHECK(wrong_with_gguf(bytes) == "");
    bytes[4] = 1;
    CHECK(wrong_with_gguf(bytes) == "has the GGUF version 1, of which 2 and 3 are read");
    bytes.replace(4, 4, std::string("\0\0\0\3", 4));
    CHECK(wrong_with_gguf(bytes) == "has the GGUF version 50331648, of which 2 and 3 are read");
    CHECK(wrong_with_gguf("") == "is not a GGUF file");
    CHECK(wrong_with_gguf("ggml\3\0\0\0") == "is not a GGUF file");
  }

  TEST_CASE("tensors share the file's memory, or a copy of it") {
    const TemporaryFolder folder;
    save_gguf(folder / "x", {{"a", {etude::ones({4}), {}}}, {"b", {etude::zeros({4}), {}}}});
    const std::string bytes = read_bytes(folder / "x");
    const GgufFile file = load_gguf(folder / "x"), copied = load_gguf(folder / "x", FileMemory::Copied);
    CHECK(static_cast<const char*>(file.tensor("b").data_ptr()) ==
          static_cast<const char*>(file.tensor("a").data_ptr()) + 32);
    file.tensor("a").mul_(7);
    CHECK(read_bytes(folder / "x") == bytes);
    std::filesystem::resize_file(folder / "x", 0);
    CHECK(equal(copied.tensor("a"), etude::ones({4})));
  }

  TEST_CASE("what can't be saved is refused and leaves the file as it was") {
    const TemporaryFolder folder;
    const std::string path = folder / "x", of_x = path + ": the tensor \"x\" ";
    const Tensor t = etude::ones({2, 32});
    save_gguf(path, {{"x", {t, {}}}});
    const std::string bytes = read_bytes(path);
    const auto wrong = [&](const QuantizedWeight& w, const std::string& name = "x") {
      return refusal([&] { save_gguf(path, {{name, w}}); });
    };
    CHECK(wrong({{}, {}}) == "Error: " + of_x + "is undefined or has more than 4 dims");
    CHECK(wrong({t.to(kBool), {}}) ==
          "Error: " + of_x + "has the dtype torch.bool, which GGUF does not have");
    CHECK(wrong({t.to(kByte), {}}) ==
          "Error: " + of_x + "has the dtype torch.uint8, which GGUF does not have");
    CHECK(wrong({etude::ones({1, 1, 1, 1, 1}), {}}) ==
          "Error: " + of_x + "is undefined or has more than 4 dims");
    CHECK(has(wrong({t, {}}, std::string(64, 'n')), "has a name of more than 63 bytes"));
    const std::string no_q8 =
        "Error: " + of_x + "has no float16 scale for each 32 int8 values of a row, as Q8_0 has";
    const Tensor scales = etude::ones({2, 1}, kHalf), values = t.to(kChar);
    CHECK(wrong({values, scales}) == "");
    CHECK(wrong({t, scales}) == no_q8);
    CHECK(wrong({values, scales.to(kFloat)}) == no_q8);
    CHECK(wrong({values, scales[0]}) == no_q8);
    CHECK(wrong({values.view({4, 16}), scales}) == no_q8);
    save_gguf(path, {{"x", {t, {}}}});
    CHECK(refusal([&] {
            save_gguf(path, {{"x", {t, {}}}}, {{"k", t}});
          }) == "Error: save_gguf: metadata can't be a Tensor");
    for (const int64_t alignment : {0, -32, 24})
      CHECK(refusal([&] {
              save_gguf(path, {{"x", {t, {}}}}, {{"general.alignment", alignment}});
            }) == "Error: " + path + ": its general.alignment is not a power of two");
    CHECK(read_bytes(path) == bytes);
    CHECK(folder.count() == 1);
  }

  TEST_CASE("a file that is cut is refused, up to the last byte of its tensors") {
    for (const char* name : {"every_type", "written"}) {
      const std::string whole = read_bytes(gguf_golden + name + ".gguf");
      const size_t padding = whole.size() - whole.find_last_not_of('\0');
      for (size_t length = 0; length + padding < whole.size(); ++length)
        REQUIRE(wrong_with_gguf(whole.substr(0, length)) != "");
    }
  }

  TEST_CASE("counts and lengths beyond the file are refused before memory is taken") {
    const uint64_t most = std::numeric_limits<uint64_t>::max();
    CHECK(has(wrong_with_gguf(gguf_of(most, 0, "")), "ends 0 bytes after byte 24, where 8 are needed"));
    CHECK(has(wrong_with_gguf(gguf_of(0, most, "")), "ends 0 bytes after byte 24, where 8 are needed"));
    CHECK(has(wrong_with_gguf(gguf_of(0, 1, bytes_of(most))),
              "ends 0 bytes after byte 32, where 18446744073709551615 are needed"));
    for (uint32_t type = 0; type <= 12; ++type) {
      CAPTURE(type);
      CHECK(has(wrong_with_gguf(with_value(9, joined_bytes(type, most))), " are needed"));
    }
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += joined_bytes(uint32_t{9}, uint64_t{1});
    CHECK(wrong_with_gguf(with_value(9, deep)) == "has lists in lists, more than 64 deep");
  }

  TEST_CASE("values that are none are refused") {
    CHECK(wrong_with_gguf(with_value(13, "")) == "has a value of the unknown type 13 before byte 37");
    CHECK(wrong_with_gguf(with_value(10, bytes_of(uint64_t{1} << 63))) ==
          "has a number beyond 2^63 before byte 45");
    CHECK(wrong_with_gguf(with_value(9, joined_bytes(uint32_t{13}, uint64_t{1}))) ==
          "has a value of the unknown type 13 before byte 49");
    const std::string k = joined_bytes(std::string("k"), uint32_t{0}, uint8_t{1});
    CHECK(wrong_with_gguf(gguf_of(0, 2, k + k)) == "the metadata \"k\" stand twice in it");
    const std::string alignment = bytes_of(std::string("general.alignment"));
    for (const uint32_t value : {0U, 24U, 3000000000U})
      CHECK(wrong_with_gguf(gguf_of(0, 1, alignment + joined_bytes(uint32_t{4}, value))) ==
            "its general.alignment is not a power of two");
    CHECK(wrong_with_gguf(gguf_of(0, 1, alignment + joined_bytes(uint32_t{8}, std::string("32")))) ==
          "its general.alignment is not a power of two");
  }

  TEST_CASE("tensors that are outside, overlap, are not aligned or have other sizes are refused") {
    const std::string data(64, 'x');
    const auto of = [&](uint32_t type, const std::vector<int64_t>& sizes, uint64_t offset) {
      return wrong_with_gguf(padded(gguf_of(1, 0, gguf_entry(type, sizes, offset))) + data);
    };
    CHECK(of(0, {4, 4}, 0) == "");
    CHECK(of(0, {}, 32) == "");
    CHECK(of(0, {0, int64_t{1} << 40}, 64) == "");
    for (const uint64_t offset : {uint64_t{96}, uint64_t{1} << 63, ~uint64_t{31}, uint64_t{4}})
      CHECK(has(of(0, {1}, offset), "bytes from " + std::to_string(offset) + " on"));
    CHECK(has(of(0, {17}, 0), "the tensor \"x\" has 68 bytes from 0 on"));
    CHECK(of(0, {1, 1, 1, 1, 1}, 0) == "the tensor \"x\" has 5 dims, and 4 are the most");
    CHECK(of(43, {1}, 0) == "the tensor \"x\" has the unknown type 43");
    CHECK(of(4, {1}, 0) == "the tensor \"x\" has the unknown type 4");
    CHECK(of(8, {31}, 0) == "the tensor \"x\" has the sizes [31], which do not fit Q8_0");
    CHECK(of(8, {}, 0) == "the tensor \"x\" has the sizes [], which do not fit Q8_0");
    for (const std::vector<int64_t>& sizes : std::vector<std::vector<int64_t>>{
             {-1}, {int64_t{1} << 62, 4}, {int64_t{1} << 32, int64_t{1} << 32, 0}, {INT64_MAX}})
      CHECK(has(of(0, sizes, 0), "which do not fit F32"));
    const auto two = [&](uint64_t first, uint64_t second, const std::string& name = "y") {
      return wrong_with_gguf(
          padded(gguf_of(2, 0, gguf_entry(0, {8}, first) + gguf_entry(0, {8}, second, name))) + data);
    };
    CHECK(two(0, 32) == "");
    CHECK(has(two(0, 0), "the tensor \"y\" has 32 bytes from 0 on, where the one before ends at 32"));
    CHECK(has(two(32, 0), "the tensor \"y\" has 32 bytes from 0 on, where the one before ends at 64"));
    CHECK(two(0, 32, "x") == "the tensor \"x\" stands twice in it");
  }

  TEST_CASE("files with changed, removed and added bytes give a file or an error") {
    const TemporaryFolder folder;
    std::mt19937 random(5);
    int read = 0, refused = 0;
    for (const char* name : {"every_type", "other_types", "written"}) {
      const std::string whole = read_bytes(gguf_golden + name + ".gguf");
      for (int i = 0; i < 2000; ++i) {
        write_bytes(folder / "x", mutated(whole, random, std::string("\0\1\2\4\b\t ", 7),
                                          [&](size_t size) { return random() % size; }));
        try {
          for (const auto& item : tensors_of(load_gguf(folder / "x"))) item->values.clone();
          ++read;
        } catch (const Error& e) {
          REQUIRE(e.msg().rfind(folder / "x", 0) == 0);
          ++refused;
        }
      }
    }
    CHECK(read > 100);
    CHECK(refused > 2000);
  }
}
