// The format of the package tokenizers 0.23, as far as models of byte pairs need it. A file lists the steps that a tokenizer
// applies to a text. They are compared with the steps that we would write for each combination of our options.

#include "etude/core/error.h"
#include "etude/text/detail/pretrained_vocabulary.h"

namespace etude::text::detail {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(AddedToken, content, single_word, lstrip, rstrip, normalized,
                                                special, id)

namespace {

using etude::detail::PiecePattern;
using nlohmann::json;

json replacement(const char* from, const char* to) {
  return {{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", to}};
}

json metaspace(const char* scheme) {
  return {{"type", "Metaspace"}, {"replacement", kBlank}, {"prepend_scheme", scheme}, {"split", false}};
}

json byte_level(bool adds_blank, bool splits) {
  return {
      {"type", "ByteLevel"}, {"add_prefix_space", adds_blank}, {"trim_offsets", true}, {"use_regex", splits}};
}

json normalizers(const PretrainedVocabulary& v) {
  json steps = json::array();
  if (v.form_c) steps.push_back({{"type", "NFC"}});
  if (v.prefix == SpacePrefix::kEachPart || v.prefix == SpacePrefix::kAfterSpecial)
    steps.push_back({{"type", "Prepend"}, {"prepend", kBlank}});
  const bool is_metaspace =
      v.prefix == SpacePrefix::kEachPartUnlessThere || v.prefix == SpacePrefix::kTextUnlessThere;
  if (!v.byte_level && !is_metaspace) steps.push_back(replacement(" ", kBlank));
  return steps;
}

json pre_tokenizers(const PretrainedVocabulary& v) {
  const bool adds_blank = v.prefix == SpacePrefix::kEachPartUnlessThere;
  const bool is_gpt2 = v.pattern == PiecePattern::kGpt2 || v.pattern == PiecePattern::kGpt2Digits;
  json steps = json::array();
  if (v.byte_level) {
    if (v.pattern == PiecePattern::kGpt2Digits)
      steps.push_back({{"type", "Digits"}, {"individual_digits", true}});
    const json regex = {{"Regex", expression_of(v.pattern)}};
    if (!is_gpt2 && v.pattern != PiecePattern::kWhole)
      steps.push_back({{"type", "Split"}, {"pattern", regex}, {"behavior", "Isolated"}, {"invert", false}});
    steps.push_back(byte_level(adds_blank, is_gpt2));
  } else if (adds_blank || v.prefix == SpacePrefix::kTextUnlessThere) {
    steps.push_back(metaspace(adds_blank ? "always" : "first"));
  }
  return steps;
}

json decoders(const PretrainedVocabulary& v) {
  if (v.byte_level) return json::array({byte_level(true, true)});
  json steps = {replacement(kBlank, " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}};
  if (v.strips_prefix) steps.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  return steps;
}

json sequence(const char* name, const json& steps) {
  if (steps.size() < 2) return steps.empty() ? json() : steps[0];
  return {{"type", "Sequence"}, {name, steps}};
}

// The steps of a part of the file, without those that change no ids.
json steps_in(const json& file, const char* part, const char* name) {
  const json whole = file.value(part, json());
  json steps = whole.is_null() ? json::array() : json::array({whole});
  if (!whole.is_null() && whole.at("type") == "Sequence") steps = whole.at(name);
  static const json after_gemma = json::parse(  // finds no blanks, since they are replaced before
      R"({"type":"Split","pattern":{"String":" "},"behavior":"MergedWithPrevious","invert":false})");
  json kept = json::array();
  for (json& step : steps) {
    if (step.at("type") == "ByteLevel") step["trim_offsets"] = true;
    if (step.at("type") == "ByteLevel" && !step.contains("use_regex")) step["use_regex"] = true;
    if (step != after_gemma) kept.push_back(step);
  }
  return kept;
}

class JsonReader {
 public:
  JsonReader(const std::string& path, const json& file) : path_(path), file_(file) { v_.source = path; }

  PretrainedVocabulary read() {
    read_model(file_.at("model"));
    v_.added = file_.at("added_tokens").get<std::vector<AddedToken>>();
    for (size_t i = 0; i < v_.added.size(); ++i) v_.added[i].id = id_in(file_["added_tokens"][i].at("id"));
    read_steps();
    for (const json& step : steps_in(file_, "post_processor", "processors"))
      if (step.at("type") != "ByteLevel") read_template(step);
    return std::move(v_);
  }

 private:
  void require(bool good, const char* part, const json& found) const {
    ETUDE_CHECK(good, path_, ": its ", part, " is ", found.dump(),
                ", which is not known here\nhint: known are those of ",
                "GPT-2, Llama, Qwen, SmolLM2, Mistral and Gemma");
  }

  int64_t id_in(const json& number) const {
    require(number.is_number_integer(), "id of a token", number);
    return number.get<int64_t>();
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
    const json& vocab = model.at("vocab");
    for (const auto& [token, id] : vocab.get_ref<const json::object_t&>())
      place_token(v_, vocab.size(), id_in(id), token);
    const json unknown = model.value("unk_token", json());
    if (!unknown.is_null()) v_.unknown = id_in(vocab.at(unknown.get<std::string>()));
    MergeReader merges(v_);
    for (const json& merge : model.at("merges")) {
      if (merge.is_string()) merges.add(merge.get<std::string>());
      else merges.add(merge.at(0).get<std::string>(), merge.at(1).get<std::string>());
    }
  }

  void read_steps() {
    json before = steps_in(file_, "normalizer", "normalizers");
    json pieces = steps_in(file_, "pre_tokenizer", "pretokenizers");
    if (pieces == json::array({metaspace("never")})) {
      before.push_back(replacement(" ", kBlank));
      pieces.clear();
    }
    require(find([&] { return pre_tokenizers(v_) == pieces; }), "pre_tokenizer", pieces);
    require(find([&] { return pre_tokenizers(v_) == pieces && normalizers(v_) == before; }), "normalizer",
            before);
    const json after = steps_in(file_, "decoder", "decoders");
    v_.strips_prefix = !v_.byte_level && after.size() == 4;
    const bool same_type = v_.byte_level && after.size() == 1 && after[0].at("type") == "ByteLevel";
    require(same_type || decoders(v_) == after, "decoder", after);
  }

  // Sets the options to the first combination for which a condition holds.
  template <typename F>
  bool find(const F& holds) {
    for (int i = 0; i < 2 * 2 * 5 * 8; ++i) {
      v_.byte_level = i % 2 != 0;
      v_.form_c = i / 2 % 2 != 0;
      v_.prefix = static_cast<SpacePrefix>(i / 4 % 5);
      v_.pattern = static_cast<PiecePattern>(i / 20);
      if (holds()) return true;
    }
    return false;
  }

  void read_template(const json& step) {
    require(step.at("type") == "TemplateProcessing", "post_processor", step);
    bool after_text = false;
    for (const json& item : step.at("single")) {
      if (item.contains("Sequence")) {
        after_text = true;
        continue;
      }
      const std::string token = item.at("SpecialToken").at("id");
      for (const json& id : step.at("special_tokens").at(token).at("ids"))
        (after_text ? v_.after : v_.before).push_back(id_in(id));
    }
    require(after_text, "post_processor", step);
  }

  const std::string& path_;
  const json& file_;
  PretrainedVocabulary v_;
};

json post_processor_of(const PretrainedVocabulary& v) {
  if (v.before.empty() && v.after.empty()) return nullptr;
  const auto text = [](const char* name, int type) {
    return json{{"Sequence", {{"id", name}, {"type_id", type}}}};
  };
  json single = json::array(), tokens = json::object();
  const auto add = [&](int64_t id) {
    const std::string token = v.token(id);
    single.push_back({{"SpecialToken", {{"id", token}, {"type_id", 0}}}});
    tokens[token] = {{"id", token}, {"ids", {id}}, {"tokens", {token}}};
  };
  for (const int64_t id : v.before) add(id);
  single.push_back(text("A", 0));
  for (const int64_t id : v.after) add(id);
  return {{"type", "TemplateProcessing"},
          {"single", single},
          {"pair", {text("A", 0), text("B", 1)}},
          {"special_tokens", tokens}};
}

}  // namespace

PretrainedVocabulary read_tokenizer_json(const std::string& path, const json& file) {
  try {
    return JsonReader(path, file).read();
  } catch (const json::exception& e) {
    throw Error(str(path, ": is not a tokenizer.json of the package tokenizers: ", e.what()));
  }
}

json tokenizer_json(const PretrainedVocabulary& v) {
  json vocab = json::object(), merges = json::array();
  for (int64_t id = 0; id < v.vocab_size();
       ++id)  // added ones too, which would get other ids where one is missing
    if (!v.token(id).empty()) vocab[v.token(id)] = id;
  for (const auto& merge : ranked_merges(v))
    merges.push_back({v.token(merge.first.first), v.token(merge.first.second)});
  const json model = {{"type", "BPE"},
                      {"unk_token", v.unknown ? json(v.token(*v.unknown)) : json()},
                      {"fuse_unk", v.fuse_unknown},
                      {"byte_fallback", v.byte_fallback},
                      {"ignore_merges", v.ignore_merges},
                      {"vocab", vocab},
                      {"merges", merges}};
  return {{"version", "1.0"},
          {"added_tokens", v.added},
          {"normalizer", sequence("normalizers", normalizers(v))},
          {"pre_tokenizer", sequence("pretokenizers", pre_tokenizers(v))},
          {"post_processor", post_processor_of(v)},
          {"decoder", sequence("decoders", decoders(v))},
          {"model", model}};
}

}  // namespace etude::text::detail
