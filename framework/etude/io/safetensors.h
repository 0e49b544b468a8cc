#pragma once

#include <string>
#include <unordered_map>

#include "etude/core/export.h"
#include "etude/core/ordered_dict.h"
#include "etude/core/tensor.h"
#include "etude/io/file_memory.h"

namespace etude {

/// The tensors of a safetensors file by their names, in the order of their data (safetensors.torch.load_file).
/// They share the memory of the file, which is read as it is needed; what is written to them stays in memory.
/// While it is mapped nobody may change or shorten the file, or it is copied: see FileMemory.
/// Throws Error for a file that is malformed or has other dtypes.
ETUDE_API OrderedDict<std::string, Tensor> load_safetensors(const std::string& path,
                                                            FileMemory memory = FileMemory::Mapped);

/// The texts of a safetensors file (safe_open(path).metadata()). Throws as load_safetensors.
ETUDE_API std::unordered_map<std::string, std::string> safetensors_metadata(const std::string& path);

/// Writes tensors of any strides to a safetensors file, those with the largest elements first
/// (safetensors.torch.save_file). Appears under its name when it is whole: whatever fails, the file that had
/// this name is as it was. Throws Error for an undefined tensor, and for a name that is "__metadata__" or no UTF-8.
ETUDE_API void save_safetensors(const std::string& path, const OrderedDict<std::string, Tensor>& tensors,
                                const std::unordered_map<std::string, std::string>& metadata = {});

}  // namespace etude
