#pragma once

#include <vector>

#include "etude/distributed/process_group.h"

namespace etude::distributed::detail {

/// Every process gets the values of the tensor of process `root`.
ETUDE_API std::shared_ptr<Work> start_broadcast(ProcessGroup& group, int root, const Tensor& t);

/// Splits tensors, in their order, into lists of one type and returns the positions of the tensors in each list. A list is
/// full when it has `bytes` bytes, the first one of each type when it has `first_bytes`. Lists that are full first come first.
ETUDE_API std::vector<std::vector<size_t>> lists_of_one_type(const std::vector<Tensor>& tensors,
                                                             int64_t bytes, int64_t first_bytes);

/// Every process gets the values of the tensors of_rank[r] from process r, many in one operation.
ETUDE_API void broadcast_from_owners(ProcessGroup& group, const std::vector<std::vector<Tensor>>& of_rank);

}  // namespace etude::distributed::detail
