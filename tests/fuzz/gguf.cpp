#include "etude/io/gguf.h"

#include "etude/core/error.h"
#include "etude/ops/ops.h"
#include "fuzz/file_in_memory.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const etude::FileInMemory file(data, size);
  try {
    etude::list_gguf(file.path());
    for (const auto& item : etude::load_gguf(file.path()).tensors)
      item->values.clone();  // reads every element
  } catch (const etude::Error&) {
  }
  return 0;
}
