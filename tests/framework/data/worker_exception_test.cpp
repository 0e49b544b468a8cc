#include "etude/data/worker_exception.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

using etude::data::WorkerException;

TEST_SUITE("worker_exception") {
  TEST_CASE("an exception of a worker keeps the original one and its text") {
    const WorkerException e(std::make_exception_ptr(std::out_of_range("too far")));
    CHECK(std::string(e.what()) == "Caught exception in DataLoader worker thread. Original message: too far");
    CHECK(e.message == e.what());
    CHECK_THROWS_AS(std::rethrow_exception(e.original_exception), std::out_of_range);
    const std::exception& base = e;
    CHECK(base.what() == e.message);
  }
}
