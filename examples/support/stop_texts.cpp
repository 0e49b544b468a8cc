#include "support/stop_texts.h"

#include <algorithm>
#include <utility>

namespace examples {

std::string StopTexts::add(const std::string& piece) {
  if (found_) return "";
  kept_ += piece;
  size_t end = kept_.size();  // of what can be shown
  for (const std::string& text : texts_) {
    const size_t at = kept_.find(text);
    if (at != std::string::npos) found_ = true;
    end = std::min(end, at);
  }
  if (found_) return std::exchange(kept_, "").substr(0, end);
  for (const std::string& text : texts_) {
    for (size_t begin = kept_.size() - std::min(kept_.size(), text.size() - 1); begin < end; ++begin)
      if (text.compare(0, kept_.size() - begin, kept_, begin) == 0) end = begin;
  }
  std::string shown = kept_.substr(0, end);
  kept_.erase(0, end);
  return shown;
}

std::string StopTexts::end() { return std::exchange(kept_, ""); }

}  // namespace examples
