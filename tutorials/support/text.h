#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// From a text file to ids: reading, cutting into tokens, a vocabulary.
namespace tutorials {

/// Where the first byte is that belongs to no UTF-8 character, counted from 0, or
/// std::string_view::npos. Overlong forms, surrogates and numbers above U+10FFFF are no
/// characters.
size_t find_invalid_utf8(std::string_view text);

/// The text of a UTF-8 file, without a byte order mark. Throws FileError if it cannot be read,
/// or naming the offset of the first byte that is not UTF-8.
std::string read_text(const std::filesystem::path& path);

/// The number of characters (code points) of a UTF-8 text.
int64_t count_characters(std::string_view text);

/// Cuts a UTF-8 text into words and single other characters; white space separates and is
/// dropped. A word is a run of letters, digits and underscores of the alphabetic scripts, U+00C0
/// to U+1FFF besides ASCII. Every other character, such as punctuation, an ideograph or an
/// emoji, is a token by itself. The result points into `text`.
std::vector<std::string_view> split_tokens(std::string_view text);

/// The token with control characters replaced by U+FFFD, so that printing it does nothing to a
/// terminal.
std::string visible(std::string_view token);

/// Numbers for tokens, in the order of their first appearance from 1 on. Id 0 is `<unk>`: it
/// stands for every token that has no number of its own.
class Vocabulary {
 public:
  /// At most `limit` different tokens get a number.
  explicit Vocabulary(const std::vector<std::string_view>& tokens, size_t limit = 50000);

  /// How many ids there are, `<unk>` included.
  int64_t size() const { return static_cast<int64_t>(tokens_.size()); }
  int64_t id(std::string_view token) const;
  /// Throws std::out_of_range for an id that does not exist.
  std::string_view token(int64_t id) const { return tokens_.at(static_cast<size_t>(id)); }

 private:
  std::vector<std::string_view> tokens_;
  std::unordered_map<std::string_view, int64_t> ids_;
};

}  // namespace tutorials
