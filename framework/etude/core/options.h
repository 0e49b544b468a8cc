#pragma once

#include <iosfwd>
#include <optional>
#include <type_traits>
#include <utility>

#include "etude/core/device.h"
#include "etude/core/dtype.h"

namespace etude {

using std::nullopt;
using std::nullopt_t;
using std::optional;

/// How elements lie in memory (at::Layout).
enum class Layout : int8_t { Strided = 0 };
constexpr Layout kStrided = Layout::Strided;

/// The properties of a new tensor: dtype, device, layout and requires_grad (at::TensorOptions).
class TensorOptions {
 public:
  TensorOptions() = default;
  TensorOptions(ScalarType t) : dtype_(t) {}
  /// From a Device or the arguments of its constructor: `kCPU`, `"cpu:0"`, `{kCPU, 0}`.
  template <typename... Args, typename = std::enable_if_t<std::is_constructible_v<Device, Args...>>>
  TensorOptions(Args&&... args) : device_(Device(std::forward<Args>(args)...)) {}

  [[nodiscard]] TensorOptions dtype(ScalarType t) const { return with(&TensorOptions::dtype_, t); }
  [[nodiscard]] TensorOptions dtype(optional<ScalarType> t) const { return with(&TensorOptions::dtype_, t); }
  [[nodiscard]] TensorOptions requires_grad(bool on) const {
    return with(&TensorOptions::requires_grad_, on);
  }
  [[nodiscard]] TensorOptions device(optional<Device> d) const { return with(&TensorOptions::device_, d); }
  template <typename... Args, typename = std::enable_if_t<std::is_constructible_v<Device, Args...>>>
  [[nodiscard]] TensorOptions device(Args&&... args) const {
    return device(optional<Device>(std::in_place, std::forward<Args>(args)...));
  }
  [[nodiscard]] TensorOptions layout(Layout l) const { return with(&TensorOptions::layout_, l); }
  /// Stored and printed, but without effect, since all memory is the CPU's.
  [[nodiscard]] TensorOptions pinned_memory(bool on) const {
    return with(&TensorOptions::pinned_memory_, on);
  }

  ScalarType dtype() const { return dtype_.value_or(get_default_dtype()); }
  bool has_dtype() const { return dtype_.has_value(); }
  bool requires_grad() const { return requires_grad_.value_or(false); }
  Device device() const { return device_.value_or(kCPU); }
  bool has_device() const { return device_.has_value(); }
  bool has_requires_grad() const { return requires_grad_.has_value(); }
  Layout layout() const { return kStrided; }
  bool has_layout() const { return layout_.has_value(); }
  bool pinned_memory() const { return pinned_memory_.value_or(false); }
  bool has_pinned_memory() const { return pinned_memory_.has_value(); }

 private:
  template <typename T>
  TensorOptions with(optional<T> TensorOptions::*part, optional<std::common_type_t<T>> value) const {
    TensorOptions o = *this;
    o.*part = value;
    return o;
  }

  optional<ScalarType> dtype_;
  optional<bool> requires_grad_;
  optional<Device> device_;
  optional<Layout> layout_;
  optional<bool> pinned_memory_;
};

inline TensorOptions dtype(ScalarType t) { return TensorOptions(t); }
inline TensorOptions requires_grad(bool on = true) { return TensorOptions().requires_grad(on); }
inline TensorOptions device(Device d) { return TensorOptions(d); }
inline TensorOptions layout(Layout l) { return TensorOptions().layout(l); }

/// Writes `TensorOptions(dtype=float, device=cpu (default), ...)`.
ETUDE_API std::ostream& operator<<(std::ostream& out, const TensorOptions& options);

}  // namespace etude
