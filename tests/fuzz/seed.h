#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

/// Writes the files with which fuzzing begins to a folder. Each program that includes this header defines it.
void write_seeds(const std::string& folder);

/// `program --seeds FOLDER` writes them, and does nothing else.
extern "C" __attribute__((used)) int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc == 3 && std::strcmp((*argv)[1], "--seeds") == 0) {
    write_seeds((*argv)[2]);
    std::exit(0);
  }
  return 0;
}
