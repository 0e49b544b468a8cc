// Safetensors files, as github.com/huggingface/safetensors describes them:
//
//   8 bytes   the length of the header, little-endian
//   header    JSON: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...,
//             "__metadata__": {"text": "text", ...}}; blanks at the end
//   data      of all tensors, without gaps; the offsets count from its beginning

#include "etude/io/safetensors.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "etude/core/error.h"
#include "etude/io/detail/file.h"
#include "etude/io/detail/foreign_file.h"
#include "etude/io/detail/safetensors.h"
#include "etude/io/detail/stored_tensor.h"

namespace etude {
namespace {

using nlohmann::json;

constexpr char kMetadata[] = "__metadata__";
constexpr size_t kLengthBytes = 8;
constexpr size_t kAlignment = 8;  // the size of the largest element

constexpr const char* kEntries[] = {"dtype", "shape", "data_offsets"};

struct Header {
  OrderedDict<std::string, FileEntry> entries;
  std::map<std::string, std::string> metadata;
};

// Accepts only those events of the JSON parser that a header may consist of, so that nothing is built from
// other input. wrong() is the error.
class HeaderReader final : public nlohmann::json_sax<json> {
 public:
  const std::string& wrong() const { return wrong_; }
  Header take() { return {std::move(entries_), std::move(metadata_)}; }

  bool start_object(size_t) override {
    if (place_ == Place::kStart) return go(Place::kTensors);
    if (place_ != Place::kValue) return unexpected("an object");
    if (name_ == kMetadata) return go(Place::kTexts);
    entry_ = {};
    offsets_.clear();
    seen_.clear();
    return go(Place::kEntry);
  }

  bool key(std::string& name) override {
    if (place_ == Place::kTensors) {
      if (entries_.contains(name) || (name == kMetadata && has_metadata_))
        return fail("the name \"" + name + "\" stands twice in its header");
      name_ = name;
      return go(Place::kValue);
    }
    key_ = name;
    if (place_ == Place::kTexts)
      return !metadata_.count(name) || fail("the metadata \"" + name + "\" stand twice in its header");
    if (std::find(std::begin(kEntries), std::end(kEntries), name) == std::end(kEntries))
      return fail(of_tensor() + "has an unknown entry \"" + name + '"');
    return seen_.insert(name).second || fail(of_tensor() + "has two entries \"" + name + '"');
  }

  bool end_object() override {
    if (place_ == Place::kTexts) has_metadata_ = true;
    if (place_ == Place::kEntry) {
      for (const char* needed : kEntries)
        if (!seen_.count(needed)) return fail(of_tensor() + "has no \"" + needed + '"');
      entry_.offset = static_cast<uint64_t>(offsets_[0]);
      entry_.nbytes = offsets_[1] - offsets_[0];
      entries_.insert(name_, entry_);
    }
    return go(place_ == Place::kTensors ? Place::kEnd : Place::kTensors);
  }

  bool start_array(size_t) override {
    if (place_ != Place::kEntry || key_ == "dtype") return unexpected("a list");
    return go(key_ == "shape" ? Place::kShape : Place::kOffsets);
  }

  bool end_array() override {
    if (place_ == Place::kOffsets && offsets_.size() != 2)
      return fail(of_tensor() + "has data_offsets that are not two numbers");
    return go(Place::kEntry);
  }

  bool number_unsigned(uint64_t value) override {
    if (place_ != Place::kShape && place_ != Place::kOffsets) return unexpected("a number");
    if (value > static_cast<uint64_t>(INT64_MAX)) return fail(of_tensor() + "has a number beyond 2^63");
    std::vector<int64_t>& list = place_ == Place::kShape ? entry_.sizes : offsets_;
    if (list.size() == static_cast<size_t>(kMaxDims))
      return fail(of_tensor() + (place_ == Place::kShape ? "has more than 8 dims"
                                                         : "has data_offsets that are not two numbers"));
    list.push_back(static_cast<int64_t>(value));
    return true;
  }

  bool string(std::string& value) override {
    if (place_ == Place::kTexts) return metadata_.emplace(key_, value).second;  // key() refused a second one
    if (place_ != Place::kEntry || key_ != "dtype") return unexpected("a text");
    if (value.empty()) return fail(of_tensor() + "has an empty dtype");
    entry_.type = value;
    return true;
  }

  bool number_integer(int64_t) override { return unexpected("a negative number"); }
  bool number_float(double, const std::string&) override {
    return unexpected("a number that is not an integer of 64 bits");
  }
  bool boolean(bool) override { return unexpected("a bool"); }
  bool null() override { return unexpected("a null"); }
  bool binary(json::binary_t&) override { return unexpected("bytes"); }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override {
    return fail("its header is not JSON at byte " + std::to_string(position));
  }

