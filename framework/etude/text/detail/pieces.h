#pragma once

#include <cstddef>
#include <string_view>

namespace etude::detail {

/// Where the piece ends that begins at `begin` of a text. Byte pairs are merged inside of a piece alone: a word with
/// the blank before it, a number, a run of other characters, blanks, or 's, 't, 're, 've, 'm, 'll and 'd behind a word.
size_t piece_end(std::string_view text, size_t begin);

}  // namespace etude::detail
