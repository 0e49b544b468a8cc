#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "etude/core/ordered_dict.h"
#include "etude/core/tensor.h"
#include "etude/io/detail/file.h"

namespace etude::detail {

/// A value that cannot be read from its file: a tensor of an unsupported dtype, or a Python object.
struct UnreadValue {
  std::string type;          // as the file says it: F8_E4M3, argparse.Namespace
  bool has_tensors = false;  // or is a tensor
};
using UnreadValues = std::map<std::string, UnreadValue>;

using NamedTensors = OrderedDict<std::string, Tensor>;

/// The contents of a file: tensors and texts. Tensors of a safetensors file share its memory.
struct FileContents {
  NamedTensors tensors;
  std::map<std::string, std::string> metadata;
  UnreadValues unread = {};
};

/// All tensors. Throws TypeError with the names of those that cannot be read, if there are any.
NamedTensors all_tensors(const std::string& path, FileContents contents, const char* hint);
/// The tensors of these names, in their order. Throws as check_read, and Error for a name that is not there.
NamedTensors some_tensors(const std::string& path, const FileContents& contents,
                          const std::vector<std::string>& names);
/// Throws TypeError if the value of a name cannot be read.
void check_read(const std::string& path, const UnreadValues& unread, const std::string& name);

/// Throws Error for a malformed file.
FileContents read_safetensors(const std::shared_ptr<const MappedFile>& file);

/// Writes a safetensors file from beginning to end; `path` is its name in errors.
void write_safetensors(const std::string& path, const OrderedDict<std::string, Tensor>& tensors,
                       const std::map<std::string, std::string>& metadata, const WriteBytes& write);

}  // namespace etude::detail
