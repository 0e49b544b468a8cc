// GGUF files, as docs/gguf.md of github.com/ggml-org/ggml describes them. Numbers are little-endian, and a text is its
// length in 8 bytes and its bytes:
//
//   24 bytes  GGUF, the version (uint32), the number of tensors and that of metadata (uint64)
//   metadata  each a key, the type of the value (uint32) and the value; a list is its type, its length and its values
//   tensors   each a name, the number of sizes (uint32), the sizes from the innermost (uint64), the type (uint32), and where
//             its bytes begin in the data (uint64)
//   data      begin at the next multiple of general.alignment, and so does each tensor

#include "etude/io/gguf.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "etude/core/error.h"
#include "etude/io/detail/file.h"
#include "etude/io/detail/foreign_file.h"
#include "etude/io/detail/stored_tensor.h"
#include "etude/ops/ops.h"

namespace etude {
namespace {

constexpr char kGguf[] = "GGUF", kAlignmentKey[] = "general.alignment";
constexpr int64_t kGgmlDims = 4, kGgmlName = 64;  // GGML_MAX_DIMS, and GGML_MAX_NAME with a zero byte

// Types of metadata, numbered as in files.
enum : uint32_t { kU8, kS8, kU16, kS16, kU32, kS32, kReal32, kFlag, kText, kList, kU64, kS64, kReal64 };

// Types of tensors, numbered as in files; those without a name are no longer in use.
constexpr const char* kTypeNames[] = {
    "F32",   "F16",    "Q4_0",  "Q4_1", "",     "",        "Q5_0",   "Q5_1",    "Q8_0",  "Q8_1",   "Q2_K",
    "Q3_K",  "Q4_K",   "Q5_K",  "Q6_K", "Q8_K", "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S",
    "IQ2_S", "IQ4_XS", "I8",    "I16",  "I32",  "I64",     "F64",    "IQ1_M",   "BF16",  "",       "",
    "",      "TQ1_0",  "TQ2_0", "",     "",     "",        "MXFP4",  "NVFP4",   "Q1_0",  "Q2_0"};
// Q8_0 is blocks of a float16 scale and 32 int8 values.
constexpr char kQ8[] = "Q8_0";
constexpr int64_t kQ8Values = 32, kQ8Scale = 2, kQ8Block = 34;

size_t aligned(size_t at, size_t alignment) { return (at + alignment - 1) / alignment * alignment; }

size_t alignment_of(const std::string& path, const OrderedDict<std::string, IValue>& metadata) {
  const IValue* given = metadata.find(kAlignmentKey);
  const int64_t alignment = !given ? 32 : given->isInt() ? given->toInt() : 0;
  const bool good = alignment > 0 && alignment <= INT32_MAX && (alignment & (alignment - 1)) == 0;
  ETUDE_CHECK(good, path, ": its ", kAlignmentKey, " is not a power of two");
  return static_cast<size_t>(alignment);
}

// Reads the header of a file; nothing is allocated for what the file does not hold.
class GgufReader {
 public:
  GgufReader(const detail::MappedFile& file, GgufFile& read) : file_(file) {
    check_not_foreign(file, "GGUF file", "a file of llama.cpp (GGUF)");
    check(file.size() >= 8 && std::memcmp(file.data(), kGguf, 4) == 0, "is not a GGUF file");
    const auto version = number<uint32_t>();
    check(version == 2 || version == 3, "has the GGUF version ", version,
          ", of which 2 and 3 are read\nhint: a version above 65535 is that of a big-endian file");
    const auto tensors = number<uint64_t>(), values = number<uint64_t>();
    for (uint64_t i = 0; i < values; ++i) {
      const std::string key = text();
      check(!read.metadata.contains(key), "the metadata \"", key, "\" stand twice in it");
      read.metadata.insert(key, value(number<uint32_t>()));
    }
    for (uint64_t i = 0; i < tensors; ++i) {
      const std::string name = text();
      check(!read.entries.contains(name), "the tensor \"", name, "\" stands twice in it");
      read.entries.insert(name, entry("the tensor \"" + name + "\" "));
    }
    place(read);
  }

