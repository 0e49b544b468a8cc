// Runs the same tests in every process. The first process shows its output, and so does each in which a test fails.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <iostream>
#include <sstream>

#include "distributed/processes.h"
#include "support/seed.h"

int main(int argc, char** argv) {
  etude::distributed::ProcessGroup& group = etude::processes();
  std::ostringstream text;
  take_seed(argc, argv);
  doctest::Context context(argc, argv);
  if (group.getRank() > 0) context.setCout(&text);
  const int code = context.run();
  if (code != 0 && group.getRank() > 0)
    std::cout << "rank " << group.getRank() << ":\n" << text.str() << std::flush;
  return code;
}
