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

/// A named value in an object: an IValue, or an object.
struct PtAttribute {
  std::string name;
  IValue value;
  std::shared_ptr<PtObject> object;
  bool is_buffer = false;
  bool is_tuple = false;
  bool is_list = false;      // the object is a list: its names are numbers
  bool is_numbered = false;  // its key in a dict is a number
};

/// The contents of one of PyTorch's files, either a Python dict or a LibTorch module.
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

/// Whether a file begins like a PyTorch file of any version.
bool is_pt_file(const MappedFile& file);
/// Whether the name says that the file is one: .pt or .pth.
bool is_pt_name(const std::string& path);

/// The value of a file. Throws Error for malformed files and other types. Tensors that share memory there share it here.
PtAttribute read_pt(const std::shared_ptr<const MappedFile>& file);
/// The same as tensors and texts under names joined by dots; a value without a name is named "0".
FileContents read_pt_contents(const std::shared_ptr<const MappedFile>& file);

/// Writes a file for torch::load and torch.jit.load: a module without methods.
void write_pt_module(const std::string& path, const PtObject& object, const WriteBytes& write);
/// Writes a file for torch.load and torch::pickle_load: one value; an object becomes a dict.
void write_pt_value(const std::string& path, const PtAttribute& value, const WriteBytes& write);

/// Add LibTorch's names of an optimizer to those of Python's state_dict, or replace LibTorch's by Python's.
/// Anything that is no optimizer stays unchanged.
void add_libtorch_optimizer(PtObject& object);
void replace_libtorch_optimizer(PtObject& object);

/// The dtype of PyTorch's storage class, such as `FloatStorage`. Throws TypeError for other classes.
ScalarType storage_dtype(const std::string& path, const std::string& class_name);
/// The storage class of a dtype.
std::string storage_class(ScalarType dtype);

}  // namespace etude::detail
