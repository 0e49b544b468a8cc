// Models of sentencepiece: sentencepiece_model.proto, in the wire format of protocol buffers.

#include <cstring>

#include "etude/core/error.h"
#include "etude/text/detail/pretrained_vocabulary.h"

namespace etude::text::detail {
namespace {

struct Field {
  uint64_t number, value;  // the value of a number, or the bits of a float
  std::string_view bytes;
};

enum PieceType : uint64_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6
};

class Message {
 public:
  Message(const std::string& path, std::string_view bytes) : path_(path), bytes_(bytes) {}

  // Takes the next field; none at the end.
  std::optional<Field> next() {
    if (bytes_.empty()) return std::nullopt;
    const uint64_t tag = varint();
    Field field = {tag >> 3, 0, {}};
    switch (tag & 7) {
      case 0:
        field.value = varint();
        break;
      case 1:
        fixed(field, 8);
        break;
      case 2:
        field.bytes = take(varint());
        break;
      case 5:
        fixed(field, 4);
        break;
      default:
        throw Error(str(path_, ": is no model of sentencepiece, it has a field of type ", tag & 7));
    }
    return field;
  }

 private:
  std::string_view take(uint64_t size) {
    ETUDE_CHECK(size <= bytes_.size(), path_, ": is no model of sentencepiece, it ends inside of a field");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<uint8_t>(take(1)[0]);
      value |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) break;
    }
    return value;
  }
  void fixed(Field& field, uint64_t size) { std::memcpy(&field.value, take(size).data(), size); }

  const std::string& path_;
  std::string_view bytes_;
};

class ModelReader {
 public:
  ModelReader(const std::string& path, std::string_view bytes) : path_(path), model_(path, bytes) {}

  PretrainedVocabulary read() {
    v_.source = path_;
    v_.byte_level = false;
    v_.pattern = etude::detail::PiecePattern::kWhole;
    v_.fuse_unknown = true;
    while (const auto field = model_.next()) {
      if (field->number == 1) read_piece({path_, field->bytes});
      if (field->number == 2) read_trainer({path_, field->bytes});
      if (field->number == 3) read_normalizer({path_, field->bytes});
    }
    require(type_ == 2, "a model of another type than BPE");
    require(escapes_ && !trims_, "a normalizer that takes blanks away");
    require(charsmap_.empty(), "the normalizer " + charsmap_);
    const auto known = [&](int64_t id) { return id >= 0 && id < static_cast<int64_t>(v_.tokens.size()); };
    if (known(begin_)) v_.before = {*(v_.begin = begin_)};
    if (known(end_)) v_.end = end_;
    if (has_prefix_) v_.prefix = SpacePrefix::kAfterSpecial;
    v_.strips_prefix = has_prefix_;
    return std::move(v_);
  }

 private:
  void require(bool good, const std::string& found) const {
    ETUDE_CHECK(good, path_, ": has ", found,
                ", which is not known here\nhint: transformers can write it as a tokenizer.json");
  }

  void read_piece(Message piece) {
    std::string text;
    float score = 0;
    uint64_t type = kNormal;
    while (const auto field = piece.next()) {
      if (field->number == 1) text = std::string(field->bytes);
      if (field->number == 2) std::memcpy(&score, &field->value, sizeof score);
      if (field->number == 3) type = field->value;
    }
    const auto id = static_cast<int64_t>(v_.tokens.size());
    require(type >= kNormal && type <= kByte && type != kUnused, str("a token of the type ", type));
    if (type == kUnknown) v_.unknown = id;
    if (type == kByte) v_.byte_fallback = true;
    if (type == kControl || type == kUserDefined) {
      v_.added.push_back({text, id});
      v_.added.back().special = type == kControl;
      v_.added.back().normalized = type == kUserDefined;
    }
    v_.tokens.push_back(std::move(text));
    v_.scores.push_back(score);
  }

  void read_trainer(Message trainer) {
    while (const auto field = trainer.next()) {
      if (field->number == 3) type_ = field->value;
      if (field->number == 24) require(field->value == 0, "blanks at the end of words");
      if (field->number == 41) begin_ = static_cast<int32_t>(field->value);
      if (field->number == 42) end_ = static_cast<int32_t>(field->value);
    }
  }

  void read_normalizer(Message normalizer) {
    std::string name;
    bool has_map = false;
    while (const auto field = normalizer.next()) {
      if (field->number == 1) name = std::string(field->bytes);
      if (field->number == 2) has_map = !field->bytes.empty();
      if (field->number == 3) has_prefix_ = field->value != 0;
      if (field->number == 4) trims_ = field->value != 0;
      if (field->number == 5) escapes_ = field->value != 0;
    }
    if (has_map) charsmap_ = name.empty() ? "of its own" : name;
  }

  const std::string& path_;
  Message model_;
  PretrainedVocabulary v_;
  uint64_t type_ = 1;
  int64_t begin_ = 1, end_ = 2;
  bool has_prefix_ = true, trims_ = true, escapes_ = true;
  std::string charsmap_;  // the name of a normalizer that changes characters
};

}  // namespace

PretrainedVocabulary read_sentencepiece(const std::string& path, std::string_view bytes) {
  return ModelReader(path, bytes).read();
}

}  // namespace etude::text::detail
