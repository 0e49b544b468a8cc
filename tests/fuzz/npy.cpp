#include "etude/io/npy.h"

#include "etude/core/error.h"
#include "etude/ops/ops.h"
#include "fuzz/file_in_memory.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const etude::FileInMemory file(data, size);
  try {
    etude::load_npy(file.path()).clone();  // reads every element
  } catch (const etude::Error&) {
  }
  return 0;
}
