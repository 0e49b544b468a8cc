#pragma once

#include <vector>

#include "etude/distributed/process_group.h"

namespace etude::distributed::detail {

/// Every process gets the values of the tensor of process `root`.
ETUDE_API std::shared_ptr<Work> start_broadcast(ProcessGroup& group, int root, const Tensor& t);

/// Splits tensors, in their order, into lists of one type, of which it returns the positions. A list is full from
/// `bytes` on, the first one of each type from `first_bytes` on; the lists that are full first come first.
ETUDE_API std::vector<std::vector<size_t>> lists_of_one_type(const std::vector<Tensor>& tensors,
                                                             int64_t bytes, int64_t first_bytes);

/// Every process gets the values of the tensors of_rank[r] from process r, many in one operation.
ETUDE_API void broadcast_from_owners(ProcessGroup& group, const std::vector<std::vector<Tensor>>& of_rank);

}  // namespace etude::distributed::detail
