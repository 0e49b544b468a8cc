// LibTorch does not support exceptions that are not a std::exception.
#include <doctest/doctest.h>

#include <string>

#include "etude/data/worker_exception.h"

TEST_SUITE("worker_exception") {
  TEST_CASE("an exception without a text is kept too") {
    const etude::data::WorkerException e(std::make_exception_ptr(5));
    CHECK(std::string(e.what()) == "Caught exception in DataLoader worker thread.");
    CHECK_THROWS_AS(std::rethrow_exception(e.original_exception), int);
  }
}
