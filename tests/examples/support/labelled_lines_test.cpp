#include "support/labelled_lines.h"

#include <doctest/doctest.h>

#include <set>

#include "support/program.h"
#include "support/temporary_folder.h"

namespace {

using examples::LabelledLines;

TEST_SUITE("labelled lines") {
  TEST_CASE("the project has English, C++ and Python, each line once and without what is around it") {
    const std::vector<LabelledLines> kinds = examples::project_lines();
    REQUIRE(kinds.size() == 3);
    for (const LabelledLines& kind : kinds) {
      CAPTURE(kind.label);
      CHECK(kind.lines.size() > 300);
      CHECK(std::set<std::string>(kind.lines.begin(), kind.lines.end()).size() == kind.lines.size());
      for (const std::string& line : kind.lines) {
        CHECK(line.size() >= 12);
        CHECK(line.size() <= 80);
        CHECK(line.find_first_of(" \t") != 0);
        CHECK(line.compare(0, 2, "//") != 0);
      }
    }
    const auto has = [](const LabelledLines& kind, const std::string& part) {
      for (const std::string& line : kind.lines)
        if (line.find(part) != std::string::npos) return true;
      return false;
    };
    CHECK(has(kinds[1], "namespace etude::nn {"));
    CHECK_FALSE(has(kinds[0], "namespace etude::nn {"));
    CHECK(has(kinds[2], "import torch"));
  }

  TEST_CASE("files of other kinds are read, and what is no file or too little is refused") {
    const etude::TemporaryFolder folder;
    std::string a, b;
    for (int i = 0; i < 12; ++i) {
      a += "  a line with the number " + std::to_string(i) + " \nshort\n";
      b += "another line " + std::to_string(i) + "\n\nanother line " + std::to_string(i) + "\n";
    }
    etude::write_bytes(folder / "a", a);
    etude::write_bytes(folder / "b", b);
    etude::write_bytes(folder / "few", "one line that is long enough\n");
    const std::vector<LabelledLines> kinds =
        examples::lines_of_files({"x=" + (folder / "a"), "y=" + (folder / "b")});
    REQUIRE(kinds.size() == 2);
    CHECK(kinds[0].label == "x");
    CHECK(kinds[0].lines.size() == 12);
    CHECK(kinds[0].lines[3] == "a line with the number 3");
    CHECK(kinds[1].lines.size() == 12);
    const auto refuses = [](const std::vector<std::string>& files) {
      CHECK_THROWS_AS(examples::lines_of_files(files), examples::UsageError);
    };
    refuses({"x=" + (folder / "a")});
    refuses({folder / "a", folder / "b"});
    refuses({"x=" + (folder / "a"), "y=" + (folder / "few")});
    CHECK_THROWS_AS(examples::lines_of_files({"x=" + (folder / "none")}), examples::FileError);
  }

  TEST_CASE("counts of characters know who writes which letters") {
    const examples::CharacterCounts counts({{"a", {"aaaab", "aab"}}, {"b", {"bbbba", "bba"}}});
    CHECK(counts("aba") == 0);
    CHECK(counts("bab") == 1);
  }
}

}  // namespace
