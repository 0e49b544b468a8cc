#include "etude/io/output_archive.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <variant>
#include <vector>

#include "etude/core/error.h"
#include "etude/io/detail/archive_value.h"
#include "etude/io/detail/file.h"
#include "etude/io/detail/foreign_file.h"
#include "etude/io/detail/pt_object.h"
#include "etude/io/detail/safetensors.h"

namespace etude::serialize {

struct OutputArchive::Node {
  // A tensor, the JSON of a value, a list of tensors, or a nested archive.
  using Slot = std::variant<Tensor, std::string, std::vector<Tensor>, std::shared_ptr<Node>>;
  std::map<std::string, Slot> slots;
  std::vector<std::string> order;  // names in the order of their first write
  std::set<std::string> buffers;

  void put(const std::string& key, Slot slot) {
    const auto [found, is_new] = slots.emplace(key, slot);
    ETUDE_CHECK(is_new || found->second.index() == slot.index(), "Parameter field mismatch for the field '",
                key, "'\nhint: a value of another kind was written under this name before");
    found->second = std::move(slot);
    if (is_new) order.push_back(key);
  }

  bool reaches(const Node* other) const {
    if (this == other) return true;
    return std::any_of(slots.begin(), slots.end(), [other](const auto& item) {
      const auto* nested = std::get_if<std::shared_ptr<Node>>(&item.second);
      return nested && (*nested)->reaches(other);
    });
  }

  // The contents of a file under full names.
  struct Flat {
    OrderedDict<std::string, Tensor> tensors;
    std::map<std::string, std::string> texts;

    void add(const std::string& name, const Tensor& t) {
      check_new(name);
      tensors.insert(name, t);
    }
    void add(const std::string& name, const std::string& text) {
      check_new(name);
      texts.emplace(name, text);
    }

   private:
    void check_new(const std::string& name) const {
      ETUDE_CHECK(!tensors.contains(name) && !texts.count(name), "two values of the archive have the name \"",
                  name, "\"\nhint: the names of nested archives are joined by dots");
    }
  };

  void flatten(const std::string& prefix, Flat& flat) const {
    for (const auto& [key, slot] : slots) {
      const std::string name = prefix + key;
      if (const auto* t = std::get_if<Tensor>(&slot)) flat.add(name, *t);
      else if (const auto* text = std::get_if<std::string>(&slot)) flat.add(name, *text);
      else if (const auto* list = std::get_if<std::vector<Tensor>>(&slot)) {
        flat.add(name, detail::tensor_list_json(list->size()));
        for (size_t i = 0; i < list->size(); ++i) flat.add(str(name, '.', i), (*list)[i]);
      } else {
        const auto& nested = *std::get<std::shared_ptr<Node>>(slot);
        if (nested.slots.empty()) flat.add(name, detail::empty_archive_json());
        nested.flatten(name + '.', flat);
      }
    }
  }

  detail::PtObject pt_object() const {
    detail::PtObject object;
    for (const std::string& key : order) {
      const Slot& slot = slots.at(key);
      if (const auto* t = std::get_if<Tensor>(&slot)) object.add(key, IValue(*t));
      else if (const auto* text = std::get_if<std::string>(&slot))
        object.add(key, detail::value_from_json(*text));
      else if (const auto* list = std::get_if<std::vector<Tensor>>(&slot)) object.add(key, IValue(*list));
      else
        object.add(key,
                   std::make_shared<detail::PtObject>(std::get<std::shared_ptr<Node>>(slot)->pt_object()));
      object.attributes.back().is_buffer = buffers.count(key) != 0;
    }
    return object;
  }

  void write(const std::string& path, const detail::WriteBytes& write) const {
    Flat flat;
    flatten("", flat);
    detail::write_safetensors(path, flat.tensors, flat.texts, write);
  }
};

namespace {

void check_defined(const std::string& key, const Tensor& tensor) {
  ETUDE_CHECK(tensor.defined(),
              "Cannot access storage of UndefinedTensorImpl\nreceived an undefined tensor as '", key, "'");
}

std::string json_of(const std::string& key, const IValue& value) {
  try {
    return detail::value_to_json(value);
  } catch (const Error& error) {
    throw Error(str(error.msg(), "\nreceived it as '", key, "'"));
  }
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
  if (!ivalue.isTensorList()) return node().put(key, json_of(key, ivalue));
  for (const Tensor& t : ivalue.toTensorVector()) check_defined(key, t);
  node().put(key, ivalue.toTensorVector());
}

void OutputArchive::write(const std::string& key, const Tensor& tensor, bool is_buffer) {
  check_defined(key, tensor);
  node().put(key, tensor);
  if (is_buffer) node().buffers.insert(key);
}

void OutputArchive::write(const std::string& key, OutputArchive& nested_archive) {
  ETUDE_CHECK(!nested_archive.node().reaches(&node()),
              "an archive can't be nested in itself\nreceived it as '", key, "'");
  node().put(key, nested_archive.node_);
}

void OutputArchive::save_to(const std::string& filename) {
  detail::check_saved_name(filename);
  detail::FileWriter file(filename);
  const auto write = [&file](const void* data, size_t bytes) { file.write(data, bytes); };
  if (detail::is_pt_name(filename)) detail::pt_format(filename).write(filename, node().pt_object(), write);
  else node().write(filename, write);
  file.commit();
}

void OutputArchive::save_to(std::ostream& stream) {
  node().write("the stream", [&stream](const void* data, size_t bytes) {
    stream.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    ETUDE_CHECK(stream.good(), "the stream: cannot be written");
  });
}

void OutputArchive::save_to(const std::function<size_t(const void*, size_t)>& func) {
  node().write("the archive", [&func](const void* data, size_t bytes) {
    const size_t taken = func(data, bytes);
    ETUDE_CHECK(taken == bytes, "the archive: cannot be written\nreceived ", taken,
                " from a function that was given ", bytes, " bytes");
  });
}

}  // namespace etude::serialize
