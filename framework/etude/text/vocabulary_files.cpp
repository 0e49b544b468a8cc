// Files of tokenizers of other programs: vocab.json with merges.txt (GPT-2's encoder.json with vocab.bpe), the ranks of
// tiktoken, and tokenizer.bin of llama2.c.

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>

#include "etude/core/error.h"
#include "etude/io/detail/file.h"
#include "etude/io/detail/foreign_file.h"
#include "etude/text/detail/pretrained_vocabulary.h"
#include "etude/text/detail/tokenizer_file.h"

namespace etude::text::detail {
namespace {

namespace fs = std::filesystem;
using etude::detail::PiecePattern;
using nlohmann::json;

constexpr char kEndOfText[] = "<|endoftext|>";

std::optional<int64_t> id_of(const PretrainedVocabulary& v, const std::string& token) {
  for (const AddedToken& t : v.added)
    if (t.content == token) return t.id;
  const auto found = std::find(v.tokens.begin(), v.tokens.end(), token);
  return found == v.tokens.end() || token.empty() ? std::nullopt : std::optional(found - v.tokens.begin());
}

// The tokenizer_config.json beside a vocabulary; an empty object if there is none.
json config_beside(const std::string& path) {
  const fs::path config = fs::path(path).replace_filename("tokenizer_config.json");
  json settings = fs::exists(config) ? read_json(config.string()) : json::object();
  ETUDE_CHECK(settings.is_object(), config.string(), ": is not an object");
  return settings;
}

void read_begin_and_end(PretrainedVocabulary& v, const json& config) {
  const auto read = [&](const char* name, std::optional<int64_t>& id) {
    json token = config.value(name, json());
    if (token.is_object()) token = token.value("content", json());
    if (token.is_string()) id = id_of(v, token);
  };
  if (!v.before.empty()) v.begin = v.before[0];
  read("bos_token", v.begin);
  read("eos_token", v.end);
}

// Calls f(line) for each line that is not empty.
template <typename F>
void for_each_line(std::string_view text, const F& f) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!line.empty()) f(line);
    at = end + 1;
  }
}

std::string beside(const std::string& path, const char* first, const char* second) {
  for (const char* name : {first, second})
    if (const fs::path other = fs::path(path).replace_filename(name); fs::exists(other))
      return other.string();
  throw Error(str(path, ": has no ", first, " or ", second, " beside it"));
}

PretrainedVocabulary read_vocab_and_merges(const std::string& path, const json& vocab) {
  const json config = config_beside(path);
  const json given = config.value("tokenizer_class", json("GPT2Tokenizer"));
  const std::string kind = given.is_string() ? given.get<std::string>() : given.dump();
  ETUDE_CHECK(
      kind == "GPT2Tokenizer" || kind == "GPT2TokenizerFast", path, ": is for a ", kind,
      ", which is not known here\nhint: transformers writes it as a tokenizer.json, of which more is known");
  PretrainedVocabulary v;
  v.source = path;
  for (const auto& [token, id] : vocab.items()) {
    ETUDE_CHECK(id.is_number_integer(), path, ": ", id.dump(), " is not an id of a token");
    place_token(v, vocab.size(), id.get<int64_t>(), token);
  }
  const auto file = etude::detail::MappedFile::open(beside(path, "merges.txt", "vocab.bpe"));
  MergeReader merges(v);
  for_each_line(file->text(), [&](std::string_view line) {
    if (line.substr(0, 8) != "#version") merges.add(std::string(line));
  });
  v.begin = v.end = id_of(v, kEndOfText);
  if (v.end) v.added.push_back({kEndOfText, *v.end, true});
  read_begin_and_end(v, config);
  return v;
}

// The known ranks of tiktoken, recognized by their number or by a name in the file's name.
struct Ranks {
  const char* name;
  size_t count;
  PiecePattern pattern;
  int64_t end_of_text, end_of_prompt;  // 0 if there is none
};

