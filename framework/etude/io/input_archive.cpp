#include "etude/io/input_archive.h"

#include <algorithm>
#include <cstring>
#include <istream>
#include <map>

#include "etude/autograd/grad_mode.h"
#include "etude/core/error.h"
#include "etude/io/detail/archive_value.h"
#include "etude/io/detail/file.h"
#include "etude/io/detail/foreign_file.h"
#include "etude/io/detail/pt_object.h"
#include "etude/io/detail/safetensors.h"

namespace etude::serialize {

struct InputArchive::Contents {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> texts;
  detail::UnreadValues unread;
  std::string path = "an archive without a file";

  static std::shared_ptr<const Contents> of(const std::shared_ptr<const detail::MappedFile>& file) {
    detail::FileContents read =
        detail::is_zip(*file) ? detail::pt_format(file->path()).read(file) : detail::read_safetensors(file);
    auto contents = std::make_shared<Contents>();
    contents->texts = std::move(read.metadata);
    contents->unread = std::move(read.unread);
    contents->path = file->path();
    for (const auto& item : read.tensors) {
      ETUDE_CHECK(!contents->texts.count(item.key()), file->path(), ": a tensor and a text have the name \"",
                  item.key(), "\"");
      contents->tensors.emplace(item.pair());
    }
    return contents;
  }

  bool has_archive(const std::string& name) const {
    const std::string prefix = name + '.';
    const auto has_part = [&prefix](const auto& map) {
      const auto next = map.lower_bound(prefix);
      return next != map.end() && detail::begins_with(next->first, prefix);
    };
    const auto text = texts.find(name);
    return has_part(tensors) || has_part(texts) ||
           (text != texts.end() && text->second == detail::empty_archive_json());
  }

