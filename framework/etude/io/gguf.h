#pragma once

#include <memory>
#include <string>

#include "etude/core/export.h"
#include "etude/core/ivalue.h"
#include "etude/core/ordered_dict.h"
#include "etude/core/tensor.h"
#include "etude/io/safetensors.h"
#include "etude/ops/quantized_linear.h"

namespace etude {

namespace detail {
class MappedFile;
}

/// A GGUF file, the format of llama.cpp. Copies share it.
struct ETUDE_API GgufFile {
  std::string path;
  /// Numbers, bools, texts and lists of one of them; a list of lists is a GenericDict with the keys 0, 1, ...
  OrderedDict<std::string, IValue> metadata{"metadata"};
  OrderedDict<std::string, FileEntry> entries{"tensor"};
  std::shared_ptr<const detail::MappedFile> file;

  /// The value of a key as T, or `otherwise` if there is none. Throws Error if it has another type.
  template <typename T>
  T get(const std::string& key, T otherwise) const {
    const IValue* value = metadata.find(key);
    try {
      return value ? value->to<T>() : otherwise;
    } catch (const Error& e) {
      throw Error(str(path, ": the metadata \"", key, "\": ", e.msg()));
    }
  }
  /// A tensor of the type F32, F16, BF16, F64, I8, I32 or I64, which shares the memory of the file, or of the type Q8_0,
  /// which becomes float32. Throws TypeError for other types.
  Tensor tensor(const std::string& name) const;
  /// A tensor of the type Q8_0 as it is stored.
  QuantizedWeight quantized(const std::string& name) const;
};

/// Opens a GGUF file, version 2 or 3, little-endian. Tensors are read on demand, as with load_safetensors. Throws Error for a
/// malformed file.
ETUDE_API GgufFile load_gguf(const std::string& path, FileMemory memory = FileMemory::Mapped);

/// Writes a GGUF file, version 3, with tensors of any strides; those with scales are Q8_0. Integers of the metadata are
/// written as uint32 (in lists int32) or int64, and doubles as float32 or float64, the first that holds all values.
/// Data are aligned to `general.alignment`, or to 32 bytes. The file appears under its name only when complete. Throws Error
/// for names of more than 63 bytes and more than 4 dims, which llama.cpp does not read, and TypeError for dtypes that GGUF
/// does not have.
ETUDE_API void save_gguf(
    const std::string& path, const OrderedDict<std::string, QuantizedWeight>& tensors,
    const OrderedDict<std::string, IValue>& metadata = OrderedDict<std::string, IValue>());

}  // namespace etude