constexpr Ranks kKnownRanks[] = {{"gpt2", 50256, PiecePattern::kGpt2, 50256, 0},
                                 {"r50k", 50256, PiecePattern::kGpt2, 50256, 0},
                                 {"p50k", 50280, PiecePattern::kGpt2, 50256, 0},
                                 {"cl100k", 100256, PiecePattern::kCl100k, 100257, 100276},
                                 {"o200k", 199998, PiecePattern::kO200k, 199999, 200018},
                                 {"llama3", 128000, PiecePattern::kLlama3, 0, 0}};

void add_special_tokens(PretrainedVocabulary& v, const Ranks& ranks) {
  if (ranks.end_of_text != 0) v.added.push_back({kEndOfText, *(v.end = ranks.end_of_text), true});
  if (ranks.end_of_prompt != 0) v.added.push_back({"<|endofprompt|>", ranks.end_of_prompt, true});
  if (ranks.pattern == PiecePattern::kCl100k)
    for (const char* fim : {"<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>"})
      v.added.push_back({fim, static_cast<int64_t>(ranks.count + v.added.size()), true});
  if (ranks.pattern != PiecePattern::kLlama3) return;
  const auto first = static_cast<int64_t>(ranks.count);
  const std::map<int64_t, const char*> named = {
      {0, "begin_of_text"}, {1, "end_of_text"}, {6, "start_header_id"}, {7, "end_header_id"}, {9, "eot_id"}};
  for (int64_t i = 0, reserved = 0; i < 256; ++i) {
    const std::string name =
        named.count(i) ? named.at(i) : "reserved_special_token_" + std::to_string(reserved++);
    v.added.push_back({"<|" + name + "|>", first + i, true});
  }
  v.before = {*(v.begin = first)};
  v.end = first + 1;
}

// The bytes of a text in base64; nullopt if it is malformed.
std::optional<std::string> from_base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0, count = 0;
  for (const char c : text.substr(0, text.find('='))) {
    const size_t digit = digits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count);
  }
  return bytes;
}