 private:
  enum class Place { kStart, kTensors, kValue, kTexts, kEntry, kShape, kOffsets, kEnd };

  std::string of_tensor() const { return "the tensor \"" + name_ + "\" "; }
  bool go(Place place) {
    place_ = place;
    return true;
  }
  bool fail(std::string wrong) {
    wrong_ = std::move(wrong);
    return false;
  }
  bool unexpected(const std::string& what) {
    if (place_ == Place::kValue) return fail(of_tensor() + "is " + what + " and not an object");
    if (place_ == Place::kTexts) return fail("the metadata \"" + key_ + "\" are " + what + " and not a text");
    return fail(of_tensor() + "has " + what + " in \"" + key_ + '"');
  }

  OrderedDict<std::string, FileEntry> entries_;
  std::map<std::string, std::string> metadata_;
  FileEntry entry_;
  std::vector<int64_t> offsets_;
  std::set<std::string> seen_;
  Place place_ = Place::kStart;
  std::string name_, key_, wrong_;
  bool has_metadata_ = false;
};

// The entries in the order of their data, which begin at `data`. Throws unless together they cover the data exactly.
OrderedDict<std::string, FileEntry> in_order(const detail::MappedFile& file,
                                             const OrderedDict<std::string, FileEntry>& entries,
                                             size_t data) {
  auto order = entries.items();
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::tie(a->offset, a->nbytes) < std::tie(b->offset, b->nbytes);
  });
  OrderedDict<std::string, FileEntry> ordered;
  int64_t end = 0;
  const auto data_bytes = static_cast<int64_t>(file.size() - data);
  for (auto& item : order) {
    FileEntry& e = item.value();
    const auto of_tensor = str(file.path(), ": the tensor \"", item.key(), "\" ");
    const auto from = static_cast<int64_t>(e.offset), to = from + e.nbytes;
    ETUDE_CHECK(from <= to && to <= data_bytes, of_tensor, "has the data_offsets ", IntArrayRef({from, to}),
                " in a file with ", data_bytes, " bytes of data");
    ETUDE_CHECK(from == end, of_tensor, "begins at ", from, " where the one before it ends at ", end);
    e.dtype = detail::dtype_of_name(detail::kShortNames, e.type);
    const auto bytes = detail::stored_bytes(e.sizes, e.dtype.value_or(kByte));
    ETUDE_CHECK(bytes && (!e.dtype || bytes == e.nbytes), of_tensor, "has the shape ", IntArrayRef(e.sizes),
                " and the dtype ", e.type, ", which do not make ", e.nbytes, " bytes");
    end = to;
    e.offset += data;
    ordered.insert(item.key(), std::move(e));
  }
  ETUDE_CHECK(end == data_bytes, file.path(), ": has ", data_bytes - end, " bytes after its last tensor");
  return ordered;
}

Header read_header(const detail::MappedFile& file) {
  const std::string& path = file.path();
  if (file.size() <= kLengthBytes || file.text()[kLengthBytes] != '{')
    detail::check_not_foreign(file, "safetensors file");
  ETUDE_CHECK(file.size() >= kLengthBytes, path, ": is too short for a safetensors file\nreceived ",
              file.size(), " bytes");
  uint64_t said = 0;
  std::memcpy(&said, file.data(), kLengthBytes);
  ETUDE_CHECK(said <= file.size() - kLengthBytes, path, ": its header is said to be ", said,
              " bytes long, which is more than the file\nhint: it may be cut, or no safetensors file");
  const auto length = static_cast<size_t>(said);
  const std::string_view text = file.text().substr(kLengthBytes, length);
  ETUDE_CHECK(!text.empty() && text.front() == '{', path, ": its header does not begin with {");
  // The parser would stop at a zero byte.
  ETUDE_CHECK(text.find('\0') == text.npos, path, ": its header has a zero byte");
  HeaderReader reader;
  ETUDE_CHECK(json::sax_parse(text, &reader), path, ": ", reader.wrong());
  Header header = reader.take();
  header.entries = in_order(file, header.entries, kLengthBytes + length);
  return header;
}

