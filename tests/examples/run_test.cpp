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
    for (const char* program : {"bin/mpirun", "bin/mpicc"}) etude::write_program(folder / program, "");
    etude::write_program(folder / "framework/cmake/mpi_run",
                         "#!/bin/bash\nprintf '%s\\n' \"$ETUDE_CALLED_AS\" \"$@\"; exit 6\n");
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
    CHECK(has(run.output, "usage: examples/run [--processes N] NAME [options]\n"));
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
    CHECK(!has(log, "ETUDE_MPI"));
  }

  TEST_CASE("for several processes it builds with MPI, and lets mpi_run start the program") {
    const Tree tree;
    const ShellRun run = tree.run("--processes 3 reverse --word 'a b'");
    CHECK(run.code == 6);
    CHECK(has(run.output, "\nexamples/run --processes 3 reverse\n3\n"));
    CHECK(has(run.output, "/build/release/examples/reverse\n--word\na b\n"));
    CHECK(has(etude::read_bytes(tree.folder / "log"), "-DETUDE_MPI=ON"));
    for (const char* wrong : {"--processes", "--processes reverse", "--processes 0 reverse"}) {
      CAPTURE(std::string(wrong));
      CHECK(tree.run(wrong).code == 2);
      CHECK(has(tree.run(wrong).output, "--processes takes a number from 1 on, received '"));
    }
  }
}

}  // namespace
