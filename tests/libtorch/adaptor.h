#pragma once

// Takes the place of every header of Etude when tests, tutorials and examples are compiled against LibTorch with
// -Detude=torch: defines what LibTorch spells differently, or has only in Python.

#include <ATen/autocast_mode.h>
#include <c10/util/tempfile.h>
#include <torch/torch.h>

#include <functional>
#include <string>
#include <vector>

#define ETUDE_MODULE TORCH_MODULE
#define ETUDE_MODULE_IMPL TORCH_MODULE_IMPL
#define ETUDE_ARG TORCH_ARG
#define ETUDE_WARN TORCH_WARN
#define ETUDE_WARN_ONCE TORCH_WARN_ONCE
#define ETUDE_CHECK TORCH_CHECK
#define ETUDE_CHECK_INDEX TORCH_CHECK_INDEX
#define ETUDE_CHECK_VALUE TORCH_CHECK_VALUE
#define ETUDE_CHECK_TYPE TORCH_CHECK_TYPE
#define ETUDE_CHECK_WITH TORCH_CHECK_WITH

namespace torch {

using c10::Error;
using c10::IndexError;
using c10::Join;
using c10::NotImplementedError;
using c10::str;
using c10::TypeError;
using c10::ValueError;
using caffe2::TypeMeta;

namespace detail {
using at::detail::getDefaultCPUGenerator;
}

inline int64_t count_elements(IntArrayRef sizes) { return c10::multiply_integers(sizes); }

inline const char* dtype_name(ScalarType type) {
  switch (type) {
    case kFloat:
      return "torch.float32";
    case kDouble:
      return "torch.float64";
    case kLong:
      return "torch.int64";
    case kInt:
      return "torch.int32";
    case kByte:
      return "torch.uint8";
    case kChar:
      return "torch.int8";
    case kBool:
      return "torch.bool";
    default:
      return toString(type);
  }
}

namespace detail {
using TensorLiteral = TensorDataContainer;
}

namespace autograd {
using TensorFunction = std::function<Tensor(const variable_list&)>;
using TensorsFunction = std::function<variable_list(const variable_list&)>;
}  // namespace autograd

namespace onednn {
/// Does nothing: LibTorch has only one set of kernels.
struct EnabledGuard {
  explicit EnabledGuard(bool) {}
};
}  // namespace onednn

// Spellings of LibTorch 1.13 and 2.14 that differ, each in the form that the tests use.
#if TORCH_VERSION_MAJOR < 2
namespace WarningUtils = c10::Warning;
inline Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                           const optional<Tensor>& attn_mask = {}) {
  return std::get<0>(at::_scaled_dot_product_attention(query, key, value, attn_mask));
}
#else
struct HandlerOfWarnings : c10::WarningHandler {
  void process(const c10::Warning& warning) final {
    process(warning.source_location(), warning.msg(), warning.verbatim());
  }
  virtual void process(const c10::SourceLocation& place, const std::string& text, bool verbatim) = 0;
};
#define WarningHandler HandlerOfWarnings
#endif

}  // namespace torch
