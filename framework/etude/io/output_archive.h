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

/// Tensors, of which it keeps handles, other values and archives under names (torch::serialize::OutputArchive). The file is
/// a safetensors file: names of nested archives are joined by dots, values that are no tensors are JSON in its metadata.
class ETUDE_API OutputArchive final {
 public:
  OutputArchive();
  OutputArchive(OutputArchive&&) = default;
  OutputArchive& operator=(OutputArchive&&) = default;
  OutputArchive(const OutputArchive&) = delete;
  OutputArchive& operator=(const OutputArchive&) = delete;

  /// Puts a value under a name, in place of an earlier one of the same kind; another kind is refused, and so is an
  /// undefined tensor. `is_buffer` is LibTorch's and means nothing.
  void write(const std::string& key, const IValue& ivalue);
  void write(const std::string& key, const Tensor& tensor, bool is_buffer = false);
  /// What is written to the nested archive later belongs to this one too.
  void write(const std::string& key, OutputArchive& nested_archive);

  /// Writes a file, which appears under its name when it is whole.
  void save_to(const std::string& filename);
  void save_to(std::ostream& stream);
  /// Calls func(data, bytes) with one piece after the other; it returns how many bytes it took, and fewer are an error.
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
