#pragma once

namespace examples {

/// From now on SIGINT (Ctrl-C), SIGTERM or SIGHUP (the terminal is gone) is noted, so that there is time to save what is
/// learnt. One that comes within half a second of another counts as the same; a later one ends the program at once
/// with exit code 130. The first is answered on stderr, unless somebody else does that, or mpirun ends this process
/// because of another one.
void watch_interrupts(bool says_so = true);

/// Whether there was one. A training loop asks after each step, saves a checkpoint and returns.
bool interrupted();

}  // namespace examples
