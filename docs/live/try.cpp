// Runs the programs of the page "Try it" by name, in the module for JavaScript and in the terminal.

#include "try.h"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <string>

namespace {

std::map<std::string, tried::Program::Main*>& programs() {
  static std::map<std::string, tried::Program::Main*> all;
  return all;
}

}  // namespace

namespace tried {

Program::Program(const char* name, Main* main) { programs()[name] = main; }

int run(const char* name) try {
  const auto found = programs().find(name);
  if (found == programs().end()) {
    std::cerr << "error: there is no program " << name << '\n';
    return 2;
  }
  const int code = found->second();
  std::cout.flush();
  return code;
} catch (const std::exception& error) {
  std::cout.flush();
  std::cerr << "error: " << error.what() << '\n';
  return 1;
}

}  // namespace tried

#ifdef __EMSCRIPTEN__
#include <emscripten.h>

extern "C" EMSCRIPTEN_KEEPALIVE void try_set(const char* name, const char* value) {
  setenv((std::string("parameter_") + name).c_str(), value, 1);
}
extern "C" EMSCRIPTEN_KEEPALIVE int try_run(const char* name) { return tried::run(name); }
#else
// docs_try [NAME]: runs a program, or lists all names.
int main(int argc, char** argv) {
  if (argc == 2) return tried::run(argv[1]);
  for (const auto& [name, program] : programs()) std::cout << name << '\n';
  return argc == 1 ? 0 : 2;
}
#endif
