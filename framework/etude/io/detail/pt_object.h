#pragma once

#include <memory>
#include <string>
#include <utility>

#include "etude/core/export.h"
#include "etude/core/ivalue.h"
#include "etude/io/detail/file.h"
#include "etude/io/detail/safetensors.h"

// PyTorch's own files as archives see them: a tree of named values, and two functions that io/pt.h registers. Archives
// know neither pickle nor zip.

namespace etude::detail {

struct PtObject;

/// A value in an object: an IValue, or an object.
struct PtAttribute {
  PtAttribute(IValue v) : value(std::move(v)) {}
  PtAttribute(std::shared_ptr<PtObject> o) : object(std::move(o)) {}

  IValue value;
  std::shared_ptr<PtObject> object;
  bool is_buffer = false;
  bool is_tuple = false;
  bool is_list = false;               // the object is a list: its names are numbers
  bool is_numbered = false;           // its key in a dict is a number
  optional<UnreadValue> unread = {};  // in place of a value
};

/// Values by name: the contents of an archive, or of one of PyTorch's files, a Python dict or a LibTorch module.
struct PtObject : OrderedDict<std::string, PtAttribute> {};

/// The same as tensors and texts under names joined by dots. Throws an Error that begins with `twice` if two have one name.
FileContents flat_contents(const PtObject& object, const char* twice);

/// Whether a file begins like a zip archive, as PyTorch's files do since version 1.6.
bool is_zip(const MappedFile& file);
/// Whether the name is that of one of PyTorch's files: .pt or .pth.
bool is_pt_name(const std::string& path);

/// The functions that read and write PyTorch's files.
struct PtFormat {
  /// Tensors and texts under names joined by dots.
  FileContents (*read)(const std::shared_ptr<const MappedFile>& file) = nullptr;
  /// A file for torch::load and torch.jit.load.
  void (*write)(const std::string& path, PtObject object, const WriteBytes& write) = nullptr;
};

/// Registers a format in place of the one before, which it returns. Every program that includes io/pt.h registers it.
ETUDE_API PtFormat exchange_pt_format(const PtFormat& format);
/// The format for the file at `path`. Throws Error with the path if none is registered.
const PtFormat& pt_format(const std::string& path);

}  // namespace etude::detail
