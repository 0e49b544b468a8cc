// Safetensors files, which LibTorch does not read: their bytes are written here by hand, or by tests/golden/io/make.py.
#include "etude/io/safetensors.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>

#include "etude/io/serialize.h"
#include "etude/ops/ops.h"
#include "support/mutated_bytes.h"
#include "support/refusal.h"
#include "support/stored_values.h"
#include "support/temporary_folder.h"

using namespace etude;

TEST_SUITE("safetensors") {
  namespace {

  const std::string golden = std::string(ETUDE_GOLDEN_DIR) + "/io/";
  using Tensors = OrderedDict<std::string, Tensor>;

  std::string file_of(const std::string& header, const std::string& data = "") {
    const uint64_t length = header.size();
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &length, 8);
    return bytes + header + data;
  }

  /// The error of reading these bytes, after the path; empty if there is none.
  std::string wrong_with(const std::string& bytes) {
    static const TemporaryFolder folder;
    write_bytes(folder / "x", bytes);
    const std::string text = refusal_text([&] { load_safetensors(folder / "x"); });
    if (text.empty()) return text;
    const std::string path = (folder / "x") + ": ";
    REQUIRE(text.rfind(path, 0) == 0);
    const bool about_tensors = text.find("a bool is") != std::string::npos;
    if (!about_tensors) CHECK(refusal_text([&] { safetensors_metadata(folder / "x"); }) == text);
    return text.substr(path.size());
  }

  std::string wrong_with_header(const std::string& header, const std::string& data = "") {
    return wrong_with(file_of(header, data));
  }

  /// The entry of a tensor x.
  std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return "\"x\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
  }

  Tensors loaded(const Tensors& tensors, const std::unordered_map<std::string, std::string>& metadata = {}) {
    const TemporaryFolder folder;
    save_safetensors(folder / "x", tensors, metadata);
    CHECK(safetensors_metadata(folder / "x") == metadata);
    return load_safetensors(folder / "x");
  }

  void check_every_dtype(const Tensors& tensors) {
    const OrderedDict<std::string, std::pair<std::vector<int64_t>, ScalarType>> expected = {
        {"int64", {{2, 3}, kLong}}, {"float64", {{3, 2}, kDouble}},  {"float32", {{2, 3}, kFloat}},
        {"int32", {{6}, kInt}},     {"float16", {{2, 2, 2}, kHalf}}, {"bfloat16", {{5}, kBFloat16}},
        {"uint8", {{7}, kByte}},    {"bool", {{2, 2}, kBool}},       {"empty", {{0, 4}, kFloat}},
        {"0-dim", {{}, kByte}}};
    CHECK(tensors.size() == expected.size());
    for (const auto& item : expected) {
      CAPTURE(item.key());
      CHECK(same(tensors[item.key()], stored_values(item->first, item->second)));
      CHECK(tensors[item.key()].is_contiguous());
      CHECK_FALSE(tensors[item.key()].requires_grad());
    }
  }

  }  // namespace

  TEST_CASE("a file has its tensors in the order of their data, and its metadata") {
    const Tensors tensors = load_safetensors(golden + "every_dtype.safetensors");
    check_every_dtype(tensors);
    CHECK(tensors.keys() == std::vector<std::string>{"int64", "float64", "float32", "int32", "float16",
                                                     "bfloat16", "uint8", "bool", "empty", "0-dim"});
    CHECK(safetensors_metadata(golden + "every_dtype.safetensors") ==
          std::unordered_map<std::string, std::string>{{"format", "pt"},
                                                       {"sprache",
                                                        "\xc3\x9c"
                                                        "bung"}});
  }

  TEST_CASE("data may be anywhere, and listed in any order") {
    const Tensors tensors = load_safetensors(golden + "unaligned.safetensors");
    check_every_dtype(tensors);
    CHECK(tensors.keys() == std::vector<std::string>{"0-dim", "empty", "bool", "uint8", "bfloat16", "float16",
                                                     "int32", "float32", "float64", "int64"});
    CHECK(safetensors_metadata(golden + "unaligned.safetensors").empty());
  }

  TEST_CASE("a header of one pair of braces is a file without tensors") {
    CHECK(wrong_with_header("{}") == "");
    CHECK(wrong_with_header("{} \n ") == "");
    CHECK(loaded(Tensors()).is_empty());
    CHECK(wrong_with_header("{\"__metadata__\":{}}") == "");
  }

  TEST_CASE("what is written is the format's bytes: aligned, without gaps, the largest elements first") {
    const TemporaryFolder folder;
    save_safetensors(folder / "x",
                     {{"flags", stored_values({3}, kBool)},
                      {"a", stored_values({2, 3}, kFloat)},
                      {"b", stored_values({3}, kLong)},
                      {"\xc3\xa4\n\"", stored_values({}, kFloat)}},
                     {{"note", "two\nlines"}, {"format", "etude"}});
    CHECK(load_safetensors(folder / "x").keys() == load_safetensors(golden + "written.safetensors").keys());
    // Non-ASCII names are written unchanged, apart from JSON escapes.
    CHECK(read_bytes(folder / "x") == read_bytes(golden + "written.safetensors"));
  }

  TEST_CASE("every dtype and layout comes back as it was") {
    for (const ScalarType dtype : {kDouble, kFloat, kHalf, kBFloat16, kLong, kInt, kByte, kChar, kBool}) {
      CAPTURE(dtype);
      const Tensor t = stored_values({3, 4, 2}, dtype);
      const Tensors before = {{"rows", t},
                              {"columns", t.permute({2, 0, 1})},
                              {"steps", t.slice(1, 0, nullopt, 2)},
                              {"part", t[1]},
                              {"expanded", t.slice(2, 0, 1).expand({3, 4, 5})},
                              {"number", t[0][1][1]},
                              {"empty", t.slice(0, 1, 1)},
                              {"", t.flatten()}};
      const Tensors after = loaded(before, {{"", ""}, {"k", "\xf0\x9f\x8e\xb9"}});
      REQUIRE(after.keys() == before.keys());
      for (const auto& item : before) {
        CAPTURE(item.key());
        CHECK(same(after[item.key()], item.value()));
      }
    }
  }

  TEST_CASE("infinities, nan and the sign of zero come back with their bits") {
    const double inf = std::numeric_limits<double>::infinity();
    const Tensor t = tensor({inf, -inf, -0.0, 5e-324, std::numeric_limits<double>::quiet_NaN()}, kDouble);
    const Tensor back = loaded({{"t", t}})["t"];
    CHECK(std::memcmp(back.data_ptr(), t.data_ptr(), 40) == 0);
  }

  TEST_CASE("what requires grad is saved, and comes back without a graph") {
    const Tensor w = etude::ones({2}).requires_grad_();
    const Tensors back = loaded({{"w", w}, {"y", w * 2}});
    CHECK(back["y"].is_leaf());
    CHECK_FALSE(back["w"].requires_grad());
    CHECK(back["w"].requires_grad_().mul(3).requires_grad());
  }

  TEST_CASE("tensors share the file's memory, and changing them leaves the file and the others as they are") {
    const TemporaryFolder folder;
    save_safetensors(folder / "x", {{"a", etude::ones({4})}, {"b", etude::zeros({4})}});
    const std::string bytes = read_bytes(folder / "x");
    Tensors tensors = load_safetensors(folder / "x");
    const auto* a = static_cast<const char*>(tensors["a"].data_ptr());
    CHECK(static_cast<const char*>(tensors["b"].data_ptr()) == a + 16);
    tensors["a"].mul_(7);
    CHECK(equal(tensors["a"], etude::full({4}, 7.0)));
    CHECK(equal(tensors["b"], etude::zeros({4})));
    CHECK(read_bytes(folder / "x") == bytes);
    CHECK(equal(load_safetensors(folder / "x")["a"], etude::ones({4})));
  }

  TEST_CASE("what is copied does not change with the file, and the file may be cut") {
    const TemporaryFolder folder;
    save_safetensors(folder / "x", {{"a", etude::ones({2000})}, {"b", etude::zeros({4}, kByte)}});
    const Tensors tensors = load_safetensors(folder / "x", FileMemory::Copied);
    std::filesystem::resize_file(folder / "x", 0);
    CHECK(equal(tensors["a"], etude::ones({2000})));
    CHECK(equal(tensors["b"], etude::zeros({4}, kByte)));
    CHECK(refusal_text([&] {
            load_safetensors(folder / "x", FileMemory::Copied);
          }).find("is too short for a safetensors file") != std::string::npos);
    CHECK(refusal_text([] { load_safetensors("/none/x", FileMemory::Copied); }) ==
          "/none/x: cannot be opened: No such file or directory");
  }

  TEST_CASE("a file may be replaced by what was loaded from it") {
    const TemporaryFolder folder;
    save_safetensors(folder / "x", {{"a", etude::ones({1000})}, {"b", etude::zeros({4})}});
    for (int i = 0; i < 3; ++i) {
      const Tensors tensors = load_safetensors(folder / "x");
      tensors["b"].add_(1);
      save_safetensors(folder / "x", tensors);
    }
    CHECK(equal(load_safetensors(folder / "x")["a"], etude::ones({1000})));
    CHECK(equal(load_safetensors(folder / "x")["b"], etude::full({4}, 3.0)));
    CHECK(folder.count() == 1);
  }

  TEST_CASE("what can't be saved is refused and leaves the file as it was") {
    const TemporaryFolder folder;
    save_safetensors(folder / "x", {{"a", etude::ones({4})}});
    const std::string bytes = read_bytes(folder / "x"), path = folder / "x";
    const Tensor t = etude::ones({4});
    CHECK(refusal([&] {
            save_safetensors(path, {{"a", t}, {"b", Tensor()}});
          }) == "Error: " + path + ": the tensor \"b\" is undefined");
    CHECK(refusal([&] {
            save_safetensors(path, {{"__metadata__", t}});
          }) == "Error: " + path + ": a tensor can't have the name \"__metadata__\"");
    const std::string no_text = "Error: " + path + ": names and metadata have to be UTF-8";
    CHECK(refusal([&] { save_safetensors(path, {{"\xff", t}}); }) == no_text);
    CHECK(refusal([&] { save_safetensors(path, {{"a", t}}, {{"k", "\xc3"}}); }) == no_text);
    CHECK(read_bytes(path) == bytes);
    CHECK(folder.count() == 1);
  }

  TEST_CASE("a file that is cut or no safetensors file is refused") {
    CHECK(wrong_with("") == "is too short for a safetensors file");
    CHECK(wrong_with("1234567") == "is too short for a safetensors file");
    const std::string whole = read_bytes(golden + "every_dtype.safetensors");
    for (size_t length = 0; length < whole.size(); ++length)
      REQUIRE(wrong_with(whole.substr(0, length)) != "");
    CHECK(wrong_with(whole + "x") == "has 1 bytes after its last tensor");
    CHECK(wrong_with(std::string(8, '\xff') + "{}") ==
          "its header is said to be 18446744073709551615 bytes long, which is more than the file");
    CHECK(wrong_with(std::string("\x03\0\0\0\0\0\0\0{}", 10)) ==
          "its header is said to be 3 bytes long, which is more than the file");
    CHECK(wrong_with(std::string(8, '\0')) == "its header does not begin with {");
  }

  TEST_CASE("a header that is not JSON is refused") {
    CHECK(wrong_with_header("[]") == "its header does not begin with {");
    CHECK(wrong_with_header(" {}") == "its header does not begin with {");
    CHECK(wrong_with_header("\xef\xbb\xbf{}") == "its header does not begin with {");
    CHECK(wrong_with_header(std::string("{}\0", 3)) == "its header has a zero byte");
    for (const char* text :
         {"{", "{}}", "{},", "{\"x\":{", "{\"x\"}", "{x:1}", "{'x':1}", "{/**/}", "{\"\xff\":1}",
          "{\"\\ud800\":1}", "{\"\xc3\":1}", "{\"a\nb\":1}", "{\"x\":NaN}"})
      CHECK(wrong_with_header(text).rfind("its header is not JSON at byte ", 0) == 0);
    CHECK(wrong_with_header("{" + entry("F32", "[1,]", "[0,4]") + "}", "abcd").find("not JSON") !=
          std::string::npos);
    CHECK(wrong_with_header("{" + entry("F32", "[01]", "[0,4]") + "}", "abcd").find("not JSON") !=
          std::string::npos);
    CHECK(wrong_with_header("{" + entry("F32", "[1]", "[0,4]") + ",}", "abcd").find("not JSON") !=
          std::string::npos);
  }

  TEST_CASE("deep nesting is refused at its first step that does not belong there") {
    const std::string deep(1000000, '['), objects = [] {
      std::string s;
      for (int i = 0; i < 100000; ++i) s += "{\"a\":";
      return s;
    }();
    CHECK(wrong_with_header("{\"x\":" + deep) == "the tensor \"x\" is a list and not an object");
    CHECK(wrong_with_header("{\"x\":{\"shape\":" + deep) == "the tensor \"x\" has a list in \"shape\"");
    CHECK(wrong_with_header(objects) == "the tensor \"a\" has an unknown entry \"a\"");
  }

  TEST_CASE("a header with wrong types is refused") {
    CHECK(wrong_with_header("{\"x\":1}") == "the tensor \"x\" is a number and not an object");
    CHECK(wrong_with_header("{\"x\":-1}") == "the tensor \"x\" is a negative number and not an object");
    CHECK(wrong_with_header("{\"x\":null}") == "the tensor \"x\" is a null and not an object");
    CHECK(wrong_with_header("{\"x\":\"y\"}") == "the tensor \"x\" is a text and not an object");
    CHECK(wrong_with_header("{\"x\":true}") == "the tensor \"x\" is a bool and not an object");
    auto of_entry = [](const std::string& text) { return wrong_with_header("{\"x\":{" + text + "}}"); };
    CHECK(of_entry("\"dtype\":1") == "the tensor \"x\" has a number in \"dtype\"");
    CHECK(of_entry("\"dtype\":[]") == "the tensor \"x\" has a list in \"dtype\"");
    CHECK(of_entry("\"dtype\":\"\"") == "the tensor \"x\" has an empty dtype");
    CHECK(of_entry("\"shape\":{}") == "the tensor \"x\" has an object in \"shape\"");
    CHECK(of_entry("\"shape\":2") == "the tensor \"x\" has a number in \"shape\"");
    CHECK(of_entry("\"shape\":[true]") == "the tensor \"x\" has a bool in \"shape\"");
    CHECK(of_entry("\"shape\":[\"2\"]") == "the tensor \"x\" has a text in \"shape\"");
    CHECK(of_entry("\"shape\":[-2]") == "the tensor \"x\" has a negative number in \"shape\"");
    CHECK(of_entry("\"shape\":[2.0]") ==
          "the tensor \"x\" has a number that is not an integer of 64 bits in \"shape\"");
    CHECK(of_entry("\"shape\":[99999999999999999999]") ==
          "the tensor \"x\" has a number that is not an integer of 64 bits in \"shape\"");
    CHECK(of_entry("\"shape\":[9223372036854775808]") == "the tensor \"x\" has a number beyond 2^63");
    CHECK(of_entry("\"shape\":[1,1,1,1,1,1,1,1,1]") == "the tensor \"x\" has more than 8 dims");
    CHECK(of_entry("\"data_offsets\":null") == "the tensor \"x\" has a null in \"data_offsets\"");
    CHECK(of_entry("\"data_offsets\":[-1,0]") ==
          "the tensor \"x\" has a negative number in \"data_offsets\"");
    CHECK(of_entry("\"data_offsets\":[]") == "the tensor \"x\" has data_offsets that are not two numbers");
    CHECK(of_entry("\"data_offsets\":[0]") == "the tensor \"x\" has data_offsets that are not two numbers");
    CHECK(of_entry("\"data_offsets\":[0,0,0]") ==
          "the tensor \"x\" has data_offsets that are not two numbers");
    CHECK(of_entry("\"data_offsets\":[0,0,0,0,0,0,0,0,0]") ==
          "the tensor \"x\" has data_offsets that are not two numbers");
    CHECK(wrong_with_header("{\"__metadata__\":[]}") ==
          "the tensor \"__metadata__\" is a list and not an object");
    CHECK(wrong_with_header("{\"__metadata__\":{\"k\":1}}") ==
          "the metadata \"k\" are a number and not a text");
    CHECK(wrong_with_header("{\"__metadata__\":{\"k\":{}}}") ==
          "the metadata \"k\" are an object and not a text");
    CHECK(wrong_with_header("{\"__metadata__\":{\"k\":[]}}") ==
          "the metadata \"k\" are a list and not a text");
  }

  TEST_CASE("missing, unknown and repeated keys are refused") {
    CHECK(wrong_with_header("{\"x\":{}}") == "the tensor \"x\" has no \"dtype\"");
    CHECK(wrong_with_header("{\"x\":{\"dtype\":\"F32\"}}") == "the tensor \"x\" has no \"shape\"");
    CHECK(wrong_with_header("{\"x\":{\"dtype\":\"F32\",\"shape\":[]}}") ==
          "the tensor \"x\" has no \"data_offsets\"");
    CHECK(wrong_with_header("{\"x\":{\"strides\":[]}}") ==
          "the tensor \"x\" has an unknown entry \"strides\"");
    CHECK(wrong_with_header("{\"x\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}") ==
          "the tensor \"x\" has two entries \"dtype\"");
    CHECK(wrong_with_header("{\"x\":{\"shape\":[],\"shape\":[]}}") ==
          "the tensor \"x\" has two entries \"shape\"");
    CHECK(wrong_with_header("{\"x\":{\"data_offsets\":[0,0],\"data_offsets\":[0,0]}}") ==
          "the tensor \"x\" has two entries \"data_offsets\"");
    const std::string x = entry("U8", "[0]", "[0,0]");
    CHECK(wrong_with_header("{" + x + "," + x + "}") == "the name \"x\" stands twice in its header");
    CHECK(
        wrong_with_header("{\"\\u0061\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},\"a\":{}}") ==
        "the name \"a\" stands twice in its header");
    CHECK(wrong_with_header("{\"__metadata__\":{},\"__metadata__\":{}}") ==
          "the name \"__metadata__\" stands twice in its header");
    CHECK(wrong_with_header("{\"__metadata__\":{\"k\":\"a\",\"k\":\"b\"}}") ==
          "the metadata \"k\" stand twice in its header");
  }

  TEST_CASE("tensors of other dtypes are listed by name, and hide no others") {
    const TemporaryFolder folder;
    const std::string path = folder / "x";
    for (const char* dtype :
         {"I16", "U16", "U32", "U64", "F8_E4M3", "F8_E5M2", "C64", "f32", "torch.float32"}) {
      CAPTURE(dtype);
      write_bytes(path, file_of("{" + entry(dtype, "[2]", "[0,4]") +
                                    ",\"w\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[4,6]}}",
                                "1234\5\6"));
      CHECK(refusal([&] { load_safetensors(path); }) ==
            "Error: " + path + ": has tensors that are not read: \"x\" (" + dtype + ")");
      CHECK(safetensors_metadata(path).empty());
      const auto list = list_safetensors(path);
      CHECK(list.keys() == std::vector<std::string>{"x", "w"});
      CHECK(list["x"].type == dtype);
      CHECK_FALSE(list["x"].dtype);
      CHECK(list["x"].sizes == std::vector<int64_t>{2});
      CHECK(list["x"].nbytes == 4);
      CHECK(list["w"].dtype == kByte);
      CHECK(load_safetensors(path, {"w"})["w"].equal(etude::tensor({5, 6}, kByte)));
      CHECK(refusal([&] {
              load_safetensors(path, {"w", "x"});
            }) == "Error: " + path + ": \"x\" is of the type " + dtype + ", which is not read");
    }
    write_bytes(path, file_of("{" + entry("F8_E4M3", "[2]", "[0,3]") + "}", "12"));
    CHECK_FALSE(refusal([&] { list_safetensors(path); }).empty());
  }

  TEST_CASE("a file of dtypes that only others have is listed as others list it") {
    const std::string path = golden + "other_dtypes.safetensors";
    const auto list = list_safetensors(path);
    // What get_dtype() and get_shape() of safetensors 0.8 return.
    const OrderedDict<std::string, FileEntry> expected = {
        {"c64", {"C64", nullopt, {1}, 8}},    {"w", {"F32", kFloat, {2, 3}, 24}},
        {"u16", {"U16", nullopt, {2}, 4}},    {"i16", {"I16", nullopt, {3}, 6}},
        {"f8", {"F8_E4M3", nullopt, {4}, 4}}, {"flags", {"BOOL", kBool, {2}, 2}}};
    REQUIRE(list.keys() == expected.keys());
    for (const auto& item : expected) {
      CAPTURE(item.key());
      CHECK(list[item.key()].type == item->type);
      CHECK(list[item.key()].dtype == item->dtype);
      CHECK(list[item.key()].sizes == item->sizes);
      CHECK(list[item.key()].nbytes == item->nbytes);
    }
    CHECK(
        refusal_lines([&] { load_safetensors(path); }) ==
        path +
            ": has tensors that are not read: \"c64\" (C64), \"f8\" (F8_E4M3), \"i16\" (I16), \"u16\" (U16)\n"
            "hint: load_safetensors(path, names) reads others by name");
    CHECK_THROWS_AS(load_safetensors(path), TypeError);
    CHECK_THROWS_AS(load_safetensors(path, {"f8"}), TypeError);
    const Tensors some = load_safetensors(path, {"flags", "w"});
    CHECK(same(some["w"], etude::arange(6).view({2, 3}).to(kFloat)));
    CHECK(same(some["flags"], etude::tensor({true, false})));

    serialize::InputArchive archive, nested;
    archive.load_from(path);
    Tensor w, f8;
    IValue value;
    archive.read("w", w);
    CHECK(w.equal(some["w"]));
    // A loop over the names meets all of them, and none is left out silently.
    CHECK(archive.tensor_names() == std::vector<std::string>{"flags", "w", "c64", "f8", "i16", "u16"});
    const std::string said = "Error: " + path + ": \"f8\" is of the type F8_E4M3, which is not read";
    CHECK(refusal([&] { archive.read("f8", f8); }) == said);
    CHECK(refusal([&] { archive.try_read("f8", f8); }) == said);
    CHECK(refusal([&] { archive.try_read("f8", value); }) == said);
    CHECK(refusal([&] { archive.try_read("f8", nested); }) == said);
  }

  TEST_CASE("a list needs the header alone, and checks it as loading does") {
    const TemporaryFolder folder;
    write_bytes(folder / "x", file_of("{" + entry("BOOL", "[2]", "[0,2]") + "}", "\x07\x07"));
    CHECK(list_safetensors(folder / "x")["x"].dtype == kBool);
    for (const char* dtype : {"F32", "I16", "new"}) {
      write_bytes(folder / "x",
                  file_of("{" + entry(dtype, "[4611686018427387904,4611686018427387904]", "[0,8]") + "}",
                          "12345678"));
      CHECK(refusal_text([&] { list_safetensors(folder / "x"); }).find("which do not make 8 bytes") !=
            std::string::npos);
    }
  }

  TEST_CASE("some tensors are loaded by their names, in that order") {
    const std::string path = golden + "every_dtype.safetensors";
    const Tensors some = load_safetensors(path, {"bool", "int64"}, FileMemory::Copied);
    CHECK(some.keys() == std::vector<std::string>{"bool", "int64"});
    CHECK(same(some["int64"], load_safetensors(path)["int64"]));
    CHECK(load_safetensors(path, std::vector<std::string>()).is_empty());
    CHECK(refusal_text([&] {
            load_safetensors(path, {"int46"});
          }).rfind(path + ": has no tensor \"int46\", but \"int64\", ", 0) == 0);
    CHECK_FALSE(refusal([&] { load_safetensors(path, {"bool", "bool"}); }).empty());
    const auto list = list_safetensors(path);
    CHECK(list.keys() == load_safetensors(path).keys());
    CHECK(list["int64"].type == "I64");
    CHECK(list["float16"].nbytes == 16);
  }

  TEST_CASE("ranges that are outside, overlap, leave gaps or do not fit the shape are refused") {
    auto of = [](const std::string& dtype, const std::string& shape, const std::string& offsets) {
      return wrong_with_header("{" + entry(dtype, shape, offsets) + "}", "12345678");
    };
    CHECK(of("F32", "[2]", "[0,8]") == "");
    CHECK(of("F32", "[2]", "[0,9]") ==
          "the tensor \"x\" has the data_offsets [0, 9] in a file with 8 bytes of data");
    CHECK(of("F32", "[2]", "[8,0]") ==
          "the tensor \"x\" has the data_offsets [8, 0] in a file with 8 bytes of data");
    CHECK(of("F32", "[1]", "[4,8]") == "the tensor \"x\" begins at 4 where the one before it ends at 0");
    CHECK(of("F32", "[1]", "[0,4]") == "has 4 bytes after its last tensor");
    CHECK(of("F32", "[1]", "[0,9223372036854775807]") ==
          "the tensor \"x\" has the data_offsets [0, 9223372036854775807] in a file with 8 bytes of data");
    CHECK(of("F32", "[3]", "[0,8]") ==
          "the tensor \"x\" has the shape [3] and the dtype F32, which do not make 8 bytes");
    CHECK(of("F16", "[2]", "[0,8]").find("which do not make 8 bytes") != std::string::npos);
    for (const char* shape :
         {"[4611686018427387904,4611686018427387904]", "[9223372036854775807]", "[4294967296,4294967296,0]",
          "[2305843009213693952,2]", "[2305843009213693954]"})
      CHECK(of("F32", shape, "[0,8]").find("which do not make 8 bytes") != std::string::npos);
    CHECK(of("F32", "[4294967296,4294967296,0]", "[0,0]").find("which do not make 0 bytes") !=
          std::string::npos);

    auto two = [](const std::string& first, const std::string& second) {
      return wrong_with_header("{" + entry("U8", "[5]", first) +
                                   ",\"y\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":" + second + "}}",
                               "12345678");
    };
    CHECK(two("[0,5]", "[5,8]") == "");
    CHECK(two("[3,8]", "[0,3]") == "");
    CHECK(two("[0,5]", "[4,7]") == "the tensor \"y\" begins at 4 where the one before it ends at 5");
    CHECK(two("[0,5]", "[0,3]") == "the tensor \"x\" begins at 0 where the one before it ends at 3");
  }

  TEST_CASE("bools that are neither 0 nor 1 are refused") {
    CHECK(wrong_with_header("{" + entry("BOOL", "[2]", "[0,2]") + "}", std::string("\x01\x00", 2)) == "");
    CHECK(wrong_with_header("{" + entry("BOOL", "[2]", "[0,2]") + "}", "\x01\x02") ==
          "a bool is neither 0 nor 1");
  }

  TEST_CASE("a file that is not there is refused with its path") {
    CHECK(refusal([] { load_safetensors("/none/x.safetensors"); }) ==
          "Error: /none/x.safetensors: cannot be opened: No such file or directory");
  }

  TEST_CASE("files with changed, removed and added bytes give tensors or an error") {
    const TemporaryFolder folder;
    std::mt19937 random(5);
    int read = 0, refused = 0;
    for (const char* name : {"every_dtype", "unaligned", "written"}) {
      const std::string whole = read_bytes(golden + name + ".safetensors");
      for (int i = 0; i < 2000; ++i) {
        const std::string bytes =
            mutated(whole, random, "0123456789{}[],:\"-e ", [&](size_t size) { return random() % size; });
        write_bytes(folder / "x", bytes);
        try {
          for (const auto& item : load_safetensors(folder / "x")) item->sum().to(kDouble).item<double>();
          ++read;
        } catch (const Error& e) {
          REQUIRE(e.msg().rfind(folder / "x", 0) == 0);
          ++refused;
        }
      }
    }
    CHECK(read > 100);
    CHECK(refused > 3000);
  }
}
