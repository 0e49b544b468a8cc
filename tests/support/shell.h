#pragma once

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

#include "support/temporary_folder.h"

namespace etude {

/// The exit code of a bash command, and its output on both streams.
struct ShellRun {
  int code;
  std::string output;
};

inline ShellRun shell(const std::string& command) {
  const TemporaryFolder folder;
  write_bytes(folder / "command", command);
  FILE* pipe = popen(("bash '" + folder / "command" + "' 2>&1").c_str(), "r");
  REQUIRE(pipe);
  ShellRun run;
  std::array<char, 4096> block;
  while (const size_t count = fread(block.data(), 1, block.size(), pipe))
    run.output.append(block.data(), count);
  const int status = pclose(pipe);
  run.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return run;
}

/// A text quoted for a shell.
inline std::string quoted(const std::string& text) {
  std::string quotes = "'";
  for (const char c : text) quotes += c == '\'' ? "'\\''" : std::string(1, c);
  return quotes + "'";
}

/// Writes a new executable file.
inline void write_program(const std::string& path, const std::string& text) {
  write_bytes(path, text);
  REQUIRE(chmod(path.c_str(), 0755) == 0);
}

}  // namespace etude
