// .npy files, as numpy/lib/format.py describes them:
//
//   6 bytes       \x93NUMPY
//   2 bytes       the version, 1.0, 2.0 or 3.0
//   2 or 4 bytes  the length of the header, little-endian; 4 from version 2.0 on
//   header        a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }; blanks and a newline
//   data          row by row, or column by column in Fortran's order

#include "etude/io/npy.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "etude/core/error.h"
#include "etude/io/detail/file.h"
#include "etude/io/detail/foreign_file.h"
#include "etude/io/detail/stored_tensor.h"
#include "etude/io/print.h"

namespace etude {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicBytes = 6, kVersionBytes = 2;
constexpr size_t kNpyAlignment = 64;  // of the data in written files

constexpr detail::DtypeName kTypes[] = {{"<f8", kDouble}, {"<f4", kFloat}, {"<i8", kLong}, {"<i4", kInt},
                                        {"|u1", kByte},   {"|b1", kBool},  {"<f2", kHalf}, {"|i1", kChar}};

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// Parses the dictionary of a header: exactly its three keys, each with a value of its type, then only blanks.
class HeaderParser {
 public:
  HeaderParser(const std::string& path, const std::string& text) : path_(path), text_(text) {}

  NpyHeader parse() {
    NpyHeader header;
    const std::set<std::string> keys = {"descr", "fortran_order", "shape"};
    std::set<std::string> missing = keys;
    expect('{');
    while (!take('}')) {
      const std::string key = text();
      ETUDE_CHECK(keys.count(key), path_, ": its header has an unknown key '", key, "'");
      ETUDE_CHECK(missing.erase(key), path_, ": its header has the key '", key, "' twice");
      expect(':');
      if (key == "descr") header.descr = descr();
      else if (key == "fortran_order") header.fortran_order = truth();
      else header.shape = sizes();
      if (take(',')) continue;
      expect('}');
      break;
    }
    ETUDE_CHECK(missing.empty(), path_, ": its header has no '", *missing.begin(), "'");
    skip_blanks();
    if (at_ < text_.size()) fail("blanks to the end");
    return header;
  }

 private:
  [[noreturn]] void fail(const char* expected) const {
    throw Error(str(path_, ": its header is malformed at byte ", at_, ", expected ", expected));
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_]) && text_[at_] != '\0') ++at_;
  }
  // Takes the next character that is not blank, if it is c.
  bool take(char c) {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == c && ++at_;
  }
  void expect(char c) {
    const char expected[] = {c, '\0'};
    if (!take(c)) fail(expected);
  }

  std::string text() {
    const char quote = take('"') ? '"' : '\'';
    if (quote == '\'' && !take('\'')) fail("a text");
    const size_t end = text_.find(quote, at_);
    std::string content = text_.substr(at_, end == std::string::npos ? end : end - at_);
    if (end == std::string::npos || content.find_first_of("\\\n") != std::string::npos) fail("a plain text");
    at_ = end + 1;
    return content;
  }

  std::string descr() {
    skip_blanks();
    ETUDE_CHECK(at_ == text_.size() || text_[at_] != '[', path_,
                ": structured arrays are not supported\nhint: save each field as an array of its own");
    return text();
  }

  bool truth() {
    skip_blanks();
    for (const bool value : {false, true}) {
      const char* const word = value ? "True" : "False";
      if (text_.compare(at_, std::strlen(word), word) != 0) continue;
      at_ += std::strlen(word);
      return value;
    }
    fail("True or False");
  }

  int64_t number() {
    skip_blanks();
    const size_t begin = at_;
    int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text_[at_] - '0', &value))
        fail("a number below 2^63");
    if (at_ == begin) fail("a size");
    return value;
  }

  // A tuple: (), (2,), (2, 3) or (2, 3,).
  std::vector<int64_t> sizes() {
    std::vector<int64_t> result;
    expect('(');
    while (!take(')')) {
      ETUDE_CHECK(result.size() < static_cast<size_t>(kMaxDims), path_, ": has more than ", kMaxDims,
                  " dims");
      result.push_back(number());
      if (take(',')) continue;
      if (result.size() == 1) fail(", after the only size");
      expect(')');
      break;
    }
    return result;
  }

  const std::string& path_;
  const std::string& text_;
  size_t at_ = 0;
};

