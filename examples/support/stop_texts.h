#pragma once

#include <string>
#include <utility>
#include <vector>

namespace examples {

/// Ends a text that comes in pieces before the first of several texts.
class StopTexts {
 public:
  explicit StopTexts(std::vector<std::string> texts) : texts_(std::move(texts)) {}

  /// Adds a piece. Returns what can be shown by now: not what a stop text may still begin with, and nothing from one on.
  std::string add(const std::string& piece);
  /// Returns what was kept back, once no piece follows.
  std::string end();
  bool found() const { return found_; }

 private:
  std::vector<std::string> texts_;
  std::string kept_;
  bool found_ = false;
};

}  // namespace examples
