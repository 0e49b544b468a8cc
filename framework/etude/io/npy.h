#pragma once

#include <string>

#include "etude/core/export.h"
#include "etude/core/tensor.h"
#include "etude/io/file_memory.h"

namespace etude {

/// The array of a .npy file, version 1.0, 2.0 or 3.0, in its memory order (numpy.load). It shares the memory
/// of the file, which is read on demand; writes to the tensor stay in memory. A mapped file must not be
/// changed or shortened; FileMemory can copy it instead. Throws Error for a malformed file, and for
/// big-endian numbers, objects and other types.
ETUDE_API Tensor load_npy(const std::string& path, FileMemory memory = FileMemory::Mapped);

/// Writes a tensor of any strides to a .npy file, version 1.0, column-major if the tensor is (numpy.save). If
/// anything fails, a previous file of this name stays unchanged. Throws Error for an undefined tensor.
ETUDE_API void save_npy(const std::string& path, const Tensor& t);

}  // namespace etude
