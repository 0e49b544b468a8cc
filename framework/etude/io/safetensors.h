#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "etude/core/export.h"
#include "etude/core/ordered_dict.h"
#include "etude/core/tensor.h"
#include "etude/io/file_memory.h"

namespace etude {

/// What a file says about one of its values; sizes are in the order of PyTorch.
struct FileEntry {
  std::string type;                      ///< as the file names it: "F32", "F8_E4M3", "Q4_K"
  optional<ScalarType> dtype = nullopt;  ///< of the tensor that is read; nullopt if none can be
  std::vector<int64_t> sizes = {};
  int64_t nbytes = 0;   ///< 0 if the size of its numbers is not known
  uint64_t offset = 0;  ///< of its bytes in the file; 0 in an archive of zip
};

/// The tensors of a safetensors file by name, in the order of their data (safetensors.torch.load_file). They
/// share the memory of the file, which is read on demand; writes to them stay in memory. A mapped file must
/// not be changed or shortened; FileMemory can copy it instead. Throws Error for a malformed file, and TypeError
/// with the names of all tensors that have other dtypes.
ETUDE_API OrderedDict<std::string, Tensor> load_safetensors(const std::string& path,
                                                            FileMemory memory = FileMemory::Mapped);
/// The tensors of these names, in their order (safe_open(path).get_tensor(name)). Others may have any dtype.
ETUDE_API OrderedDict<std::string, Tensor> load_safetensors(const std::string& path,
                                                            const std::vector<std::string>& names,
                                                            FileMemory memory = FileMemory::Mapped);

/// What the header of a safetensors file says about its tensors, of any dtype, in the order of their data; the data are
/// not read. Throws Error for a malformed file.
ETUDE_API OrderedDict<std::string, FileEntry> list_safetensors(const std::string& path);

/// The metadata of a safetensors file (safe_open(path).metadata()). Throws like load_safetensors.
ETUDE_API std::unordered_map<std::string, std::string> safetensors_metadata(const std::string& path);

/// Writes tensors of any strides to a safetensors file, those with the largest elements first
/// (safetensors.torch.save_file). The file appears under its name only when complete; if anything fails, a previous
/// file stays unchanged. Throws Error for an undefined tensor, and for a name that is "__metadata__" or not UTF-8.
ETUDE_API void save_safetensors(const std::string& path, const OrderedDict<std::string, Tensor>& tensors,
                                const std::unordered_map<std::string, std::string>& metadata = {});

}  // namespace etude
