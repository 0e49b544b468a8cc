#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "etude/core/error.h"
#include "etude/io/input_archive.h"
#include "etude/io/output_archive.h"
#include "etude/ops/ops.h"

namespace etude::data::detail {

/// Puts a number under a name as LibTorch's samplers do, an int64 tensor of no dims.
inline void save_index(serialize::OutputArchive& archive, const std::string& key, size_t index) {
  archive.write(key, tensor(static_cast<int64_t>(index)), /*is_buffer=*/true);
}

/// The number of a name; `first` to `last` are what the sampler that loads it can use.
inline size_t load_index(serialize::InputArchive& archive, const std::string& key, size_t first,
                         size_t last) {
  Tensor saved;
  archive.read(key, saved, /*is_buffer=*/true);
  const auto index = saved.item<int64_t>();
  const auto unsigned_index = static_cast<uint64_t>(index);  // of 64 bits, where a size may have 32
  ETUDE_CHECK(index >= 0 && unsigned_index >= first && unsigned_index <= last, "the saved ", key, " is ",
              index, "; this sampler takes ", first, " to ", last,
              "\nhint: load it into a sampler of the same size and part");
  return static_cast<size_t>(index);
}

}  // namespace etude::data::detail
