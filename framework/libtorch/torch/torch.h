#pragma once

// Etude under LibTorch's names: with etude::libtorch, a program written for LibTorch compiles unchanged.
// See docs/from_libtorch.md.

// Standard headers that LibTorch's own headers include, and that programs forget.
#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <climits>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <exception>
#include <forward_list>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <list>
#include <locale>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <ostream>
#include <queue>
#include <random>
#include <set>
#include <sstream>
#include <stack>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "torch/names.h"

#define TORCH_VERSION_MAJOR 2
#define TORCH_VERSION_MINOR 14
#define TORCH_VERSION_PATCH 1
#define TORCH_VERSION "2.14.1"

#define TORCH_API
#define C10_API
#define C10_UNUSED [[maybe_unused]]
#define C10_NODISCARD [[nodiscard]]
#define C10_FALLTHROUGH [[fallthrough]]
#define C10_DEPRECATED [[deprecated]]
#define C10_DEPRECATED_MESSAGE(message) [[deprecated(message)]]
#define C10_LIKELY(condition) (condition)
#define C10_UNLIKELY(condition) (condition)
#define TORCH_ARG ETUDE_ARG
#define TORCH_MODULE ETUDE_MODULE
#define TORCH_MODULE_IMPL ETUDE_MODULE_IMPL
#define TORCH_CHECK ETUDE_CHECK
#define TORCH_CHECK_INDEX ETUDE_CHECK_INDEX
#define TORCH_CHECK_VALUE ETUDE_CHECK_VALUE
#define TORCH_CHECK_TYPE ETUDE_CHECK_TYPE
#define TORCH_CHECK_WITH ETUDE_CHECK_WITH
#define TORCH_INTERNAL_ASSERT(...) ETUDE_CHECK(__VA_ARGS__, " INTERNAL ASSERT FAILED: " #__VA_ARGS__)
#define TORCH_WARN ETUDE_WARN
#define TORCH_WARN_ONCE ETUDE_WARN_ONCE
#define AT_ASSERT TORCH_INTERNAL_ASSERT
#define AT_ERROR(...) TORCH_CHECK(false, __VA_ARGS__)

namespace torch {

namespace guts = etude::guts;
namespace Warning = WarningUtils;
using std::string_view;
template <typename T>
using OptionalArrayRef = optional<ArrayRef<T>>;
inline ScalarType get_default_dtype_as_scalartype() { return get_default_dtype(); }
namespace autograd {
using torch::InferenceMode;
}

/// Settings of libraries and devices that are absent here: they are kept, and have no effect.
class Context {
 public:
  static bool hasCUDA() { return false; }
  static bool hasCuDNN() { return false; }
  static bool hasMPS() { return false; }
  static bool hasOpenMP() { return true; }
  static bool setFlushDenormal(bool) { return false; }
  bool userEnabledMkldnn() const { return etude::onednn::enabled(); }
  void setUserEnabledMkldnn(bool on) { etude::onednn::set_enabled(on); }
#define ETUDE_SETTING(name, setter, from)             \
 public:                                              \
  bool name() const { return name##_; }               \
  void setter(bool on, bool = true) { name##_ = on; } \
                                                      \
 private:                                             \
  bool name##_ = from;
  ETUDE_SETTING(userEnabledCuDNN, setUserEnabledCuDNN, true)
  ETUDE_SETTING(benchmarkCuDNN, setBenchmarkCuDNN, false)
  ETUDE_SETTING(deterministicCuDNN, setDeterministicCuDNN, false)
  ETUDE_SETTING(deterministicAlgorithms, setDeterministicAlgorithms, false)
  ETUDE_SETTING(allowTF32CuBLAS, setAllowTF32CuBLAS, false)
  ETUDE_SETTING(allowTF32CuDNN, setAllowTF32CuDNN, true)
  ETUDE_SETTING(allowFP16ReductionCuBLAS, setAllowFP16ReductionCuBLAS, true)
  ETUDE_SETTING(allowBF16ReductionCuBLAS, setAllowBF16ReductionCuBLAS, true)
  ETUDE_SETTING(userEnabledFlashSDP, setSDPUseFlash, true)
  ETUDE_SETTING(userEnabledMathSDP, setSDPUseMath, true)
#undef ETUDE_SETTING
};

inline Context& globalContext() {
  static Context context;
  return context;
}

/// The type of the parts of a complex number; T itself for real numbers.
template <typename T>
struct scalar_value_type {
  using type = T;
};

inline bool hasCUDA() { return false; }
inline bool hasOpenMP() { return true; }

namespace impl {
using etude::GenericDict;
template <ScalarType>
struct ScalarTypeToCPPType;
#define ETUDE_CPP_TYPE(cpp_type, scalar_type) \
  template <>                                 \
  struct ScalarTypeToCPPType<scalar_type> {   \
    using type = cpp_type;                    \
  };
ETUDE_CPP_TYPE(float, kFloat)
ETUDE_CPP_TYPE(double, kDouble)
ETUDE_CPP_TYPE(etude::Half, kHalf)
ETUDE_CPP_TYPE(BFloat16, kBFloat16)
ETUDE_CPP_TYPE(int64_t, kLong)
ETUDE_CPP_TYPE(int32_t, kInt)
ETUDE_CPP_TYPE(uint8_t, kByte)
ETUDE_CPP_TYPE(int8_t, kChar)
ETUDE_CPP_TYPE(bool, kBool)
#undef ETUDE_CPP_TYPE
template <ScalarType type>
using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<type>::type;
}  // namespace impl

/// There is no GPU to wait for, or to seed.
namespace cuda {
inline bool cudnn_is_available() { return false; }
inline void manual_seed(uint64_t) {}
inline void manual_seed_all(uint64_t) {}
inline void synchronize(int64_t = -1) {}
}  // namespace cuda

}  // namespace torch

namespace at = torch;
namespace c10 = torch;
namespace caffe2 {
using torch::TypeMeta;
}
