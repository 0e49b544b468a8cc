#include "etude/io/detail/stored_tensor.h"

#include <algorithm>
#include <cstring>

#include "etude/core/detail/parallel_for.h"
#include "etude/core/detail/tensor_impl.h"
#include "etude/core/error.h"

namespace etude::detail {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "Numbers in files are little-endian.");

float float_of(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename Widen>
void widen(const std::byte* from, float* to, int64_t count, const Widen& f) {
  parallel_for(0, count, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      uint16_t bits;
      std::memcpy(&bits, from + 2 * i, sizeof bits);
      to[i] = f(bits);
    }
  });
}

void check_bools(const MappedFile& file, size_t offset, int64_t count) {
  const std::byte* const begin = file.data() + offset;
  const std::byte* const end = begin + count;
  const std::byte* const wrong = std::find_if(begin, end, [](std::byte b) { return b > std::byte{1}; });
  ETUDE_CHECK(wrong == end, file.path(), ": a bool is neither 0 nor 1\nreceived ", static_cast<int>(*wrong),
              " at byte ", wrong - file.data());
}

}  // namespace

// A float16 is sign, 5 bits of exponent from 2^-14 to 2^15, and 10 of fraction. In the places of a float32 its exponent
// is too small by 127 - 15 = 112; subnormal numbers are multiples of 2^-24.
float from_half(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16, rest = (bits & 0x7fffu) << 13;
  constexpr uint32_t one = 1u << 23;  // of the exponent
  if (rest >= 31 * one) return float_of(sign | 255 * one | rest);
  const float magnitude =
      rest >= one ? float_of(rest + 112 * one) : static_cast<float>(bits & 0x3ffu) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

int64_t stored_size(ScalarType stored) { return stored == kHalf ? 2 : elementSize(stored); }

std::optional<int64_t> stored_bytes(IntArrayRef sizes, ScalarType stored) {
  constexpr int64_t largest = 8;  // of the elements that there are
  int64_t most = largest;
  bool empty = false;
  for (const int64_t s : sizes) {
    empty = empty || s == 0;
    if (s < 0 || __builtin_mul_overflow(most, std::max<int64_t>(s, 1), &most)) return std::nullopt;
  }
  return empty ? 0 : most / largest * stored_size(stored);
}

Tensor stored_tensor(const std::shared_ptr<const MappedFile>& file, size_t offset, IntArrayRef sizes,
                     IntArrayRef strides, ScalarType stored) {
  const int64_t count = count_elements(sizes), bytes = count * stored_size(stored);
  const ScalarType dtype = stored == kHalf ? kFloat : stored;
  if (count == 0) return make_view(allocate(0), sizes, strides, 0, dtype);

  std::byte* const from = file->data() + offset;
  if (stored == kBool) check_bools(*file, offset, count);
  const bool aligned = reinterpret_cast<uintptr_t>(from) % static_cast<uintptr_t>(stored_size(stored)) == 0;
  if (stored != kHalf && aligned)
    return make_view(borrow(from, bytes, [file](void*) {}), sizes, strides, 0, dtype);

  const Ref<Storage> storage = allocate(count * elementSize(dtype));
  auto* const widened = reinterpret_cast<float*>(storage->data);
  // Lambdas, so that each loop has its function inside.
  if (stored == kHalf) widen(from, widened, count, [](uint16_t bits) { return from_half(bits); });
  else std::memcpy(storage->data, from, static_cast<size_t>(bytes));
  return make_view(storage, sizes, strides, 0, dtype);
}

void write_elements(FileWriter& file, const Tensor& t) {
  const Tensor rows = t.detach().contiguous();
  file.write(rows.data_ptr(), static_cast<size_t>(rows.nbytes()));
}

}  // namespace etude::detail
