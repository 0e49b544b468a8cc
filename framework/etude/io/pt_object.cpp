#include "etude/io/detail/pt_object.h"

#include <algorithm>
#include <utility>

#include "etude/core/error.h"
#include "etude/io/detail/archive_value.h"

namespace etude::detail {
namespace {

PtFormat registered_pt_format;

void flatten(const PtAttribute& from, const std::string& name, const char* twice, FileContents& to) {
  ETUDE_CHECK(!to.tensors.contains(name) && !to.metadata.count(name) && !to.unread.count(name), twice, " \"",
              name, "\"\nhint: names of nested values are joined by dots");
  const IValue& v = from.value;
  if (from.unread) to.unread[name] = *from.unread;
  else if (v.isTensor()) to.tensors.insert(name, v.toTensor());
  else if (!from.object && !v.isTensorList()) to.metadata[name] = value_to_json(v);
  else if (from.object) {
    if (from.object->is_empty()) to.metadata[name] = empty_archive_json();
    for (const auto& item : *from.object) flatten(*item, name + '.' + item.key(), twice, to);
  } else {
    const std::vector<Tensor>& list = v.toTensorVector();
    to.metadata[name] = tensor_list_json(list.size());
    for (size_t i = 0; i < list.size(); ++i) flatten(IValue(list[i]), str(name, '.', i), twice, to);
  }
}

}  // namespace

FileContents flat_contents(const PtObject& object, const char* twice) {
  FileContents contents;
  for (const auto& item : object) flatten(*item, item.key(), twice, contents);
  return contents;
}

bool is_zip(const MappedFile& file) { return file.text().substr(0, 4) == "PK\x03\x04"; }

bool is_pt_name(const std::string& path) {
  const std::string suffix = path.substr(std::min(path.rfind('.'), path.size()));
  return suffix == ".pt" || suffix == ".pth";
}

PtFormat exchange_pt_format(const PtFormat& format) { return std::exchange(registered_pt_format, format); }

const PtFormat& pt_format(const std::string& path) {
  ETUDE_CHECK(
      registered_pt_format.read, path,
      ": files of torch.save and torch::save are read and written by a header of their own\nhint: #include "
      "<etude/io/pt.h>, as <etude/framework.h> does");
  return registered_pt_format;
}

}  // namespace etude::detail
