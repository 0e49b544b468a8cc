#pragma once

namespace examples {

/// From now on, SIGINT (Ctrl-C), SIGTERM and SIGHUP (the terminal is gone) are only noted, so that the program can save its
/// state. A second signal within half a second counts as the same one; a later signal ends the program at once with exit
/// code 130. The first signal is answered on stderr if `says_so`, unless mpirun ends this process because of another
/// one.
void watch_interrupts(bool says_so = true);

/// Whether there was a signal. A training loop asks after each step; if there was one, it saves a checkpoint and returns.
bool interrupted();

}  // namespace examples
