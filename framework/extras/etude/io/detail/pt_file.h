#pragma once

#include <memory>
#include <string>

#include "etude/io/detail/file.h"
#include "etude/io/detail/pt_object.h"
#include "etude/io/detail/safetensors.h"

namespace etude::detail {

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

/// PyTorch's storage class of a dtype, such as `FloatStorage`.
std::string storage_class(ScalarType dtype);

}  // namespace etude::detail
