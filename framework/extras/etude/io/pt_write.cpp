// Writes PyTorch's files, which pt_read.cpp describes. A file for LibTorch's torch::load also has:
//
//   archive/code/__torch__.py   the classes of the objects: class Module1(Module), names and types of its attributes
//   archive/constants.pkl       an empty tuple, by which Python's torch.load recognises a TorchScript file

#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>
#include <utility>

#include "etude/core/detail/tensor_impl.h"
#include "etude/core/error.h"
#include "etude/io/detail/pickle.h"
#include "etude/io/detail/pt_file.h"
#include "etude/io/detail/zip.h"

namespace etude::detail {
namespace {

const std::byte* begin_of(const Tensor& t) { return static_cast<const std::byte*>(t.data_ptr()); }

// A range of memory in a place; a place is a storage seen as numbers of one type.
struct MemoryRange {
  size_t place;
  const std::byte *begin, *end;
};

// The memory of tensors as storages, each as small as its tensors allow. Tensors that overlap share one.
class StorageTable {
 public:
  void add(const Tensor& t) {
    const TensorImpl& i = impl(t);
    // Places are numbered in the order of the tensors: the same tensors give the same file.
    places_.try_emplace({i.storage.get(), t.scalar_type()}, places_.size());
    all_.push_back({place_of(t), begin_of(t), begin_of(t) + span(i.sizes, i.strides, 0) * t.element_size()});
  }

  void merge() {
    // Of two ranges with the same beginning, the longer one comes first.
    std::sort(all_.begin(), all_.end(), [](const MemoryRange& x, const MemoryRange& y) {
      return std::tie(x.place, x.begin, y.end) < std::tie(y.place, y.begin, x.end);
    });
    std::vector<MemoryRange> merged;
    for (const MemoryRange& r : all_)
      if (!merged.empty() && r.place == merged.back().place && r.begin < merged.back().end)
        merged.back().end = std::max(merged.back().end, r.end);
      else merged.push_back(r);
    all_ = std::move(merged);
  }

  /// The number of the storage that holds a tensor.
  size_t find(const Tensor& t) const {
    const auto after = std::upper_bound(
        all_.begin(), all_.end(), MemoryRange{place_of(t), begin_of(t), nullptr},
        [](const auto& x, const auto& y) { return std::tie(x.place, x.begin) < std::tie(y.place, y.begin); });
    return static_cast<size_t>(after - all_.begin()) - 1;
  }

  const std::vector<MemoryRange>& all() const { return all_; }

 private:
  size_t place_of(const Tensor& t) const { return places_.at({impl(t).storage.get(), t.scalar_type()}); }

  std::map<std::pair<const Storage*, ScalarType>, size_t> places_;
  std::vector<MemoryRange> all_;
};

// A name in quotes, as Python writes it.
std::string quoted_name(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    char escaped[8];
    const auto code = static_cast<unsigned char>(c);
    if (c >= ' ' && c < '\x7f' && c != '"' && c != '\\') text += c;
    else text.append(escaped, static_cast<size_t>(std::snprintf(escaped, sizeof escaped, "\\%03o", code)));
  }
  return text + '"';
}

// TorchScript's name of the type of a value, or of the elements of a list.
const char* torchscript_name(const IValue& v) {
  if (v.isTensor() || v.isTensorList()) return "Tensor";
  if (v.isDouble() || v.isDoubleList()) return "float";
  if (v.isInt() || v.isIntList()) return "int";
  if (v.isBool() || v.isBoolList()) return "bool";
  return v.isString() || v.isList() ? "str" : "NoneType";
}

class PtWriter {
 public:
  explicit PtWriter(const std::string& path) : path_(path) {}

  void write_module(const PtObject& object, const WriteBytes& write) {
    collect(object);
    storages_.merge();
    put_module(object);
    write_files(write, {{"code/__torch__.py", code_}, {"constants.pkl", std::string("\x80\x02).", 4)}});
  }
  void write_value(const PtAttribute& value, const WriteBytes& write) {
    collect(value);
    storages_.merge();
    if (value.value.isList()) put_typed_list(value);
    else put_plain(value);
    write_files(write, {});
  }

 private:
  void collect(const PtAttribute& a) {
    if (a.object) collect(*a.object);
    else if (a.value.isTensor()) storages_.add(a.value.toTensor());
    else if (a.value.isTensorList())
      for (const Tensor& t : a.value.toTensorVector()) storages_.add(t);
  }
  void collect(const PtObject& object) {
    for (const auto& item : object) collect(*item);
  }

