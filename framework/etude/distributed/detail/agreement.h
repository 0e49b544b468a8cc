#pragma once

#include <string>
#include <utility>
#include <vector>

#include "etude/distributed/agreement.h"

namespace etude::distributed::detail {

/// The text of one process, in all.
ETUDE_API std::string broadcast_text(ProcessGroup& group, int root, const std::string& text);

/// Throws an Error in all processes if one has a problem, the text of the first; an empty one is none.
ETUDE_API void throw_together(ProcessGroup& group, const std::string& problem);

/// What is to be the same in all processes, by name and as people read it.
using Facts = std::vector<std::pair<std::string, std::string>>;

/// Throws in all processes unless they have the same version and the same facts in the same order.
ETUDE_API void check_same(ProcessGroup& group, const std::string& version, const Facts& facts);

}  // namespace etude::distributed::detail
