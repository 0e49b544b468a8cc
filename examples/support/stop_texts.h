#pragma once

#include <string>
#include <utility>
#include <vector>

namespace examples {

/// Cuts a text that comes in pieces before the first stop text in it.
class StopTexts {
 public:
  explicit StopTexts(std::vector<std::string> texts) : texts_(std::move(texts)) {}

  /// Adds a piece. Returns the part that can be shown so far: it ends before a stop text, or before what may become one.
  std::string add(const std::string& piece);
  /// Call after the last piece: returns the text that add() held back.
  std::string end();
  bool found() const { return found_; }

 private:
  std::vector<std::string> texts_;
  std::string kept_;
  bool found_ = false;
};

}  // namespace examples
