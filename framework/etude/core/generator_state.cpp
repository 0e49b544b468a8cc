// The state of a generator, in the memory layout of PyTorch's CPU generator:
//
//   byte 0     uint64         the initial seed
//        8     int32          the number of unused outputs, plus 1
//       12     int32          1: seeded
//       16     uint64         the index of the next output
//       24     uint64[624]    the words of the state
//     5016     double         (before 1.4: the angle of a pair of normal numbers, in turns)
//     5024     double         the second number of the pair
//     5032     double         (before 1.4: the radius of the pair)
//     5040     int32, 4 bytes whether there is a second number
//     5048     float          the second number of a pair of floats (from here on: since 1.4)
//     5052     bool, 3 bytes  whether there is a second float

#include <cmath>
#include <cstring>

#include "etude/core/detail/constants.h"
#include "etude/core/detail/generator_impl.h"
#include "etude/core/detail/tensor_impl.h"
#include "etude/core/error.h"
#include "etude/core/generator.h"

namespace etude {

namespace detail {
namespace {

constexpr int kLeft = 8, kSeeded = 12, kNext = 16, kState = 24, kAngle = 5016, kNormal = 5024, kRadius = 5032,
              kHasNormal = 5040, kFloatNormal = 5048, kHasFloatNormal = 5052;

template <typename T>
T read_at(const std::byte* bytes, int offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

template <typename T>
void write_at(std::byte* bytes, int offset, T value) {
  std::memcpy(bytes + offset, &value, sizeof value);
}

std::optional<double> normal_of(const std::byte* in, bool legacy) {
  if (read_at<int32_t>(in, kHasNormal) == 0) return std::nullopt;
  if (!legacy) return read_at<double>(in, kNormal);
  return read_at<double>(in, kRadius) * std::sin(2 * kPi * read_at<double>(in, kAngle));
}

}  // namespace

void GeneratorImpl::write_state(std::byte* out) const {
  std::memset(out, 0, kStateBytes);
  write_at(out, 0, initial_seed);
  write_at(out, kLeft, int32_t{end_ - used_ + 1});
  write_at(out, kSeeded, int32_t{1});
  write_at(out, kNext, static_cast<uint64_t>(used_));
  for (int i = 0; i < kWords; ++i) write_at(out, kState + 8 * i, uint64_t{state_[i]});
  write_at(out, kNormal, next_normal.value_or(0));
  write_at(out, kHasNormal, int32_t{next_normal.has_value()});
  write_at(out, kFloatNormal, next_float_normal.value_or(0));
  write_at(out, kHasFloatNormal, uint8_t{next_float_normal.has_value()});
}

// Rejects a count of unused outputs above the maximum, with which PyTorch would read past its state.
bool GeneratorImpl::read_state(const std::byte* in, int64_t bytes) {
  const int64_t left = read_at<int32_t>(in, kLeft);
  const auto next = static_cast<uint32_t>(read_at<uint64_t>(in, kNext));
  if (read_at<int32_t>(in, kSeeded) == 0 || left < 1 || left > kWords || next > kWords ||
      next + left - 1 > kWords)
    return false;
  initial_seed = read_at<uint64_t>(in, 0);
  for (int i = 0; i < kWords; ++i) state_[i] = static_cast<uint32_t>(read_at<uint64_t>(in, kState + 8 * i));
  temper_all(outputs_);
  used_ = static_cast<int>(next);
  end_ = static_cast<int>(next + left - 1);
  next_normal = normal_of(in, bytes == kLegacyStateBytes);
  next_float_normal.reset();
  if (bytes == kStateBytes && read_at<uint8_t>(in, kHasFloatNormal) != 0)
    next_float_normal = read_at<float>(in, kFloatNormal);
  return true;
}

}  // namespace detail

Tensor Generator::get_state() const {
  Tensor state = detail::make_tensor({detail::GeneratorImpl::kStateBytes}, kByte);
  const std::lock_guard<std::mutex> lock(impl().mutex);
  impl().write_state(reinterpret_cast<std::byte*>(state.data_ptr<uint8_t>()));
  return state;
}

void Generator::set_state(const Tensor& new_state) {
  using detail::GeneratorImpl;
  ETUDE_CHECK(new_state.defined(), "Undefined tensor is not allowed");
  ETUDE_CHECK_TYPE(new_state.scalar_type() == kByte, "RNG state must be a torch.ByteTensor\nreceived ",
                   toString(new_state.scalar_type()), "\nhint: get_state() gives one");
  ETUDE_CHECK(new_state.is_contiguous(), "RNG state must be contiguous\nreceived the strides ",
              new_state.strides());
  const int64_t bytes = new_state.numel();
  ETUDE_CHECK(bytes == GeneratorImpl::kLegacyStateBytes || bytes == GeneratorImpl::kStateBytes,
              "Expected either a CPUGeneratorImplStateLegacy of size 5048 or a CPUGeneratorImplState of size "
              "5056 but found the input RNG state size to be ",
              bytes);
  const std::lock_guard<std::mutex> lock(impl().mutex);
  ETUDE_CHECK(
      impl().read_state(reinterpret_cast<const std::byte*>(new_state.const_data_ptr<uint8_t>()), bytes),
      "Invalid mt19937 state\nhint: a state is what get_state() gives, unchanged");
}

Generator Generator::clone() const {
  Generator copy;
  copy.set_state(get_state());
  return copy;
}

}  // namespace etude
