#include "etude/text/tokenizer.h"

#include <algorithm>

#include "etude/core/error.h"
#include "fuzz/file_in_memory.h"

// A file of a tokenizer that is read works: every id has a text, and what is encoded has ids.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const etude::FileInMemory file(data, size);
  try {
    const auto tokenizer = etude::text::load_tokenizer(file.path());
    for (int64_t id = 0; id < tokenizer->vocab_size(); ++id) tokenizer->decode({id});
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const int64_t id : tokenizer->encode(text))
      if (id < 0 || id >= tokenizer->vocab_size()) std::abort();
  } catch (const etude::Error&) {
  }
  return 0;
}
