// One attention head over words, as in lesson 8.

#include <etude/etude.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "controls.h"

namespace figures {

using etude::Tensor;

namespace {

constexpr int64_t kWidth = 4;
constexpr size_t kMostWords = 8;

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  if (words.size() > kMostWords)
    throw Refused("At most " + std::to_string(kMostWords) + " words have room; these are " +
                  std::to_string(words.size()) + ".");
  for (const std::string& word : words)
    if (word.size() > 16) throw Refused("The word \"" + word + "\" is too long for the picture.");
  return words;
}

// How much a word is an article, a thing, an action and a pointer. A word that is not in the lesson gets random numbers,
// always the same ones.
Tensor vector_of(const std::string& word) {
  static const std::map<std::string, std::vector<float>> known = {
      {"the", {1, 0, 0, 0}}, {"dog", {0, 1, 0, 0}}, {"saw", {0, 0, 1, 0}}, {"itself", {0, 0.5f, 0, 1}}};
  if (const auto found = known.find(word); found != known.end()) return etude::tensor(found->second);
  uint32_t seed = 0;
  for (const char c : word) seed = seed * 31 + static_cast<uint8_t>(c);
  return etude::randn({kWidth}, etude::Generator(seed));
}

Tensor own_matrix(const std::string& text) {
  std::istringstream in(text);
  std::vector<float> values;
  for (float value; in >> value;) values.push_back(value);
  const bool is_sound =
      std::all_of(values.begin(), values.end(), [](float v) { return std::fabs(v) <= 100; });
  if (!in.eof() || values.size() != kWidth * kWidth || !is_sound)
    throw Refused("A matrix of one's own is 16 numbers from -100 to 100, four in each of four lines.");
  return etude::tensor(values).view({kWidth, kWidth});
}

Tensor query_matrix(const Controls& controls) {
  const std::string choice = controls.text("query", 20);
  const Tensor one = etude::eye(kWidth);
  if (choice == "lesson") return one.index_select(0, etude::tensor({1, 2, 1, 1}));
  if (choice == "identity") return one;
  if (choice == "swapped") return one.index_select(0, etude::tensor({0, 2, 1, 3}));
  if (choice == "random") return etude::randn({kWidth, kWidth}, etude::Generator(0));
  if (choice == "own") return own_matrix(controls.text("matrix", 400));
  throw Refused("There is no matrix \"" + choice + "\".");
}

}  // namespace

Answer attention(const Controls& controls) {
  const std::vector<std::string> words = split_words(controls.text("words", 200));
  const double emphasis = controls.number("emphasis", 0, 16);
  const bool is_scaled = controls.flag("scale");
  std::vector<Tensor> vectors;
  for (const std::string& word : words) vectors.push_back(vector_of(word));
  const Tensor x = etude::stack(vectors);
  const Tensor queries = etude::matmul(x, emphasis * query_matrix(controls)), keys = x;
  const Tensor products = etude::matmul(queries, keys.t());
  const Tensor scores = is_scaled ? products / std::sqrt(static_cast<double>(kWidth)) : products;
  const Tensor weights = etude::softmax(scores, 1);

  std::string looks;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::vector<double> row = numbers(weights[static_cast<int64_t>(i)]);
    const auto most = std::max_element(row.begin(), row.end());
    const std::string& looked_at = words[static_cast<size_t>(most - row.begin())];
    looks += (i == 0 ? "" : ", ") + words[i] + " at " + looked_at + " (" + fixed(*most, 2) + ")";
  }
  return {{"labels", words},
          {"scores", rows(scores)},
          {"weights", rows(weights)},
          {"words", "Each word looks most at one: " + looks + ". The scores " +
                        (is_scaled ? "are divided by the root of 4" : "are not divided by the root of 4") +
                        "; they go from " + fixed(scores.min().item<double>(), 2) + " to " +
                        fixed(scores.max().item<double>(), 2) + "."}};
}

}  // namespace figures
