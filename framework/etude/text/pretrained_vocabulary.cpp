#include "etude/text/detail/pretrained_vocabulary.h"

#include <algorithm>

#include "etude/core/error.h"
#include "etude/text/detail/utf8.h"

namespace etude::text::detail {
namespace {

using etude::detail::BytePair;
using etude::detail::MergeRule;

constexpr uint32_t kShifted = 0x100;  // for the first byte that is not visible

// The code point of a byte in GPT-2's alphabet. 33 bytes up to the blank are not visible, and 34 from 0x7f.
uint32_t letter_of(uint32_t byte) {
  const bool visible = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte != 0xad);
  return visible ? byte : kShifted + (byte <= 0x20 ? byte : byte < 0xad ? byte - 0x7f + 33 : 33 + 34);
}

std::unordered_map<std::string, int32_t> ids_of(const std::vector<std::string>& tokens) {
  std::unordered_map<std::string, int32_t> ids;
  ids.reserve(tokens.size());
  for (size_t id = 0; id < tokens.size(); ++id)
    if (!tokens[id].empty()) ids.emplace(tokens[id], static_cast<int32_t>(id));
  return ids;
}

// All pairs of tokens that are a token together.
std::vector<std::pair<BytePair, MergeRule>> merges_by_score(
    const PretrainedVocabulary& v, const std::unordered_map<std::string, int32_t>& ids) {
  std::vector<bool> apart(v.tokens.size());  // not text
  for (size_t id = 0; id < apart.size(); ++id)
    apart[id] = v.byte_fallback && byte_of_token(v.tokens[id]) >= 0;
  for (const AddedToken& t : v.added)
    if (t.special && t.id < static_cast<int64_t>(apart.size())) apart[static_cast<size_t>(t.id)] = true;
  std::vector<std::pair<BytePair, MergeRule>> all;
  for (size_t id = 0; id < apart.size(); ++id) {
    const std::string& token = v.tokens[id];
    for (size_t at = 0; at < token.size() && !apart[id];) {
      at += etude::detail::character_at(token, at).size;
      const auto first = ids.find(token.substr(0, at)), second = ids.find(token.substr(at));
      if (first != ids.end() && second != ids.end())
        all.push_back({{first->second, second->second}, {0, static_cast<int32_t>(id)}});
    }
  }
  const auto score = [&](const auto& merge) { return v.scores[static_cast<size_t>(merge.second.token)]; };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return score(a) > score(b); });
  for (size_t i = 1; i < all.size(); ++i)
    all[i].second.rank = all[i - 1].second.rank + (score(all[i]) != score(all[i - 1]) ? 1 : 0);
  return all;
}

}  // namespace

int byte_of_token(std::string_view token) {
  if (token.size() != 6 || token.substr(0, 3) != "<0x" || token[5] != '>') return -1;
  constexpr std::string_view digits = "0123456789ABCDEF";
  const size_t high = digits.find(token[3]), low = digits.find(token[4]);
  return high < 16 && low < 16 ? static_cast<int>(high * 16 + low) : -1;
}

int64_t PretrainedVocabulary::vocab_size() const {
  auto size = static_cast<int64_t>(tokens.size());
  for (const AddedToken& token : added) size = std::max(size, token.id + 1);
  return size;
}

std::string PretrainedVocabulary::token(int64_t id) const {
  const auto place = static_cast<size_t>(id);
  if (place < tokens.size() && !tokens[place].empty()) return tokens[place];
  const auto found =
      std::find_if(added.begin(), added.end(), [id](const AddedToken& t) { return t.id == id; });
  return found == added.end() ? "" : found->content;
}

MergeReader::MergeReader(PretrainedVocabulary& vocabulary)
    : vocabulary_(vocabulary), ids_(ids_of(vocabulary.tokens)) {}

void MergeReader::add(const std::string& first, const std::string& second) {
  const auto id_of = [&](const std::string& token) {
    const auto found = ids_.find(token);
    ETUDE_CHECK(found != ids_.end(), vocabulary_.source, ": Token `", token, "` out of vocabulary");
    return found->second;
  };
  vocabulary_.merges.emplace_back(id_of(first), id_of(second));
}

void MergeReader::add(const std::string& both) {
  const size_t blank = both.find(' ');
  const bool is_pair = blank != std::string::npos && both.find(' ', blank + 1) == std::string::npos;
  ETUDE_CHECK(is_pair, vocabulary_.source, ": \"", both, "\" among its merges is not two tokens");
  add(both.substr(0, blank), both.substr(blank + 1));
}

std::vector<std::pair<BytePair, MergeRule>> ranked_merges(const PretrainedVocabulary& v) {
  const auto ids = ids_of(v.tokens);
  std::vector<std::pair<BytePair, MergeRule>> all;
  for (const auto& [first, second] : v.merges) {
    const auto known = [&](int32_t id) { return id >= 0 && static_cast<size_t>(id) < v.tokens.size(); };
    ETUDE_CHECK(known(first) && known(second), v.source,
                ": merges a token that the vocabulary does not contain");
    const std::string both = v.tokens[static_cast<size_t>(first)] + v.tokens[static_cast<size_t>(second)];
    const auto token = ids.find(both);
    ETUDE_CHECK(token != ids.end(), v.source, ": Token `", both, "` out of vocabulary");
    all.push_back({{first, second}, {static_cast<int32_t>(all.size()), token->second}});
  }
  return v.merges.empty() && !v.scores.empty() ? merges_by_score(v, ids) : all;
}

void place_token(PretrainedVocabulary& v, size_t count, int64_t id, std::string token) {
  ETUDE_CHECK(id >= 0 && static_cast<size_t>(id) < 2 * count + 1024, v.source, ": the token \"", token,
              "\" can't have the id ", id, " among ", count, " tokens");
  const auto place = static_cast<size_t>(id);
  if (place >= v.tokens.size()) v.tokens.resize(place + 1);
  ETUDE_CHECK(v.tokens[place].empty(), v.source, ": the tokens \"", v.tokens[place], "\" and \"", token,
              "\" are both ", id);
  v.tokens[place] = std::move(token);
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out(text.substr(0, text.find(from)));
  for (size_t at = out.size(); at < text.size();) {
    const size_t next = at + from.size(), end = std::min(text.find(from, next), text.size());
    out.append(to).append(text.substr(next, end - next));
    at = end;
  }
  return out;
}

std::string in_byte_alphabet(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) etude::detail::append_character(text, letter_of(static_cast<uint8_t>(c)));
  return text;
}

std::optional<std::string> from_byte_alphabet(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const auto [code, size] = etude::detail::character_at(text, at);
    const uint32_t n = code - kShifted;  // of the byte among those that are not visible
    const uint32_t byte = code < kShifted ? code : n < 33 ? n : n < 33 + 34 ? n - 33 + 0x7f : 0xad;
    if (letter_of(byte) != code) return std::nullopt;
    out += static_cast<char>(byte);
    at += size;
  }
  return out;
}

}  // namespace etude::text::detail
