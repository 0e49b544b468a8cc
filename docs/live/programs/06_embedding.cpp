// Embeddings: a row of a table for each word
#include <etude/etude.h>
#include <iostream>
#include <map>
#include <sstream>

#include "parameter.h"

using etude::print;

int main() {
  etude::manual_seed(0);
  std::map<std::string, int64_t> numbers;
  std::vector<int64_t> ids;
  std::istringstream words(parameter("sentence", "the dog saw the cat"));
  for (std::string word; words >> word;) {
    const int64_t id = numbers.emplace(word, numbers.size()).first->second;
    std::cout << word << " is number " << id << '\n';
    ids.push_back(id);
  }
  const int64_t count = static_cast<int64_t>(numbers.size());
  etude::nn::Embedding table(std::max<int64_t>(count, 1), parameter("width", 3, 1, 16));
  print(table->weight);
  print(table(etude::tensor(ids)));  // equal words have equal rows
  return 0;
}
