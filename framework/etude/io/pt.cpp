#include "etude/io/pt.h"

#include <cstring>

#include "etude/core/error.h"
#include "etude/io/detail/pt_file.h"
#include "etude/io/serialize.h"

namespace etude {

OrderedDict<std::string, Tensor> load_pt(const std::string& path) {
  return detail::read_pt_contents(detail::MappedFile::open(path)).tensors;
}

void save_pt(const std::string& path, const OrderedDict<std::string, Tensor>& tensors) {
  auto dict = std::make_shared<detail::PtObject>();
  for (const auto& item : tensors) {
    ETUDE_CHECK(item->defined(), path, ": the tensor \"", item.key(), "\" is undefined");
    dict->add(item.key(), IValue(item.value()));
  }
  detail::FileWriter file(path);
  detail::write_pt_value(path, {"", IValue(), dict},
                         [&file](const void* data, size_t bytes) { file.write(data, bytes); });
  file.commit();
}

std::vector<char> pickle_save(const IValue& ivalue) {
  ETUDE_CHECK(!ivalue.isTensor() || ivalue.toTensor().defined(), "pickle_save: the tensor is undefined");
  std::vector<char> bytes;
  detail::write_pt_value("the pickle", {"", ivalue, nullptr}, [&bytes](const void* data, size_t size) {
    const char* const from = static_cast<const char*>(data);
    bytes.insert(bytes.end(), from, from + size);
  });
  return bytes;
}

IValue pickle_load(const std::vector<char>& data) {
  const auto file = detail::MappedFile::in_memory("the pickle", data.size());
  if (!data.empty()) std::memcpy(file->data(), data.data(), data.size());
  const detail::PtAttribute value = detail::read_pt(file);
  ETUDE_CHECK(!value.object,
              "the pickle: has a dict or a list of many types, which an IValue does not hold\nhint: load_pt, "
              "or InputArchive, which loads from bytes, too");
  return value.value;
}

}  // namespace etude
