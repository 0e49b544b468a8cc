// The tokens of a piece are a linked list, and pairs that match a rule wait in a heap: n bytes take
// O(n log n) steps. A candidate whose tokens were merged differently is recognised when it leaves the heap.

#include <algorithm>

#include "etude/core/error.h"
#include "etude/text/detail/byte_pairs.h"
#include "etude/text/detail/utf8.h"

namespace etude::detail {

// The rule for the token at a place and the one after it; null if there is none.
const MergeRule* BytePairMerger::rule_at(uint32_t place) const {
  if (place >= links_.size() || links_[place].after >= links_.size()) return nullptr;
  const auto rule = rules_.find({links_[place].token, links_[links_[place].after].token});
  return rule == rules_.end() ? nullptr : &rule->second;
}

void BytePairMerger::consider(uint32_t place) {
  if (const MergeRule* rule = rule_at(place)) candidates_.emplace(rule->rank, place, rule->token);
}

void BytePairMerger::append(const std::vector<int32_t>& tokens, std::vector<int64_t>& ids) {
  ETUDE_CHECK(tokens.size() < UINT32_MAX, "encode: a word of ", tokens.size(), " characters is too long");
  const auto size = static_cast<uint32_t>(tokens.size());
  links_.clear();
  for (uint32_t i = 0; i < size; ++i) links_.push_back({tokens[i], i - 1, i + 1});
  for (uint32_t i = 0; i < size; ++i) consider(i);
  while (!candidates_.empty()) {
    const auto [rank, place, token] = candidates_.top();
    candidates_.pop();
    const MergeRule* rule = rule_at(place);
    if (rule == nullptr || rule->token != token) continue;
    Link& left = links_[place];
    Link& right = links_[left.after];
    left.token = token;
    right.token = -1;
    left.after = right.after;
    if (left.after < size) links_[left.after].before = place;
    consider(left.before);
    consider(place);
  }
  for (uint32_t i = 0; i < size; i = links_[i].after) ids.push_back(links_[i].token);
}

void PieceEncoder::append(std::string_view part) {
  for (size_t at = 0; at < part.size();) {
    const size_t end = piece_end(part, at, model_.pattern);
    const std::string_view piece = part.substr(at, end - at);
    const auto [known, is_new] = known_.try_emplace(piece, ids.size(), 0);
    auto& [begin, count] = known->second;
    if (is_new) {
      append_piece(piece);
      count = ids.size() - begin;
    } else {
      for (size_t i = 0; i < count; ++i) ids.push_back(ids[begin + i]);
    }
    at = end;
  }
}

void PieceEncoder::append_piece(std::string_view piece) {
  if (model_.whole_pieces)
    if (const auto whole = model_.tokens.find(piece); whole != model_.tokens.end())
      return ids.push_back(whole->second);
  const auto token_of = [&](char byte) { return model_.bytes[static_cast<uint8_t>(byte)]; };
  tokens_.clear();
  bool was_unknown = false;
  for (size_t at = 0, size = 1; at < piece.size(); at += size) {
    if (model_.of_characters) size = character_at(piece, at).size;
    const std::string_view bytes = piece.substr(at, size);
    const auto found = model_.of_characters ? model_.tokens.find(bytes) : model_.tokens.end();
    const bool after_unknown = std::exchange(was_unknown, false);
    if (found != model_.tokens.end()) {
      tokens_.push_back(found->second);
    } else if (std::all_of(bytes.begin(), bytes.end(), [&](char c) { return token_of(c) >= 0; })) {
      for (const char c : bytes) tokens_.push_back(token_of(c));
    } else if (model_.unknown >= 0) {
      if (!after_unknown || !model_.fuse_unknown) tokens_.push_back(model_.unknown);
      was_unknown = true;
    }
  }
  merger_.append(tokens_, ids);
}

}  // namespace etude::detail
