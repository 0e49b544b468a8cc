#pragma once

#include <iosfwd>

#include "etude/core/export.h"

namespace etude {

/// Writes to std::cerr, until it is turned off, a line about each op that any thread runs, and about each node of a backward:
/// what it was given and returned, whether that is a view or a copy, which kernel did it, grad_fn, min, mean, max, time, FLOP and
/// bytes with their shares of what the machine does at most, and in which module. `inside`: also the ops that an op, or a node, is
/// made of, indented. ETUDE_EXPLAIN=1 turns it on, ETUDE_EXPLAIN=2 with those inside. Results stay the same.
ETUDE_API void explain(bool on = true, bool inside = false);
/// The same to a stream, which has to live until it is turned off, or another one is named: either waits for lines that other
/// threads are writing.
ETUDE_API void explain(std::ostream& out, bool inside = false);

/// Has the first op or node of a backward throw Error whose result holds a nan while what it was given holds none; also_inf: or an
/// infinity. The error names the op, its module, and what it was given. ETUDE_NAN_TRAP=1 turns it on, ETUDE_NAN_TRAP=inf
/// with infinities.
ETUDE_API void trap_nan(bool on = true, bool also_inf = false);

}  // namespace etude
