#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "etude/core/ordered_dict.h"
#include "etude/core/tensor.h"
#include "etude/io/detail/file.h"

namespace etude::detail {

/// The contents of a file: tensors and texts. Tensors of a safetensors file share its memory.
struct FileContents {
  OrderedDict<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Throws Error for a malformed file.
FileContents read_safetensors(const std::shared_ptr<const MappedFile>& file);

/// Receives the next bytes of a file.
using WriteBytes = std::function<void(const void* data, size_t bytes)>;

/// Writes a safetensors file from beginning to end; `path` is its name in errors.
void write_safetensors(const std::string& path, const OrderedDict<std::string, Tensor>& tensors,
                       const std::map<std::string, std::string>& metadata, const WriteBytes& write);

}  // namespace etude::detail
