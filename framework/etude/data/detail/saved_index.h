#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "etude/core/error.h"
#include "etude/io/input_archive.h"
#include "etude/io/output_archive.h"
#include "etude/ops/ops.h"

namespace etude::data::detail {

/// Writes a number as LibTorch's samplers do: as an int64 tensor without dims.
inline void save_index(serialize::OutputArchive& archive, const std::string& key, size_t index) {
  archive.write(key, tensor(static_cast<int64_t>(index)), /*is_buffer=*/true);
}

/// Reads a number. Throws unless it is from `first` to `last`, the range that the sampler can use.
inline size_t load_index(serialize::InputArchive& archive, const std::string& key, size_t first,
                         size_t last) {
  Tensor saved;
  archive.read(key, saved, /*is_buffer=*/true);
  const auto index = saved.item<int64_t>();
  const auto unsigned_index = static_cast<uint64_t>(index);  // 64 bits, while size_t may have 32
  ETUDE_CHECK(index >= 0 && unsigned_index >= first && unsigned_index <= last, "the saved ", key, " is ",
              index, "; this sampler takes ", first, " to ", last,
              "\nhint: load it into a sampler of the same size and part");
  return static_cast<size_t>(index);
}

}  // namespace etude::data::detail
