#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "etude/core/device.h"
#include "etude/core/export.h"
#include "etude/core/ivalue.h"
#include "etude/core/tensor.h"

namespace etude::serialize {

/// Reads what an OutputArchive saved, or any safetensors or .pt file (torch::serialize::InputArchive). A dot in
/// a name there separates the names of nested archives.
class ETUDE_API InputArchive final {
 public:
  InputArchive();
  InputArchive(InputArchive&&) = default;
  InputArchive& operator=(InputArchive&&) = default;
  InputArchive(const InputArchive&) = delete;
  InputArchive& operator=(const InputArchive&) = delete;

  /// The value of a name. If there is none, read throws and try_read returns false. Both throw TypeError for what the file
  /// has and cannot be read, such as a tensor of another dtype. Metadata that is not JSON is a string.
  void read(const std::string& key, IValue& ivalue);
  bool try_read(const std::string& key, IValue& ivalue);
  /// The tensor shares the loaded memory; a tensor that is already defined takes its sizes and dtype.
  /// `is_buffer` exists for LibTorch and is ignored.
  void read(const std::string& key, Tensor& tensor, bool is_buffer = false);
  bool try_read(const std::string& key, Tensor& tensor, bool is_buffer = false);
  void read(const std::string& key, InputArchive& archive);
  bool try_read(const std::string& key, InputArchive& archive);

  /// Copies the saved tensor into one of the same sizes. Throws with both sizes if they differ.
  void read_into(const std::string& key, const Tensor& tensor);

  /// Loads a safetensors or .pt file. Throws Error for a malformed file. The device must be the CPU.
  void load_from(const std::string& filename, optional<Device> device = nullopt);
  /// Loads a whole stream, which must be seekable.
  void load_from(std::istream& stream, optional<Device> device = nullopt);
  void load_from(const char* data, size_t size, optional<Device> device = nullopt);
  /// Calls read_func(position, buffer, bytes), which returns the number of bytes read; 0 is an error.
  void load_from(const std::function<size_t(uint64_t pos, void* buf, size_t nbytes)>& read_func,
                 const std::function<size_t(void)>& size_func, optional<Device> device = nullopt);

  /// The names in this archive, sorted.
  std::vector<std::string> keys();
  /// The names of the tensors in this archive and in nested archives, joined by dots.
  std::vector<std::string> tensor_names() const;

  template <typename... Ts>
  void operator()(Ts&&... ts) {
    read(std::forward<Ts>(ts)...);
  }

 private:
  struct Contents;
  const Contents& contents() const;
  std::string names_for(const std::string& missing);

  std::shared_ptr<const Contents> contents_;
  std::string prefix_;
};

}  // namespace etude::serialize
