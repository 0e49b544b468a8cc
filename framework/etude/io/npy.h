#pragma once

#include <string>

#include "etude/core/export.h"
#include "etude/core/tensor.h"
#include "etude/io/file_memory.h"

namespace etude {

/// The array of a .npy file, version 1.0, 2.0 or 3.0, with its order in memory (numpy.load). It shares the memory of
/// the file, which is read as it is needed; what is written to it stays in memory. While it is mapped nobody may change
/// or shorten the file, or it is copied: see FileMemory. Throws Error for a file that is
/// malformed, and for big-endian numbers, objects and other types.
ETUDE_API Tensor load_npy(const std::string& path, FileMemory memory = FileMemory::Mapped);

/// Writes a tensor of any strides to a .npy file, version 1.0; column by column if it lies so in memory (numpy.save).
/// Whatever fails, the file that had this name is as it was. Throws Error for an undefined tensor.
ETUDE_API void save_npy(const std::string& path, const Tensor& t);

}  // namespace etude
