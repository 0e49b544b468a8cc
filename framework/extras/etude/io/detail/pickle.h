#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <variant>
#include <vector>

namespace etude::detail {

struct PickleNode;

/// None, a bool, a number, or a node that the Pickle owns and values may share.
using PickleValue = std::variant<std::monostate, bool, int64_t, double, const PickleNode*>;

/// A value of a pickle. Calls are recorded, not executed.
struct PickleNode {
  enum Kind { Text, List, Tuple, Dict, Global, Call, Object, Persistent, Other };
  Kind kind;
  int levels;        // depth of nesting when the last item was added
  std::string text;  // of a Text; `module name` of a Global or of an Object's class; the type of an Other
  /// Keys and values of a Dict, alternating; the Global and the arguments of a Call; the state of an Object,
  /// if it has one; the id of a Persistent; whatever was given to an Other.
  std::vector<PickleValue> items;
  bool has_persistent = false;  // is a Persistent, or had one in it when the last item was added
};

/// Null for a value that is no node.
inline const PickleNode* node_of(const PickleValue& v) {
  const auto* const found = std::get_if<const PickleNode*>(&v);
  return found ? *found : nullptr;
}

/// The maximum nesting depth of values.
constexpr int kDeepest = 64;

struct Pickle {
  std::deque<PickleNode> nodes;
  PickleValue root;
};

/// Reads a pickle of protocol 2 to 5. is_known(name) says whether a global becomes a Global. Any other becomes an Other of the
/// type `module.name`, and so do the values made with it; values without a kind of their own are Others too. Nothing is imported,
/// called or run. Throws Error with `path` if the pickle is malformed. Values nested far deeper than kDeepest are refused before
/// more is read.
Pickle read_pickle(const std::string& path, const char* data, size_t size,
                   bool (*is_known)(const std::string& global));

/// Writes a pickle of protocol 2 piece by piece.
class PickleWriter {
 public:
  PickleWriter() : bytes_("\x80\x02") {}
  void put(std::monostate) { bytes_ += 'N'; }
  void put(bool v) { bytes_ += v ? '\x88' : '\x89'; }
  void put(int64_t v);
  void put(double v);
  void put(const std::string& text);
  void put(const char* text) { put(std::string(text)); }
  void global(const std::string& module, const std::string& name) {
    bytes_ += 'c' + module + '\n' + name + '\n';
  }
  /// One opcode or several: "}(".
  void code(const char* opcodes) { bytes_ += opcodes; }
  const std::string& bytes() const { return bytes_; }

 private:
  void append(const void* data, size_t size) { bytes_.append(static_cast<const char*>(data), size); }

  std::string bytes_;
};

}  // namespace etude::detail
