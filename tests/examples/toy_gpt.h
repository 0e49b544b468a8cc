#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/temporary_folder.h"

namespace etude {

/// A folder with a text of sums, and the options of char_gpt that train a tiny model on it in a moment.
struct ToyGPT {
  ToyGPT() {
    std::string text;
    for (int i = 0, x = 1; i < 300; ++i) {
      x = (x * 137 + 1) % 10007;
      const int a = x % 100, b = x / 100;
      text += std::to_string(a) + "+" + std::to_string(b) + "=" + std::to_string(a + b) + "\n";
    }
    write_bytes(folder / "text", text);
  }
  /// The usual options, except those that `more` sets.
  std::vector<std::string> words(const std::string& out, const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"--text", folder / "text", "--out", folder / out};
    const std::vector<std::pair<const char*, const char*>> usual = {
        {"--layers", "1"}, {"--heads", "2"},   {"--width", "16"}, {"--context", "16"},
        {"--batch", "4"},  {"--sample", "60"}, {"--threads", "1"}};  // a thread more would only wait for work
    for (const auto& [option, value] : usual)
      if (std::find(more.begin(), more.end(), option) == more.end())
        words.insert(words.end(), {option, value});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string file(const std::string& name) const { return read_bytes(folder / name); }

  TemporaryFolder folder;
};

}  // namespace etude
