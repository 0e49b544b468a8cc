#pragma once

#include <string>
#include <unordered_map>

#include "etude/core/export.h"
#include "etude/core/ordered_dict.h"
#include "etude/core/tensor.h"
#include "etude/io/file_memory.h"

namespace etude {

/// The tensors of a safetensors file by name, in the order of their data (safetensors.torch.load_file). They
/// share the memory of the file, which is read on demand; writes to them stay in memory. A mapped file must
/// not be changed or shortened; FileMemory can copy it instead. Throws Error for a malformed file and for
/// other dtypes.
ETUDE_API OrderedDict<std::string, Tensor> load_safetensors(const std::string& path,
                                                            FileMemory memory = FileMemory::Mapped);

/// The metadata of a safetensors file (safe_open(path).metadata()). Throws like load_safetensors.
ETUDE_API std::unordered_map<std::string, std::string> safetensors_metadata(const std::string& path);

/// Writes tensors of any strides to a safetensors file, those with the largest elements first
/// (safetensors.torch.save_file). The file appears under its name only when complete; if anything fails, a previous
/// file stays unchanged. Throws Error for an undefined tensor, and for a name that is "__metadata__" or not UTF-8.
ETUDE_API void save_safetensors(const std::string& path, const OrderedDict<std::string, Tensor>& tensors,
                                const std::unordered_map<std::string, std::string>& metadata = {});

}  // namespace etude
