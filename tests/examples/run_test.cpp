// examples/run in a tree of its own, with a cmake that only pretends to build.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "support/has.h"
#include "support/shell.h"

namespace {

namespace fs = std::filesystem;
using etude::has, etude::ShellRun;

struct Tree {
  Tree() {
    for (const char* path : {"examples", "framework/cmake", "build/release/examples", "bin"})
      fs::create_directories(folder / path);
    for (const char* file : {"examples/run", "framework/cmake/prepare.sh"})
      fs::copy_file(fs::path(ETUDE_SOURCE_DIR) / file, folder / file);
    etude::write_bytes(folder / "examples/reverse.cpp", "// Turns words\n// around. More.\n\n#include <x>\n");
    etude::write_bytes(folder / "examples/order.cpp", "// Which is first? More.\n");
    etude::write_program(
        folder / "bin/cmake",
        "#!/bin/sh\n[ \"$1\" = --version ] && echo cmake version 3.25.1\necho \"$*\" >>log\n");
    etude::write_program(folder / "build/release/examples/reverse",
                         "#!/bin/bash\nprintf '%s\\n' \"$@\"; exit 5\n");
  }
  ShellRun run(const std::string& words) const {
    return etude::shell("cd " + etude::quoted(folder.path()) +
                        "; CXX=true PATH=$PWD/bin:$PATH examples/run " + words);
  }
  etude::TemporaryFolder folder;
};

TEST_SUITE("examples/run") {
  TEST_CASE("without a name it says which there are, with a sentence of each") {
    const ShellRun run = Tree().run("");
    CHECK(run.code == 0);
    CHECK(has(run.output, "usage: examples/run NAME [options]\n"));
    CHECK(has(run.output, "\n  order          Which is first?\n  reverse        Turns words around.\n"));
  }

  TEST_CASE("a wrong name is answered with the nearest right one") {
    const ShellRun run = Tree().run("revesre --steps 2");
    CHECK(run.code == 2);
    CHECK(has(run.output, "there is no example 'revesre'. Did you mean reverse? There are:\n  order "));
    CHECK_FALSE(has(Tree().run("xyzxyzxyz").output, "Did you mean"));
  }

  TEST_CASE("it builds one program and runs it with the options, in the folder from which it is called") {
    const Tree tree;
    const ShellRun run = tree.run("reverse --word 'a b'");
    CHECK(run.code == 5);
    CHECK(has(run.output, "\n--word\na b\n"));
    const std::string log = etude::read_bytes(tree.folder / "log");
    CHECK(has(log, "--preset release"));
    CHECK(has(log, "--build --preset release --target example_reverse\n"));
  }
}

}  // namespace
