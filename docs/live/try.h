#pragma once

namespace tried {

/// A program of the page "Try it": its name and its main function.
struct Program {
  using Main = int();
  Program(const char* name, Main* main);
};

/// Runs a program. Returns its exit code; prints the message of an exception to stderr.
int run(const char* name);

}  // namespace tried
