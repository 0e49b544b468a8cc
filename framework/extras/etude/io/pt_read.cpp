// Reads PyTorch's files, which are zip archives:
//
//   archive/data.pkl   a pickle, in which a tensor is a call of torch._utils._rebuild_tensor_v2(storage, offset, sizes,
//                      strides, requires_grad, hooks), and its storage a persistent ("storage", class, key, device, count)
//   archive/data/KEY   the numbers of a storage
//
// Python's torch.save pickles dicts. LibTorch's torch::save pickles a module: an object of a class
// __torch__.Module whose state is a dict. Old files of Python are not zip archives.

#include <map>
#include <set>
#include <utility>

#include "etude/core/detail/tensor_impl.h"
#include "etude/core/error.h"
#include "etude/io/detail/archive_value.h"
#include "etude/io/detail/foreign_file.h"
#include "etude/io/detail/pickle.h"
#include "etude/io/detail/pt_file.h"
#include "etude/io/detail/stored_tensor.h"
#include "etude/io/detail/zip.h"

namespace etude::detail {
namespace {

constexpr DtypeName kStorages[] = {
    {"FloatStorage", kFloat}, {"DoubleStorage", kDouble}, {"BFloat16Storage", kBFloat16},
    {"LongStorage", kLong},   {"IntStorage", kInt},       {"ByteStorage", kByte},
    {"BoolStorage", kBool},   {"HalfStorage", kHalf},     {"CharStorage", kChar}};

constexpr char kRebuildTensor[] = "torch._utils _rebuild_tensor_v2";
constexpr char kRebuildParameter[] = "torch._utils _rebuild_parameter";
constexpr size_t kMostTexts = 64;  // bytes of texts for each byte of the pickle
constexpr char kJit[] = "torch.jit._pickle ";
const std::set<std::string> kKnown = {"collections OrderedDict",
                                      "collections defaultdict",
                                      kRebuildTensor,
                                      kRebuildParameter,
                                      "torch Size",
                                      "torch device",
                                      "torch.jit._pickle build_intlist",
                                      "torch.jit._pickle build_doublelist",
                                      "torch.jit._pickle build_boollist",
                                      "torch.jit._pickle build_tensorlist",
                                      "torch.jit._pickle restore_type_tag"};
const std::set<std::string> kDtypeNames = {
    "torch float32", "torch float64", "torch bfloat16", "torch float16", "torch int64",
    "torch int32",   "torch int16",   "torch int8",     "torch uint8",   "torch bool"};

bool is_storage_class(const std::string& global) {
  const std::string module = "torch ", suffix = "Storage";
  return begins_with(global, module) && global.size() > module.size() + suffix.size() &&
         global.compare(global.size() - suffix.size(), suffix.size(), suffix) == 0;
}

bool is_known_global(const std::string& name) {
  return kKnown.count(name) || kDtypeNames.count(name) || begins_with(name, "__torch__") ||
         (is_storage_class(name) && name != "torch UntypedStorage");
}

// The dtype of PyTorch's storage class, such as `FloatStorage`. Throws UnreadValue for others, as all code here does for a value
// that cannot be read; attribute() catches and records it.
ScalarType storage_dtype(const std::string& class_name) {
  if (const auto dtype = dtype_of_name(kStorages, class_name)) return *dtype;
  throw UnreadValue{"torch." + class_name};
}

class PtReader {
 public:
  explicit PtReader(const std::shared_ptr<const MappedFile>& file)
      : file_(*file), path_(file->path()), zip_(file) {}

  PtAttribute read() {
    ETUDE_CHECK(!zip_.has("byteorder") || zip_.read("byteorder")->text() == "little", path_,
                ": has big-endian numbers, which are not read");
    if (!zip_.has("data.pkl"))
      check_not_foreign(file_, "file of PyTorch 1.6 or later", "a file of torch.save");
    const auto bytes = zip_.read("data.pkl");
    const Pickle pickle = read_pickle(path_, bytes->text().data(), bytes->size(), is_known_global);
    values_left_ = bytes->size();
    texts_left_ = kMostTexts * bytes->size();
    return attribute(pickle.root, 0);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(str(path_, ": ", what)); }

  // Checks of values.

  const PickleNode& node(const PickleValue& v, PickleNode::Kind kind, const char* what) const {
    const PickleNode* const found = node_of(v);
    if (!found || found->kind != kind) fail(str("has ", what, " of another type"));
    return *found;
  }
  template <typename T>
  T plain(const PickleValue& v, const char* what) const {
    const T* const found = std::get_if<T>(&v);
    if (!found) fail(str("has ", what, " of another type"));
    return *found;
  }
  Shape shape(const PickleValue& v, const char* what) const {
    Shape result;
    for (const PickleValue& item : node(v, PickleNode::Tuple, what).items) {
      const auto size = plain<int64_t>(item, what);
      if (size < 0) fail(str("has a tensor with ", what, " below zero"));
      if (result.size() == kMaxDims) fail(str("has a tensor of more than ", kMaxDims, " dims"));
      result.push_back(size);
    }
    return result;
  }
  const std::vector<PickleValue>& arguments(const PickleNode& call, size_t least, const char* what) const {
    const auto& items = node(call.items[1], PickleNode::Tuple, what).items;
    if (items.size() < least) fail(str("has ", what, " with too few arguments"));
    return items;
  }

