#include "support/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <initializer_list>

namespace examples {
namespace {

volatile std::sig_atomic_t signals = 0;

extern "C" void note_signal(int) {
  if (signals) _exit(130);
  signals = 1;
}

}  // namespace

void watch_interrupts() {
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction before = {}, action = {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;  // as under nohup
    action.sa_handler = note_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

bool interrupted() { return signals != 0; }

}  // namespace examples
