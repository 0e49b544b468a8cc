#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "etude/core/export.h"

namespace etude {

/// Which of several devices of a type; -1 is none in particular.
using DeviceIndex = int8_t;
/// Kinds of devices, of which the CPU alone exists.
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
  /// 0 if it was named, else -1. There is one CPU, and both are it.
  DeviceIndex index() const { return index_; }
  bool has_index() const { return index_ != -1; }
  bool is_cpu() const { return true; }
  bool is_cuda() const { return false; }
  /// `cpu` or `cpu:0`.
  std::string str() const;

  friend bool operator==(const Device& a, const Device& b) { return a.index_ == b.index_; }
  friend bool operator!=(const Device& a, const Device& b) { return !(a == b); }
  // A type of device can be asked for although there is no such Device.
  friend bool operator==(const Device& a, DeviceType b) { return b == kCPU && !a.has_index(); }
  friend bool operator!=(const Device& a, DeviceType b) { return !(a == b); }

 private:
  DeviceIndex index_;
};

/// For programs that ask before they choose a device: there is none but the CPU.
namespace cuda {
inline bool is_available() { return false; }
inline size_t device_count() { return 0; }
}  // namespace cuda

ETUDE_API std::ostream& operator<<(std::ostream& out, DeviceType type);
ETUDE_API std::ostream& operator<<(std::ostream& out, const Device& device);

}  // namespace etude
