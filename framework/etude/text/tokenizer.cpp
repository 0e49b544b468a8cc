#include "etude/text/tokenizer.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "etude/io/detail/file.h"
#include "etude/io/detail/foreign_file.h"
#include "etude/text/byte_pair_tokenizer.h"
#include "etude/text/character_tokenizer.h"
#include "etude/text/detail/pretrained_vocabulary.h"
#include "etude/text/detail/tokenizer_file.h"
#include "etude/text/pretrained_tokenizer.h"
#include "etude/text/word_tokenizer.h"

namespace etude::text::detail {
namespace {

using nlohmann::json;

constexpr char kKind[] = "etude_tokenizer";
constexpr int kDepth = 10;  // of nested lists and objects

// Whether a file begins as JSON, or is empty.
bool is_json(const std::string& path) {
  const auto file = etude::detail::MappedFile::open(path);
  const std::string_view text = file->text();
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos || text[first] == '{' || text[first] == '[';
}

// The file of the tokenizer in a folder, or the path itself if it is no folder.
std::string tokenizer_in(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return path;
  constexpr const char* names[] = {"tokenizer.json", "vocab.json", "encoder.json", "tokenizer.model",
                                   "tokenizer.bin"};
  for (const char* name : names)
    if (std::filesystem::exists(path + "/" + name)) return path + "/" + name;
  throw Error(str(path, ": has no file of a tokenizer\nhint: ", Join(", ", names), " are looked for"));
}

}  // namespace

json read_json(const std::string& path) {
  const auto file = etude::detail::MappedFile::open(path);
  const std::string_view text = file->text();
  etude::detail::check_not_foreign(*file, "file of a tokenizer", "a file of JSON");
  // The parser would stop at a zero byte.
  ETUDE_CHECK(text.find('\0') == std::string_view::npos, path, ": has a zero byte");
  std::set<std::string> names;
  // Throws for structures that no tokenizer file has, before they are built.
  const auto guard = [&](int depth, json::parse_event_t event, const json& value) {
    const bool opens =
        event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
    ETUDE_CHECK(depth < kDepth || !opens, path, ": has lists in lists, more than ", kDepth, " deep");
    const bool is_name = depth == 1 && event == json::parse_event_t::key;
    ETUDE_CHECK(!is_name || names.insert(value.get<std::string>()).second, path, ": has the entry ",
                value.dump(), " twice");
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), guard);
  } catch (const json::parse_error& e) {
    throw Error(str(path, ": is not JSON at byte ", e.byte));
  } catch (const json::out_of_range&) {
    throw Error(str(path, ": has a number that is too large"));
  }
}

json read_tokenizer_file(const std::string& path, const std::string& kind) {
  json file = read_json(path);
  const bool good = file.is_object() && file.contains(kKind) && file[kKind].is_string();
  ETUDE_CHECK(good, path, ": is not a file of a tokenizer\nhint: Tokenizer::save writes one");
  const json version = file.value("version", json());
  ETUDE_CHECK(version == 1, path, ": is of version ", version.dump(), ", where 1 is known");
  ETUDE_CHECK(kind.empty() || file[kKind] == kind, path, ": is a tokenizer of the kind ", file[kKind].dump(),
              " and not \"", kind, "\"\nhint: load_tokenizer() loads every kind");
  return file;
}

void write_tokenizer_file(const std::string& path, const std::string& kind, json entries) {
  entries[kKind] = kind;
  entries["version"] = 1;
  write_json(path, entries);
}

void write_json(const std::string& path, const json& content) {
  const std::string text = content.dump() + "\n";
  etude::detail::FileWriter file(path);
  file.write(text.data(), text.size());
  file.commit();
}

const json& entry(const std::string& path, const json& file, const char* name,
                  bool (json::*is)() const noexcept) {
  const auto found = file.find(name);
  ETUDE_CHECK(found != file.end(), path, ": has no entry \"", name, '"');
  const std::string type = found->type_name();
  const char* const article = type == "array" || type == "object" ? "an " : type == "null" ? "" : "a ";
  ETUDE_CHECK(((*found).*is)(), path, ": its entry \"", name, "\" is ", article, type, ", which it can't be");
  return *found;
}

}  // namespace etude::text::detail

namespace etude::text {

Tokenizer::~Tokenizer() = default;

std::string Tokenizer::decode_tensor(const Tensor& ids) const {
  ETUDE_CHECK(isIntegralType(ids.scalar_type(), false), "decode: expected ids of an integer type, but got ",
              toString(ids.scalar_type()));
  const bool is_one = ids.dim() == 0 || ids.dim() == 1 || (ids.dim() == 2 && ids.size(0) == 1);
  ETUDE_CHECK(is_one, "decode: expected the ids of one text, [n] or [1, n], but got ", ids.sizes(),
              "\nhint: decode(ids[0]) is the first text");
  const Tensor row = ids.to(kLong).contiguous();
  return decode(ArrayRef<int64_t>(row.data_ptr<int64_t>(), static_cast<size_t>(row.numel())));
}

std::string DecodeStream::step(int64_t id) {
  std::vector<int64_t> ids = ids_;
  ids.push_back(id);
  const std::string text = tokenizer_.decode(ids);  // throws for an unknown id, which is then forgotten
  ids_ = std::move(ids);
  size_t end = text.size();  // or where a cut character begins
  for (size_t size = 1; size < 4 && size <= text.size(); ++size) {
    const auto byte = static_cast<uint8_t>(text[text.size() - size]);
    if (byte >= 0xc2 && byte < 0xf5 && size < (byte < 0xe0 ? 2U : byte < 0xf0 ? 3U : 4U))
      end = text.size() - size;
    if ((byte & 0xc0) != 0x80) break;
  }
  std::string shown = text.substr(std::min(shown_, end), end - std::min(shown_, end));
  shown_ = std::max(shown_, end);
  if (end < text.size()) return shown;
  ids_ = {id};
  shown_ = tokenizer_.decode(ids_).size();
  return shown;
}

std::unique_ptr<Tokenizer> load_tokenizer(const std::string& path) { return Tokenizer::from_file(path); }

std::unique_ptr<Tokenizer> Tokenizer::from_file(const std::string& path_or_folder) {
  const std::string path = detail::tokenizer_in(path_or_folder);
  if (!detail::is_json(path)) return std::make_unique<PretrainedTokenizer>(detail::read_vocabulary(path));
  const nlohmann::json file = detail::read_json(path);
  if (!file.is_object() || !file.contains("etude_tokenizer"))
    return std::make_unique<PretrainedTokenizer>(detail::read_vocabulary(path, file));
  const std::string kind = detail::read_tokenizer_file(path)["etude_tokenizer"];
  if (kind == "character") return std::make_unique<CharacterTokenizer>(CharacterTokenizer::load(path));
  if (kind == "word") return std::make_unique<WordTokenizer>(WordTokenizer::load(path));
  if (kind == "byte_pair") return std::make_unique<BytePairTokenizer>(BytePairTokenizer::load(path));
  throw Error(str(path, ": is a tokenizer of an unknown kind, \"", kind,
                  "\"\nhint: character, word and byte_pair are known"));
}

}  // namespace etude::text
