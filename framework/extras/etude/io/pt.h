#pragma once

#include <string>
#include <vector>

#include "etude/core/export.h"
#include "etude/core/ordered_dict.h"
#include "etude/core/tensor.h"
#include "etude/io/safetensors.h"

namespace etude {

/// The tensors of a file that Python's torch.save or LibTorch's torch::save wrote since PyTorch 1.6, under names joined
/// by dots: a state_dict, a tensor ("0"), or nested dicts, lists and modules. Values without tensors are left out: an
/// InputArchive reads numbers and texts, and list_pt names sets, arrays and objects. Tensors that share memory there, such
/// as tied weights, share it here. Nothing in the pickle is run. Throws Error for a damaged file, and TypeError with all
/// names for tensors of other dtypes and for objects with tensors.
ETUDE_API OrderedDict<std::string, Tensor> load_pt(const std::string& path);
/// The tensors of these names, in their order. Others may have any dtype.
ETUDE_API OrderedDict<std::string, Tensor> load_pt(const std::string& path,
                                                   const std::vector<std::string>& names);

/// What a .pt file holds under each name: the tensors of load_pt; then numbers, texts and lists, whose types have IValue's names;
/// then values that cannot be read, whose types have Python's names: "set", "argparse.Namespace".
ETUDE_API OrderedDict<std::string, FileEntry> list_pt(const std::string& path);

/// Writes tensors of any strides as torch.save(dict, path) does, for torch.load and load_state_dict in Python and
/// torch::pickle_load in C++; torch::load in C++ needs save(model, "model.pt"). Overlapping tensors share memory there. If
/// anything fails, a previous file stays unchanged. Throws Error for an undefined tensor. All these functions need libzip.
ETUDE_API void save_pt(const std::string& path, const OrderedDict<std::string, Tensor>& tensors);

namespace detail {
/// Lets archives read and write .pt files.
ETUDE_API bool register_pt_format();
inline const bool pt_format_is_registered = register_pt_format();
}  // namespace detail

}  // namespace etude