  // Tensors.

  // All numbers of a storage as a 1-dim tensor; each storage is read once.
  const Tensor& storage(const PickleNode& persistent) {
    const auto& items = node(persistent.items[0], PickleNode::Tuple, "a storage").items;
    if (items.size() < 5 || node(items[0], PickleNode::Text, "a storage").text != "storage")
      fail("has a persistent value that is not a storage");
    const std::string& global = node(items[1], PickleNode::Global, "a storage's class").text;
    if (!is_storage_class(global)) fail("has a storage of another class");
    const std::string class_name = global.substr(global.find(' ') + 1);
    const ScalarType dtype = storage_dtype(class_name);
    const std::string& key = node(items[2], PickleNode::Text, "a storage's name").text;
    const auto count = plain<int64_t>(items[4], "a storage's size");
    const auto found = storages_.find(key);
    if (found != storages_.end()) {
      ETUDE_CHECK(found->second.first == class_name, path_, ": has a storage as ", found->second.first,
                  " and as ", class_name, ", which is not supported");
      return found->second.second;
    }
    const auto bytes = zip_.read("data/" + key);
    const auto wanted = stored_bytes({count}, dtype);
    ETUDE_CHECK(wanted == static_cast<int64_t>(bytes->size()), path_, ": its data/", key, " has ",
                bytes->size(), " bytes, which are not those of ", count, " numbers in a ", class_name);
    const Tensor all = stored_tensor(bytes, {class_name, dtype, {count}, 0, 0});
    return storages_.emplace(key, std::pair(class_name, all)).first->second.second;
  }

  Tensor tensor(const PickleNode& call) {
    const std::string& callee = node(call.items[0], PickleNode::Global, "a call").text;
    if (callee == kRebuildParameter) {
      const auto& args = arguments(call, 2, "a parameter");
      const Tensor data = tensor(node(args[0], PickleNode::Call, "a parameter"));
      return requiring(data.detach(), plain<bool>(args[1], "requires_grad"));
    }
    if (callee != kRebuildTensor) fail(str("calls ", callee, " where a tensor should be"));
    const auto& args = arguments(call, 5, "a tensor");
    const TensorImpl& all = impl(storage(node(args[0], PickleNode::Persistent, "a storage")));
    const auto offset = plain<int64_t>(args[1], "an offset");
    const Shape sizes = shape(args[2], "sizes"), strides = shape(args[3], "strides");
    if (sizes.size() != strides.size() || offset < 0)
      fail("has a tensor whose sizes and strides do not fit together");
    const bool requires_grad = plain<bool>(args[4], "requires_grad");
    try {
      return requiring(make_view(all.storage, sizes, strides, offset, all.dtype), requires_grad);
    } catch (const Error& error) {
      fail(str("has a tensor that does not lie in its storage\n", error.msg()));
    }
  }
  Tensor requiring(const Tensor& t, bool requires_grad) const {
    return requires_grad && isFloatingType(t.scalar_type()) ? t.set_requires_grad(true) : t;
  }

  // Everything else. Shared values are built for each use, but at most as many as the pickle has bytes.

  PtAttribute attribute(const PickleValue& v, int depth) {
    if (depth > kDeepest) fail(str("has values nested deeper than ", kDeepest));
    if (values_left_-- == 0) fail("has more values than its pickle is long");
    PtAttribute result = IValue();
    if (const auto* flag = std::get_if<bool>(&v)) result.value = *flag;
    else if (const auto* count = std::get_if<int64_t>(&v)) result.value = *count;
    else if (const auto* number = std::get_if<double>(&v)) result.value = *number;
    else if (const PickleNode* n = node_of(v)) try {
        fill(result, *n, depth);
      } catch (const UnreadValue& value) {
        result.unread = UnreadValue{value.type, n->has_persistent};
      }
    return result;
  }

  // Shared texts are copied for each use.
  const std::string& text_of(const PickleNode& n) {
    if (n.text.size() > texts_left_) fail("has much longer texts than its pickle");
    texts_left_ -= n.text.size();
    return n.text;
  }

  void fill(PtAttribute& result, const PickleNode& n, int depth) {
    if (n.kind == PickleNode::Text) result.value = text_of(n);
    else if (n.kind == PickleNode::Global) result.value = global_text(n.text);
    else if (n.kind == PickleNode::List || n.kind == PickleNode::Tuple) fill_list(result, n.items, depth);
    else if (n.kind == PickleNode::Call) fill_from_call(result, n, depth);
    else if (n.kind == PickleNode::Other) result.unread = UnreadValue{n.text, n.has_persistent};
    else if (n.kind == PickleNode::Persistent) throw UnreadValue{"storage"};
    else if (n.kind == PickleNode::Dict) result.object = dict(n, depth);
    else if (n.items.empty()) result.object = std::make_shared<PtObject>();
    else result.object = dict(node(n.items[0], PickleNode::Dict, "an object's state"), depth);
  }

