#pragma once

#include <iosfwd>

#include "etude/core/export.h"

namespace etude {

/// Writes a line to std::cerr about each op that any thread runs, and about each node of a backward, until it is
/// turned off: arguments and results, whether the result is a view or a copy, the kernel, grad_fn, min, mean, max,
/// time, FLOP and bytes with their shares of the machine's peak, and the module. `inside` adds the ops that an op or
/// a node consists of, indented. ETUDE_EXPLAIN=1 turns it on, ETUDE_EXPLAIN=2 with `inside`. Results stay the same.
ETUDE_API void explain(bool on = true, bool inside = false);
/// The same to a stream, which must live until it is turned off or replaced. Both wait for lines that other
/// threads are writing.
ETUDE_API void explain(std::ostream& out, bool inside = false);

/// Throws an Error from the first op, or node of a backward, whose result holds a nan while its arguments hold none; with
/// also_inf, also where it holds an infinity. The error names the op, its module and its arguments. ETUDE_NAN_TRAP=1 turns
/// it on, ETUDE_NAN_TRAP=inf with infinities.
ETUDE_API void trap_nan(bool on = true, bool also_inf = false);

}  // namespace etude
