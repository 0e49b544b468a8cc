#pragma once

#include <cstdint>

namespace etude::data::detail {

/// What stands before the ids in a file of TokenWriter.
struct TokenFileHeader {
  char magic[8] = {'e', 't', 'u', 'd', 'e', 't', 'o', 'k'};
  uint32_t version = 1;
  uint32_t width = 0;       // bytes per id
  uint64_t vocab_size = 0;  // all ids are less
};
static_assert(sizeof(TokenFileHeader) == 24, "as it stands in files");

}  // namespace etude::data::detail
