// The tokens of a piece are a linked list, and pairs that match a rule wait in a heap: n bytes take
// O(n log n) steps. A candidate whose tokens were merged differently is recognised when it leaves the heap.

#include <algorithm>
#include <functional>

#include "etude/core/error.h"
#include "etude/text/detail/byte_pairs.h"

namespace etude::detail {

void BytePairMerger::consider(uint32_t place) {
  if (place >= links_.size() || links_[place].after >= links_.size()) return;
  const auto rule = rules_.find({links_[place].token, links_[links_[place].after].token});
  if (rule == rules_.end()) return;
  candidates_.push_back({rule->second.rank, place, rule->second.token});
  std::push_heap(candidates_.begin(), candidates_.end(), std::greater<>());
}

void BytePairMerger::merge(uint32_t place, int32_t token) {
  Link& left = links_[place];
  Link& right = links_[left.after];
  left.token = token;
  right.token = -1;
  left.after = right.after;
  if (left.after < links_.size()) links_[left.after].before = place;
  consider(left.before);
  consider(place);
}

void BytePairMerger::append(const std::vector<int32_t>& tokens, std::vector<int64_t>& ids) {
  ETUDE_CHECK(tokens.size() < UINT32_MAX, "encode: a word of ", tokens.size(), " characters is too long");
  const auto size = static_cast<uint32_t>(tokens.size());
  links_.clear();
  candidates_.clear();
  for (uint32_t i = 0; i < size; ++i) links_.push_back({tokens[i], i - 1, i + 1});
  for (uint32_t i = 0; i < size; ++i) consider(i);
  while (!candidates_.empty()) {
    std::pop_heap(candidates_.begin(), candidates_.end(), std::greater<>());
    const Candidate best = candidates_.back();
    candidates_.pop_back();
    const Link& link = links_[best.place];
    if (link.token < 0 || link.after >= links_.size()) continue;
    const auto rule = rules_.find({link.token, links_[link.after].token});
    if (rule != rules_.end() && rule->second.token == best.token) merge(best.place, best.token);
  }
  for (uint32_t i = 0; i < links_.size(); i = links_[i].after) ids.push_back(links_[i].token);
}

}  // namespace etude::detail
