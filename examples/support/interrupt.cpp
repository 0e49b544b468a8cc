#include "support/interrupt.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <initializer_list>

#include "support/command_line.h"

namespace examples {
namespace {

constexpr double kSameSignal = 0.5;  // seconds

volatile std::sig_atomic_t noted = 0, answers = 1, has_launcher = 0;
volatile double last_signal = 0;  // seconds

// Calls only functions that POSIX allows in a signal handler.
extern "C" void note_signal(int, siginfo_t* info, void*) {
  const int error = errno;
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double seconds = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  if (noted && seconds - last_signal > kSameSignal) _exit(130);
  last_signal = seconds;
  // The parent passes on the user's signals. Any other signal comes from mpirun because another process has ended.
  const bool is_asked = !has_launcher || info->si_pid == 0 || info->si_pid == getppid();
  if (!noted && answers && is_asked) {
    constexpr char text[] = "\nstopping soon; Ctrl-C once more ends at once\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text, sizeof text - 1);
  }
  noted = 1;
  errno = error;
}

}  // namespace

void watch_interrupts(bool says_so) {
  answers = says_so;
  has_launcher = launch().size > 1;
  const std::initializer_list<int> numbers = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {};
  action.sa_sigaction = note_signal;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  for (const int number : numbers) sigaddset(&action.sa_mask, number);
  for (const int number : numbers) {
    struct sigaction before = {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);  // ignored under nohup
  }
}

bool interrupted() { return noted != 0; }

}  // namespace examples
