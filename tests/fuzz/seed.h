#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

/// Writes files to begin with to a folder; each program that includes this has its own.
void write_seeds(const std::string& folder);

/// `program --seeds FOLDER` writes them, and does nothing else.
extern "C" __attribute__((used)) int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc == 3 && std::strcmp((*argv)[1], "--seeds") == 0) {
    write_seeds((*argv)[2]);
    std::exit(0);
  }
  return 0;
}
