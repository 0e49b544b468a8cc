#pragma once

#include <optional>

#include "etude/core/dtype.h"
#include "etude/core/export.h"

namespace etude {

using std::nullopt;
using std::nullopt_t;
using std::optional;

enum class DeviceType : int8_t { CPU = 0, CUDA = 1 };
constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;

/// Where a tensor lives. Only the CPU exists here; other devices are refused by name.
class ETUDE_API Device {
 public:
  Device(DeviceType type, int8_t index = -1);
  DeviceType type() const { return kCPU; }
  bool is_cpu() const { return true; }
  bool is_cuda() const { return false; }
  friend bool operator==(const Device&, const Device&) { return true; }
  friend bool operator!=(const Device&, const Device&) { return false; }
};

enum class Layout : int8_t { Strided = 0 };
constexpr Layout kStrided = Layout::Strided;

/// How a new tensor shall be: its element type and whether it asks for a gradient (at::TensorOptions).
class TensorOptions {
 public:
  TensorOptions() = default;
  TensorOptions(ScalarType t) : dtype_(t) {}
  TensorOptions(Device) {}
  TensorOptions(DeviceType t) { (void)Device(t); }

  [[nodiscard]] TensorOptions dtype(ScalarType t) const {
    TensorOptions o = *this;
    o.dtype_ = t;
    return o;
  }
  [[nodiscard]] TensorOptions dtype(optional<ScalarType> t) const {
    TensorOptions o = *this;
    o.dtype_ = t;
    return o;
  }
  [[nodiscard]] TensorOptions requires_grad(bool on) const {
    TensorOptions o = *this;
    o.requires_grad_ = on;
    return o;
  }
  [[nodiscard]] TensorOptions device(Device) const { return *this; }
  [[nodiscard]] TensorOptions device(DeviceType t, int8_t index = -1) const {
    (void)Device(t, index);
    return *this;
  }
  [[nodiscard]] TensorOptions layout(Layout) const { return *this; }

  ScalarType dtype() const { return dtype_.value_or(get_default_dtype()); }
  bool has_dtype() const { return dtype_.has_value(); }
  bool requires_grad() const { return requires_grad_.value_or(false); }
  Device device() const { return kCPU; }
  Layout layout() const { return kStrided; }

 private:
  optional<ScalarType> dtype_;
  optional<bool> requires_grad_;
};

inline TensorOptions dtype(ScalarType t) { return TensorOptions(t); }
inline TensorOptions requires_grad(bool on = true) { return TensorOptions().requires_grad(on); }
inline TensorOptions device(Device d) { return TensorOptions(d); }
inline TensorOptions layout(Layout l) { return TensorOptions().layout(l); }

}  // namespace etude
