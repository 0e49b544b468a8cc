#include "etude/core/options.h"

#include <ostream>

#include "etude/core/detail/dispatch.h"

namespace etude {

std::ostream& operator<<(std::ostream& out, const TensorOptions& options) {
  const auto unless = [](bool given) { return given ? "" : " (default)"; };
  return out << "TensorOptions(dtype=" << detail::row_of(options.dtype()).cpp_name
             << unless(options.has_dtype()) << ", device=" << options.device() << unless(options.has_device())
             << ", layout=Strided" << unless(options.has_layout())
             << ", requires_grad=" << (options.requires_grad() ? "true" : "false")
             << unless(options.has_requires_grad())
             << ", pinned_memory=" << (options.pinned_memory() ? "true" : "false")
             << unless(options.has_pinned_memory()) << ", memory_format=(nullopt))";
}

}  // namespace etude