  void write_files(const WriteBytes& write, const std::vector<std::pair<std::string, std::string>>& others) {
    pickle_.code(".");
    const std::string version = "3\n";
    std::vector<ZipEntry> entries = {{"data.pkl", pickle_.bytes().data(), pickle_.bytes().size()}};
    for (const MemoryRange& r : storages_.all())
      entries.push_back({str("data/", entries.size() - 1), r.begin, static_cast<size_t>(r.end - r.begin)});
    for (const auto& [name, bytes] : others) entries.push_back({name, bytes.data(), bytes.size()});
    entries.push_back({"version", version.data(), version.size()});
    write_zip(path_, entries, write);
  }

  // Tensors and lists.

  void put(const Tensor& t) {
    const size_t number = storages_.find(t);
    const MemoryRange& memory = storages_.all()[number];
    const int64_t size = t.element_size();
    pickle_.global("torch._utils", "_rebuild_tensor_v2");
    pickle_.code("((");
    pickle_.put("storage");
    pickle_.global("torch", storage_class(t.scalar_type()));
    pickle_.put(std::to_string(number));
    pickle_.put("cpu");
    pickle_.put(int64_t{(memory.end - memory.begin) / size});
    pickle_.code("tQ");
    pickle_.put(int64_t{(begin_of(t) - memory.begin) / size});
    put_items(t.sizes(), "(", "t");
    put_items(t.strides(), "(", "t");
    pickle_.put(t.requires_grad());
    pickle_.global("collections", "OrderedDict");
    pickle_.code(")RtR");
  }
  template <typename List>
  void put_items(const List& list, const char* begin = "](", const char* end = "e") {
    pickle_.code(begin);
    for (const auto& v : list) put(v);
    pickle_.code(end);
  }
  template <typename T>
  void put(const T& v) {
    pickle_.put(v);
  }

  // Values in Python's form.
  void put_plain(const PtAttribute& a) {
    const IValue& v = a.value;
    if (a.object) {
      pickle_.code("}(");
      for (const auto& item : *a.object) {
        pickle_.put(item.key());
        put_plain(*item);
      }
      pickle_.code("u");
    } else if (v.isIntList()) put_items(v.toIntVector());
    else if (v.isDoubleList()) put_items(v.toDoubleVector());
    else if (v.isBoolList()) put_items(v.to<std::vector<bool>>());
    else if (v.isTensorList()) put_items(v.toTensorVector());
    else if (v.isList()) put_items(v.to<std::vector<std::string>>());
    else if (v.isTensor()) put(v.toTensor());
    else if (v.isDouble()) put(v.toDouble());
    else if (v.isInt()) put(v.toInt());
    else if (v.isBool()) put(v.toBool());
    else if (v.isString()) put(v.toStringRef());
    else put(std::monostate{});
  }

  // TorchScript objects: their state, and a class for each. Returns the name of the class.
  std::string put_module(const PtObject& object) {
    const std::string name = modules_ == 0 ? "Module" : str("Module", modules_);
    ++modules_;
    std::string parameters, buffers, types;
    pickle_.global("__torch__", name);
    pickle_.code(")\x81}(");
    for (const auto& item : object) {
      pickle_.put(item.key());
      const std::string quoted = quoted_name(item.key());
      if (item->value.isTensor()) (item->is_buffer ? buffers : parameters) += quoted + ", ";
      types += "  __annotations__[" + quoted + "] = " + put_typed(*item) + '\n';
    }
    pickle_.code("ub");
    code_ += "class " + name + "(Module):\n  __parameters__ = [" + parameters + "]\n  __buffers__ = [" +
             buffers + "]\n  __annotations__ = []\n" + types;
    return "__torch__." + name;
  }
  // Writes a value and returns its TorchScript type.
  std::string put_typed(const PtAttribute& a) {
    const IValue& v = a.value;
    if (a.object) return put_module(*a.object);
    if (v.isDoubleList() && a.is_tuple) {
      put_items(v.toDoubleVector(), "(", "t");
      return v.toDoubleVector().size() == 2 ? "Tuple[float, float]" : "Tuple[float]";
    }
    if (v.isList()) return put_typed_list(a);
    put_plain(a);
    return torchscript_name(v);
  }
  std::string put_typed_list(const PtAttribute& a) {
    std::string type = str("List[", torchscript_name(a.value), ']');
    pickle_.global("torch.jit._pickle", "restore_type_tag");
    pickle_.code("(");
    put_plain(a);
    pickle_.put(type);
    pickle_.code("tR");
    return type;
  }

  const std::string& path_;
  StorageTable storages_;
  PickleWriter pickle_;
  std::string code_;
  int modules_ = 0;
};

}  // namespace

void write_pt_module(const std::string& path, const PtObject& object, const WriteBytes& write) {
  PtWriter(path).write_module(object, write);
}

void write_pt_value(const std::string& path, const PtAttribute& value, const WriteBytes& write) {
  PtWriter(path).write_value(value, write);
}

}  // namespace etude::detail
