#include "etude/io/gguf.h"

#include "etude/core/error.h"
#include "etude/ops/ops.h"
#include "etude/text/pretrained_tokenizer.h"
#include "fuzz/file_in_memory.h"
#include "fuzz/seed.h"

// A file with a tokenizer; those in golden/io have none.
void write_seeds(const std::string& folder) {
  const auto tokenizer = etude::text::BytePairTokenizer::train("the thing there", 260, {"<s>"});
  etude::OrderedDict<std::string, etude::IValue> metadata;
  etude::text::detail::add_gguf_vocabulary(metadata, tokenizer, 262);
  etude::save_gguf(folder + "/tokenizer", {{"weight", {etude::ones({2}), {}}}}, metadata);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const etude::FileInMemory file(data, size);
  try {
    const etude::GgufFile read = etude::load_gguf(file.path());
    for (const auto& item : read.entries)
      if (item->dtype) read.tensor(item.key()).clone();  // reads every element
    etude::text::load_tokenizer(file.path())->encode("the thing <s> there");
  } catch (const etude::Error&) {
  }
  return 0;
}