  void fill_from_call(PtAttribute& result, const PickleNode& call, int depth) {
    const std::string& callee = node(call.items[0], PickleNode::Global, "a call").text;
    const bool is_jit = begins_with(callee, kJit);
    if (!is_jit && callee != "torch Size" && callee != "torch device") {
      result.value = tensor(call);
      return;
    }
    // A list, restored from its first argument; the other arguments give its type.
    result = attribute(arguments(call, 1, "a list")[0], depth + 1);
    if (callee == "torch.jit._pickle build_tensorlist" && result.value.isIntList())
      result.value = IValue(std::vector<Tensor>());
  }

  // A dtype as a text.
  static std::string global_text(const std::string& global) {
    const std::string name = global.substr(global.find(' ') + 1);
    if (!kDtypeNames.count(global)) throw UnreadValue{name};
    return "torch." + name;
  }

  // One typed list if all values have one type (integers may join doubles); else an object with the names 0, 1, ...
  void fill_list(PtAttribute& result, const std::vector<PickleValue>& items, int depth) {
    PtObject object;
    std::set<std::string> kinds;
    for (const PickleValue& item : items) {
      const PtAttribute& last = object.insert(std::to_string(object.size()), attribute(item, depth + 1));
      kinds.insert(last.object || last.unread ? "object" : last.value.tagKind());
    }
    if (kinds.size() == 2 && kinds.count("Int") && kinds.count("Double")) kinds = {"Double"};
    const std::string kind = kinds.size() == 1 ? *kinds.begin() : items.empty() ? "Int" : "";
    if (kind == "Int") result.value = list_of<int64_t>(object);
    else if (kind == "Double") result.value = list_of<double>(object);
    else if (kind == "Bool") result.value = list_of<bool>(object);
    else if (kind == "String") result.value = list_of<std::string>(object);
    else if (kind == "Tensor") result.value = list_of<Tensor>(object);
    else result.object = std::make_shared<PtObject>(std::move(object)), result.is_list = true;
  }
  template <typename T>
  static IValue list_of(const PtObject& object) {
    std::vector<T> list;
    for (const auto& item : object)
      if constexpr (std::is_same_v<T, double>) list.push_back(item->value.toScalar().toDouble());
      else list.push_back(item->value.to<T>());
    return IValue(std::move(list));
  }

  std::shared_ptr<PtObject> dict(const PickleNode& n, int depth) {
    auto object = std::make_shared<PtObject>();
    for (size_t i = 0; i < n.items.size(); i += 2) {
      const auto* const number = std::get_if<int64_t>(&n.items[i]);
      const PickleNode* const text = node_of(n.items[i]);
      if (!number && (!text || text->kind != PickleNode::Text))
        throw UnreadValue{"dict with other keys than texts and integers"};
      std::string name = number ? std::to_string(*number) : text_of(*text);
      if (object->contains(name)) fail("has two values of the name \"" + name + '"');
      PtAttribute item = attribute(n.items[i + 1], depth + 1);
      item.is_numbered = number != nullptr;
      object->insert(std::move(name), std::move(item));
    }
    return object;
  }

  const MappedFile& file_;
  const std::string& path_;
  ZipReader zip_;
  std::map<std::string, std::pair<std::string, Tensor>> storages_;
  size_t values_left_ = 0, texts_left_ = 0;
};

}  // namespace

std::string storage_class(ScalarType dtype) { return name_of_dtype(kStorages, dtype); }

PtAttribute read_pt(const std::shared_ptr<const MappedFile>& file) {
  if (!is_zip(*file)) check_not_foreign(*file, "file of PyTorch 1.6 or later");
  ETUDE_CHECK(is_zip(*file), file->path(), ": is not a file of PyTorch, which is a zip archive");
  PtAttribute value = PtReader(file).read();
  ETUDE_CHECK_TYPE(
      !value.unread, file->path(), ": is of the type ", value.unread->type, ", which is not read",
      "\nhint: save tensors, or dicts and lists of them; in Python, torch.save(model.state_dict(), path)");
  if (value.object) replace_libtorch_optimizer(*value.object);
  return value;
}

FileContents read_pt_contents(const std::shared_ptr<const MappedFile>& file) {
  const PtAttribute value = read_pt(file);
  PtObject named;
  if (value.object) named = *value.object;
  else if (value.value.isTensorList())
    for (const Tensor& t : value.value.toTensorVector())
      named.insert(std::to_string(named.size()), IValue(t));
  else named.insert("0", value);
  try {
    return flat_contents(named, "has two values of the name");
  } catch (const Error& error) {
    throw Error(str(file->path(), ": ", error.msg()));
  }
}

}  // namespace etude::detail
