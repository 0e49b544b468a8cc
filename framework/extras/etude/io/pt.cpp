#include "etude/io/pt.h"

#include <cstring>

#include "etude/core/error.h"
#include "etude/io/detail/archive_value.h"
#include "etude/io/detail/pt_file.h"
#include "etude/io/serialize.h"

namespace etude {

OrderedDict<std::string, Tensor> load_pt(const std::string& path) {
  return detail::all_tensors(path, detail::read_pt_contents(detail::MappedFile::open(path)),
                             "\nhint: load_pt(path, names) reads others; in Python, save model.state_dict()");
}

OrderedDict<std::string, Tensor> load_pt(const std::string& path, const std::vector<std::string>& names) {
  return detail::some_tensors(path, detail::read_pt_contents(detail::MappedFile::open(path)), names);
}

OrderedDict<std::string, FileEntry> list_pt(const std::string& path) {
  const detail::FileContents contents = detail::read_pt_contents(detail::MappedFile::open(path));
  OrderedDict<std::string, FileEntry> list;
  for (const auto& [name, t] : contents.tensors.pairs())
    list.insert(name, {str(t.dtype()), t.scalar_type(), t.sizes().vec(), t.nbytes()});
  for (const auto& [name, text] : contents.metadata)
    if (text == detail::empty_archive_json()) list.insert(name, {"GenericDict"});
    else if (detail::tensor_list_size(text) < 0) list.insert(name, {detail::value_from_json(text).tagKind()});
  for (const auto& [name, value] : contents.unread) list.insert(name, {value.type});
  return list;
}

void save_pt(const std::string& path, const OrderedDict<std::string, Tensor>& tensors) {
  auto dict = std::make_shared<detail::PtObject>();
  for (const auto& item : tensors) {
    ETUDE_CHECK(item->defined(), path, ": the tensor \"", item.key(), "\" is undefined");
    dict->insert(item.key(), IValue(item.value()));
  }
  detail::FileWriter file(path);
  detail::write_pt_value(path, dict, file.sink());
  file.commit();
}

namespace {

IValue value_of(const detail::PtAttribute& a) {
  ETUDE_CHECK_TYPE(!a.unread, "the pickle: has a value of the type ", a.unread->type, ", which is not read");
  if (!a.object) return a.value;
  ETUDE_CHECK(!a.is_list,
              "the pickle: has a list of many types, which an IValue does not hold\nhint: InputArchive, "
              "which loads from bytes, too, reads it as a dict");
  std::vector<DictEntry> entries;
  for (const auto& item : *a.object)
    entries.emplace_back(item->is_numbered ? IValue(int64_t{std::stoll(item.key())}) : IValue(item.key()),
                         value_of(*item));
  return GenericDict(std::move(entries));
}

detail::PtAttribute attribute_of(const IValue& value) {
  if (!value.isGenericDict()) return value;
  auto object = std::make_shared<detail::PtObject>();
  for (const DictEntry& item : value.toGenericDict()) {
    ETUDE_CHECK_TYPE(item.key().isString(), "pickle_save: a dict's keys have to be texts, but got ",
                     item.key().tagKind());
    object->insert(item.key().toStringRef(), attribute_of(item.value()));
  }
  return object;
}

// Adds LibTorch's names to every optimizer in the tree, whose inner objects are copied.
void add_libtorch_optimizers(detail::PtObject& object) {
  for (auto& item : object)
    if (item->object) {
      item->object = std::make_shared<detail::PtObject>(*item->object);
      add_libtorch_optimizers(*item->object);
    }
  detail::add_libtorch_optimizer(object);
}

void write_module(const std::string& path, detail::PtObject object, const detail::WriteBytes& write) {
  add_libtorch_optimizers(object);
  detail::write_pt_module(path, object, write);
}

}  // namespace

bool detail::register_pt_format() {
  exchange_pt_format({read_pt_contents, write_module});
  return true;
}

std::vector<char> pickle_save(const IValue& ivalue) {
  ETUDE_CHECK(!ivalue.isTensor() || ivalue.toTensor().defined(), "pickle_save: the tensor is undefined");
  std::vector<char> bytes;
  detail::write_pt_value("the pickle", attribute_of(ivalue), [&bytes](const void* data, size_t size) {
    const char* const from = static_cast<const char*>(data);
    bytes.insert(bytes.end(), from, from + size);
  });
  return bytes;
}

IValue pickle_load(const std::vector<char>& data) {
  const auto file = detail::MappedFile::in_memory("the pickle", data.size());
  if (!data.empty()) std::memcpy(file->data(), data.data(), data.size());
  return value_of(detail::read_pt(file));
}

}  // namespace etude
