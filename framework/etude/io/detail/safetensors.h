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

/// What a file holds: tensors, and texts, which of one of safetensors share its memory.
struct FileContents {
  OrderedDict<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Throws Error for what is malformed.
FileContents read_safetensors(const std::shared_ptr<const MappedFile>& file);

/// Takes bytes that go behind those before.
using WriteBytes = std::function<void(const void* data, size_t bytes)>;

/// Writes a safetensors file from its begin to its end; `path` is its name in errors.
void write_safetensors(const std::string& path, const OrderedDict<std::string, Tensor>& tensors,
                       const std::map<std::string, std::string>& metadata, const WriteBytes& write);

}  // namespace etude::detail
