#pragma once

namespace examples {

/// From now on the first SIGINT (Ctrl-C) or SIGTERM is noted, and the second ends the program at once with
/// exit code 130.
void watch_interrupts();

/// Whether there was one. A training loop asks after each step, saves a checkpoint and returns.
bool interrupted();

}  // namespace examples
