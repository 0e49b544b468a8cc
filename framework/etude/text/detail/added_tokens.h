#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace etude::text::detail {

/// A token that stands in a text as itself, and is not merged: AddedToken of the package tokenizers.
struct AddedToken {
  std::string content;
  int64_t id = 0;
  bool special = false;      // not a word of a language; left out by decode(ids, true)
  bool single_word = false;  // only where no letter, number or _ touches it
  bool lstrip = false;       // takes the blanks before it
  bool rstrip = false;       // takes the blanks behind it
  bool normalized = false;   // looked for in the normalized text
};

/// Finds added tokens in texts. Of those at one place the longest wins.
class AddedTokens {
 public:
  struct Entry {
    std::string pattern;  // the text to look for; an empty one is nowhere
    AddedToken token;
  };
  explicit AddedTokens(std::vector<Entry> entries = {});

  /// Calls ordinary(begin, end) and found(token) for the parts of a text. Special tokens are ordinary text if
  /// `specials` is false.
  template <typename Ordinary, typename Found>
  void split(std::string_view text, bool specials, const Ordinary& ordinary, const Found& found) const {
    size_t done = 0;
    for (size_t at = 0; at < text.size();) {
      const Entry* const entry = begins_[static_cast<uint8_t>(text[at])] ? longest_at(text, at) : nullptr;
      if (entry == nullptr) {
        ++at;
        continue;
      }
      const size_t place = at;
      at += entry->pattern.size();
      if (!specials && entry->token.special) continue;
      const auto [begin, end] = extent(text, done, place, *entry);
      if (begin == end) continue;
      if (begin > done) ordinary(done, begin);
      found(entry->token);
      done = end;
    }
    if (done < text.size()) ordinary(done, text.size());
  }

 private:
  const Entry* longest_at(std::string_view text, size_t at) const;
  static std::pair<size_t, size_t> extent(std::string_view text, size_t done, size_t place,
                                          const Entry& entry);
  std::vector<Entry> entries_;  // ordered by pattern
  std::array<bool, 256> begins_ = {};
};

}  // namespace etude::text::detail
