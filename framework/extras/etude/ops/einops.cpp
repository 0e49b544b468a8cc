// Patterns of axes (Rogozhnikov 2022, "Einops: Clear and Reliable Tensor Manipulations with Einstein-like Notation"). Every
// pattern is the same five steps, and a step is left out where it changes nothing:
//
//   reshape to the axes of the left, permute to the order of the right with reduced axes last, reduce, expand, reshape
//
// The gradients are those of these ops.

#include "etude/ops/einops.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "etude/core/detail/listen.h"
#include "etude/core/shape.h"
#include "etude/ops/ops.h"

namespace etude {
namespace {

using OverDims = std::function<Tensor(const Tensor&, IntArrayRef)>;

constexpr int64_t kUnknown = -999999;
const char* const kDots = "…";  // one character for three dots

struct Axis {
  std::string name;  // "3-axis" for a number
  int64_t length = kUnknown;
  bool is_number = false, on_left = false, on_right = false;
};

/// The axes that make up one dim. The ellipsis stands for any number of axes.
struct Group {
  std::vector<size_t> axes;
  bool in_brackets = false;
};
using Side = std::vector<Group>;

std::string braced(const std::vector<Axis>& axes) {
  std::string text;
  for (const Axis& axis : axes)
    text += (text.empty() ? "" : ", ") + (axis.is_number ? axis.name : "'" + axis.name + "'");
  return "{" + text + "}";
}

template <typename Condition>
std::vector<Axis> those(const std::vector<Axis>& axes, const Condition& condition) {
  std::vector<Axis> result;
  std::copy_if(axes.begin(), axes.end(), std::back_inserter(result), condition);
  return result;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || (c & 0x80); }

/// What is wrong with the name of an axis; empty if it is valid.
std::string fault_of_name(const std::string& name, bool underscore = false) {
  if (name.empty() || is_digit(name[0]) || (name != kDots && name.find(kDots) != std::string::npos))
    return "not a valid python identifier";
  if (name.front() != '_' && name.back() != '_') return "";
  return name == "_" && underscore ? "" : "axis name should should not start or end with underscore";
}

/// Parses one side of a pattern into groups. Adds new axes to `axes`.
class SideReader {
 public:
  SideReader(std::vector<Axis>& axes, bool Axis::*side, bool underscore)
      : axes_(axes), side_(side), underscore_(underscore) {}

  Side read(std::string text) {
    const int64_t dots = std::count(text.begin(), text.end(), '.');
    const size_t at = text.find("...");
    ETUDE_CHECK(dots == 0 || at != std::string::npos,
                "Expression may contain dots only inside ellipsis (...)");
    ETUDE_CHECK(dots == 0 || dots == 3,
                "Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor ");
    if (dots) text.replace(at, 3, kDots);
    for (const char c : text) {
      if (is_letter(c) || is_digit(c) || c == '_') {
        name_ += c;
        continue;
      }
      ETUDE_CHECK(c == '(' || c == ')' || c == ' ', "Unknown character '", c, "'");
      end_name();
      if (c == ' ') continue;
      if (c == '(') groups_.push_back({{}, true});
      ETUDE_CHECK(c != '(' || !open_, "Axis composition is one-level (brackets inside brackets not allowed)");
      ETUDE_CHECK(c != ')' || open_, "Brackets are not balanced");
      open_ = c == '(';
    }
    ETUDE_CHECK(!open_, "Imbalanced parentheses in expression: \"", text, "\"");
    end_name();
    return std::move(groups_);
  }

 private:
  void end_name() {
    if (name_.empty()) return;
    const std::string name = std::exchange(name_, {});
    const bool is_number = std::all_of(name.begin(), name.end(), is_digit);
    if (!open_) groups_.emplace_back();
    if (!is_number) return add_named(name);
    ETUDE_CHECK(name.size() < 19, "Invalid axis identifier: ", name, "\nhint: it is too long for a number");
    const int64_t length = std::stoll(name);
    if (length == 1) return;
    ETUDE_CHECK(length > 0, "Anonymous axis should have positive length, not ", length);
    add({str(length, "-axis"), length, true});
  }

  void add_named(const std::string& name) {
    const auto known =
        std::find_if(axes_.begin(), axes_.end(), [&](const Axis& a) { return a.name == name; });
    const bool repeated = known != axes_.end() && (*known).*side_;
    ETUDE_CHECK(!repeated || (underscore_ && name == "_"),
                "Indexing expression contains duplicate dimension \"", name, "\"");
    const std::string fault = fault_of_name(name, underscore_);
    ETUDE_CHECK(fault.empty(), "Invalid axis identifier: ", name, "\n", fault);
    if (known == axes_.end()) return add({name});
    (*known).*side_ = true;
    groups_.back().axes.push_back(static_cast<size_t>(known - axes_.begin()));
  }