// The token and the rank of a line like "IQ== 0"; nullopt for any other line.
std::optional<std::pair<std::string, int64_t>> ranked(std::string_view line) {
  const size_t blank = line.find(' ');
  if (blank == 0 || blank == std::string_view::npos || line.size() - blank > 10) return std::nullopt;
  const std::string_view number = line.substr(blank + 1);
  if (number.empty() || number.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  const auto token = from_base64(line.substr(0, blank));
  if (!token || token->empty()) return std::nullopt;
  return std::pair(*token, std::stoll(std::string(number)));
}

PretrainedVocabulary read_tiktoken(const std::string& path, std::string_view text) {
  PretrainedVocabulary v;
  v.source = path;
  const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  size_t count = 0;
  for_each_line(text, [&](std::string_view line) {
    const auto token = ranked(line);
    ETUDE_CHECK(token, path, ": line ", count + 1, " is not a token in base64 and its rank");
    place_token(v, lines, token->second, in_byte_alphabet(token->first));
    ++count;
  });
  for (size_t rank = 0; rank < v.tokens.size(); ++rank) v.scores.push_back(-static_cast<float>(rank));
  const std::string name = fs::path(path).filename().string();
  const auto find = [](const auto& is) {
    return std::find_if(std::begin(kKnownRanks), std::end(kKnownRanks), is);
  };
  const Ranks* ranks = find([&](const Ranks& r) { return r.count == count; });
  if (ranks != std::end(kKnownRanks)) add_special_tokens(v, *ranks);
  else ranks = find([&](const Ranks& r) { return name.find(r.name) != std::string::npos; });
  ETUDE_CHECK(
      ranks != std::end(kKnownRanks), path, ": has ", count, " ranks of tiktoken, and neither these nor its ",
      "name say how it splits a text\nhint: names with gpt2, r50k, p50k, cl100k, o200k and llama3 do");
  v.pattern = ranks->pattern;
  v.ignore_merges = true;
  return v;
}

// int32 maximum size; then for each token float32 score, int32 size, bytes. Tokens 0, 1 and 2 are <unk>, the begin token and the
// end token; 256 byte tokens follow.
PretrainedVocabulary read_llama2c(const std::string& path, std::string_view file) {
  PretrainedVocabulary v;
  v.source = path;
  for (size_t at = 4; at < file.size();) {
    float score = 0;
    int32_t size = 0;
    ETUDE_CHECK(file.size() - at >= 8, path, ": ends inside of token ", v.tokens.size());
    std::memcpy(&score, &file[at], 4);
    std::memcpy(&size, &file[at + 4], 4);
    at += 8;
    ETUDE_CHECK(size >= 0 && static_cast<size_t>(size) <= file.size() - at, path, ": token ", v.tokens.size(),
                " of ", size, " bytes can't be among the last ", file.size() - at);
    v.tokens.push_back(replaced(file.substr(at, static_cast<size_t>(size)), " ", kBlank));
    v.scores.push_back(score);
    at += static_cast<size_t>(size);
  }
  ETUDE_CHECK(v.tokens.size() > 258, path, ": has ", v.tokens.size(), " tokens, too few for the bytes");
  v.tokens[1] = "<s>";
  v.tokens[2] = "</s>";
  v.added = {{"<s>", 1, true}, {"</s>", 2, true}};
  v.unknown = 0;
  v.begin = 1;
  v.end = 2;
  v.before = {1};
  v.byte_level = false;
  v.pattern = PiecePattern::kWhole;
  v.byte_fallback = v.fuse_unknown = v.strips_prefix = true;
  v.prefix = SpacePrefix::kAfterSpecial;
  return v;
}

[[noreturn]] void refuse(const std::string& path) {
  throw Error(
      str(path, ": is not a file of a tokenizer\nhint: tokenizer.json, vocab.json with merges.txt, ranks of ",
          "tiktoken, tokenizer.model, llama2.c's tokenizer.bin and what Tokenizer::save writes are"));
}

}  // namespace

PretrainedVocabulary read_vocabulary(const std::string& path, const json& file) {
  const bool is_vocab = file.is_object() && !file.empty() && file.begin()->is_number();
  if (!is_vocab && !(file.is_object() && file.contains("model"))) refuse(path);
  if (is_vocab) return read_vocab_and_merges(path, file);
  PretrainedVocabulary v = read_tokenizer_json(path, file);
  read_begin_and_end(v, config_beside(path));
  return v;
}

PretrainedVocabulary read_vocabulary(const std::string& path) {
  const auto file = etude::detail::MappedFile::open(path);
  const std::string_view bytes = file->text();
  const std::string name = fs::path(path).filename().string();
  if (bytes.substr(0, 8) == "#version" || name == "merges.txt" || name == "vocab.bpe") {
    const std::string vocab = beside(path, "vocab.json", "encoder.json");
    return read_vocab_and_merges(vocab, read_json(vocab));
  }
  if (bytes.substr(0, 4) == "GGUF") return read_gguf_vocabulary(path);
  if (ranked(bytes.substr(0, bytes.find('\n')))) return read_tiktoken(path, bytes);
  if (bytes.size() > 8 && bytes.substr(8, 9) == std::string_view("\x05\0\0\0<unk>", 9))
    return read_llama2c(path, bytes);
  const bool is_sentencepiece = bytes.size() > 2 && bytes[0] == 0x0a && bytes[2] == 0x0a;
  if (!is_sentencepiece) {
    etude::detail::check_not_foreign(*file, "file of a tokenizer");
    refuse(path);
  }
  PretrainedVocabulary v = read_sentencepiece(path, bytes);
  const json config = config_beside(path);
  read_begin_and_end(v, config);
  if (config.value("add_bos_token", json()) == false) v.before.clear();
  return v;
}

}  // namespace etude::text::detail
