#pragma once

#include <vector>

#include "etude/core/export.h"
#include "etude/distributed/process_group.h"

namespace etude::distributed::detail {

// Argument checks that all groups share; they throw for invalid arguments. `size` is the number of processes.
ETUDE_API void check_allreduce(const std::vector<Tensor>& tensors, const AllreduceOptions& options);
ETUDE_API void check_broadcast(const std::vector<Tensor>& tensors, const BroadcastOptions& options, int size);
ETUDE_API void check_allgather(const std::vector<std::vector<Tensor>>& outputs,
                               const std::vector<Tensor>& inputs, int size);
ETUDE_API void check_reduce_scatter(const std::vector<Tensor>& outputs,
                                    const std::vector<std::vector<Tensor>>& inputs,
                                    const ReduceScatterOptions& options, int size);

ETUDE_API const char* name_of(ReduceOp op);

/// The reason for a failure, for people: the text of the exception.
ETUDE_API std::string reason_of(const std::exception_ptr& exception);

/// "rank 1 of 4: " and the reason, with its further lines indented.
ETUDE_API std::string line_of(int rank, int size, const std::string& reason);

}  // namespace etude::distributed::detail