 private:
  template <typename... Parts>
  void check(bool good, const Parts&... wrong) const {
    ETUDE_CHECK(good, file_.path(), ": ", wrong...);
  }

  // Advances by some bytes, which must be in the file, and returns their address.
  const std::byte* take(uint64_t bytes) {
    const size_t left = file_.size() - at_;
    check(bytes <= left, "ends ", left, " bytes after byte ", at_, ", where ", bytes,
          " are needed\nhint: it may be cut");
    return file_.data() + std::exchange(at_, at_ + static_cast<size_t>(bytes));
  }

  template <typename T>
  T number() {
    T v;
    std::memcpy(&v, take(sizeof v), sizeof v);
    return v;
  }

  std::string text() {
    const auto length = number<uint64_t>();
    return {reinterpret_cast<const char*>(take(length)), static_cast<size_t>(length)};
  }

  IValue value(uint32_t type) {
    if (type == kU8) return number<uint8_t>();
    if (type == kS8) return number<int8_t>();
    if (type == kU16) return number<uint16_t>();
    if (type == kS16) return number<int16_t>();
    if (type == kU32) return int64_t{number<uint32_t>()};
    if (type == kS32) return number<int32_t>();
    if (type == kReal32) return number<float>();
    if (type == kFlag) return number<uint8_t>() != 0;
    if (type == kText) return text();
    if (type == kList) return list(0);
    if (type == kReal64) return number<double>();
    check(type == kU64 || type == kS64, "has a value of the unknown type ", type, " before byte ", at_);
    const auto v = number<int64_t>();
    check(type == kS64 || v >= 0, "has a number beyond 2^63 before byte ", at_);
    return v;
  }

  IValue list(int depth) {
    check(depth < 64, "has lists in lists, more than 64 deep");
    const auto type = number<uint32_t>();
    const auto count = number<uint64_t>();
    const auto filled = [&](auto values) {
      using T = typename decltype(values)::value_type;
      for (uint64_t i = 0; i < count; ++i) values.push_back(value(type).template to<T>());
      return IValue(std::move(values));
    };
    if (type == kText) return filled(std::vector<std::string>());
    if (type == kReal32 || type == kReal64) return filled(std::vector<double>());
    if (type == kFlag) return filled(std::vector<bool>());
    if (type != kList) return filled(std::vector<int64_t>());
    std::vector<DictEntry> lists;
    for (uint64_t i = 0; i < count; ++i) lists.emplace_back(static_cast<int64_t>(i), list(depth + 1));
    return GenericDict(std::move(lists));
  }

  FileEntry entry(const std::string& of_tensor) {
    FileEntry e;
    const auto dims = number<uint32_t>();
    check(dims <= kGgmlDims, of_tensor, "has ", dims, " dims, and 4 are the most");
    for (uint32_t d = 0; d < dims; ++d) e.sizes.insert(e.sizes.begin(), number<int64_t>());
    const auto type = number<uint32_t>();
    e.offset = number<uint64_t>();
    check(type < std::size(kTypeNames) && *kTypeNames[type], of_tensor, "has the unknown type ", type);
    e.type = kTypeNames[type];
    const bool is_q8 = e.type == kQ8;
    e.dtype = is_q8 ? kFloat : detail::dtype_of_name(detail::kShortNames, e.type);
    const auto bytes = detail::stored_bytes(e.sizes, is_q8 ? kByte : e.dtype.value_or(kByte));
    check(bytes && !(is_q8 && (dims == 0 || e.sizes.back() % kQ8Values != 0)), of_tensor, "has the sizes ",
          IntArrayRef(e.sizes), ", which do not fit ", e.type);
    if (e.dtype) e.nbytes = is_q8 ? *bytes / kQ8Values * kQ8Block : *bytes;
    return e;
  }

