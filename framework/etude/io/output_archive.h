#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>

#include "etude/core/export.h"
#include "etude/core/ivalue.h"
#include "etude/core/tensor.h"

namespace etude::serialize {

/// Keeps handles of tensors, other values and nested archives under names (torch::serialize::OutputArchive). In a
/// safetensors file names of nested archives are joined by dots, and values other than tensors are JSON in its metadata.
class ETUDE_API OutputArchive final {
 public:
  OutputArchive();
  OutputArchive(OutputArchive&&) = default;
  OutputArchive& operator=(OutputArchive&&) = default;
  OutputArchive(const OutputArchive&) = delete;
  OutputArchive& operator=(const OutputArchive&) = delete;

  /// Stores a value under a name, in place of an earlier one of the same kind. Throws for another kind and
  /// for an undefined tensor. `is_buffer` matters only in .pt files.
  void write(const std::string& key, const IValue& ivalue);
  void write(const std::string& key, const Tensor& tensor, bool is_buffer = false);
  /// Later writes to the nested archive belong to this one too.
  void write(const std::string& key, OutputArchive& nested_archive);

  /// Writes a .pt file for names in .pt or .pth, else a safetensors file. It appears under its name only when complete.
  /// Throws Error for names of other formats: .gguf, .onnx, .npy, .npz, .json, .h5 and .pkl.
  void save_to(const std::string& filename);
  void save_to(std::ostream& stream);
  /// Calls func(data, bytes) with one piece after another. func returns the number of bytes taken; fewer are an error.
  void save_to(const std::function<size_t(const void*, size_t)>& func);

  template <typename... Ts>
  void operator()(Ts&&... ts) {
    write(std::forward<Ts>(ts)...);
  }

 private:
  struct Node;
  Node& node() const;

  std::shared_ptr<Node> node_;
};

}  // namespace etude::serialize
