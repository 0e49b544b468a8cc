#include <algorithm>

#include "etude/text/detail/byte_pairs.h"
#include "etude/text/detail/utf8.h"

namespace etude::detail {

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
  if (model_.whole_pieces) {
    const auto whole = model_.tokens.find(piece);
    if (whole != model_.tokens.end()) return ids.push_back(whole->second);
  }
  const auto token_of = [&](char byte) { return model_.bytes[static_cast<uint8_t>(byte)]; };
  tokens_.clear();
  bool was_unknown = false;
  for (size_t at = 0, size = 1; at < piece.size(); at += size) {
    if (model_.of_characters) {
      size = character_at(piece, at).size;
      const auto found = model_.tokens.find(piece.substr(at, size));
      if (found != model_.tokens.end()) {
        tokens_.push_back(found->second);
        was_unknown = false;
        continue;
      }
    }
    const std::string_view bytes = piece.substr(at, size);
    if (std::all_of(bytes.begin(), bytes.end(), [&](char c) { return token_of(c) >= 0; })) {
      for (const char c : bytes) tokens_.push_back(token_of(c));
      was_unknown = false;
    } else if (model_.unknown >= 0) {
      if (!was_unknown || !model_.fuse_unknown) tokens_.push_back(model_.unknown);
      was_unknown = true;
    }
  }
  merger_.append(tokens_, ids);
}

}  // namespace etude::detail