  // Throws unless the tensors are aligned and lie in the file one after another.
  void place(GgufFile& read) {
    const size_t alignment = alignment_of(file_.path(), read.metadata);
    const size_t data = std::min(aligned(at_, alignment), file_.size()), size = file_.size() - data;
    uint64_t end = 0;
    for (auto& item : read.entries) {
      const uint64_t offset = item->offset, bytes = static_cast<uint64_t>(item->nbytes);
      check(offset % alignment == 0 && offset >= end && offset <= size && bytes <= size - offset,
            "the tensor \"", item.key(), "\" has ", bytes, " bytes from ", offset,
            " on, where the one before ends at ", end, ", data are aligned to ", alignment, " and end at ",
            size, "\nhint: it may be cut");
      end = offset + bytes;
      item->offset += data;
    }
  }

  const detail::MappedFile& file_;
  size_t at_ = 4;
};

// A tensor of another dtype with the same bytes.
Tensor recast(const Tensor& t, IntArrayRef sizes, ScalarType dtype) {
  const Tensor from = t.contiguous();
  Tensor to = etude::empty(sizes, dtype);
  if (to.numel() > 0) std::memcpy(to.data_ptr(), from.data_ptr(), static_cast<size_t>(to.nbytes()));
  return to;
}

// The data that are written for a tensor, row by row.
Tensor stored_rows(const QuantizedWeight& w) {
  if (!w.scales.defined()) return w.values.detach().contiguous();
  const int64_t blocks = w.scales.numel();
  return cat({recast(w.scales, {blocks, kQ8Scale}, kByte), recast(w.values, {blocks, kQ8Values}, kByte)}, 1);
}

uint32_t gguf_type(const std::string& of_tensor, const QuantizedWeight& w) {
  ETUDE_CHECK(w.values.defined() && w.values.dim() <= kGgmlDims, of_tensor,
              "is undefined or has more than 4 dims");
  const bool is_q8 = w.scales.defined(), one_each = is_q8 && w.values.numel() == w.scales.numel() * kQ8Values;
  ETUDE_CHECK(!is_q8 || (one_each && w.values.size(-1) % kQ8Values == 0 && w.values.scalar_type() == kChar &&
                         w.scales.scalar_type() == kHalf),
              of_tensor, "has no float16 scale for each 32 int8 values of a row, as Q8_0 has");
  const std::string name = is_q8 ? kQ8 : detail::name_of_dtype(detail::kShortNames, w.values.scalar_type());
  const auto type = std::find(std::begin(kTypeNames), std::end(kTypeNames), name) - kTypeNames;
  ETUDE_CHECK_TYPE(type < static_cast<std::ptrdiff_t>(std::size(kTypeNames)), of_tensor, "has the dtype ",
                   dtype_name(w.values.scalar_type()), ", which GGUF does not have");
  return static_cast<uint32_t>(type);
}

template <typename T>
void put(std::string& out, T v) {
  out.append(reinterpret_cast<const char*>(&v), sizeof v);
}

void put(std::string& out, const std::string& text) {
  put<uint64_t>(out, text.size());
  out += text;
}

// Appends the type of the values, their number if they are a list, and the values as T.
template <typename T, typename List>
void put_all(std::string& out, uint32_t type, const List& values, bool is_list) {
  put(out, type);
  if (is_list) put<uint64_t>(out, values.size());
  for (const auto& v : values) put(out, static_cast<T>(v));
}

// Appends numbers as the narrow type if it holds them all, else as the wide one.
template <typename Narrow, typename T>
void put_numbers(std::string& out, uint32_t narrow, uint32_t wide, const std::vector<T>& values,
                 bool is_list) {
  const auto fits = [](T v) { return static_cast<T>(static_cast<Narrow>(v)) == v; };
  const bool all_fit = std::all_of(values.begin(), values.end(), fits);
  all_fit ? put_all<Narrow>(out, narrow, values, is_list) : put_all<T>(out, wide, values, is_list);
}

void put_value(std::string& out, const IValue& v) {
  if (v.isList()) put<uint32_t>(out, kList);
  if (v.isInt()) return put_numbers<uint32_t>(out, kU32, kS64, std::vector{v.toInt()}, false);
  if (v.isIntList()) return put_numbers<int32_t>(out, kS32, kS64, v.toIntVector(), true);
  if (v.isDouble()) return put_numbers<float>(out, kReal32, kReal64, std::vector{v.toDouble()}, false);
  if (v.isDoubleList()) return put_numbers<float>(out, kReal32, kReal64, v.toDoubleVector(), true);
  if (v.isBool()) return put_all<uint8_t>(out, kFlag, std::vector{v.toBool()}, false);
  if (v.isBoolList()) return put_all<uint8_t>(out, kFlag, v.to<std::vector<bool>>(), true);
  if (v.isString()) return put_all<std::string>(out, kText, std::vector{v.toStringRef()}, false);
  ETUDE_CHECK_TYPE(v.isList() && !v.isTensorList(), "save_gguf: metadata can't be a ", v.tagKind());
  put_all<std::string>(out, kText, v.to<std::vector<std::string>>(), true);
}

}  // namespace

Tensor GgufFile::tensor(const std::string& name) const {
  const FileEntry& e = entries[name];
  ETUDE_CHECK_TYPE(e.dtype, path, ": the tensor \"", name, "\" has the type ", e.type,
                   ", which is not read\nhint: llama-quantize --allow-requantize makes it Q8_0 or F16");
  if (e.type != kQ8) return detail::stored_tensor(file, e);
  const auto [values, scales] = quantized(name);
  return dequantize({values.view({-1, kQ8Values}), scales.view({-1, 1})}).view(e.sizes);
}

QuantizedWeight GgufFile::quantized(const std::string& name) const {
  const FileEntry& e = entries[name];
  ETUDE_CHECK_TYPE(e.type == kQ8, path, ": the tensor \"", name, "\" has the type ", e.type, ", not Q8_0");
  const Tensor blocks =
      detail::stored_tensor(file, {e.type, kByte, {e.nbytes / kQ8Block, kQ8Block}, e.nbytes, e.offset});
  std::vector<int64_t> groups = e.sizes;
  groups.back() /= kQ8Values;
  return {recast(blocks.narrow(1, kQ8Scale, kQ8Values), e.sizes, kChar),
          recast(blocks.narrow(1, 0, kQ8Scale), groups, kHalf)};
}

GgufFile load_gguf(const std::string& path, FileMemory memory) {
  GgufFile read;
  read.path = path;
  read.file = detail::MappedFile::open(path, memory);
  GgufReader(*read.file, read);
  return read;
}

void save_gguf(const std::string& path, const OrderedDict<std::string, QuantizedWeight>& tensors,
               const OrderedDict<std::string, IValue>& metadata) {
  const size_t alignment = alignment_of(path, metadata);
  std::string header = kGguf;
  put<uint32_t>(header, 3);
  put<uint64_t>(header, tensors.size());
  put<uint64_t>(header, metadata.size());
  for (const auto& item : metadata) {
    put(header, item.key());
    put_value(header, item.value());
  }
  uint64_t end = 0;
  for (const auto& item : tensors) {
    const auto of_tensor = str(path, ": the tensor \"", item.key(), "\" ");
    const auto& [values, scales] = item.value();
    const uint32_t type = gguf_type(of_tensor, item.value());
    ETUDE_CHECK(item.key().size() < kGgmlName, of_tensor, "has a name of more than 63 bytes");
    put(header, item.key());
    put(header, static_cast<uint32_t>(values.dim()));
    for (int64_t d = values.dim(); d-- > 0;) put(header, values.size(d));
    put(header, type);
    put(header, end);
    const int64_t bytes = values.nbytes() + (scales.defined() ? scales.nbytes() : 0);
    end = aligned(static_cast<size_t>(end) + static_cast<size_t>(bytes), alignment);
  }
  detail::FileWriter out(path);
  const auto write = [&](const void* bytes, size_t size) {
    out.write(bytes, size);
    const std::string zeros(aligned(size, alignment) - size, '\0');
    out.write(zeros.data(), zeros.size());
  };
  write(header.data(), header.size());
  for (const auto& item : tensors) {
    const Tensor rows = stored_rows(item.value());
    write(rows.data_ptr(), static_cast<size_t>(rows.nbytes()));
  }
  out.commit();
}

}  // namespace etude
