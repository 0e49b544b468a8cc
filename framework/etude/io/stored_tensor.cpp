#include "etude/io/detail/stored_tensor.h"

#include <algorithm>
#include <cstring>

#include "etude/core/detail/tensor_impl.h"
#include "etude/core/error.h"

namespace etude::detail {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "Numbers in files are little-endian.");

void check_bools(const MappedFile& file, size_t offset, int64_t count) {
  const std::byte* const begin = file.data() + offset;
  const std::byte* const end = begin + count;
  const std::byte* const wrong = std::find_if(begin, end, [](std::byte b) { return b > std::byte{1}; });
  ETUDE_CHECK(wrong == end, file.path(), ": a bool is neither 0 nor 1\nreceived ", static_cast<int>(*wrong),
              " at byte ", wrong - file.data());
}

}  // namespace

std::optional<int64_t> stored_bytes(IntArrayRef sizes, ScalarType stored) {
  constexpr int64_t largest = 8;  // the largest size of an element
  int64_t most = largest;
  bool empty = false;
  for (const int64_t s : sizes) {
    empty = empty || s == 0;
    if (s < 0 || __builtin_mul_overflow(most, std::max<int64_t>(s, 1), &most)) return std::nullopt;
  }
  return empty ? 0 : most / largest * elementSize(stored);
}

Tensor stored_tensor(const std::shared_ptr<const MappedFile>& file, size_t offset, IntArrayRef sizes,
                     IntArrayRef strides, ScalarType stored) {
  const int64_t count = count_elements(sizes), bytes = count * elementSize(stored);
  if (count == 0) return make_view(allocate(0), sizes, strides, 0, stored);

  std::byte* const from = file->data() + offset;
  if (stored == kBool) check_bools(*file, offset, count);
  if (reinterpret_cast<uintptr_t>(from) % static_cast<uintptr_t>(elementSize(stored)) == 0)
    return make_view(borrow(from, bytes, [file](void*) {}), sizes, strides, 0, stored);

  const Ref<Storage> storage = allocate(bytes);
  std::memcpy(storage->data, from, static_cast<size_t>(bytes));
  return make_view(storage, sizes, strides, 0, stored);
}

Tensor stored_tensor(const std::shared_ptr<const MappedFile>& file, const FileEntry& entry) {
  return stored_tensor(file, static_cast<size_t>(entry.offset), entry.sizes, contiguous_strides(entry.sizes),
                       *entry.dtype);
}

optional<ScalarType> dtype_of_name(ArrayRef<DtypeName> names, const std::string& name) {
  for (const auto& [text, dtype] : names)
    if (name == text) return dtype;
  return nullopt;
}

const char* name_of_dtype(ArrayRef<DtypeName> names, ScalarType dtype) {
  for (const auto& [text, of] : names)
    if (of == dtype) return text;
  return nullptr;
}

void write_elements(const WriteBytes& write, const Tensor& t) {
  const Tensor rows = t.detach().contiguous();
  write(rows.data_ptr(), static_cast<size_t>(rows.nbytes()));
}

}  // namespace etude::detail
