// Pickles, as Python's module pickle describes them: programs for a machine with a stack and a memo.

#include "etude/io/detail/pickle.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "etude/core/error.h"

namespace etude::detail {
namespace {

constexpr char kOrderedDict[] = "collections OrderedDict", kDefaultDict[] = "collections defaultdict";

// One nested value may take several levels: a call, its arguments and a list in them.
constexpr int kMostLevels = 4 * kDeepest;
// Values that are not read repeat the name of their type.
constexpr size_t kLongestName = 128;
// The most values that wait for their contents: a dict with a key, or two items of a tuple.
constexpr size_t kMostWaiting = 3 * kMostLevels;

class PickleReader {
 public:
  PickleReader(const std::string& path, const char* data, size_t size,
               bool (*is_known)(const std::string& global))
      : path_(path), begin_(data), at_(data), end_(data + size), is_known_(is_known) {}

  Pickle read() {
    check(take() == '\x80', "does not begin with a protocol");
    const int protocol = number<uint8_t>();
    check(2 <= protocol && protocol <= 5, str("has the protocol ", protocol, ", of which 2 to 5 are read"));
    for (char code = take(); code != '.'; code = take()) step(code);
    pickle_.root = pop();
    check(stack_.empty() && marks_.empty(), "leaves values behind");
    return std::move(pickle_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(str(path_, ": its pickle ", what, " at byte ", at_ - begin_));
  }
  void check(bool good, std::string_view what) const {
    if (!good) fail(std::string(what));
  }
  void check_levels(bool few) const { ETUDE_CHECK(few, path_, ": has values nested deeper than ", kDeepest); }

  // Bytes.

  const char* bytes(uint64_t count) {
    check(count <= static_cast<uint64_t>(end_ - at_), "is cut");
    return std::exchange(at_, at_ + count);
  }
  char take() { return *bytes(1); }
  template <typename T>
  T number() {
    T v;
    std::memcpy(&v, bytes(sizeof v), sizeof v);
    return v;
  }
  std::string line() {
    const void* const newline = std::memchr(at_, '\n', static_cast<size_t>(end_ - at_));
    check(newline, "is cut");
    const auto size = static_cast<size_t>(static_cast<const char*>(newline) - at_);
    std::string text(bytes(size), size);
    ++at_;
    return text;
  }
  void push_integer(size_t size) {
    const char* const from = bytes(size);
    if (size > 8) return push(PickleNode::Other, "int");
    uint64_t v = size > 0 && static_cast<signed char>(from[size - 1]) < 0 ? ~uint64_t{0} : 0;
    std::memcpy(&v, from, size);
    push(static_cast<int64_t>(v));
  }
  double big_endian_double() {
    auto bits = __builtin_bswap64(number<uint64_t>());
    double v;
    std::memcpy(&v, &bits, sizeof v);
    return v;
  }

  // The stack. Values below the last mark cannot be reached.

  void push(PickleValue v) {
    check_levels(!marks_.empty() || stack_.size() < kMostWaiting);
    stack_.push_back(v);
  }
  void push_mark() {
    check_levels(marks_.size() < kMostLevels);
    marks_.push_back(stack_.size());
  }
  PickleValue pop() {
    check(stack_.size() > (marks_.empty() ? 0 : marks_.back()), "takes a value that is not there");
    const PickleValue v = stack_.back();
    stack_.pop_back();
    return v;
  }
  std::vector<PickleValue> pop(size_t count) {
    std::vector<PickleValue> values(count);
    while (count > 0) values[--count] = pop();
    return values;
  }
  std::vector<PickleValue> pop_to_mark() {
    check(!marks_.empty(), "takes a mark that is not there");
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<PickleValue> values(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return values;
  }

  // Nodes. Only this machine modifies the nodes of the pickle.

  static const PickleNode* other_of(const PickleValue& v) {
    const PickleNode* const found = node_of(v);
    return found && found->kind == PickleNode::Other ? found : nullptr;
  }
  void push(PickleNode::Kind kind, std::string text, const std::vector<PickleValue>& items = {}) {
    pickle_.nodes.push_back({kind, 1, std::move(text), {}, kind == PickleNode::Persistent});
    add_items(pickle_.nodes.back(), items);
    push(&pickle_.nodes.back());
  }
  void add_items(PickleNode& to, const std::vector<PickleValue>& items) {
    for (const PickleValue& v : items) {
      const PickleNode* const item = node_of(v);
      if (!item) continue;
      check_levels(item->levels < kMostLevels);
      to.levels = std::max(to.levels, item->levels + 1);
      to.has_persistent = to.has_persistent || item->has_persistent;
    }
    to.items.insert(to.items.end(), items.begin(), items.end());
  }
  void push_bytes(uint64_t size) {
    (void)bytes(size);
    push(PickleNode::Other, "bytes");
  }
  void push_text(uint64_t size) {
    const char* const from = bytes(size);
    push(PickleNode::Text, std::string(from, static_cast<size_t>(size)));
  }
  void push_global(std::string name) {
    if (is_known_(name)) return push(PickleNode::Global, std::move(name));
    check(name.size() <= kLongestName, "has a global with a long name");
    if (name == "_codecs encode") return push(PickleNode::Other, "bytes");  // how protocol 2 writes them
    const std::string module = name.substr(0, name.find(' '));
    const bool is_builtin = module == "builtins" || module == "__builtin__";
    push(PickleNode::Other, (is_builtin ? "" : module + '.') + name.substr(module.size() + 1));
  }
  PickleNode& node(const PickleValue& v, PickleNode::Kind kind, const char* what) const {
    const PickleNode* const found = node_of(v);
    if (!found || found->kind != kind) fail(what);
    return const_cast<PickleNode&>(*found);
  }
  PickleNode& popped(PickleNode::Kind kind, const char* what) { return node(pop(), kind, what); }
  void add(PickleNode::Kind kind, const std::vector<PickleValue>& values, const char* what) {
    const PickleValue top = pop();
    check(kind != PickleNode::Dict || values.size() % 2 == 0, "has a key without a value");
    add_items(node(top, other_of(top) ? PickleNode::Other : kind, what), values);
    push(top);
  }

  void call() {
    const PickleValue arguments = pop(), callee = pop();
    const bool plain = node(arguments, PickleNode::Tuple, "calls something without a tuple").items.empty();
    if (const PickleNode* other = other_of(callee)) return push(PickleNode::Other, other->text, {arguments});
    const std::string& name = node(callee, PickleNode::Global, "calls something that is not a global").text;
    if (name != kOrderedDict && name != kDefaultDict) return push(PickleNode::Call, "", {callee, arguments});
    check(plain || name == kDefaultDict, "has an OrderedDict with arguments");
    push(PickleNode::Dict, "");
  }
  void make_object(size_t count) {
    const std::vector<PickleValue> arguments = pop(count);
    const PickleValue type = pop();
    if (const PickleNode* other = other_of(type)) return push(PickleNode::Other, other->text, arguments);
    check(node(arguments[0], PickleNode::Tuple, "makes an object without a tuple").items.empty(),
          "has an object with arguments");
    push(PickleNode::Object,
         node(type, PickleNode::Global, "makes an object of something that is not a class").text);
  }
  // Attributes that Python keeps beside the items of a dict, such as _metadata, are dropped.
  void build() {
    const PickleValue state = pop(), built = pop();
    push(built);
    const PickleNode* const found = node_of(built);
    if (found && found->kind == PickleNode::Dict) return;
    if (other_of(built)) return add_items(node(built, PickleNode::Other, ""), {state});
    PickleNode& object = node(built, PickleNode::Object, "sets the state of what has none");
    object.items.clear();
    add_items(object, {state});
  }

  void remember(uint32_t index) {
    const PickleValue top = pop();
    push(top);
    memo_[index] = top;
  }
  void recall(uint32_t index) {
    const auto found = memo_.find(index);
    check(found != memo_.end(), "recalls what it has not remembered");
    push(found->second);
  }

  void step(char code) {
    if (code == 'N') return push(std::monostate{});
    if (code == '\x88') return push(true);
    if (code == '\x89') return push(false);
    if (code == 'K') return push(int64_t{number<uint8_t>()});
    if (code == 'M') return push(int64_t{number<uint16_t>()});
    if (code == 'J') return push(int64_t{number<int32_t>()});
    if (code == '\x8a') return push_integer(number<uint8_t>());
    if (code == '\x8b') return push_integer(number<uint32_t>());
    if (code == 'G') return push(big_endian_double());
    if (code == '\x8c') return push_text(number<uint8_t>());
    if (code == 'X') return push_text(number<uint32_t>());
    if (code == '\x8d') return push_text(number<uint64_t>());
    if (code == 'C') return push_bytes(number<uint8_t>());
    if (code == 'B') return push_bytes(number<uint32_t>());
    if (code == '\x8e' || code == '\x96') return push_bytes(number<uint64_t>());
    if (code == 'q') return remember(number<uint8_t>());
    if (code == 'r') return remember(number<uint32_t>());
    if (code == '\x94') return remember(static_cast<uint32_t>(memo_.size()));
    if (code == 'h') return recall(number<uint8_t>());
    if (code == 'j') return recall(number<uint32_t>());
    if (code == '\x95') return (void)number<uint64_t>();  // the size of a frame
    if (code == '(') return push_mark();
    if (code == ')') return push(PickleNode::Tuple, "");
    if (code == '\x85' || code == '\x86' || code == '\x87')
      return push(PickleNode::Tuple, "", pop(static_cast<size_t>(code - '\x84')));
    if (code == 't') return push(PickleNode::Tuple, "", pop_to_mark());
    if (code == ']') return push(PickleNode::List, "");
    if (code == 'a') return add(PickleNode::List, pop(1), "appends to something that is not a list");
    if (code == 'e') return add(PickleNode::List, pop_to_mark(), "appends to something that is not a list");
    if (code == '\x8f') return push(PickleNode::Other, "set");
    if (code == '\x90') return add(PickleNode::Other, pop_to_mark(), "adds to something that is not a set");
    if (code == '\x91') return push(PickleNode::Other, "frozenset", pop_to_mark());
    if (code == '}') return push(PickleNode::Dict, "");
    if (code == 's') return add(PickleNode::Dict, pop(2), "sets an item of something that is not a dict");
    if (code == 'u')
      return add(PickleNode::Dict, pop_to_mark(), "sets an item of something that is not a dict");
    if (code == 'c') {
      const std::string module = line();
      return push_global(module + ' ' + line());
    }
    if (code == '\x93') {
      const std::string name = popped(PickleNode::Text, "has a global without a name").text;
      return push_global(popped(PickleNode::Text, "has a global without a module").text + ' ' + name);
    }
    if (code == 'Q') return push(PickleNode::Persistent, "", pop(1));
    if (code == 'R') return call();
    if (code == '\x81') return make_object(1);
    if (code == '\x92') return make_object(2);  // with keyword arguments
    if (code == 'b') return build();
    fail(str("has the opcode ", static_cast<int>(static_cast<unsigned char>(code)), ", which is not read,"));
  }

  const std::string& path_;
  const char* const begin_;
  const char* at_;
  const char* const end_;
  bool (*const is_known_)(const std::string& global);
  Pickle pickle_;
  std::vector<PickleValue> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint32_t, PickleValue> memo_;
};

}  // namespace

Pickle read_pickle(const std::string& path, const char* data, size_t size,
                   bool (*is_known)(const std::string& global)) {
  return PickleReader(path, data, size, is_known).read();
}

void PickleWriter::put(int64_t v) {
  const bool is_byte = 0 <= v && v < 256, is_int = INT32_MIN <= v && v <= INT32_MAX;
  bytes_ += is_byte ? "K" : is_int ? "J" : "\x8a\x08";
  append(&v, is_byte ? 1 : is_int ? 4 : 8);
}

void PickleWriter::put(double v) {
  uint64_t bits;
  std::memcpy(&bits, &v, sizeof bits);
  bits = __builtin_bswap64(bits);
  bytes_ += 'G';
  append(&bits, sizeof bits);
}

void PickleWriter::put(const std::string& text) {
  const auto size = static_cast<uint32_t>(text.size());
  bytes_ += 'X';
  append(&size, sizeof size);
  bytes_ += text;
}

}  // namespace etude::detail
