#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "etude/core/ivalue.h"
#include "etude/io/detail/file.h"
#include "etude/io/detail/safetensors.h"

namespace etude::detail {

struct PtObject;

/// A name in an object, and its value: an IValue, or an object of its own.
struct PtAttribute {
  std::string name;
  IValue value;
  std::shared_ptr<PtObject> object;
  bool is_buffer = false;
  bool is_tuple = false;
  bool is_list = false;      // the object: its names are numbers
  bool is_numbered = false;  // its key in a dict is a number
};

/// What one of PyTorch's files consists of, whether it is a dict of Python or a module of LibTorch.
struct PtObject {
  std::vector<PtAttribute> attributes;

  const PtAttribute* find(const std::string& name) const;
  void add(std::string name, IValue value) {
    attributes.push_back({std::move(name), std::move(value), nullptr});
  }
  void add(std::string name, std::shared_ptr<PtObject> object) {
    attributes.push_back({std::move(name), IValue(), std::move(object)});
  }
};

/// Whether a file begins as PyTorch's do, of any version.
bool is_pt_file(const MappedFile& file);
/// Whether a file is to be one by its name: .pt or .pth.
bool is_pt_name(const std::string& path);

/// The value of a file; throws Error for what is malformed or has other types. Tensors that share memory there share it here.
PtAttribute read_pt(const std::shared_ptr<const MappedFile>& file);
/// The same as tensors and texts under names joined by dots; a value without a name is "0".
FileContents read_pt_contents(const std::shared_ptr<const MappedFile>& file);

/// Writes what torch::load and torch.jit.load read: a module without methods.
void write_pt_module(const std::string& path, const PtObject& object, const WriteBytes& write);
/// Writes what torch.load and torch::pickle_load read: one value, which if it is an object is a dict.
void write_pt_value(const std::string& path, const PtAttribute& value, const WriteBytes& write);

/// The names under which LibTorch keeps an optimizer, from those of Python's state_dict, and back. What is no optimizer
/// stays as it is.
void add_libtorch_optimizer(PtObject& object);
void replace_libtorch_optimizer(PtObject& object);

/// The dtype of PyTorch's class of storages, `FloatStorage`; throws TypeError for other ones.
ScalarType storage_dtype(const std::string& path, const std::string& class_name);
/// The class of a dtype.
std::string storage_class(ScalarType dtype);

}  // namespace etude::detail
