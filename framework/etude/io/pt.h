#pragma once

#include <string>

#include "etude/core/export.h"
#include "etude/core/ordered_dict.h"
#include "etude/core/tensor.h"

namespace etude {

/// The tensors of a file that Python's torch.save or LibTorch's torch::save has written since PyTorch 1.6, under names joined
/// by dots: of a state_dict, a tensor ("0"), or dicts, lists and modules in each other; an InputArchive gives numbers and texts,
/// too. Tensors that share memory there, as tied weights do, share it here. float16 becomes float32. Nothing of the pickle
/// is run: what is neither tensor, number, text, list nor dict is refused by its name, and so is a damaged file.
ETUDE_API OrderedDict<std::string, Tensor> load_pt(const std::string& path);

/// Writes tensors of any strides as torch.save(dict, path) does, for torch.load and load_state_dict in Python and
/// torch::pickle_load in C++; for torch::load in C++ it is save(model, "model.pt"). Tensors that overlap share their memory there.
/// Whatever fails, the file that had this name is as it was. Throws Error for an undefined tensor. Both need libzip.
ETUDE_API void save_pt(const std::string& path, const OrderedDict<std::string, Tensor>& tensors);

}  // namespace etude
