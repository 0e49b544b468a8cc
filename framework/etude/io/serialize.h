#pragma once

#include <string>
#include <utility>
#include <vector>

#include "etude/io/input_archive.h"
#include "etude/io/output_archive.h"

namespace etude {

/// Saves a tensor under the name 0.
inline serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const Tensor& tensor) {
  archive.write("0", tensor);
  return archive;
}
/// Loads the tensor named 0 from an archive.
inline serialize::InputArchive& operator>>(serialize::InputArchive& archive, Tensor& tensor) {
  archive.read("0", tensor);
  return archive;
}

/// Saves a tensor, a module or an optimizer; the other arguments go to OutputArchive::save_to (torch::save):
/// `save(model, "a.safetensors")`, or `"a.pt"`, which LibTorch and Python's torch.jit.load read.
template <typename Value, typename... SaveToArgs>
void save(const Value& value, SaveToArgs&&... args) {
  serialize::OutputArchive archive;
  archive << value;
  archive.save_to(std::forward<SaveToArgs>(args)...);
}

/// Saves tensors under the names 0, 1, 2, ...
template <typename... SaveToArgs>
void save(const std::vector<Tensor>& tensor_vec, SaveToArgs&&... args) {
  serialize::OutputArchive archive;
  for (size_t i = 0; i < tensor_vec.size(); ++i) archive.write(std::to_string(i), tensor_vec[i]);
  archive.save_to(std::forward<SaveToArgs>(args)...);
}

/// A value as the bytes of a .pt file, as Python's torch.save writes it (torch::pickle_save). Keys of dicts
/// are texts. Throws for a list of mixed types.
ETUDE_API std::vector<char> pickle_save(const IValue& ivalue);
/// The value of such bytes, also if Python wrote them (torch::pickle_load). Keys of dicts may be integers.
ETUDE_API IValue pickle_load(const std::vector<char>& data);

/// Loads what save() saved into a value of the same kind; the other arguments go to InputArchive::load_from (torch::load).
template <typename Value, typename... LoadFromArgs>
void load(Value& value, LoadFromArgs&&... args) {
  serialize::InputArchive archive;
  archive.load_from(std::forward<LoadFromArgs>(args)...);
  archive >> value;
}

/// Appends the tensors named 0, 1, 2, ... to a vector, until one is missing.
template <typename... LoadFromArgs>
void load(std::vector<Tensor>& tensor_vec, LoadFromArgs&&... args) {
  serialize::InputArchive archive;
  archive.load_from(std::forward<LoadFromArgs>(args)...);
  Tensor value;
  for (size_t i = 0; archive.try_read(std::to_string(i), value); ++i) {
    tensor_vec.push_back(std::move(value));
    value = Tensor();
  }
}

}  // namespace etude