  void add(Axis axis) {
    axis.*side_ = true;
    groups_.back().axes.push_back(axes_.size());
    axes_.push_back(std::move(axis));
  }

  std::vector<Axis>& axes_;
  bool Axis::*side_;
  bool underscore_, open_ = false;
  std::string name_;
  Side groups_;
};

struct Pattern {
  std::vector<Axis> axes;
  Side left, right;
};

size_t dots_among(const std::vector<Axis>& axes) {
  const auto is_dots = [](const Axis& a) { return a.name == kDots; };
  return static_cast<size_t>(std::find_if(axes.begin(), axes.end(), is_dots) - axes.begin());
}

Pattern read_pattern(const std::string& text, const std::string& operation, const AxesLengths& lengths,
                     bool is_function) {
  Pattern p;
  const size_t arrow = text.find("->");
  p.left = SideReader(p.axes, &Axis::on_left, false).read(text.substr(0, arrow));
  p.right = SideReader(p.axes, &Axis::on_right, false).read(text.substr(arrow + 2));
  const size_t dots = dots_among(p.axes);
  const bool has_dots = dots < p.axes.size(), on_left = has_dots && p.axes[dots].on_left;
  ETUDE_CHECK(!has_dots || on_left, "Ellipsis found in right side, but not left side of a pattern ", text);
  for (const Group& group : p.left)
    ETUDE_CHECK(!group.in_brackets || std::count(group.axes.begin(), group.axes.end(), dots) == 0,
                "Ellipsis inside parenthesis in the left side is not allowed: ", text);
  const auto left_only = those(p.axes, [](const Axis&a) { return a.on_left && !a.on_right; }),
             right_only = those(p.axes, [](const Axis&a) { return a.on_right && !a.on_left; });
  if (!is_function && operation == "rearrange") {
    ETUDE_CHECK(those(p.axes, [](const Axis& a) { return a.is_number; }).empty(),
                "Non-unitary anonymous axes are not supported in rearrange (exception is length 1)");
    ETUDE_CHECK(left_only.empty() && right_only.empty(),
                "Identifiers only on one side of expression (should be on both): ",
                braced(those(p.axes, [](const Axis& a) { return a.on_left != a.on_right; })));
    return p;
  }
  static const char* const names[] = {"min", "max", "sum", "mean", "prod", "any", "all", "repeat"};
  ETUDE_CHECK(is_function || std::count(std::begin(names), std::end(names), operation), "Unknown reduction ",
              operation, ". Expect one of ('min', 'max', 'sum', 'mean', 'prod', 'any', 'all').");
  if (!is_function && operation == "repeat") {
    ETUDE_CHECK(left_only.empty(), "Unexpected identifiers on the left side of repeat: ", braced(left_only));
    const auto without_size = those(right_only, [&](const Axis& a) {
      return !a.is_number && std::none_of(lengths.begin(), lengths.end(),
                                          [&](const auto& given) { return given.first == a.name; });
    });
    ETUDE_CHECK(without_size.empty(), "Specify sizes for new axes in repeat: ", braced(without_size));
  } else {
    ETUDE_CHECK(right_only.empty(), "Unexpected identifiers on the right side of reduce ", operation, ": ",
                braced(right_only));
  }
  return p;
}

/// Replaces the ellipsis by one axis for each dim that it covers.
void spell_dots(Pattern& p, int64_t dims) {
  const size_t dots = dots_among(p.axes);
  const bool has_dots = dots < p.axes.size();
  const auto others = static_cast<int64_t>(p.left.size()) - has_dots;
  ETUDE_CHECK(!has_dots || dims >= others, "Wrong shape: expected >=", others, " dims. Received ", dims,
              "-dim tensor.");
  ETUDE_CHECK(has_dots || dims == others, "Wrong shape: expected ", others, " dims. Received ", dims,
              "-dim tensor.");
  if (!has_dots) return;
  std::vector<size_t> covered;
  for (int64_t i = 0; i < dims - others; ++i) {
    covered.push_back(p.axes.size());
    p.axes.push_back({str(kDots, i), kUnknown, false, true, p.axes[dots].on_right});
  }
  for (Side* side : {&p.left, &p.right}) {
    Side spelled;
    for (Group& group : *side) {
      const auto at = std::find(group.axes.begin(), group.axes.end(), dots);
      if (at != group.axes.end() && !group.in_brackets) {
        for (const size_t axis : covered) spelled.push_back({{axis}});
        continue;
      }
      if (at != group.axes.end()) group.axes.insert(group.axes.erase(at), covered.begin(), covered.end());
      spelled.push_back(group);
    }
    *side = spelled;
  }
}

/// Finds the length of every axis from the given lengths and the sizes of the tensor.
void find_lengths(Pattern& p, IntArrayRef sizes, const AxesLengths& lengths) {
  for (const auto& [name, length] : lengths) {
    ETUDE_CHECK(fault_of_name(name).empty(), "('Invalid name for an axis', '", name, "')");
    const auto axis =
        std::find_if(p.axes.begin(), p.axes.end(), [&n = name](const Axis& a) { return a.name == n; });
    ETUDE_CHECK(axis != p.axes.end() && !axis->is_number, "Axis ", name, " is not used in transform");
    axis->length = length;
  }
  for (const Group& group : p.left) {
    std::vector<Axis> unknown;
    for (const size_t axis : group.axes)
      if (p.axes[axis].length == kUnknown) unknown.push_back(p.axes[axis]);
    ETUDE_CHECK(unknown.size() < 2, "Could not infer sizes for ", braced(unknown),
                "\nhint: all but one of them are to be given, as in {{\"", unknown[0].name, "\", 2}}");
  }
  for (size_t d = 0; d < p.left.size(); ++d) {
    Shape known;
    Axis* unknown = nullptr;
    for (const size_t axis : p.left[d].axes)
      if (p.axes[axis].length == kUnknown) unknown = &p.axes[axis];
      else known.push_back(p.axes[axis].length);
    const int64_t product = count_elements(known), size = sizes[d];
    ETUDE_CHECK(unknown || size == product, "Shape mismatch, ", size, " != ", product);
    ETUDE_CHECK(!unknown || (product != 0 && size % product == 0),
                "Shape mismatch, can't divide axis of length ", size, " in chunks of ", product);
    if (unknown) unknown->length = size / product;
  }
}

std::vector<size_t> axes_of(const Side& side) {
  std::vector<size_t> all;
  for (const Group& group : side) all.insert(all.end(), group.axes.begin(), group.axes.end());
  return all;
}

bool is_composed(const Side& side) {
  return std::any_of(side.begin(), side.end(), [](const Group& g) { return g.axes.size() != 1; });
}

Tensor reduced_by_name(Tensor x, const std::string& reduction, IntArrayRef dims) {
  if (reduction == "min") return x.amin(dims);
  if (reduction == "max") return x.amax(dims);
  if (reduction == "sum") return x.sum(dims);
  ETUDE_CHECK_WITH(NotImplementedError, reduction != "mean" || x.is_floating_point(),
                   "reduce_mean is not available for non-floating tensors\nreceived ",
                   toString(x.scalar_type()));
  if (reduction == "mean") return x.mean(dims);
  for (size_t i = dims.size(); i-- > 0;)
    x = reduction == "prod" ? x.prod(dims[i]) : reduction == "any" ? x.any(dims[i]) : x.all(dims[i]);
  return x;
}

/// Runs the steps once all lengths are known.
Tensor apply(const Pattern& p, Tensor x, const OverDims& reduction) {
  const std::vector<size_t> left = axes_of(p.left), right = axes_of(p.right);
  Shape split, places, added, joined, reduced;
  for (const size_t axis : left) split.push_back(p.axes[axis].length);
  if (is_composed(p.left)) x = x.reshape(split);
  const auto place = [&left](size_t axis) {
    return std::find(left.begin(), left.end(), axis) - left.begin();
  };
  for (const size_t axis : right)
    if (p.axes[axis].on_left) places.push_back(place(axis));
  for (const size_t axis : left)
    if (!p.axes[axis].on_right) {
      reduced.push_back(places.size());
      places.push_back(place(axis));
    }
  if (!std::is_sorted(places.begin(), places.end())) x = x.permute(places);
  if (!reduced.empty()) x = reduction(x, reduced);
  bool repeats = false;
  for (const size_t axis : right) {
    const bool is_new = !p.axes[axis].on_left;
    if (is_new) x = x.unsqueeze(added.size());
    repeats |= is_new;
    added.push_back(is_new ? p.axes[axis].length : -1);
  }
  if (repeats) x = x.expand(added);
  if (!is_composed(p.right)) return x;
  for (const Group& group : p.right) {
    Shape lengths;
    for (const size_t axis : group.axes) lengths.push_back(p.axes[axis].length);
    joined.push_back(count_elements(lengths));
  }
  return x.reshape(joined);
}

std::string as_python(const AxesLengths& lengths) {
  std::string text;
  for (const auto& [name, length] : lengths) text += str(text.empty() ? "" : ", ", "'", name, "': ", length);
  return "{" + text + "}";
}

Tensor transformed(const Tensor& x, const std::string& pattern, const std::string& operation,
                   const AxesLengths& lengths, const OverDims& function = {}) {
  const size_t arrow = pattern.find("->");
  ETUDE_CHECK_VALUE(arrow != std::string::npos,
                    "not enough values to unpack (expected 2, got 1)\nreceived \"", pattern,
                    "\"\nhint: a pattern has an arrow, as in \"a b -> b a\"");
  ETUDE_CHECK_VALUE(pattern.find("->", arrow + 2) == std::string::npos,
                    "too many values to unpack (expected 2)\nreceived \"", pattern, "\"");
  Pattern p;
  try {
    p = read_pattern(pattern, operation, lengths, function != nullptr);
    spell_dots(p, x.dim());
    find_lengths(p, x.sizes(), lengths);
  } catch (const Error& error) {
    throw Error(str(" Error while processing ", operation, "-reduction pattern \"", pattern,
                    "\".\n Input tensor shape: torch.Size(", x.sizes(),
                    "). Additional info: ", as_python(lengths), ".\n ", error.msg()));
  }
  if (function) return apply(p, x, function);
  return apply(p, x, [&](const Tensor& t, IntArrayRef dims) { return reduced_by_name(t, operation, dims); });
}

Tensor stacked(TensorList tensors) {
  ETUDE_CHECK_TYPE(!tensors.empty(), "Rearrange/Reduce/Repeat can't be applied to an empty list");
  return stack(tensors);
}

}  // namespace

Tensor rearrange(const Tensor& tensor, const std::string& pattern, const AxesLengths& axes) {
  ETUDE_OWN_OP(rearrange, tensor, pattern, axes);
  return transformed(tensor, pattern, "rearrange", axes);
}
Tensor rearrange(TensorList tensors, const std::string& pattern, const AxesLengths& axes) {
  return rearrange(stacked(tensors), pattern, axes);
}

Tensor reduce(const Tensor& tensor, const std::string& pattern, const std::string& reduction,
              const AxesLengths& axes) {
  ETUDE_OWN_OP(reduce, tensor, pattern, reduction, axes);
  return transformed(tensor, pattern, reduction, axes);
}
Tensor reduce(const Tensor& tensor, const std::string& pattern, const OverDims& reduction,
              const AxesLengths& axes) {
  ETUDE_OWN_OP(reduce, tensor, pattern, reduction, axes);
  return transformed(tensor, pattern, "function", axes, reduction);
}
Tensor reduce(TensorList tensors, const std::string& pattern, const std::string& reduction,
              const AxesLengths& axes) {
  return reduce(stacked(tensors), pattern, reduction, axes);
}

Tensor repeat(const Tensor& tensor, const std::string& pattern, const AxesLengths& axes) {
  ETUDE_OWN_OP(repeat, tensor, pattern, axes);
  return transformed(tensor, pattern, "repeat", axes);
}
Tensor repeat(TensorList tensors, const std::string& pattern, const AxesLengths& axes) {
  return repeat(stacked(tensors), pattern, axes);
}

AxesLengths parse_shape(const Tensor& tensor, const std::string& pattern) {
  std::vector<Axis> axes;
  const Side side = SideReader(axes, &Axis::on_left, true).read(pattern);
  const std::string received = str(": ", pattern, " torch.Size(", tensor.sizes(), ")");
  for (const Group& group : side)
    ETUDE_CHECK(group.axes.size() < 2, "Can't parse shape with composite axes", received);
  const size_t dots = dots_among(axes);
  const bool has_dots = dots < axes.size();
  const auto dims = tensor.dim(), named = static_cast<int64_t>(side.size()) - has_dots;
  ETUDE_CHECK(dims == named || has_dots, "Can't parse shape with different number of dimensions", received);
  ETUDE_CHECK(dims >= named, "Can't parse shape with this number of dimensions", received);
  AxesLengths lengths;
  int64_t d = 0;
  for (const Group& group : side) {
    if (group.axes.empty()) {
      ETUDE_CHECK(tensor.size(d++) == 1, "Length of axis is not 1", received);
    } else if (group.axes[0] == dots) {
      d += dims - named;
    } else {
      const Axis& axis = axes[group.axes[0]];
      const int64_t size = tensor.size(d++);
      ETUDE_CHECK(!axis.is_number || axis.length == size, "Length of anonymous axis does not match",
                  received);
      if (!axis.is_number && axis.name != "_") lengths.emplace_back(axis.name, size);
    }
  }
  return lengths;
}

}  // namespace etude