// The text of a header whose tensors lie one after another. Only names become json objects, because
// destroying a json list allocates memory, which must not fail.
std::string header_text(const std::string& path, const std::vector<const detail::NamedTensors::Item*>& order,
                        const std::map<std::string, std::string>& metadata) {
  try {
    std::string text = "{";
    for (const auto& [name, value] : metadata) {
      text += text.size() == 1 ? json(kMetadata).dump() + ":{" : ",";
      text += json(name).dump() + ':' + json(value).dump();
    }
    if (!metadata.empty()) text += "},";
    int64_t end = 0;
    for (const auto* item : order) {
      const Tensor& t = item->value();
      const std::string dtype = detail::name_of_dtype(detail::kShortNames, t.scalar_type());
      text += json(item->key()).dump() + ":{\"dtype\":\"" + dtype + "\",\"shape\":[";
      for (int64_t d = 0; d < t.dim(); ++d) text += (d > 0 ? "," : "") + std::to_string(t.size(d));
      text += "],\"data_offsets\":[" + std::to_string(end) + ',';
      end += t.nbytes();
      text += std::to_string(end) + "]},";
    }
    if (text.size() > 1) text.pop_back();
    text += '}';
    text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
    return text;
  } catch (const json::exception&) {
    throw Error(str(path, ": names and metadata have to be UTF-8"));
  }
}

}  // namespace

detail::FileContents detail::read_safetensors(const std::shared_ptr<const MappedFile>& file) {
  Header header = read_header(*file);
  FileContents read;
  read.tensors.reserve(header.entries.size());
  for (const auto& item : header.entries)
    if (item->dtype) read.tensors.insert(item.key(), stored_tensor(file, item.value()));
    else read.unread[item.key()] = {item->type, /*has_tensors=*/true};
  read.metadata = std::move(header.metadata);
  return read;
}

detail::NamedTensors detail::all_tensors(const std::string& path, FileContents contents, const char* hint) {
  std::vector<std::string> unread;
  for (const auto& [name, value] : contents.unread)
    if (value.has_tensors) unread.push_back('"' + name + "\" (" + value.type + ')');
  ETUDE_CHECK_TYPE(unread.empty(), path, ": has tensors that are not read: ", some_of(unread, ""), hint);
  return std::move(contents.tensors);
}

detail::NamedTensors detail::some_tensors(const std::string& path, const FileContents& contents,
                                          const std::vector<std::string>& names) {
  NamedTensors chosen;
  for (const std::string& name : names) {
    check_read(path, contents.unread, name);
    const Tensor* const found = contents.tensors.find(name);
    ETUDE_CHECK(found, path, ": has no tensor \"", name, "\", but ", some_of(contents.tensors.keys()));
    chosen.insert(name, *found);
  }
  return chosen;
}

void detail::check_read(const std::string& path, const UnreadValues& unread, const std::string& name) {
  const auto found = unread.find(name);
  ETUDE_CHECK_TYPE(found == unread.end(), path, ": \"", name, "\" is of the type ", found->second.type,
                   ", which is not read");
}

void detail::write_safetensors(const std::string& path, const OrderedDict<std::string, Tensor>& tensors,
                               const std::map<std::string, std::string>& metadata, const WriteBytes& write) {
  std::vector<const NamedTensors::Item*> order;
  for (const auto& item : tensors) {
    ETUDE_CHECK(item.key() != kMetadata, path, ": a tensor can't have the name \"", kMetadata, "\"");
    ETUDE_CHECK(item->defined(), path, ": the tensor \"", item.key(), "\" is undefined");
    order.push_back(&item);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return (*a)->element_size() > (*b)->element_size(); });
  const std::string header = header_text(path, order, metadata);
  const uint64_t length = header.size();
  write(&length, kLengthBytes);
  write(header.data(), header.size());
  for (const auto* item : order) write_elements(write, item->value());
}

OrderedDict<std::string, Tensor> load_safetensors(const std::string& path, FileMemory memory) {
  return detail::all_tensors(path, detail::read_safetensors(detail::MappedFile::open(path, memory)),
                             "\nhint: load_safetensors(path, names) reads others by name");
}

OrderedDict<std::string, Tensor> load_safetensors(const std::string& path,
                                                  const std::vector<std::string>& names, FileMemory memory) {
  return detail::some_tensors(path, detail::read_safetensors(detail::MappedFile::open(path, memory)), names);
}

OrderedDict<std::string, FileEntry> list_safetensors(const std::string& path) {
  return read_header(*detail::MappedFile::open(path)).entries;
}

std::unordered_map<std::string, std::string> safetensors_metadata(const std::string& path) {
  const Header header = read_header(*detail::MappedFile::open(path));
  return {header.metadata.begin(), header.metadata.end()};
}

void save_safetensors(const std::string& path, const OrderedDict<std::string, Tensor>& tensors,
                      const std::unordered_map<std::string, std::string>& metadata) {
  detail::FileWriter file(path);
  detail::write_safetensors(path, tensors, {metadata.begin(), metadata.end()}, file.sink());
  file.commit();
}

}  // namespace etude
