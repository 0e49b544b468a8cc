#pragma once

#include <vector>

#include "etude/distributed/process_group.h"

namespace etude::distributed::detail {

/// Every process gets the values of the tensors of_rank[r] from process r, many in one operation.
ETUDE_API void broadcast_from_owners(ProcessGroup& group, const std::vector<std::vector<Tensor>>& of_rank);

}  // namespace etude::distributed::detail
