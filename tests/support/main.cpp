#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "support/seed.h"

int main(int argc, char** argv) {
  take_seed(argc, argv);
  return doctest::Context(argc, argv).run();
}
