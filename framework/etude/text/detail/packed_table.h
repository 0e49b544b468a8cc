#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace etude::detail {

/// The numbers of a table of make_unicode_tables.py.
inline std::vector<uint32_t> unpacked(std::string_view table) {
  std::vector<uint32_t> numbers;
  uint32_t high = 0;
  for (const char c : table) {
    if (c == '\n') continue;
    if (c >= 'a') {
      high = high * 30 + static_cast<uint32_t>(c - 'a');
    } else {
      numbers.push_back(high * 62 + static_cast<uint32_t>(c - '#'));
      high = 0;
    }
  }
  return numbers;
}

/// The difference that a table holds as a number which is not negative.
inline int32_t signed_number(uint32_t number) {
  return static_cast<int32_t>(number >> 1) ^ -static_cast<int32_t>(number & 1);
}

}  // namespace etude::detail
