// What the run scripts detect about a machine, here one with fake programs.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/has.h"
#include "support/shell.h"

namespace {

using etude::has, etude::ShellRun, etude::TemporaryFolder;

/// A machine with a fake package manager; `apt_get` is its script.
struct Machine {
  explicit Machine(const std::string& apt_get) {
    etude::write_program(folder / "apt-get", "#!/bin/sh\n" + apt_get + "\n");
    etude::write_program(folder / "sudo", "#!/bin/sh\nexec \"$@\"\n");
  }
  ShellRun run(const std::string& script) const {
    return etude::shell("unset CXX; set -euo pipefail; cd " + etude::quoted(ETUDE_SOURCE_DIR) + "; PATH=" +
                        etude::quoted(folder.path()) + ":$PATH; . framework/cmake/prepare.sh\n" + script);
  }
  TemporaryFolder folder;
};

const std::string kNoUpdate = "if [ $1 = update ]; then echo no network; exit 100; fi; exit ";

TEST_SUITE("prepare") {
  TEST_CASE("a compiler may be several words") {
    const Machine machine("exit 1");
    etude::write_program(machine.folder / "wrapper", "#!/bin/sh\nexec \"$@\"\n");
    const ShellRun run = machine.run(
        "have header vector && echo found; have header no/such.h || echo not; echo ${missing[*]}");
    CHECK(run.output == "found\nnot\n\n");
    const ShellRun wrapped =
        etude::shell("export CXX='wrapper g++' PATH=" + etude::quoted(machine.folder.path()) + ":$PATH; cd " +
                     etude::quoted(ETUDE_SOURCE_DIR) +
                     "; . framework/cmake/prepare.sh; need header vector stl; "
                     "need header no/such.h other; echo ${missing[*]}");
    CHECK(wrapped.output == "other\n");
  }

  TEST_CASE("a compiler that can't be run is named") {
    const ShellRun run =
        Machine("exit 1").run("CXX='no-such g++'; . framework/cmake/prepare.sh; need_build_tools");
    CHECK(run.code == 2);
    CHECK(has(run.output, "the compiler of the variable CXX cannot be run: no-such g++"));
  }

  TEST_CASE("a folder that was configured for another compiler is not built") {
    const Machine machine("exit 1");
    const std::string folder = machine.folder.path();
    for (const char* name : {"one", "two"}) etude::write_program(machine.folder / name, "#!/bin/sh\n");
    std::filesystem::create_symlink(folder + "/one", folder + "/link");
    etude::write_program(
        machine.folder / "cmake",
        "#!/bin/sh\ncase $1 in --version) echo cmake version 3.25.1;; --build) echo \"$*\";; esac\n");
    const std::string cache = folder + "/build/release/CMakeCache.txt";
    const auto build = [&](const std::string& cxx) {
      return machine.run("CXX=" + cxx + "; . framework/cmake/prepare.sh; cd " + etude::quoted(folder) +
                         "; build_release x");
    };
    const std::string built =
        "Building in build/release; the first time takes some minutes\n--build --preset release --target x\n";
    CHECK(build("two").output == built);
    std::filesystem::create_directories(folder + "/build/release");
    std::ofstream(cache) << "CMAKE_CXX_COMPILER:FILEPATH=" << folder
                         << "/one\nCMAKE_CXX_COMPILER_AR:FILEPATH=/ar\n";
    for (const char* same : {"one", "link", "''"}) {
      CAPTURE(std::string(same));
      CHECK(build(same).output == built);
    }
    const ShellRun run = build("two");
    CHECK(run.code == 2);
    CHECK(has(run.output,
              "build/release was configured for " + folder + "/one, and the variable CXX says two."));
    CHECK_FALSE(has(run.output, "--build"));
  }

  TEST_CASE("without a network what is optional is done without") {
    const ShellRun run =
        Machine(kNoUpdate + "100").run("missing_optional=(libdnnl-dev); install_missing; echo on");
    CHECK(run.code == 0);
    CHECK(has(run.output, "going on without libdnnl-dev"));
    CHECK(has(run.output, "\non\n"));
  }

  TEST_CASE("without a network what is needed is named, with code 2") {
    const ShellRun run = Machine(kNoUpdate + "100").run("missing=(cmake); install_missing; echo on");
    CHECK(run.code == 2);
    CHECK(has(run.output, "please install these"));
    CHECK(has(run.output, "\n  cmake\n"));
    CHECK_FALSE(has(run.output, "\non\n"));
  }

  TEST_CASE("packages may be there though their lists can't be renewed") {
    const ShellRun run = Machine(kNoUpdate + "0").run("missing=(cmake); install_missing; echo on");
    CHECK(run.code == 0);
    CHECK(has(run.output, "apt-get update failed; going on"));
  }

  TEST_CASE("a build says how far it is and what is wrong") {
    const Machine machine("exit 1");
    etude::write_program(
        machine.folder / "cmake",
        "#!/bin/sh\ncase $1 in --version) echo cmake version 3.25.1;; --preset) echo configured;;\n"
        "*) echo '[0/2] Re-checking globbed directories...'; echo '[2/2] Re-running CMake...'\n"
        "for i in $(seq 40); do echo \"[$i/61] Building CXX object x\"; done; echo 'x.cpp:1: error'; exit "
        "3;; esac\n");
    const std::string begin = "Building in build/release; the first time takes some minutes\n";
    const ShellRun run = machine.run("build_release x; echo on");
    CHECK(run.code == 3);
    CHECK(run.output ==
          begin +
              "[7/61] built\n[13/61] built\n[19/61] built\n[25/61] built\n[31/61] built\n[37/61] "
              "built\nx.cpp:1: error\n");
    etude::write_program(
        machine.folder / "cmake",
        "#!/bin/sh\ncase $1 in --version) echo cmake version 3.25.1;; *) echo lost; exit 4;; esac\n");
    const ShellRun unconfigured = machine.run("build_release x; echo on");
    CHECK(unconfigured.code == 4);
    CHECK(unconfigured.output == begin + "lost\n");
  }

  TEST_CASE("a build is that of its preset and of its targets") {
    const Machine machine("exit 1");
    etude::write_program(
        machine.folder / "cmake",
        "#!/bin/sh\ncase $1 in --version) echo cmake version 3.25.1;; --build) echo \"$*\";; esac\n"
        "echo 'ninja: no work to do.'\n");
    CHECK(
        machine.run("build_preset debug a b").output ==
        "Building in build/debug; the first time takes some minutes\n--build --preset debug --target a b\n");
    CHECK(machine.run("build_preset debug").output ==
          "Building in build/debug; the first time takes some minutes\n--build --preset debug\n");
  }
}

}  // namespace
