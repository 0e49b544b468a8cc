#include "etude/io/detail/foreign_file.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include "etude/core/error.h"

namespace etude::detail {
namespace {

constexpr ForeignFile kMagics[] = {
    {"GGUF", "a file of llama.cpp (GGUF)", "load_gguf reads it, nn::from_pretrained makes a model of it"},
    {"version https://git-lfs", "a pointer of Git LFS", "run `git lfs pull`, which brings the file"},
    {"\x93NUMPY", "a .npy file", "load_npy reads it"},
    {"etudetok", "a file of tokens", "data::Tokens::open reads it"},
    {"\x1f\x8b", "a file of gzip", "gunzip it first"},
    {"\x80\x02\x8a\x0al\xfc\x9c", "a file of torch.save from before PyTorch 1.6",
     "convert it in Python: torch.save(torch.load(path), new_path)"}};
constexpr ForeignFile kPickle = {"", "a pickle of Python",
                                 "in Python, torch.save(pickle.load(open(path, 'rb')), new_path)"};
constexpr ForeignFile kZip = {"PK\x03\x04", "an archive of zip", "unzip it first"};
constexpr ForeignFile kTorch = {kZip.magic, "a file of torch.save", "load_pt reads it"};
constexpr ForeignFile kNpz = {kZip.magic, "an archive of NumPy (.npz)",
                              "in Python, numpy.save(new_path, numpy.load(path)[name]) for each array"};
constexpr ForeignFile kSafetensors = {"", "a safetensors file", "load_safetensors reads it"};
constexpr ForeignFile kIndex = {"", "an index of safetensors files", "load the files that it names"};
constexpr ForeignFile kJson = {"", "a file of JSON", "text::load_tokenizer reads it if it is a tokenizer"};
constexpr ForeignFile kPage = {"", "a page of HTML or XML", "a server's answer: download the file again"};

constexpr uint64_t kLongestHeader = 100'000'000;  // of a safetensors file, by its format
constexpr size_t kHead = 4096;                    // bytes that are looked at

// Suffixes that each belong to one other format, as .bin and .ckpt do not.
constexpr std::string_view kForeignNames[] = {".gguf", ".onnx", ".npy", ".npz", ".json", ".h5", ".pkl"};
constexpr size_t kMostNames = 10;  // in an error

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_safetensors(std::string_view bytes) {
  uint64_t length = UINT64_MAX;
  if (bytes.size() > sizeof length) std::memcpy(&length, bytes.data(), sizeof length);
  return length <= kLongestHeader && bytes[sizeof length] == '{';
}

const ForeignFile* kind_of_text(std::string_view text) {
  if (begins_with(text, "\xef\xbb\xbf")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (begins_with(text, "{") || begins_with(text, "["))
    return contains(text, "\"weight_map\"") ? &kIndex : &kJson;
  return text.size() > 1 && text[0] == '<' && contains("!?hH", text.substr(1, 1)) ? &kPage : nullptr;
}

}  // namespace

const ForeignFile* kind_of_foreign_file(std::string_view bytes) {
  bytes = bytes.substr(0, kHead);
  if (is_safetensors(bytes)) return &kSafetensors;
  if (begins_with(bytes, kZip.magic)) {  // the names of files in it
    const bool is_torch = contains(bytes, "/data.pkl") || contains(bytes, "/data/0");
    return is_torch ? &kTorch : contains(bytes, ".npy") ? &kNpz : &kZip;
  }
  for (const ForeignFile& kind : kMagics)
    if (begins_with(bytes, kind.magic)) return &kind;
  // A file of 32-bit numbers would have a zero there.
  const bool is_pickle =
      bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5 && bytes[2] != 0;
  return is_pickle ? &kPickle : kind_of_text(bytes);
}

void check_not_foreign(const MappedFile& file, const char* wanted, std::string_view own) {
  const ForeignFile* const kind = kind_of_foreign_file(file.text());
  ETUDE_CHECK(!kind || kind->what == own, file.path(), ": is ", kind->what, ", and no ", wanted,
              "\nhint: ", kind->hint);
}

void check_saved_name(const std::string& path) {
  const std::string suffix = std::filesystem::path(path).extension().string();
  const bool foreign = std::count(std::begin(kForeignNames), std::end(kForeignNames), suffix) > 0;
  ETUDE_CHECK(!foreign, path, ": ", suffix, " is the name of a format that save() does not write",
              "\nhint: name it .safetensors or .pt", suffix == ".npy" ? "; save_npy writes a tensor" : "");
}

std::string some_of(const std::vector<std::string>& names, const std::string& quote) {
  const auto shown = static_cast<std::ptrdiff_t>(std::min(names.size(), kMostNames));
  const std::vector<std::string> first(names.begin(), names.begin() + shown);
  const std::string text = quote + Join(quote + ", " + quote, first) + quote;
  return names.size() > kMostNames ? str(text, " and ", names.size() - kMostNames, " more") : text;
}

std::string prefix_hint(const std::string& missing, const std::vector<std::string>& names, const char* before,
                        const char* after) {
  for (const std::string& name : names) {
    const size_t at = ('.' + name + '.').find('.' + missing + '.');
    if (at == std::string::npos || at == 0) continue;
    const std::string prefix = name.substr(0, at - 1);
    const char* const writer = prefix == "module" ? ", as DataParallel writes it" : "";
    return str("\nhint: \"", prefix, '.', missing, "\" is there", writer, ": ", before, prefix, after);
  }
  return "";
}

}  // namespace etude::detail
