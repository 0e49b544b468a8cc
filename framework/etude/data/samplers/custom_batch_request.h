#pragma once

#include <cstddef>

#include "etude/core/export.h"

namespace etude::data::samplers {

/// The base of custom batch requests (torch::data::samplers::CustomBatchRequest).
struct ETUDE_API CustomBatchRequest {
  virtual ~CustomBatchRequest() = default;
  /// The number of examples.
  virtual size_t size() const = 0;
};

}  // namespace etude::data::samplers
