#include "etude/pretrained.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include "etude/pretrained_family.h"
#include "etude/text/pretrained_tokenizer.h"

namespace etude::nn {
namespace {

namespace fs = std::filesystem;
using detail::PretrainedModel;
using detail::StoredTensor;
using detail::StoredTensors;
using detail::WeightPlace;
using nlohmann::json;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}
std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
bool begins(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

StoredTensors tensors_of_file(const fs::path& path) {
  serialize::InputArchive archive;
  archive.load_from(path.string());
  StoredTensors tensors;
  for (const std::string& name : archive.tensor_names()) {
    Tensor t;
    archive.read(name, t);
    tensors[name] = {t.sizes().vec(), t.scalar_type(), [t] { return t; }};
  }
  return tensors;
}

// An index is {"weight_map": {"model.norm.weight": "model-00002-of-00002.safetensors", ...}, ...}.
StoredTensors tensors_of_index(const fs::path& path) {
  const std::set<std::string> shards = detail::shards_of_index(path.string(), text_of(path));
  std::vector<std::string> absent;
  std::copy_if(shards.begin(), shards.end(), std::back_inserter(absent),
               [&](const std::string& name) { return !is_there(path.parent_path() / name); });
  ETUDE_CHECK(absent.empty(), path.string(), ": names ", Join(", ", absent), ", not in the folder",
              "\nhint: the model may not have been copied completely");
  StoredTensors tensors;
  for (const std::string& name : shards) tensors.merge(tensors_of_file(path.parent_path() / name));
  return tensors;
}

StoredTensors tensors_of_folder(const fs::path& folder) {
  for (const std::string name : {"model.safetensors", "pytorch_model.bin", "pytorch_model.pt"})
    for (const bool is_index : {false, true})
      if (const fs::path path = folder / (name + (is_index ? ".index.json" : "")); is_there(path))
        return is_index ? tensors_of_index(path) : tensors_of_file(path);
  throw Error(str("Error no file named model.safetensors, or pytorch_model.bin, found in directory ",
                  folder.string(), "."));
}

// A list of names in quotes. The first of the names that differ only in the layer stands for all of them.
std::string listed(const std::vector<std::string>& names) {
  static const std::regex layer("\\.[0-9]+\\.");
  std::map<std::string, std::pair<std::string, int64_t>> kinds;
  for (const std::string& name : names)
    ++kinds.try_emplace(std::regex_replace(name, layer, ".N."), name, 0).first->second.second;
  std::string text;
  for (const auto& [kind, first] : kinds)
    text += (text.empty() ? "\"" : ", \"") + first.first + '"' +
            (first.second > 1 ? str(" and ", first.second - 1, " more in other layers") : "");
  return text;
}

constexpr std::pair<const char*, const char*> kLooks[] = {
    {"self_attn.q_norm.", "weights of a qwen3 model"},
    {"self_attn.q_proj.bias", "weights of a qwen2 model"},
    {".attn.c_attn.", "weights of a gpt2 model"},
    {"attention.wq.", "Llama's own weights, which transformers converts"}};

// Hints about names in a file that do not fit: a prefix that all share, or the kind of model that they look like.
std::string hints_for(const StoredTensors& tensors, const std::string& unexpected,
                      const std::string& prefix) {
  std::string hints, common = tensors.empty() ? "" : tensors.begin()->first;
  for (const auto& [name, tensor] : tensors)
    while (!begins(name, common)) common.pop_back();
  common.resize(common.rfind('.') + 1);  // to nothing if there is no dot
  if (!common.empty() && common != prefix)
    hints += str("\nhint: every name begins with `", common, "`: pass PretrainedOptions().prefix(\"", common,
                 "\")");
  for (const auto& [part, look] : kLooks)
    if (unexpected.find(part) != std::string::npos) hints += str("\nhint: they look like ", look);
  return hints;
}

// The places of a model, with the names that they have in the file. Throws with everything that does not fit.
std::vector<WeightPlace> fitting_places(const std::string& path, const PretrainedModel& model,
                                        const StoredTensors& tensors) {
  ETUDE_CHECK(model.options.layers() <= static_cast<int64_t>(tensors.size()), path, ": has ", tensors.size(),
              " tensors, which cannot be the ", model.options.layers(), " layers of its config.json");
  std::vector<WeightPlace> places = detail::weight_places(model);
  const std::string prefix = model.rotary ? "model." : "transformer.", head = "lm_head.weight";
  const auto first = tensors.lower_bound(prefix);
  const bool has_prefix = first != tensors.end() && begins(first->first, prefix);
  std::vector<std::string> missing, unexpected;
  std::set<std::string> known = {head};
  std::string wrong;
  for (WeightPlace& place : places) {
    if (!has_prefix && begins(place.name, prefix)) place.name.erase(0, prefix.size());
    const auto found = tensors.find(*known.insert(place.name).first);
    if (found == tensors.end()) missing.push_back(place.name);
    else if (found->second.sizes != place.sizes)
      wrong +=
          str("\n\tsize mismatch for ", place.name, ": copying a param with shape torch.Size(",
              IntArrayRef(found->second.sizes),
              ") from checkpoint, the shape in current model is torch.Size(", IntArrayRef(place.sizes), ").");
    else if (!isFloatingType(found->second.dtype))
      wrong += str("\n\t", place.name, " holds ", dtype_name(found->second.dtype), ", no floating numbers.");
  }
  static const std::regex left_aside(
      ".*(\\.attn\\.(masked_)?bias|\\.rotary_emb\\.inv_freq)");  // masks and angles
  for (const auto& [name, tensor] : tensors)
    if (!known.count(name) && !std::regex_match(name, left_aside)) unexpected.push_back(name);
  if (!unexpected.empty())
    wrong = "\n\tUnexpected key(s) in state_dict: " + listed(unexpected) + ". " + wrong;
  if (!missing.empty()) wrong = "\n\tMissing key(s) in state_dict: " + listed(missing) + ". " + wrong;
  ETUDE_CHECK(wrong.empty(), "Error(s) in loading state_dict for ", detail::class_of_family(model.family),
              ":", wrong, "\nreceived ", path, hints_for(tensors, Join(" ", unexpected), prefix));
  const auto second = model.options.tied_head() ? tensors.find(head) : tensors.end();
  ETUDE_CHECK(second == tensors.end() || second->second.read().equal(tensors.at(places.front().name).read()),
              path, ": ", head, " differs from ", places.front().name,
              ", and config.json says that they are one",
              "\nhint: \"tie_word_embeddings\": false in config.json says that there are two");
  return places;
}

}  // namespace

GPT detail::assembled(const std::string& path, PretrainedModel model, const StoredTensors& stored,
                      const PretrainedOptions& options) {
  StoredTensors tensors;
  for (const auto& [name, tensor] : stored)
    if (begins(name, options.prefix())) tensors[name.substr(options.prefix().size())] = tensor;
  const std::vector<WeightPlace> places = fitting_places(path, model, tensors);
  ScalarType dtype = tensors.at(places.front().name).dtype;
  for (const WeightPlace& place : places) dtype = promote_types(dtype, tensors.at(place.name).dtype);
  dtype = options.dtype().value_or(dtype);
  ETUDE_CHECK_TYPE(isFloatingType(dtype), "from_pretrained: a model can't be of dtype ", dtype_name(dtype));
  if (model.rotary)
    model.options.positions(RotaryPositions(model.rotary->max_length(model.options.context())).ptr());
  const init::detail::SkipGuard skipped(true);
  const NoGradGuard no_grad;
  GPT gpt(model.options);
  auto parameters = gpt->named_parameters();
  for (const auto& item : parameters)
    if (dtype != item->scalar_type()) item->set_data(etude::empty(item->sizes(), dtype));
  for (const WeightPlace& place : places) {
    const Tensor read = tensors.at(place.name).read(), source = place.transposed ? read.t() : read;
    parameters[place.parameter].detach().narrow(-1, place.first, source.size(-1)).copy_(source);
  }
  gpt->eval();
  return gpt;
}

namespace {

// Files of llama2.c, whose rotary pairs are interleaved. The header of version 0 is seven int32: d_model, dim_feedforward, layers,
// heads, kv_heads, vocab_size (negative if the head is not tied), context. That of versions 1 and 2 has 256 bytes: "24ka", the
// version, the same seven, a byte for a tied head, the size of a group. Numbers are float32; in version 2 a matrix is int8 numbers,
// and then a float32 factor for each group of them.

Tensor read_at(std::ifstream& file, int64_t offset, IntArrayRef sizes, ScalarType dtype) {
  Tensor t = etude::empty(sizes, dtype);
  ETUDE_CHECK(
      file.seekg(offset).read(static_cast<char*>(t.data_ptr()), static_cast<std::streamsize>(t.nbytes())),
      "a file of llama2.c became shorter");
  return t;
}

GPT from_llama2c(const std::string& path, const PretrainedOptions& options) {
  const auto file = std::make_shared<std::ifstream>(path, std::ios::binary);
  char start[41] = {};
  file->read(start, sizeof start);
  int32_t magic = 0, version = 0, group = 0, c[7] = {};
  std::memcpy(&magic, start, 4);
  const bool has_magic = magic == 0x616b3432;
  std::memcpy(&version, start + 4, has_magic ? 4 : 0);
  std::memcpy(c, start + (has_magic ? 8 : 0), sizeof c);
  std::memcpy(&group, start + 37, version == 2 ? 4 : 0);
  const bool tied = has_magic ? start[36] != 0 : c[5] > 0;
  if (!has_magic && !tied) c[5] = -std::max(c[5], -INT32_MAX);
  const bool good = file->good() && version >= 0 && version <= 2 && (version == 2) == (group > 0) &&
                    std::all_of(c, c + 7, [](int32_t size) { return size > 0 && size < (1 << 28); });
  if (!good) tensors_of_file(path);  // its error says what the file is instead
  ETUDE_CHECK(good, path, ": is not a file of llama2.c of version 0, 1 or 2");

  // Doubles are exact up to 2^53, more bytes than a file has.
  int64_t offset = has_magic ? 256 : 28;
  const int64_t width = c[0] / c[3];
  const double d = c[0], layers = c[2], kv = static_cast<double>(c[4] * width),
               tables = has_magic ? 0 : static_cast<double>(c[6] * width),
               matrices = layers * d * (2 * d + 2 * kv + 3.0 * c[1]) + (tied ? 1 : 2) * d * c[5],
               bytes = static_cast<double>(offset) + 4 * (2 * layers + 1) * d + 4 * tables +
                       (group ? matrices + 4 * matrices / group : 4 * matrices);
  ETUDE_CHECK(bytes == static_cast<double>(fs::file_size(path)), path, ": has ", fs::file_size(path),
              " bytes, and a file of llama2.c with its sizes has ",
              static_cast<int64_t>(std::min(bytes, 9e15)));
  PretrainedModel model("llama");
  model.options.vocab_size(c[5]).context(c[6]).d_model(c[0]).dim_feedforward(c[1]).layers(c[2]);
  model.options.heads(c[3]).kv_heads(c[4]).layer_norm_eps(1e-5).tied_head(tied);
  model.rotary->head_width(width).pairs(RotaryPairs::Interleaved);

  StoredTensors tensors;
  for (const WeightPlace& place : detail::weight_places(model))
    tensors[place.name] = {place.sizes, kFloat, nullptr};
  const auto take = [&](const std::string& name) {
    StoredTensor& t = tensors.at(name);
    const bool is_norm = t.sizes.size() == 1, is_int8 = group > 0 && !is_norm;
    const int64_t count = t.sizes.front() * (is_norm ? 1 : t.sizes.back()),
                  groups = is_int8 ? count / group : 0;
    ETUDE_CHECK(!is_int8 || count % group == 0, path, ": ", name, " is not made of groups of ", group);
    t.read = [file, count, groups, sizes = t.sizes, begin = offset] {
      if (groups == 0) return read_at(*file, begin, sizes, kFloat);
      const Tensor values = read_at(*file, begin, {groups, count / groups}, kChar);
      return dequantize({values, read_at(*file, begin + count, {groups, 1}, kFloat)}).view(sizes);
    };
    offset += groups ? count + 4 * groups : 4 * count;
  };
  std::istringstream parts(
      version == 0
          ? "model.embed_tokens input_layernorm self_attn.q_proj self_attn.k_proj self_attn.v_proj "
            "self_attn.o_proj post_attention_layernorm mlp.gate_proj mlp.down_proj mlp.up_proj model.norm"
          : "input_layernorm post_attention_layernorm model.norm model.embed_tokens self_attn.q_proj "
            "self_attn.k_proj self_attn.v_proj self_attn.o_proj mlp.gate_proj mlp.down_proj mlp.up_proj");
  for (std::string part; parts >> part;)
    for (int64_t i = 0; i < (begins(part, "model.") ? 1 : c[2]); ++i)
      take((begins(part, "model.") ? part : str("model.layers.", i, ".", part)) + ".weight");
  offset += 4 * static_cast<int64_t>(tables);
  if (!tied) take("lm_head.weight");
  return detail::assembled(path, model, tensors, options);
}

}  // namespace

OrderedDict<std::string, Tensor> detail::family_state(const GPTImpl& gpt, const PretrainedModel& model) {
  const auto weights = gpt.state_dict();
  // The weight of this name. An int8 weight is dequantized, and turned back to [in, out] if it belongs to a Conv1D.
  const auto numbers_of = [&weights](const std::string& name) {
    const Tensor* const values = weights.find(name + "_values");
    if (!values) return weights[name];
    const Tensor numbers = dequantize({*values, weights[name + "_scales"]});
    return name.front() == 'h' ? numbers.t() : numbers;
  };
  OrderedDict<std::string, Tensor> state;
  for (const WeightPlace& place : detail::weight_places(model)) {
    const int64_t columns = place.transposed ? place.sizes.front() : place.sizes.back();
    Tensor t = numbers_of(place.parameter).detach().narrow(-1, place.first, columns);
    if (place.head_width > 0 && model.rotary->pairs() == RotaryPairs::Interleaved)
      t = t.reshape({-1, place.head_width / 2, 2}).transpose(1, 2).reshape(t.sizes());
    state.insert(place.name, place.transposed ? t.t() : t);
    ETUDE_CHECK(state.back()->sizes() == IntArrayRef(place.sizes), "save_pretrained: ", place.name,
                " has to be ", IntArrayRef(place.sizes), ", and is ", state.back()->sizes());
  }
  return state;
}

namespace {

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  ETUDE_CHECK(file, path.string(), ": cannot be written");
}

void write_weights(const fs::path& folder, const OrderedDict<std::string, Tensor>& state,
                   int64_t max_shard_size) {
  std::vector<OrderedDict<std::string, Tensor>> shards(1);
  int64_t size = 0, total = 0;
  for (const auto& item : state) {
    if (size > 0 && size + item->nbytes() > max_shard_size) {
      shards.emplace_back();
      size = 0;
    }
    shards.back().insert(item.key(), item.value());
    size += item->nbytes();
    total += item->nbytes();
  }
  const auto five = [](size_t n) { return std::to_string(100000 + n).substr(1); };
  json index = {{"metadata", {{"total_size", total}}}, {"weight_map", json::object()}};
  for (size_t i = 0; i < shards.size(); ++i) {
    const std::string part = shards.size() > 1 ? "-" + five(i + 1) + "-of-" + five(shards.size()) : "",
                      name = "model" + part + ".safetensors";
    save_safetensors((folder / name).string(), shards[i], {{"format", "pt"}});
    for (const auto& item : shards[i]) index["weight_map"][item.key()] = name;
  }
  if (shards.size() > 1) write_text(folder / "model.safetensors.index.json", index.dump(2) + '\n');
}

// Moves all files and removes the weights that were there. While both are mixed, there is no config.json, so nothing loads them.
void move_files(const fs::path& from, const fs::path& to) {
  static const std::regex weights(
      "(pytorch_)?model(-[0-9]+-of-[0-9]+)?\\.(safetensors|bin|pt)(\\.index\\.json)?");
  fs::remove(to / "config.json");
  for (const auto& old : fs::directory_iterator(to))
    if (std::regex_match(old.path().filename().string(), weights)) fs::remove(old.path());
  for (const auto& file : fs::directory_iterator(from))
    if (file.path().filename() != "config.json") fs::rename(file.path(), to / file.path().filename());
  fs::rename(from / "config.json", to / "config.json");
}

}  // namespace

