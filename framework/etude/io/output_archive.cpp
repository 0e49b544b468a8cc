#include "etude/io/output_archive.h"

#include <algorithm>
#include <map>
#include <ostream>

#include "etude/core/error.h"
#include "etude/io/detail/archive_value.h"
#include "etude/io/detail/file.h"
#include "etude/io/detail/foreign_file.h"
#include "etude/io/detail/pt_object.h"
#include "etude/io/detail/safetensors.h"

namespace etude::serialize {

using detail::PtAttribute;
using detail::PtObject;

struct OutputArchive::Node : PtObject {};

namespace {

// Values of different kinds do not replace each other.
int kind_of(const PtAttribute& a) {
  return a.object ? 3 : a.value.isTensor() ? 2 : a.value.isTensorList() ? 1 : 0;
}

void put(PtObject& to, const std::string& key, PtAttribute value) {
  PtAttribute* const old = to.find(key);
  if (!old) return (void)to.insert(key, std::move(value));
  ETUDE_CHECK(kind_of(*old) == kind_of(value), "Parameter field mismatch for the field '", key,
              "'\nhint: a value of another kind was written under this name before");
  value.is_buffer = value.is_buffer || old->is_buffer;
  *old = std::move(value);
}

bool reaches(const PtObject& from, const PtObject* to) {
  return &from == to || std::any_of(from.begin(), from.end(), [to](const auto& item) {
    return item->object && reaches(*item->object, to);
  });
}

// The same values in the order of their names.
PtObject sorted(const PtObject& object) {
  std::map<std::string, PtAttribute> values;
  for (const auto& item : object) values.insert(item.pair());
  PtObject result;
  for (auto& [name, value] : values) {
    if (value.object) value.object = std::make_shared<PtObject>(sorted(*value.object));
    result.insert(name, std::move(value));
  }
  return result;
}

void write_flat(const std::string& path, const PtObject& object, const detail::WriteBytes& write) {
  const auto contents = detail::flat_contents(sorted(object), "two values of the archive have the name");
  detail::write_safetensors(path, contents.tensors, contents.metadata, write);
}

void check_defined(const std::string& key, const Tensor& tensor) {
  ETUDE_CHECK(tensor.defined(),
              "Cannot access storage of UndefinedTensorImpl\nreceived an undefined tensor as '", key, "'");
}

}  // namespace

OutputArchive::OutputArchive() : node_(std::make_shared<Node>()) {}

OutputArchive::Node& OutputArchive::node() const {
  ETUDE_CHECK(node_,
              "OutputArchive: it was moved from, and what was written to it belongs to another one now",
              "\nhint: assign a new one, OutputArchive()");
  return *node_;
}

void OutputArchive::write(const std::string& key, const IValue& ivalue) {
  if (ivalue.isTensor()) return write(key, ivalue.toTensor());
  if (ivalue.isTensorList()) {
    for (const Tensor& t : ivalue.toTensorVector()) check_defined(key, t);
  } else {
    try {
      detail::value_to_json(ivalue);
    } catch (const Error& error) {
      throw Error(str(error.msg(), "\nreceived it as '", key, "'"));
    }
  }
  put(node(), key, ivalue);
}

void OutputArchive::write(const std::string& key, const Tensor& tensor, bool is_buffer) {
  check_defined(key, tensor);
  PtAttribute value = IValue(tensor);
  value.is_buffer = is_buffer;
  put(node(), key, std::move(value));
}

void OutputArchive::write(const std::string& key, OutputArchive& nested_archive) {
  ETUDE_CHECK(!reaches(nested_archive.node(), &node()),
              "an archive can't be nested in itself\nreceived it as '", key, "'");
  put(node(), key, std::shared_ptr<PtObject>(nested_archive.node_));
}

void OutputArchive::save_to(const std::string& filename) {
  detail::check_saved_name(filename);
  detail::FileWriter file(filename);
  if (detail::is_pt_name(filename)) detail::pt_format(filename).write(filename, node(), file.sink());
  else write_flat(filename, node(), file.sink());
  file.commit();
}

void OutputArchive::save_to(std::ostream& stream) {
  write_flat("the stream", node(), [&stream](const void* data, size_t bytes) {
    stream.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    ETUDE_CHECK(stream.good(), "the stream: cannot be written");
  });
}

void OutputArchive::save_to(const std::function<size_t(const void*, size_t)>& func) {
  write_flat("the archive", node(), [&func](const void* data, size_t bytes) {
    const size_t taken = func(data, bytes);
    ETUDE_CHECK(taken == bytes, "the archive: cannot be written\nreceived ", taken,
                " from a function that was given ", bytes, " bytes");
  });
}

}  // namespace etude::serialize
