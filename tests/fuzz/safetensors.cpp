#include "etude/io/safetensors.h"

#include "etude/core/error.h"
#include "etude/ops/ops.h"
#include "fuzz/file_in_memory.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const etude::FileInMemory file(data, size);
  try {
    std::vector<std::string> names;
    for (const auto& item : etude::list_safetensors(file.path()))
      if (item->dtype) names.push_back(item.key());
    for (const auto& item : etude::load_safetensors(file.path(), names))
      item->clone();  // reads every element
    etude::safetensors_metadata(file.path());
  } catch (const etude::Error&) {
  }
  return 0;
}
