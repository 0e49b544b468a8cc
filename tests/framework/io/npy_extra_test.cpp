// .npy files, which LibTorch does not read: their bytes are written here by hand, or by numpy in tests/golden/io/make.py.
#include "etude/io/npy.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <string>

#include "etude/ops/ops.h"
#include "support/mutated_bytes.h"
#include "support/refusal.h"
#include "support/stored_values.h"
#include "support/temporary_folder.h"

using namespace etude;

TEST_SUITE("npy") {
  namespace {

  const std::string golden = std::string(ETUDE_GOLDEN_DIR) + "/io/";
  constexpr std::pair<const char*, ScalarType> types[] = {{"f8", kDouble}, {"f4", kFloat}, {"i8", kLong},
                                                          {"i4", kInt},    {"u1", kByte},  {"b1", kBool},
                                                          {"f2", kHalf},   {"i1", kChar}};

  /// A file of version 1.0.
  std::string file_of(const std::string& header, const std::string& data = "") {
    const auto length = static_cast<uint16_t>(header.size());
    std::string bytes = std::string("\x93NUMPY\x01\x00", 8) + "??";
    std::memcpy(&bytes[8], &length, 2);
    return bytes + header + data;
  }

  /// The error of reading these bytes, after the path; empty if there is none.
  std::string wrong_with(const std::string& bytes) {
    static const TemporaryFolder folder;
    write_bytes(folder / "x", bytes);
    const std::string text = refusal_text([&] { load_npy(folder / "x"); });
    if (text.empty()) return text;
    const std::string path = (folder / "x") + ": ";
    REQUIRE(text.rfind(path, 0) == 0);
    return text.substr(path.size());
  }

  std::string wrong_with_header(const std::string& header, const std::string& data = "abcd") {
    return wrong_with(file_of(header, data));
  }

  /// The error for a header of 4 bytes of data with this text as the shape.
  std::string wrong_with_shape(const std::string& shape) {
    return wrong_with_header("{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + ", }\n");
  }

  std::string wrong_with_type(const std::string& descr) {
    return wrong_with_header("{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,), }\n");
  }

  /// The bytes of a file as save_npy writes it.
  std::string saved(const Tensor& t) {
    const TemporaryFolder folder;
    save_npy(folder / "x", t);
    CHECK(folder.count() == 1);
    return read_bytes(folder / "x");
  }

  Tensor loaded(const Tensor& t) {
    const TemporaryFolder folder;
    save_npy(folder / "x", t);
    return load_npy(folder / "x");
  }

  }  // namespace

  TEST_CASE("numpy's files are read, row by row and column by column") {
    for (const auto& type : types) {
      const std::string name = type.first;
      const ScalarType dtype = type.second;
      CAPTURE(name);
      CHECK(same(load_npy(golden + name + ".npy"), stored_values({2, 3}, dtype)));
      const Tensor columns = load_npy(golden + name + "_fortran.npy");
      CHECK(same(columns, stored_values({2, 3, 4}, dtype)));
      CHECK(columns.strides() == IntArrayRef({1, 2, 6}));
      CHECK_FALSE(columns.is_view());
    }
    CHECK(same(load_npy(golden + "0_dim.npy"), stored_values({}, kFloat)));
    CHECK(same(load_npy(golden + "1_dim.npy"), stored_values({5}, kLong)));
    CHECK(same(load_npy(golden + "empty.npy"), stored_values({2, 0, 3}, kDouble)));
    CHECK(same(load_npy(golden + "version_2.npy"), stored_values({3, 2}, kFloat)));
    CHECK(same(load_npy(golden + "version_3.npy"), stored_values({3, 2}, kFloat)));
  }

  TEST_CASE("what is written is what numpy writes, byte for byte") {
    for (const auto& type : types) {
      const std::string name = type.first;
      const ScalarType dtype = type.second;
      CAPTURE(name);
      CHECK(saved(stored_values({2, 3}, dtype)) == read_bytes(golden + name + ".npy"));
      const Tensor columns =
          stored_values({2, 3, 4}, dtype).permute({2, 1, 0}).contiguous().permute({2, 1, 0});
      CHECK(saved(columns) == read_bytes(golden + name + "_fortran.npy"));
    }
    CHECK(saved(stored_values({}, kFloat)) == read_bytes(golden + "0_dim.npy"));
    CHECK(saved(stored_values({5}, kLong)) == read_bytes(golden + "1_dim.npy"));
    CHECK(saved(stored_values({2, 0, 3}, kDouble)) == read_bytes(golden + "empty.npy"));
  }

  TEST_CASE("every dtype and layout comes back as it was") {
    for (const auto& type : types) {
      const std::string name = type.first;
      const ScalarType dtype = type.second;
      CAPTURE(name);
      const Tensor t = stored_values({3, 4, 2}, dtype);
      for (const Tensor& x : {t, t.permute({2, 1, 0}), t.permute({1, 0, 2}), t.slice(1, 0, nullopt, 2), t[1],
                              t[0][1][1], t.slice(2, 0, 1).expand({3, 4, 5}), t[0][0][0].expand({2, 2}),
                              t.slice(0, 1, 1), t.view({1, 3, 1, 2, 2, 1, 2, 1}), t.flip({0, 2})}) {
        CAPTURE(x.sizes());
        CHECK(same(loaded(x), x));
      }
    }
    const double inf = std::numeric_limits<double>::infinity();
    const Tensor special =
        tensor({inf, -inf, -0.0, 5e-324, std::numeric_limits<double>::quiet_NaN()}, kDouble);
    CHECK(std::memcmp(loaded(special).data_ptr(), special.data_ptr(), 40) == 0);
  }

  TEST_CASE("what requires grad is saved, and comes back without a graph") {
    const Tensor w = etude::ones({2}).requires_grad_();
    CHECK(equal(loaded(w * 2), etude::full({2}, 2.0)));
    CHECK_FALSE(loaded(w).requires_grad());
  }

  TEST_CASE("a tensor shares the file's memory, and changing it leaves the file as it is") {
    const TemporaryFolder folder;
    save_npy(folder / "x", etude::ones({4}));
    const std::string bytes = read_bytes(folder / "x");
    const Tensor t = load_npy(folder / "x");
    CHECK(reinterpret_cast<uintptr_t>(t.data_ptr()) % 64 == 0);
    t.mul_(7);
    CHECK(read_bytes(folder / "x") == bytes);
    save_npy(folder / "x", t);
    CHECK(equal(load_npy(folder / "x"), etude::full({4}, 7.0)));
  }

  TEST_CASE("what is copied does not change with the file, and the file may be cut") {
    const TemporaryFolder folder;
    save_npy(folder / "x", etude::ones({2000}));
    const Tensor t = load_npy(folder / "x", FileMemory::Copied);
    std::filesystem::resize_file(folder / "x", 0);
    CHECK(equal(t, etude::ones({2000})));
  }

  TEST_CASE("data that are not aligned are copied") {
    const float values[] = {1, 2};
    const std::string data(reinterpret_cast<const char*>(values), 8);
    const TemporaryFolder folder;
    for (const char* blanks : {"", " ", "  ", "   "}) {
      write_bytes(folder / "x",
                  file_of(std::string("{'descr':'<f4','fortran_order':False,'shape':(2,)}") + blanks, data));
      CHECK(equal(load_npy(folder / "x"), tensor({1.0f, 2.0f})));
    }
  }

  TEST_CASE("a header may be written in every way that Python reads") {
    CHECK(wrong_with_header("{'descr':'|u1','fortran_order':False,'shape':(4,)}") == "");
    CHECK(wrong_with_header("{\"shape\": (2, 2,), \"descr\" : \"<f2\",\n\t'fortran_order' :True , } \n",
                            "12345678") == "");
    CHECK(wrong_with_header("{'descr': '|u1', 'fortran_order': False, 'shape': ( 2 , 2 ) }") == "");
    CHECK(wrong_with_header("{'descr': '<i4', 'fortran_order': False, 'shape': ( )}") == "");
  }

  TEST_CASE("a file that is cut or no .npy file is refused") {
    CHECK(wrong_with("") == "is not a .npy file");
    CHECK(wrong_with("PK\x03\x04 a zip file") == "is an archive of zip, and no .npy file");
    CHECK(wrong_with(std::string("\x93NUMPY\x01\x00", 8)) == "ends before its header");
    CHECK(wrong_with(std::string("\x93NUMPY\x02\x00\x01\x00", 10)) == "ends before its header");
    for (const char* name : {"f4.npy", "version_2.npy", "version_3.npy", "b1_fortran.npy"}) {
      const std::string whole = read_bytes(golden + name);
      for (size_t length = 0; length < whole.size(); ++length)
        REQUIRE(wrong_with(whole.substr(0, length)) != "");
    }
    CHECK(wrong_with(read_bytes(golden + "f4.npy") + "x") ==
          "has 25 bytes of data, which are not those of the shape [2, 3] and the type <f4");
    CHECK(wrong_with(std::string("\x93NUMPY\x03\x00\xff\xff\xff\xff{}", 14)) ==
          "its header is said to be 4294967295 bytes long, which is more than the file");
    CHECK(wrong_with(std::string("\x93NUMPY\x01\x00\x03\x00{}", 12)) ==
          "its header is said to be 3 bytes long, which is more than the file");
    CHECK(wrong_with(std::string("\x93NUMPY\x04\x00\x00\x00\x00\x00", 12)) ==
          "has the version 4.0, of which 1.0, 2.0 and 3.0 are read");
    CHECK(wrong_with(std::string("\x93NUMPY\x01\x01\x00\x00\x00\x00", 12)) ==
          "has the version 1.1, of which 1.0, 2.0 and 3.0 are read");
    CHECK(wrong_with(std::string("\x93NUMPY\x00\x00\x00\x00\x00\x00", 12)) ==
          "has the version 0.0, of which 1.0, 2.0 and 3.0 are read");
  }

  TEST_CASE("big-endian numbers, objects, structures and other types are refused by name") {
    CHECK(wrong_with(read_bytes(golden + "big_endian.npy")) == "has big-endian numbers, >f4");
    CHECK(wrong_with(read_bytes(golden + "objects.npy")) == "has Python objects, which are not read");
    CHECK(wrong_with(read_bytes(golden + "structured.npy")) == "structured arrays are not supported");
    CHECK(wrong_with(read_bytes(golden + "complex.npy")) ==
          "has elements of the type <c8, which is not supported");
    for (const char* descr : {"<i2", "<u4", "|u2", "|S4", "<U1", "<M8[ns]", "f4", "=f4", "|V4", ""})
      CHECK(wrong_with_type(std::string("'") + descr + "'") ==
            std::string("has elements of the type ") + descr + ", which is not supported");
  }

  TEST_CASE("a header that is no dictionary of the three keys is refused") {
    CHECK(wrong_with_header("") == "its header is malformed at byte 0, expected {");
    CHECK(wrong_with_header("[]") == "its header is malformed at byte 0, expected {");
    CHECK(wrong_with_header("{") == "its header is malformed at byte 1, expected a text");
    CHECK(wrong_with_header("{}") == "its header has no 'descr'");
    CHECK(wrong_with_header("{'descr': '|u1'}") == "its header has no 'fortran_order'");
    CHECK(wrong_with_header("{'descr': '|u1', 'fortran_order': True}") == "its header has no 'shape'");
    CHECK(wrong_with_header("{'descr' '|u1'}") == "its header is malformed at byte 9, expected :");
    CHECK(wrong_with_header("{'descr': '|u1' 'shape'}") == "its header is malformed at byte 16, expected }");
    CHECK(wrong_with_header("{'descr': '|u1'") == "its header is malformed at byte 15, expected }");
    CHECK(wrong_with_header("{'descr': '|u1',,") == "its header is malformed at byte 16, expected a text");
    CHECK(wrong_with_header("{'descr: ") == "its header is malformed at byte 2, expected a plain text");
    CHECK(wrong_with_header("{'desc\\x72': '|u1'}") ==
          "its header is malformed at byte 2, expected a plain text");
    CHECK(wrong_with_header("{'order': 'C'}") == "its header has an unknown key 'order'");
    CHECK(wrong_with_header("{'descr': '|u1', 'descr': '|u1'}") == "its header has the key 'descr' twice");
    CHECK(wrong_with_header("{'fortran_order': 1}") ==
          "its header is malformed at byte 18, expected True or False");
    CHECK(wrong_with_header("{'fortran_order': Falsehood}") ==
          "its header is malformed at byte 23, expected }");
    CHECK(wrong_with_header("{'descr': '|u1', 'fortran_order': False, 'shape': (4,)} x") ==
          "its header is malformed at byte 56, expected blanks to the end");
    CHECK(wrong_with_header(std::string("{'descr': '|u1', 'fortran_order': False, 'shape': (4,)}\0", 56)) ==
          "its header is malformed at byte 55, expected blanks to the end");
    CHECK(wrong_with_header(std::string(60000, '(')) == "its header is malformed at byte 0, expected {");
    CHECK(wrong_with_type("1") == "its header is malformed at byte 10, expected a text");
    CHECK(wrong_with_type("b'|u1'") == "its header is malformed at byte 10, expected a text");
  }

  TEST_CASE("shapes that are no tuple of sizes, or do not fit the data, are refused") {
    CHECK(wrong_with_shape("(4,)") == "");
    CHECK(wrong_with_shape("(2, 2)") == "");
    CHECK(wrong_with_shape("4") == "its header is malformed at byte 50, expected (");
    CHECK(wrong_with_shape("[4]") == "its header is malformed at byte 50, expected (");
    CHECK(wrong_with_shape("(4)") == "its header is malformed at byte 52, expected , after the only size");
    CHECK(wrong_with_shape("(4") == "its header is malformed at byte 54, expected a size");
    CHECK(wrong_with_shape("(-4,)") == "its header is malformed at byte 51, expected a size");
    CHECK(wrong_with_shape("(2, 2.0)") == "its header is malformed at byte 55, expected )");
    CHECK(wrong_with_shape("(4L,)") == "its header is malformed at byte 52, expected , after the only size");
    CHECK(wrong_with_shape("(,)") == "its header is malformed at byte 51, expected a size");
    CHECK(wrong_with_shape("((4,),)") == "its header is malformed at byte 51, expected a size");
    CHECK(wrong_with_shape("(9223372036854775808,)") ==
          "its header is malformed at byte 69, expected a number below 2^63");
    CHECK(wrong_with_shape("(99999999999999999999999,)").find("expected a number below 2^63") !=
          std::string::npos);
    CHECK(wrong_with_shape("(1, 1, 1, 1, 1, 1, 1, 1, 4)") == "has more than 8 dims");
    for (const char* shape :
         {"()", "(0,)", "(3,)", "(5,)", "(9223372036854775807,)", "(4294967296, 4294967296)",
          "(4294967296, 4294967296, 0)", "(4611686018427387905, 4)"})
      CHECK(wrong_with_shape(shape).find("has 4 bytes of data, which are not those of the shape") == 0);
    CHECK(wrong_with_header("{'descr': '|u1', 'fortran_order': True, 'shape': (4294967296, 4294967296, 0), }",
                            "")
              .find("has 0 bytes of data") == 0);
  }

  TEST_CASE("bools that are neither 0 nor 1 are refused") {
    const std::string header = "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }";
    CHECK(wrong_with_header(header, std::string("\x01\x00", 2)) == "");
    CHECK(wrong_with_header(header, "\x01\x02") == "a bool is neither 0 nor 1");
  }

  TEST_CASE("what can't be saved is refused and leaves the file as it was") {
    const TemporaryFolder folder;
    save_npy(folder / "x", etude::ones({4}));
    const std::string bytes = read_bytes(folder / "x");
    CHECK(refusal([&] { save_npy(folder / "x", Tensor()); }) ==
          "Error: " + (folder / "x") + ": the tensor is undefined");
    CHECK(read_bytes(folder / "x") == bytes);
    CHECK(folder.count() == 1);
    CHECK(refusal([] { load_npy("/none/x.npy"); }) ==
          "Error: /none/x.npy: cannot be opened: No such file or directory");
  }

  TEST_CASE("files with changed, removed and added bytes give a tensor or an error") {
    const TemporaryFolder folder;
    std::mt19937 random(5);
    int read = 0, refused = 0;
    for (const char* name : {"f4", "b1_fortran", "f2", "version_2", "version_3"}) {
      const std::string whole = read_bytes(golden + name + ".npy");
      for (int i = 0; i < 1000; ++i) {
        // Most changes are in the part of the header that has content.
        const std::string bytes = mutated(whole, random, "0123456789(){},:'- L", [&](size_t size) {
          return random() % (random() % 4 ? std::min<size_t>(size, 75) : size);
        });
        write_bytes(folder / "x", bytes);
        try {
          load_npy(folder / "x").sum();
          ++read;
        } catch (const Error& e) {
          REQUIRE(e.msg().rfind(folder / "x", 0) == 0);
          ++refused;
        }
      }
    }
    CHECK(read > 50);
    CHECK(refused > 2500);
  }
}
