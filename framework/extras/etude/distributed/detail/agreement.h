#pragma once

#include <string>
#include <utility>
#include <vector>

#include "etude/distributed/agreement.h"

namespace etude::distributed::detail {

/// Sends the text of one process to all.
ETUDE_API std::string broadcast_text(ProcessGroup& group, int root, const std::string& text);

/// Throws an Error in all processes if any has a problem, with the text of the first. An empty text is no problem.
ETUDE_API void throw_together(ProcessGroup& group, const std::string& problem);

/// Values that must be the same in all processes, by name and in readable form.
using Facts = std::vector<std::pair<std::string, std::string>>;

/// Throws in all processes unless they have the same version and the same facts in the same order.
ETUDE_API void check_same(ProcessGroup& group, const std::string& version, const Facts& facts);

}  // namespace etude::distributed::detail
