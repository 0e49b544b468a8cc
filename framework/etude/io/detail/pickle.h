#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <variant>
#include <vector>

namespace etude::detail {

struct PickleNode;

/// None, a bool, a number, or something else that the Pickle owns: many may share it.
using PickleValue = std::variant<std::monostate, bool, int64_t, double, const PickleNode*>;

/// What a pickle says, in which nothing has been called.
struct PickleNode {
  enum Kind { Text, List, Tuple, Dict, Global, Call, Object, Persistent };
  Kind kind;
  int levels;        // with those in it, of those that were there when it got its last one
  std::string text;  // of a Text; `module name` of a Global and of an Object's class
  /// A Dict's keys and values by turns; the Global and the arguments of a Call; an Object's state, if it has one; what a
  /// Persistent stands for.
  std::vector<PickleValue> items;
};

/// How deep values may lie in values.
constexpr int kDeepest = 64;

struct Pickle {
  std::deque<PickleNode> nodes;
  PickleValue root;
};

/// Reads a pickle of protocol 2 to 5, of which it knows what PyTorch's files hold. is_known(name) says whether a global may
/// be there. Throws Error, with `path` in it, for everything else: nothing is looked up, called or run. What is nested far
/// deeper than kDeepest is refused before more of it is read.
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
  /// An opcode, or several: "}(".
  void code(const char* opcodes) { bytes_ += opcodes; }
  const std::string& bytes() const { return bytes_; }

 private:
  void append(const void* data, size_t size) { bytes_.append(static_cast<const char*>(data), size); }

  std::string bytes_;
};

}  // namespace etude::detail
