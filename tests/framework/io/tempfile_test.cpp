#include "etude/io/tempfile.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>

#include "etude/io/serialize.h"
#include "etude/ops/ops.h"
#include "support/environment.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

namespace fs = std::filesystem;

TEST_SUITE("tempfile") {
  TEST_CASE("a temporary file is new, empty, in TMPDIR, and goes with its object") {
    const etude::TemporaryFolder folder;
    const etude::Environment directory("TMPDIR", folder.path());
    {
      const auto first = etude::make_tempfile("weights-"), second = etude::make_tempfile("weights-");
      CHECK(first.name != second.name);
      CHECK(first.name.find(folder.path() + "/weights-") == 0);
      CHECK(fs::is_empty(first.name));
      CHECK(write(first.fd, "abc", 3) == 3);
      CHECK(etude::read_bytes(first.name) == "abc");
      CHECK(folder.count() == 2);
    }
    CHECK(folder.count() == 0);
  }

  TEST_CASE("a temporary file that is moved goes with the other object") {
    const etude::TemporaryFolder folder;
    const etude::Environment directory("TMPDIR", folder.path());
    etude::TempFile last("", -1);
    CHECK(last.fd == -1);
    {
      etude::TempFile first = etude::make_tempfile();
      const std::string name = first.name;
      etude::TempFile second(std::move(first));
      last = std::move(second);
      CHECK(last.name == name);
    }
    CHECK(folder.count() == 1);
    CHECK(fs::exists(last.name));
  }

  TEST_CASE("a tensor is saved to a temporary file and loaded") {
    const auto file = etude::make_tempfile();
    const auto x = etude::arange(6.).view({2, 3});
    etude::save(x, file.name);
    etude::Tensor y;
    etude::load(y, file.name);
    CHECK(etude::same(x, y));
  }

  TEST_CASE("without the folder there is no file") {
    const etude::TemporaryFolder folder;
    const etude::Environment directory("TMPDIR", folder / "missing");
    CHECK_FALSE(etude::try_make_tempfile().has_value());
    CHECK(etude::refusal_text([] { etude::make_tempfile(); }) ==
          "Error generating temporary file: No such file or directory");
  }
}
