#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "etude/core/export.h"

namespace etude {

/// The index of a device among those of its type; -1 means unspecified.
using DeviceIndex = int8_t;
/// Device types. Only the CPU exists here.
enum class DeviceType : int8_t { CPU = 0, CUDA = 1 };
constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;

/// Where a tensor lives (c10::Device). Only the CPU exists here; other devices are refused by name.
class ETUDE_API Device {
 public:
  Device(DeviceType type, int64_t index = -1);
  /// `cpu` or `cpu:0`.
  Device(const std::string& device_string);

  DeviceType type() const { return kCPU; }
  /// 0 if an index was given, else -1. Both mean the only CPU.
  DeviceIndex index() const { return index_; }
  bool has_index() const { return index_ != -1; }
  bool is_cpu() const { return true; }
  bool is_cuda() const { return false; }
  /// `cpu` or `cpu:0`.
  std::string str() const;

  friend bool operator==(const Device& a, const Device& b) { return a.index_ == b.index_; }
  friend bool operator!=(const Device& a, const Device& b) { return !(a == b); }
  // Comparing with kCUDA is allowed, although there is no such Device.
  friend bool operator==(const Device& a, DeviceType b) { return b == kCPU && !a.has_index(); }
  friend bool operator!=(const Device& a, DeviceType b) { return !(a == b); }

 private:
  DeviceIndex index_;
};

/// For programs that look for a GPU before they choose a device: there is none.
namespace cuda {
inline bool is_available() { return false; }
inline size_t device_count() { return 0; }
}  // namespace cuda

ETUDE_API std::ostream& operator<<(std::ostream& out, DeviceType type);
ETUDE_API std::ostream& operator<<(std::ostream& out, const Device& device);

}  // namespace etude