GPT from_pretrained(const std::string& path, const PretrainedOptions& options) {
  ETUDE_CHECK(is_there(path), path,
              ": No such file or directory\nhint: a model is not downloaded by its name");
  const bool is_folder = fs::is_directory(path);
  char start[4] = {};
  if (!is_folder) std::ifstream(path, std::ios::binary).read(start, sizeof start);
  if (std::memcmp(start, "GGUF", 4) == 0) return detail::from_gguf(path, options);
  if (!is_folder && fs::path(path).extension() == ".bin" && std::memcmp(start, "PK", 2) != 0)
    return from_llama2c(path, options);
  const fs::path folder = is_folder ? fs::path(path) : fs::path(path).parent_path();
  const std::string config = (folder / "config.json").string();
  ETUDE_CHECK(is_there(config), config, ": No such file or directory\nhint: it has to be beside the weights");
  const PretrainedModel model = detail::read_pretrained_config(config, text_of(config), options.context());
  return detail::assembled(path, model, is_folder ? tensors_of_folder(path) : tensors_of_file(path), options);
}

void save_pretrained(const GPT& model, const text::Tokenizer* tokenizer, const std::string& folder,
                     const SavePretrainedOptions& options) {
  const PretrainedModel family = detail::family_of(*model);
  const OrderedDict<std::string, Tensor> state = detail::family_state(*model, family);
  const auto* byte_pairs = dynamic_cast<const text::BytePairTokenizer*>(tokenizer);
  const auto* characters = dynamic_cast<const text::CharacterTokenizer*>(tokenizer);
  const auto converted = byte_pairs   ? optional(text::PretrainedTokenizer::from(*byte_pairs))
                         : characters ? optional(text::PretrainedTokenizer::from(*characters))
                                      : nullopt;
  const auto* pretrained =
      converted ? &*converted : dynamic_cast<const text::PretrainedTokenizer*>(tokenizer);
  const optional<int64_t> bos = pretrained ? pretrained->bos_token() : nullopt,
                          eos = pretrained ? pretrained->eos_token() : nullopt;
  const json generation = {{"bos_token_id", bos ? json(*bos) : json()},
                           {"eos_token_id", eos ? json(*eos) : json()}};
  const fs::path unfinished = fs::path(folder) / str(".unfinished-", std::random_device()());
  try {
    fs::create_directories(unfinished);
    write_weights(unfinished, state, options.max_shard_size());
    if (pretrained) pretrained->save(unfinished.string());
    else if (tokenizer) tokenizer->save((unfinished / "tokenizer.json").string());
    write_text(unfinished / "generation_config.json", generation.dump(2) + '\n');
    write_text(unfinished / "config.json",
               detail::pretrained_config(family, state.front()->scalar_type(), bos, eos));
    move_files(unfinished, folder);
    fs::remove(unfinished);
  } catch (const std::exception& error) {
    std::error_code ignored;
    fs::remove_all(unfinished, ignored);
    if (dynamic_cast<const fs::filesystem_error*>(&error)) throw Error(error.what());
    throw;
  }
}

}  // namespace etude::nn
