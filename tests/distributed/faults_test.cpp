// What a program of several processes says and how it ends when one of them does not do its part.
#include <doctest/doctest.h>
#include <stdio.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace {

struct End {
  int code;
  std::string text;  // of stdout and stderr
};

// Runs faulty.cpp in several processes. ETUDE_MPI_RUN_PID tells them the process that has started them.
End end_of(const std::string& how, int processes = 3) {
  const std::string run = ETUDE_MPI_RUN " " + std::to_string(processes) + " " ETUDE_FAULTY " '" + how + "'";
  FILE* pipe = popen(("exec 2>&1; export ETUDE_MPI_RUN_PID=$$; exec " + run).c_str(), "r");
  REQUIRE(pipe);
  End end{};
  std::array<char, 4096> block;
  while (const size_t n = fread(block.data(), 1, block.size(), pipe)) end.text.append(block.data(), n);
  const int status = pclose(pipe);
  end.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return end;
}

// How many processes run faulty.cpp; of one that has ended nothing can be read.
int running() {
  int count = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc"))
    if (std::filesystem::read_symlink(entry.path() / "exe", ignored) == ETUDE_FAULTY) ++count;
  return count;
}

// The text without the first rank, which may be any of those that fail: "rank ? of 3: ..."
std::string without_rank(std::string text, char not_this = '-') {
  REQUIRE(text.rfind("rank ", 0) == 0);
  CHECK(text[5] != not_this);
  text[5] = '?';
  return text;
}

void check_ended(const End& end, int code = 1) {
  CHECK(end.code == code);
  for (int tries = 0; running() > 0 && tries < 50; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(running() == 0);  // also of those that were stopped
}

TEST_CASE("processes that do their part end well, also when one comes late or ends long before the others") {
  for (const char* how : {"none", "late", "late at the end"}) {
    CAPTURE(std::string(how));
    const End end = end_of(how);
    check_ended(end, 0);
    CHECK(end.text == "");
  }
  CHECK(end_of("code").code == 3);
}

TEST_CASE("an exception of one process ends all, and its first line is said with the rank") {
  End end = end_of("exception");
  check_ended(end);
  CHECK(end.text == "rank 2 of 3: the file is broken\n  hint: mend it\n");
  end = end_of("memory");
  check_ended(end);
  CHECK(end.text == "rank 2 of 3: out of memory\n");
}

TEST_CASE("where all processes fail alike, one of them says why") {
  const End end = end_of("all", 4);
  check_ended(end);
  CHECK(without_rank(end.text) == "rank ? of 4: there is no such file\n");
}

TEST_CASE("a process that is killed or crashes is named with its signal") {
  End end = end_of("killed");
  check_ended(end, 128 + 9);
  CHECK(end.text == "rank 2 of 3: killed by signal 9 (SIGKILL)\n");
  end = end_of("crash");
  check_ended(end, 128 + 11);
  CHECK(end.text == "rank 2 of 3: killed by signal 11 (SIGSEGV)\n");
}

TEST_CASE("a process that is stopped does not answer") {
  const End end = end_of("stopped", 4);
  check_ended(end);
  CHECK(without_rank(end.text, '3') ==
        "rank ? of 4: allreduce timed out after 1500 ms: rank 3 does not answer\n");
}

TEST_CASE("a process that is stopped when all others have ended does not answer") {
  const End end = end_of("stopped at the end");
  check_ended(end);
  CHECK(without_rank(end.text, '2') ==
        "rank ? of 3: the end of the program timed out after 1500 ms: rank 2 does not answer\n");
}

TEST_CASE("a process that hangs answers that it has asked for less") {
  const End end = end_of("hung", 4);
  check_ended(end);
  CHECK(
      without_rank(end.text, '3') ==
      "rank ? of 4: allreduce timed out after 1500 ms: rank 3 has asked for 1 operation, the others for 2\n");
}

TEST_CASE("processes that ask for different things are told so at once") {
  for (const auto& [how, what] : {std::pair("broadcast", "broadcast of 1000 Float from rank 0"),
                                  std::pair("sizes", "allreduce(SUM) of 999 Float"),
                                  std::pair("types", "allreduce(SUM) of 1000 Double")}) {
    CAPTURE(std::string(how));
    const End end = end_of(how);
    check_ended(end);
    CHECK(without_rank(end.text) ==
          "rank ? of 3: Detected mismatch between collectives on ranks. Rank 0 is running allreduce(SUM) of "
          "1000 Float, "
          "rank 2 " +
              std::string(what) +
              "\n  hint: all processes call the same functions in the same order, with tensors of the same "
              "sizes\n");
  }
}

TEST_CASE("a process that ends before the others is missed at once") {
  for (const char* how : {"return", "exit"}) {
    CAPTURE(std::string(how));
    const End end = end_of(how);
    check_ended(end);
    CHECK(without_rank(end.text, '2') ==
          "rank ? of 3: rank 2 has ended its program after 1 operation, and rank 0 asks for allreduce(SUM) "
          "of 1000 Float\n");
  }
}

TEST_CASE("a process that ends well without the end of MPI is named") {
  const End end = end_of("_exit");
  check_ended(end);
  CHECK(end.text == "rank 2 of 3: ended with code 0 and without MPI_Finalize\n");
}

TEST_CASE("processes that are told to end may take longer to save than mpirun would let them") {
  const End end = end_of("interrupted", 2);
  check_ended(end, 0);
  CHECK(end.text == "saved\n");
}

TEST_CASE("a program that has initialised MPI itself is told what to call instead") {
  const End end = end_of("initialised", 1);
  CHECK(end.code == 0);
  CHECK(end.text ==
        "MPI is initialised already\nThe group calls MPI from a thread of its own, which has to initialise "
        "it.\n"
        "hint: call createProcessGroupMPI in place of MPI_Init\n");
}

TEST_CASE(
    "a program that goes on after a failure gets the same sentence for all it asks for, and does not end "
    "well") {
  const End end = end_of("caught", 2);
  CHECK(end.code != 0);
  const std::string line = "caught: allreduce timed out after 1500 ms: rank 1 does not answer\n";
  CHECK(end.text == line + line + "rank 0 of 2: ended with code 0 and without MPI_Finalize\n");
}

}  // namespace
