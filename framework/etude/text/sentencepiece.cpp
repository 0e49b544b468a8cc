// Models of sentencepiece: sentencepiece_model.proto, in the wire format of protocol buffers.

#include <cstring>

#include "etude/core/error.h"
#include "etude/text/detail/pretrained_vocabulary.h"

namespace etude::text::detail {
namespace {

// Calls f(number, value, bytes) for the fields of a message. `value` has the bits of a float.
template <typename F>
void for_each_field(const std::string& path, std::string_view message, const F& f) {
  const auto take = [&](uint64_t size) {
    ETUDE_CHECK(size <= message.size(), path, ": is not a model of sentencepiece: it ends inside a field");
    const std::string_view taken = message.substr(0, static_cast<size_t>(size));
    message.remove_prefix(taken.size());
    return taken;
  };
  const auto varint = [&] {
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<uint8_t>(take(1)[0]);
      value |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (!message.empty()) {
    const uint64_t tag = varint(), kind = tag & 7;
    ETUDE_CHECK(kind <= 2 || kind == 5, path,
                ": is not a model of sentencepiece: it has a field of the kind ", kind);
    uint64_t value = kind == 0 ? varint() : 0;
    const std::string_view bytes = kind == 0 ? "" : take(kind == 1 ? 8 : kind == 5 ? 4 : varint());
    if (kind == 1 || kind == 5) std::memcpy(&value, bytes.data(), bytes.size());
    f(tag >> 3, value, bytes);
  }
}

void add_piece(PretrainedVocabulary& v, std::string_view piece) {
  const auto id = static_cast<int64_t>(v.tokens.size());
  uint64_t type = kNormalToken;
  v.tokens.emplace_back();
  v.scores.push_back(0);
  for_each_field(v.source, piece, [&](uint64_t number, uint64_t value, std::string_view bytes) {
    if (number == 1) v.tokens.back() = bytes;
    if (number == 2) std::memcpy(&v.scores.back(), &value, sizeof(float));
    if (number == 3) type = value;
  });
  ETUDE_CHECK(type >= kNormalToken && type <= kByteToken && type != kUnusedToken, v.source, ": token ", id,
              " is of the type ", type, ", which is not known here");
  if (type == kUnknownToken) v.unknown = id;
  v.byte_fallback |= type == kByteToken;
  if (type != kControlToken && type != kUserToken) return;
  v.added.push_back({v.tokens.back(), id, type == kControlToken});
  v.added.back().normalized = type == kUserToken;
}

}  // namespace

PretrainedVocabulary read_sentencepiece(const std::string& path, std::string_view model) {
  PretrainedVocabulary v;
  v.source = path;
  uint64_t type = 1;  // 2: byte pairs
  int64_t begin = 1, end = 2;
  bool has_prefix = true, trims = true, escapes = true, at_end = false;
  std::string name, charsmap;  // of the normalizer
  const auto trainer = [&](uint64_t number, uint64_t value, std::string_view) {
    if (number == 3) type = value;
    if (number == 24) at_end = value != 0;
    if (number == 41) begin = static_cast<int32_t>(value);
    if (number == 42) end = static_cast<int32_t>(value);
  };
  const auto normalizer = [&](uint64_t number, uint64_t value, std::string_view bytes) {
    if (number == 1) name = bytes;
    if (number == 2) charsmap = bytes;
    if (number == 3) has_prefix = value != 0;
    if (number == 4) trims = value != 0;
    if (number == 5) escapes = value != 0;
  };
  for_each_field(path, model, [&](uint64_t number, uint64_t, std::string_view bytes) {
    if (number == 1) add_piece(v, bytes);
    if (number == 2) for_each_field(path, bytes, trainer);
    if (number == 3) for_each_field(path, bytes, normalizer);
  });
  const std::string unknown = type != 2           ? "pieces of another type than BPE"
                              : !charsmap.empty() ? "the normalizer " + name
                              : trims || at_end   ? "blanks that it takes away or puts behind words"
                              : !escapes          ? "blanks that are not marked"
                                                  : "";
  ETUDE_CHECK(unknown.empty(), path, ": has ", unknown,
              ", which is not known here\nhint: transformers writes it as a ",
              "tokenizer.json, of which more is known");
  const auto known = [&](int64_t id) { return id >= 0 && id < static_cast<int64_t>(v.tokens.size()); };
  if (known(begin)) v.before = {*(v.begin = begin)};
  if (known(end)) v.end = end;
  if (has_prefix) v.prefix = SpacePrefix::kAfterSpecial;
  v.strips_prefix = has_prefix;
  v.byte_level = false;
  v.pattern = etude::detail::PiecePattern::kWhole;
  v.fuse_unknown = true;
  return v;
}

}  // namespace etude::text::detail
