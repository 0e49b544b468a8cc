// Tokenizers in GGUF files. Keys are those of gguf-py/gguf/constants.py of llama.cpp, and the defaults for missing keys those of
// its src/llama-vocab.cpp.

#include <algorithm>

#include "etude/core/error.h"
#include "etude/io/gguf.h"
#include "etude/text/detail/pretrained_vocabulary.h"
#include "etude/text/pretrained_tokenizer.h"

namespace etude::text::detail {
namespace {

using etude::detail::PiecePattern;

// If a pattern has several names, the first is written.
constexpr std::pair<const char*, PiecePattern> kPatterns[] = {
    {"gpt-2", PiecePattern::kGpt2},       {"smollm", PiecePattern::kGpt2Digits},
    {"qwen2", PiecePattern::kQwen2},      {"deepseek-r1-qwen", PiecePattern::kQwen2},
    {"llama-bpe", PiecePattern::kLlama3}, {"smaug-bpe", PiecePattern::kLlama3},
    {"tekken", PiecePattern::kTekken},    {"gpt-4o", PiecePattern::kO200k}};

std::string key_of(const char* name) { return std::string("tokenizer.ggml.") + name; }

void read_byte_pairs(PretrainedVocabulary& v, const GgufFile& file) {
  const auto pre = file.get<std::string>(key_of("pre"), "");
  const auto* found =
      std::find_if(std::begin(kPatterns), std::end(kPatterns), [&](const auto& p) { return pre == p.first; });
  ETUDE_CHECK(found != std::end(kPatterns), v.source, ": splits texts as \"", pre,
              "\", which is not known here\nhint: gpt-2, smollm, qwen2, llama-bpe, tekken and gpt-4o are");
  v.pattern = found->second;
  v.ignore_merges = pre == "llama-bpe" || pre == "tekken";
  v.form_c = v.pattern == PiecePattern::kQwen2;
  MergeReader merges(v);
  for (const std::string& merge : file.get(key_of("merges"), std::vector<std::string>())) merges.add(merge);
}

void read_scores(PretrainedVocabulary& v, const GgufFile& file) {
  const auto scores = file.get(key_of("scores"), std::vector<double>());
  ETUDE_CHECK(!scores.empty(), v.source, ": has no scores of its tokens");
  v.scores.assign(scores.begin(), scores.end());
  v.pattern = PiecePattern::kWhole;
  v.byte_fallback = v.fuse_unknown = true;
}

}  // namespace

PretrainedVocabulary read_gguf_vocabulary(const std::string& path) {
  const GgufFile file = load_gguf(path);
  const auto model = file.get<std::string>(key_of("model"), "none");
  ETUDE_CHECK(model == "gpt2" || model == "llama", path, ": has a tokenizer of the kind \"", model,
              "\", which is not known here\nhint: gpt2 and llama are");
  PretrainedVocabulary v;
  v.source = path;
  v.tokens = file.get(key_of("tokens"), v.tokens);
  const auto types = file.get(key_of("token_type"), std::vector<int64_t>(v.tokens.size(), kNormalToken));
  ETUDE_CHECK(types.size() == v.tokens.size(), path, ": has ", v.tokens.size(), " tokens and ", types.size(),
              " types");
  for (size_t id = 0; id < types.size(); ++id) {
    if (types[id] == kUnusedToken) v.tokens[id].clear();
    if (types[id] >= kUnknownToken && types[id] <= kUserToken)
      v.added.push_back({v.tokens[id], static_cast<int64_t>(id), types[id] != kUserToken});
  }
  v.byte_level = model == "gpt2";
  const auto id_of = [&](const char* name, int64_t otherwise) {
    const auto id = file.get<int64_t>(key_of(name), v.byte_level ? -1 : otherwise);
    return id < 0 ? std::nullopt : std::optional(id);
  };
  v.unknown = id_of("unknown_token_id", 0);
  v.begin = id_of("bos_token_id", 1);
  v.end = id_of("eos_token_id", 2);
  v.byte_level ? read_byte_pairs(v, file) : read_scores(v, file);
  if (file.get(key_of("add_space_prefix"), !v.byte_level))
    v.prefix = v.byte_level ? SpacePrefix::kEachPartUnlessThere : SpacePrefix::kAfterSpecial;
  v.strips_prefix = v.prefix == SpacePrefix::kAfterSpecial;
  if (v.begin && file.get(key_of("add_bos_token"), !v.byte_level || v.ignore_merges)) v.before = {*v.begin};
  if (v.end && file.get(key_of("add_eos_token"), false)) v.after = {*v.end};
  return v;
}

void add_gguf_vocabulary(OrderedDict<std::string, IValue>& metadata, const Tokenizer& tokenizer,
                         int64_t vocab_size) {
  const auto* pretrained = dynamic_cast<const PretrainedTokenizer*>(&tokenizer);
  const auto* own = dynamic_cast<const BytePairTokenizer*>(&tokenizer);
  ETUDE_CHECK_VALUE(pretrained || own, "save_gguf: a tokenizer has to have byte pairs");
  const PretrainedTokenizer made = pretrained ? *pretrained : PretrainedTokenizer::from(*own);
  const PretrainedVocabulary& v = made.vocabulary();
  const auto* pattern = std::find_if(std::begin(kPatterns), std::end(kPatterns),
                                     [&](const auto& p) { return p.second == v.pattern; });
  ETUDE_CHECK_VALUE(!v.byte_level || pattern != std::end(kPatterns),
                    "save_gguf: llama.cpp does not split texts as ", v.source);
  ETUDE_CHECK_VALUE(v.before.size() <= 1 && v.after.size() <= 1,
                    "save_gguf: llama.cpp puts at most one token before and after a text");
  ETUDE_CHECK_VALUE(v.vocab_size() <= vocab_size, "save_gguf: ", v.vocab_size(),
                    " tokens are too many for a model with ", vocab_size);
  std::vector<std::string> tokens, merges;
  std::vector<int64_t> types;
  for (int64_t id = 0; id < vocab_size; ++id) {
    std::string token = v.token(id);
    const bool is_byte = v.byte_fallback && byte_of_token(token) >= 0;
    types.push_back(token.empty() ? kUnusedToken : is_byte ? kByteToken : kNormalToken);
    tokens.push_back(token.empty() ? str("[PAD", id, "]") : std::move(token));
  }
  for (const AddedToken& token : v.added) {
    types[static_cast<size_t>(token.id)] = token.special ? kControlToken : kUserToken;
    if (!token.special) tokens[static_cast<size_t>(token.id)] = replaced(token.content, kBlank, " ");
  }
  if (v.unknown) types[static_cast<size_t>(*v.unknown)] = kUnknownToken;
  std::vector<double> scores(v.scores.begin(), v.scores.end());
  scores.resize(tokens.size(), -1e9);
  for (const auto& [pair, rule] : ranked_merges(v)) {
    merges.push_back(v.token(pair.first) + ' ' + v.token(pair.second));
    double& score = scores[static_cast<size_t>(rule.token)];
    if (v.scores.empty()) score = std::max<double>(score, -rule.rank);
  }
  const auto put = [&](const char* name, IValue value) { metadata.insert(key_of(name), std::move(value)); };
  const auto put_id = [&](const char* name, std::optional<int64_t> id) {
    if (id) put(name, *id);
  };
  put("model", v.byte_level ? "gpt2" : "llama");
  put("pre", v.byte_level ? pattern->first : "default");
  put("tokens", tokens);
  put("token_type", types);
  v.byte_level ? put("merges", merges) : put("scores", scores);
  put_id("bos_token_id", v.before.empty() ? v.begin : v.before[0]);
  put_id("eos_token_id", v.after.empty() ? v.end : v.after[0]);
  put_id("unknown_token_id", v.unknown);
  put("add_bos_token", !v.before.empty());
  put("add_eos_token", !v.after.empty());
  put("add_space_prefix", v.prefix != SpacePrefix::kNone);
}

}  // namespace etude::text::detail
