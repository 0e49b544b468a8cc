// The format of the package tokenizers 0.23, as far as models of byte pairs need it.

#include "etude/core/error.h"
#include "etude/text/detail/pretrained_vocabulary.h"

namespace etude::text::detail {
namespace {

using etude::detail::PiecePattern;
using nlohmann::json;

struct Split {
  PiecePattern pattern;
  const char* regex;
};

// The first one of a pattern is written.
constexpr Split kSplits[] = {
    {PiecePattern::kGpt2, R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"},
    {PiecePattern::kCl100k,
     R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|\s*[\r\n]+|\s+(?!\S)|\s+)"},
    {PiecePattern::kLlama3,
     R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
    {PiecePattern::kQwen2,
     R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
    {PiecePattern::kO200k,
     R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
     R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
     R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
    {PiecePattern::kTekken, R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
                            R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|)"
                            R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
};

// The steps of a part of the file: none for null, and those of a Sequence.
std::vector<json> steps_of(const json& file, const char* part, const char* sequence) {
  const json step = file.value(part, json());
  if (step.is_null()) return {};
  if (step.at("type") == "Sequence") return step.at(sequence).get<std::vector<json>>();
  return {step};
}

bool has(const json& step, const char* type) { return step.at("type") == type; }

bool replaces(const json& step, const char* from, const char* to) {
  return has(step, "Replace") && step.at("pattern").value("String", "") == from && step.at("content") == to;
}

class JsonReader {
 public:
  JsonReader(const std::string& path, const json& file) : path_(path), file_(file) {}

  PretrainedVocabulary read() {
    v_.source = path_;
    read_model(file_.at("model"));
    for (const json& token : file_.at("added_tokens"))
      v_.added.push_back(added_token(token, integer(path_, token.at("id"))));
    read_pre_tokenizer();
    read_normalizer();
    read_decoder();
    for (const json& step : steps_of(file_, "post_processor", "processors"))
      if (!has(step, "ByteLevel")) read_template(step);
    return std::move(v_);
  }

 private:
  [[noreturn]] void refuse(const char* part, const json& found) const {
    throw Error(str(path_, ": its ", part, " is ", found.dump(),
                    ", which is not known here\nhint: known are those of ",
                    "GPT-2, Llama, Qwen, SmolLM2, Mistral and Gemma"));
  }
  void require(bool good, const char* part, const json& found) const {
    if (!good) refuse(part, found);
  }

  void read_model(const json& model) {
    require(model.value("type", "BPE") == "BPE", "model", model.value("type", json()));
    for (const char* unknown : {"dropout", "continuing_subword_prefix", "end_of_word_suffix"}) {
      const json value = model.value(unknown, json());
      require(value.is_null() || value == "" || value == 0, unknown, value);
    }
    v_.byte_fallback = model.value("byte_fallback", false);
    v_.fuse_unknown = model.value("fuse_unk", false);
    v_.ignore_merges = model.value("ignore_merges", false);
    read_vocab(v_, model.at("vocab"));
    const json unknown = model.value("unk_token", json());
    if (!unknown.is_null()) v_.unknown = integer(path_, model["vocab"].at(unknown.get<std::string>()));
    MergeReader merges(v_);
    for (const json& merge : model.at("merges")) {
      if (merge.is_string()) merges.add(merge.get<std::string>());
      else merges.add(merge.at(0).get<std::string>(), merge.at(1).get<std::string>());
    }
  }

  void read_normalizer() {
    for (const json& step : steps_of(file_, "normalizer", "normalizers")) {
      if (has(step, "NFC")) {
        v_.form_c = true;
      } else if (!v_.byte_level && has(step, "Prepend") && step.at("prepend") == kBlank) {
        v_.prefix = SpacePrefix::kEachPart;
      } else {
        require(!v_.byte_level && replaces(step, " ", kBlank), "normalizer", step);
        escapes_ = true;
      }
    }
    require(v_.byte_level || escapes_, "pre_tokenizer", file_.value("pre_tokenizer", json()));
  }

  void read_pre_tokenizer() {
    v_.byte_level = false;
    v_.pattern = PiecePattern::kWhole;
    const auto steps = steps_of(file_, "pre_tokenizer", "pretokenizers");
    bool digits = false;
    for (const json& step : steps) {
      require(!v_.byte_level, "pre_tokenizer", file_.at("pre_tokenizer"));
      const bool is_first = v_.pattern == PiecePattern::kWhole && !digits;
      if (has(step, "ByteLevel")) {
        const bool splits = step.value("use_regex", true), adds = step.value("add_prefix_space", true);
        require((splits ? v_.pattern == PiecePattern::kWhole : !digits) && (!adds || steps.size() == 1),
                "pre_tokenizer", file_.at("pre_tokenizer"));
        v_.byte_level = true;
        if (splits) v_.pattern = digits ? PiecePattern::kGpt2Digits : PiecePattern::kGpt2;
        if (adds) v_.prefix = SpacePrefix::kEachPartUnlessThere;
      } else if (has(step, "Digits")) {
        digits = step.at("individual_digits");
        require(digits && is_first, "pre_tokenizer", step);
      } else if (has(step, "Split") && step.at("pattern").contains("Regex")) {
        require(is_first, "pre_tokenizer", step);
        read_split(step);
      } else if (has(step, "Metaspace")) {
        read_metaspace(step);
      } else {  // Gemma's, which finds no blank after its normalizer
        require(has(step, "Split") && step.at("pattern").value("String", "") == " " &&
                    step.at("behavior") == "MergedWithPrevious" && !step.at("invert"),
                "pre_tokenizer", step);
      }
    }
  }

  void read_split(const json& step) {
    const bool keeps_matches =
        step.at("invert") ? step.at("behavior") == "Removed" : step.at("behavior") == "Isolated";
    for (const Split& split : kSplits)
      if (keeps_matches && step.at("pattern").at("Regex") == split.regex) v_.pattern = split.pattern;
    require(v_.pattern != PiecePattern::kWhole, "pre_tokenizer", step);
  }

  void read_metaspace(const json& step) {
    const json scheme = step.value("prepend_scheme", json());
    require(step.at("replacement") == kBlank && !step.value("split", true), "pre_tokenizer", step);
    if (scheme == "always") v_.prefix = SpacePrefix::kEachPartUnlessThere;
    else if (scheme == "first") v_.prefix = SpacePrefix::kTextUnlessThere;
    else require(scheme == "never", "pre_tokenizer", step);
    escapes_ = true;
  }

  void read_decoder() {
    const auto steps = steps_of(file_, "decoder", "decoders");
    const auto is = [&](size_t i, const char* type) { return i < steps.size() && has(steps[i], type); };
    if (v_.byte_level)
      return require(steps.size() == 1 && is(0, "ByteLevel"), "decoder", file_.at("decoder"));
    const bool good =
        is(0, "Replace") && replaces(steps[0], kBlank, " ") && is(1, "ByteFallback") && is(2, "Fuse");
    v_.strips_prefix = is(3, "Strip") && steps[3].at("content") == " " && steps[3].at("start") == 1 &&
                       steps[3].at("stop") == 0;
    require(good && steps.size() == (v_.strips_prefix ? 4 : 3), "decoder", file_.at("decoder"));
  }

  void read_template(const json& step) {
    require(has(step, "TemplateProcessing"), "post_processor", step);
    bool after_text = false;
    for (const json& item : step.at("single")) {
      if (item.contains("Sequence")) {
        after_text = true;
        continue;
      }
      const json& ids =
          step.at("special_tokens").at(item.at("SpecialToken").at("id").get<std::string>()).at("ids");
      for (const json& id : ids) (after_text ? v_.after : v_.before).push_back(integer(path_, id));
    }
    require(after_text, "post_processor", step);
  }

  const std::string& path_;
  const json& file_;
  PretrainedVocabulary v_;
  bool escapes_ = false;  // blanks become U+2581
};

json sequence(const char* name, json steps) {
  if (steps.empty()) return nullptr;
  return steps.size() == 1 ? steps[0] : json{{"type", "Sequence"}, {name, std::move(steps)}};
}

json replacement(const char* from, const char* to) {
  return {{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", to}};
}

json byte_level(bool adds_blank, bool splits) {
  return {
      {"type", "ByteLevel"}, {"add_prefix_space", adds_blank}, {"trim_offsets", true}, {"use_regex", splits}};
}

json normalizer_of(const PretrainedVocabulary& v) {
  json steps = json::array();
  if (v.form_c) steps.push_back({{"type", "NFC"}});
  if (v.prefix == SpacePrefix::kEachPart || v.prefix == SpacePrefix::kAfterSpecial)
    steps.push_back({{"type", "Prepend"}, {"prepend", kBlank}});
  if (!v.byte_level) steps.push_back(replacement(" ", kBlank));
  return sequence("normalizers", steps);
}

json pre_tokenizer_of(const PretrainedVocabulary& v) {
  json steps = json::array();
  const bool each = v.prefix == SpacePrefix::kEachPartUnlessThere;
  if (!v.byte_level) {
    if (each || v.prefix == SpacePrefix::kTextUnlessThere)
      steps.push_back({{"type", "Metaspace"},
                       {"replacement", kBlank},
                       {"prepend_scheme", each ? "always" : "first"},
                       {"split", false}});
    return sequence("pretokenizers", steps);
  }
  const bool is_gpt2 = v.pattern == PiecePattern::kGpt2 || v.pattern == PiecePattern::kGpt2Digits;
  if (v.pattern == PiecePattern::kGpt2Digits)
    steps.push_back({{"type", "Digits"}, {"individual_digits", true}});
  for (const Split& split : kSplits)
    if (split.pattern == v.pattern && !is_gpt2)
      steps.push_back({{"type", "Split"},
                       {"pattern", {{"Regex", split.regex}}},
                       {"behavior", "Isolated"},
                       {"invert", false}});
  steps.push_back(byte_level(each, is_gpt2));
  return sequence("pretokenizers", steps);
}

json post_processor_of(const PretrainedVocabulary& v) {
  if (v.before.empty() && v.after.empty()) return nullptr;
  json single = json::array(), tokens = json::object();
  const auto add = [&](int64_t id) {
    const std::string token = v.token(id);
    single.push_back({{"SpecialToken", {{"id", token}, {"type_id", 0}}}});
    tokens[token] = {{"id", token}, {"ids", {id}}, {"tokens", {token}}};
  };
  for (const int64_t id : v.before) add(id);
  single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
  for (const int64_t id : v.after) add(id);
  const json pair = {{{"Sequence", {{"id", "A"}, {"type_id", 0}}}},
                     {{"Sequence", {{"id", "B"}, {"type_id", 1}}}}};
  return {{"type", "TemplateProcessing"}, {"single", single}, {"pair", pair}, {"special_tokens", tokens}};
}

json decoder_of(const PretrainedVocabulary& v) {
  if (v.byte_level) return byte_level(true, true);
  json steps = {replacement(kBlank, " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}};
  if (v.strips_prefix) steps.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  return sequence("decoders", steps);
}

json model_of(const PretrainedVocabulary& v) {
  json vocab = json::object(), merges = json::array();
  const auto token = [&](int32_t id) { return v.tokens[static_cast<size_t>(id)]; };
  for (size_t id = 0; id < v.tokens.size(); ++id)
    if (!v.tokens[id].empty()) vocab[v.tokens[id]] = id;
  for (const auto& merge : ranked_merges(v))
    merges.push_back({token(merge.first.first), token(merge.first.second)});
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", v.unknown ? json(v.token(*v.unknown)) : json()},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", v.fuse_unknown},
          {"byte_fallback", v.byte_fallback},
          {"ignore_merges", v.ignore_merges},
          {"vocab", vocab},
          {"merges", merges}};
}

}  // namespace

AddedToken added_token(const json& token, int64_t id) {
  AddedToken added;
  added.content = token.at("content").get<std::string>();
  added.id = id;
  added.special = token.value("special", false);
  added.single_word = token.value("single_word", false);
  added.lstrip = token.value("lstrip", false);
  added.rstrip = token.value("rstrip", false);
  added.normalized = token.value("normalized", !added.special);
  return added;
}

PretrainedVocabulary read_tokenizer_json(const std::string& path, const json& file) {
  try {
    return JsonReader(path, file).read();
  } catch (const json::exception& e) {
    throw Error(str(path, ": is no tokenizer.json of the package tokenizers: ", e.what()));
  }
}

json tokenizer_json(const PretrainedVocabulary& v) {
  json added = json::array();
  for (const AddedToken& t : v.added)
    added.push_back({{"id", t.id},
                     {"content", t.content},
                     {"single_word", t.single_word},
                     {"lstrip", t.lstrip},
                     {"rstrip", t.rstrip},
                     {"normalized", t.normalized},
                     {"special", t.special}});
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", added},
          {"normalizer", normalizer_of(v)},
          {"pre_tokenizer", pre_tokenizer_of(v)},
          {"post_processor", post_processor_of(v)},
          {"decoder", decoder_of(v)},
          {"model", model_of(v)}};
}

}  // namespace etude::text::detail
