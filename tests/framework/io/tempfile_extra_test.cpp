#include <doctest/doctest.h>

#include <utility>

#include "etude/io/tempfile.h"
#include "support/temporary_folder.h"

TEST_CASE("a temporary file that is assigned to goes at once") {
  const etude::TempFile other = etude::make_tempfile();
  etude::TempFile first = etude::make_tempfile();
  const std::string gone = first.name;
  first = etude::make_tempfile();
  CHECK_FALSE(std::filesystem::exists(gone));
  CHECK(std::filesystem::exists(first.name));
  CHECK(std::filesystem::exists(other.name));
}
