#include "etude/text/tokenizer.h"

#include <algorithm>

#include "etude/core/error.h"
#include "fuzz/files_of_input.h"
#include "fuzz/seed.h"

// GPT-2's files: the vocabulary, the merges and the special tokens.
void write_seeds(const std::string& folder) {
  std::ofstream(folder + "/vocab_and_merges")
      << R"({"a": 0, "b": 1, "\u0120": 2, "ab": 3, "\u0120ab": 4, "<|endoftext|>": 5})"
      << etude::kFileSeparator << "#version: 0.2\na b\n\u0120 ab\n"
      << etude::kFileSeparator << R"({"bos_token": {"content": "<|endoftext|>"}, "eos_token": "ab"})";
}

// A tokenizer that could be read works: every id has a text, and a text is encoded as ids of the vocabulary. The name of the file
// says how ranks of tiktoken split a text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const char* const name = "cl100k";
  const etude::FilesOfInput files(data, size, {name, "merges.txt", "tokenizer_config.json"}, name);
  try {
    const auto tokenizer = etude::text::load_tokenizer(files.path(name));
    for (int64_t id = 0; id < tokenizer->vocab_size(); ++id) tokenizer->decode({id});
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const int64_t id : tokenizer->encode(text))
      if (id < 0 || id >= tokenizer->vocab_size()) std::abort();
  } catch (const etude::Error&) {
  }
  return 0;
}
