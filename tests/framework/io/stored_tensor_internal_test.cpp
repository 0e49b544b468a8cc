// Numbers as they are stored in files.
#include "etude/io/detail/stored_tensor.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "etude/ops/ops.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;

TEST_SUITE("stored tensors") {
  namespace {

  /// sign, exponent of `exponent_bits` and fraction, as IEEE 754 defines them.
  double value_of(uint16_t bits, int exponent_bits) {
    const int fraction_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
    const int fraction = bits & ((1 << fraction_bits) - 1);
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1)
      return fraction ? std::numeric_limits<double>::quiet_NaN()
                      : sign * std::numeric_limits<double>::infinity();
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
    return sign * std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  }

  }  // namespace

  TEST_CASE("every float16 and every bfloat16 becomes the float32 that is equal to it") {
    auto agree = [](float found, double expected) {
      return std::isnan(expected) ? std::isnan(found)
                                  : found == expected && std::signbit(found) == std::signbit(expected);
    };
    for (int bits = 0; bits < 65536; ++bits) {
      const auto b = static_cast<uint16_t>(bits);
      CAPTURE(bits);
      REQUIRE(agree(Half(b, Half::from_bits()), value_of(b, 5)));
      REQUIRE(agree(BFloat16(b, BFloat16::from_bits()), value_of(b, 8)));
    }
  }

  TEST_CASE("the bytes of a tensor are known unless its sizes are impossible") {
    CHECK(detail::stored_bytes({}, kHalf) == 2);
    CHECK(detail::stored_bytes({2, 3}, kDouble) == 48);
    CHECK(detail::stored_bytes({2, 0, 3}, kDouble) == 0);
    CHECK(detail::stored_bytes({2, 3}, kBool) == 6);
    const int64_t large = int64_t{1} << 40;
    CHECK_FALSE(detail::stored_bytes({large, large}, kByte));
    CHECK_FALSE(detail::stored_bytes({large, 0, large}, kByte));
    CHECK_FALSE(detail::stored_bytes({-1, -1}, kByte));
    CHECK_FALSE(detail::stored_bytes({0, -1}, kByte));
    CHECK_FALSE(detail::stored_bytes({std::numeric_limits<int64_t>::max()}, kDouble));
  }

  TEST_CASE("aligned numbers are those of the file, others a copy") {
    const TemporaryFolder folder;
    const float values[] = {1, 2, 3, 4};
    std::string bytes(20, '\0');
    std::memcpy(bytes.data() + 4, values, 16);
    write_bytes(folder / "x", bytes);
    auto file = detail::MappedFile::open(folder / "x");
    const Tensor shared = detail::stored_tensor(file, 4, {2, 2}, {2, 1}, kFloat);
    CHECK(static_cast<const void*>(shared.data_ptr()) == file->data() + 4);
    CHECK(shared.data_ptr<float>()[3] == 4);

    write_bytes(folder / "y", "x" + bytes);
    const auto odd = detail::MappedFile::open(folder / "y");
    const Tensor copied = detail::stored_tensor(odd, 5, {2, 2}, {1, 2}, kFloat);
    CHECK(static_cast<const void*>(copied.data_ptr()) != odd->data() + 5);
    CHECK(equal(copied, shared.t()));

    const Tensor bytes_of_it = detail::stored_tensor(odd, 5, {16}, {1}, kByte);
    CHECK(static_cast<const void*>(bytes_of_it.data_ptr()) == odd->data() + 5);
  }

  TEST_CASE("a tensor keeps the memory of its file") {
    const TemporaryFolder folder;
    write_bytes(folder / "x", "abcd");
    std::weak_ptr<const detail::MappedFile> watch;
    Tensor part;
    {
      const auto file = detail::MappedFile::open(folder / "x");
      watch = file;
      part = detail::stored_tensor(file, 0, {4}, {1}, kByte).slice(0, 2);
    }
    CHECK_FALSE(watch.expired());
    CHECK(part[1].item<int>() == 'd');
    part.reset();
    CHECK(watch.expired());
  }

  TEST_CASE("a bool that is neither 0 nor 1 is refused with its place") {
    const TemporaryFolder folder;
    write_bytes(folder / "x", std::string("\x00\x01\x02", 3));
    const auto file = detail::MappedFile::open(folder / "x");
    CHECK(equal(detail::stored_tensor(file, 0, {2}, {1}, kBool), tensor({false, true})));
    CHECK(refusal_lines([&] { detail::stored_tensor(file, 1, {2}, {1}, kBool); }) ==
          (folder / "x") + ": a bool is neither 0 nor 1\nreceived 2 at byte 2");
  }

  TEST_CASE("elements are written row by row, whatever their strides") {
    const TemporaryFolder folder;
    {
      detail::FileWriter file(folder / "x");
      const Tensor t = arange(6, kByte).view({2, 3});
      detail::write_elements(file.sink(), t.t());
      detail::write_elements(file.sink(), t.slice(1, 1, nullopt, 2).flip({0}));
      detail::write_elements(file.sink(), t[0][2].expand({2}));
      detail::write_elements(file.sink(), etude::empty({0, 3}));
      file.commit();
    }
    CHECK(read_bytes(folder / "x") == std::string("\x00\x03\x01\x04\x02\x05\x04\x01\x02\x02", 10));
  }
}
