#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace etude::text::detail {

/// A token that is found in a text as a whole, and takes no part in merges: AddedToken of the package tokenizers.
struct AddedToken {
  std::string content;
  int64_t id = 0;
  bool special = false;      // not a word of a language; left out by decode(ids, true)
  bool single_word = false;  // only where no letter, number or _ touches it
  bool lstrip = false;       // takes the blanks before it
  bool rstrip = false;       // takes the blanks after it
  bool normalized = false;   // looked for in the normalized text
};

/// Finds added tokens in texts. Of those at one place the longest wins.
class AddedTokens {
 public:
  /// Tokens by the texts to look for.
  explicit AddedTokens(std::map<std::string, AddedToken, std::less<>> tokens = {});

  /// Calls ordinary(begin, end) and found(token) for the parts of a text. Special tokens are ordinary text if
  /// `specials` is false.
  template <typename Ordinary, typename Found>
  void split(std::string_view text, bool specials, const Ordinary& ordinary, const Found& found) const {
    size_t done = 0;
    for (size_t at = 0, size = 1; at < text.size(); at += size) {
      const AddedToken* const token = longest_at(text, at, size);
      if (token == nullptr || (!specials && token->special)) continue;
      const auto [begin, end] = extent(text, done, at, at + size, *token);
      if (begin == end) continue;
      if (begin > done) ordinary(done, begin);
      found(*token);
      done = end;
    }
    if (done < text.size()) ordinary(done, text.size());
  }

 private:
  // Sets `size` to that of the token's text, or to 1 if there is none.
  const AddedToken* longest_at(std::string_view text, size_t at, size_t& size) const;
  static std::pair<size_t, size_t> extent(std::string_view text, size_t done, size_t begin, size_t end,
                                          const AddedToken& token);
  std::map<std::string, AddedToken, std::less<>> tokens_;
  std::array<std::set<size_t, std::greater<>>, 256> sizes_;  // by first byte
};

}  // namespace etude::text::detail