ScalarType type_of(const std::string& path, const std::string& descr) {
  if (const auto type = detail::dtype_of_name(kTypes, descr)) return *type;
  ETUDE_CHECK_TYPE(descr.empty() || descr[0] != '>', path, ": has big-endian numbers, ", descr,
                   "\nhint: in Python, a.astype(a.dtype.newbyteorder('<'))");
  ETUDE_CHECK_TYPE(descr.rfind("|O", 0) != 0, path, ": has Python objects, which are not read");
  throw TypeError(str(path, ": has elements of the type ", descr,
                      ", which is not supported\nhint: <f8, <f4, <f2, <i8, <i4, |i1, |u1 and |b1 are"));
}

Shape fortran_strides(IntArrayRef sizes) {
  Shape strides = Shape::filled(static_cast<int64_t>(sizes.size()), 1);
  for (int64_t i = 1; i < strides.size(); ++i)
    strides[i] = strides[i - 1] * std::max<int64_t>(sizes[static_cast<size_t>(i) - 1], 1);
  return strides;
}

Tensor reversed(const Tensor& t) {
  std::vector<int64_t> dims;
  for (int64_t d = t.dim() - 1; d >= 0; --d) dims.push_back(d);
  return t.permute(dims);
}

// The text of a header, and the offset of the data.
std::pair<std::string, size_t> read_npy_header(const detail::MappedFile& file) {
  const std::string& path = file.path();
  const size_t size = file.size();
  detail::check_not_foreign(file, ".npy file", "a .npy file");
  ETUDE_CHECK(size >= kMagicBytes + kVersionBytes && std::memcmp(file.data(), kMagic, kMagicBytes) == 0, path,
              ": is not a .npy file");
  const int major = static_cast<int>(file.data()[kMagicBytes]),
            minor = static_cast<int>(file.data()[kMagicBytes + 1]);
  ETUDE_CHECK(major >= 1 && major <= 3 && minor == 0, path, ": has the version ", major, ".", minor,
              ", of which 1.0, 2.0 and 3.0 are read");
  const size_t at = kMagicBytes + kVersionBytes, length_bytes = major == 1 ? 2 : 4;
  ETUDE_CHECK(size >= at + length_bytes, path, ": ends before its header");
  uint32_t length = 0;
  std::memcpy(&length, file.data() + at, length_bytes);
  const size_t begin = at + length_bytes;
  ETUDE_CHECK(length <= size - begin, path, ": its header is said to be ", length,
              " bytes long, which is more than the file\nhint: it may be cut");
  return {std::string(file.text().substr(begin, length)), begin + length};
}

std::string header_text(const Tensor& t, bool fortran_order) {
  const char* const type = detail::name_of_dtype(kTypes, t.scalar_type());
  ETUDE_CHECK_TYPE(type, "numpy has no ", dtype_name(t.scalar_type()),
                   "\nhint: convert first, x.to(kFloat), or save_safetensors");
  std::string text = str("{'descr': '", type, "', 'fortran_order': ", fortran_order ? "True" : "False",
                         ", 'shape': ", detail::python_tuple(t.sizes()), ", }");
  const size_t before = kMagicBytes + kVersionBytes + 2;
  const size_t whole = (before + text.size() + kNpyAlignment) / kNpyAlignment * kNpyAlignment;
  text.resize(whole - before - 1, ' ');
  return text + '\n';
}

}  // namespace

Tensor load_npy(const std::string& path, FileMemory memory) {
  const auto file = detail::MappedFile::open(path, memory);
  const auto [text, data] = read_npy_header(*file);
  const NpyHeader header = HeaderParser(path, text).parse();
  const ScalarType type = type_of(path, header.descr);
  const auto bytes = detail::stored_bytes(header.shape, type);
  const auto there = static_cast<int64_t>(file->size() - data);
  ETUDE_CHECK(bytes == there, path, ": has ", there, " bytes of data, which are not those of the shape ",
              IntArrayRef(header.shape), " and the type ", header.descr);
  return detail::stored_tensor(
      file, data, header.shape,
      header.fortran_order ? fortran_strides(header.shape) : contiguous_strides(header.shape), type);
}

void save_npy(const std::string& path, const Tensor& t) {
  ETUDE_CHECK(t.defined(), path, ": the tensor is undefined");
  const Tensor columns = reversed(t.detach());
  const bool fortran_order = !t.is_contiguous() && columns.is_contiguous();
  const std::string header = header_text(t, fortran_order);
  const auto length = static_cast<uint16_t>(header.size());

  detail::FileWriter file(path);
  file.write(kMagic, kMagicBytes);
  file.write("\x01\x00", kVersionBytes);
  file.write(&length, sizeof length);
  file.write(header.data(), header.size());
  detail::write_elements(file.sink(), fortran_order ? columns : t);
  file.commit();
}

}  // namespace etude
