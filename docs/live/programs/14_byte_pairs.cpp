// Byte pairs: a text cut into tokens that it has taught
#include <etude/etude.h>
#include <iostream>

#include "parameter.h"

int main() {
  const std::string text = parameter("text", "low lower lowest, new newer newest, wide wider widest");
  const int64_t merges = parameter("merges", 12, 0, 200);
  const auto tokenizer = etude::text::BytePairTokenizer::train(text, 256 + merges);
  const std::vector<int64_t> ids = tokenizer.encode(text);
  std::cout << text.size() << " bytes are " << ids.size() << " tokens\n";
  for (const int64_t id : ids) std::cout << id << " |" << tokenizer.decode(std::vector<int64_t>{id}) << "|\n";
  std::cout << "decoded: " << tokenizer.decode(ids) << '\n';
  return 0;
}