  // Reads the tensors name.0 to name.(count - 1); false unless all of them exist.
  bool read_list(const std::string& name, int64_t count, IValue& value) const {
    std::vector<Tensor> list;
    for (int64_t i = 0; i < count; ++i) {
      const auto found = tensors.find(str(name, '.', i));
      if (found == tensors.end()) return false;
      list.push_back(found->second);
    }
    value = IValue(std::move(list));
    return true;
  }
};

namespace {

// Calls f with the rest of every key that begins with the prefix.
template <typename Map, typename F>
void for_each_name(const Map& map, const std::string& prefix, const F& f) {
  for (auto i = map.lower_bound(prefix); i != map.end() && detail::begins_with(i->first, prefix); ++i)
    f(i->first.substr(prefix.size()));
}

void check_device(const optional<Device>& device) {
  ETUDE_CHECK(!device || device->is_cpu(), "archives are loaded to the CPU\nreceived ", device->str());
}

}  // namespace

InputArchive::InputArchive() : contents_(std::make_shared<Contents>()) {}

const InputArchive::Contents& InputArchive::contents() const {
  ETUDE_CHECK(contents_, "InputArchive: it was moved from, and what it loaded belongs to another one now",
              "\nhint: load_from() loads it anew");
  return *contents_;
}

bool InputArchive::try_read(const std::string& key, IValue& ivalue) {
  const std::string name = prefix_ + key;
  check_read(contents().path, contents().unread, name);
  const auto tensor = contents().tensors.find(name);
  if (tensor != contents().tensors.end()) {
    ivalue = IValue(tensor->second);
    return true;
  }
  const auto text = contents().texts.find(name);
  if (text == contents().texts.end() || text->second == detail::empty_archive_json()) return false;
  const int64_t count = detail::tensor_list_size(text->second);
  if (count >= 0) return contents().read_list(name, count, ivalue);
  ivalue = detail::value_from_json(text->second);
  return true;
}

void InputArchive::read(const std::string& key, IValue& ivalue) {
  ETUDE_CHECK(try_read(key, ivalue), "the archive does not have a field with name '", prefix_ + key, "'",
              names_for(key));
}

bool InputArchive::try_read(const std::string& key, Tensor& tensor, bool /*is_buffer*/) {
  check_read(contents().path, contents().unread, prefix_ + key);
  const auto found = contents().tensors.find(prefix_ + key);
  if (found == contents().tensors.end()) return false;
  const NoGradGuard no_grad;
  if (tensor.defined()) tensor.set_data(found->second);
  else tensor = found->second;
  return true;
}

void InputArchive::read(const std::string& key, Tensor& tensor, bool is_buffer) {
  ETUDE_CHECK(try_read(key, tensor, is_buffer), "No such serialized tensor '", prefix_ + key, "'",
              names_for(key));
}

void InputArchive::read_into(const std::string& key, const Tensor& tensor) {
  Tensor saved;
  read(key, saved);
  ETUDE_CHECK(saved.sizes() == tensor.sizes(), "size mismatch for ", prefix_ + key,
              ": copying a param with shape torch.Size(", saved.sizes(),
              ") from checkpoint, the shape in current model is torch.Size(", tensor.sizes(), ").\nreceived ",
              contents().path);
  const NoGradGuard no_grad;
  tensor.copy_(saved);
}

bool InputArchive::try_read(const std::string& key, InputArchive& archive) {
  const std::string name = prefix_ + key;
  check_read(contents().path, contents().unread, name);
  if (!contents().has_archive(name)) return false;
  archive.contents_ = contents_;
  archive.prefix_ = name + '.';
  return true;
}

void InputArchive::read(const std::string& key, InputArchive& archive) {
  ETUDE_CHECK(try_read(key, archive), "No such serialized submodule: '", prefix_ + key, "'", names_for(key));
}

void InputArchive::load_from(const std::string& filename, optional<Device> device) {
  check_device(device);
  contents_ = Contents::of(detail::MappedFile::open(filename));
  prefix_.clear();
}

void InputArchive::load_from(std::istream& stream, optional<Device> device) {
  stream.seekg(0, std::ios::end);
  const std::streamoff size = stream.tellg();
  ETUDE_CHECK(stream.good() && size >= 0,
              "the stream: cannot be read\nhint: it has to be one that can be sought");
  load_from(
      [&stream](uint64_t pos, void* buf, size_t nbytes) {
        stream.seekg(static_cast<std::streamoff>(pos));
        stream.read(static_cast<char*>(buf), static_cast<std::streamsize>(nbytes));
        return static_cast<size_t>(stream.gcount());
      },
      [size] { return static_cast<size_t>(size); }, device);
}

void InputArchive::load_from(const char* data, size_t size, optional<Device> device) {
  load_from(
      [data](uint64_t pos, void* buf, size_t nbytes) {
        std::memcpy(buf, data + pos, nbytes);
        return nbytes;
      },
      [size] { return size; }, device);
}

void InputArchive::load_from(const std::function<size_t(uint64_t pos, void* buf, size_t nbytes)>& read_func,
                             const std::function<size_t(void)>& size_func, optional<Device> device) {
  check_device(device);
  constexpr size_t most_at_once = size_t{1} << 20;  // touches no memory for bytes that never come
  const auto file = detail::MappedFile::in_memory("the archive", size_func());
  for (size_t done = 0; done < file->size();) {
    const size_t wanted = std::min(file->size() - done, most_at_once);
    const size_t given = read_func(done, file->data() + done, wanted);
    ETUDE_CHECK(given > 0 && given <= wanted, file->path(), ": ends after ", done, " of ", file->size(),
                " bytes");
    done += given;
  }
  contents_ = Contents::of(file);
  prefix_.clear();
}

std::vector<std::string> InputArchive::keys() {
  std::vector<std::string> keys = tensor_names();
  for_each_name(contents().texts, prefix_, [&](const std::string& name) { keys.push_back(name); });
  for (std::string& key : keys) key.resize(std::min(key.find('.'), key.size()));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

std::vector<std::string> InputArchive::tensor_names() const {
  std::vector<std::string> names;
  for_each_name(contents().tensors, prefix_, [&](const std::string& name) { names.push_back(name); });
  for_each_name(contents().unread, prefix_, [&](const std::string& name) {
    if (contents().unread.at(prefix_ + name).has_tensors) names.push_back(name);
  });
  return names;
}

// What an error says about a missing name: the path, the names that are there, and the name with a prefix if it is there.
std::string InputArchive::names_for(const std::string& missing) {
  const std::vector<std::string> keys = this->keys(), tensors = tensor_names();
  return str(
      "\nreceived ", contents().path, ", which has ",
      keys.empty() ? "no names" : detail::some_of(keys.size() > 1 || tensors.empty() ? keys : tensors),
      detail::prefix_hint(missing, tensors, "archive.read(\"", "\", nested) gives the archive that has it"));
}

}  // namespace etude::serialize
