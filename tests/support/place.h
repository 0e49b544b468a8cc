#pragma once

#include <doctest/doctest.h>

/// Where the last assertion of this thread begins. A report of an exception names it.
struct Place {
  const char* file;
  int line;
};
inline thread_local Place last_assertion{};

// doctest puts each assertion into a try block of its own. Compiling these takes a tenth of the time of all tests. Without them an
// exception ends the test case, as one from any other line does.
#undef DOCTEST_WRAP_IN_TRY
#define DOCTEST_WRAP_IN_TRY(x)           \
  last_assertion = {__FILE__, __LINE__}; \
  x;
