#include "etude/explain/detail/event.h"

#include <string_view>

namespace etude::detail {
namespace {

enum class Class : uint8_t {
  kProduct,  // of matrices and vectors, summed over the last dim of the first; perhaps plus a bias
  kAddmm,    // the bias comes first
  kConvolution,
  kElements,   // one operation for each element of the result
  kReduction,  // one for each element of the input
  kCopy,       // moves elements, computes nothing
  kFill,       // writes only
  kStream      // reads and writes each tensor once; the operations are not counted
};

constexpr std::pair<Class, const char*> kClasses[] = {
    {Class::kProduct, "mm bmm matmul mv dot linear quantized_linear"},
    {Class::kAddmm, "addmm"},
    {Class::kConvolution, "conv1d conv2d"},
    {Class::kElements,
     "abs add bitwise_and bitwise_not bitwise_or bitwise_xor ceil celu clamp clamp_max clamp_min cos div elu "
     "eq erf erfinv exp expm1 floor floor_divide fmod ge gelu gt hardshrink hardtanh isfinite isinf isnan le "
     "leaky_relu log log1p log2 log_sigmoid logical_and logical_not logical_or logical_xor lt maximum "
     "minimum mish mul ne neg outer pow prelu reciprocal relu remainder round rsqrt rsub selu sigmoid sign "
     "silu sin softplus softshrink sqrt sub tan tanh threshold trunc"},
    {Class::kReduction, "all amax amin any argmax argmin cumsum max mean min prod sum"},
    {Class::kCopy,
     "cat clone constant_pad_nd contiguous copy_ flatten flip hstack masked_fill repeat reshape roll stack "
     "to tril triu vstack where"},
    {Class::kFill, "arange eye full full_like linspace ones scalar_tensor zeros fill_ zero_"},
    {Class::kStream, "dropout layer_norm log_softmax normal_ softmax uniform_ var std"}};

bool has_word(std::string_view words, std::string_view word) {
  for (size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

std::optional<Class> class_of(std::string_view op) {
  const size_t colons = op.rfind("::");
  if (colons != std::string_view::npos) op.remove_prefix(colons + 2);
  for (const auto& [of, names] : kClasses)
    if (has_word(names, op)) return of;
  const bool is_in_place = !op.empty() && op.back() == '_';
  return is_in_place ? class_of(op.substr(0, op.size() - 1)) : std::nullopt;
}

// The number of products in one element of the result.
double summed(Class c, const std::vector<TensorForm>& given) {
  if (c == Class::kConvolution)
    return static_cast<double>(given[1].numel) / static_cast<double>(std::max<int64_t>(given[1].sizes[0], 1));
  const std::vector<int64_t>& sizes = given[c == Class::kAddmm ? 1 : 0].sizes;
  return sizes.empty() ? 1 : static_cast<double>(sizes.back());
}

std::optional<double> operations(Class c, const Event& op, double elements) {
  const bool has_bias = c == Class::kAddmm || (op.given.size() > 2 && op.given[2].dtype);
  switch (c) {
    case Class::kProduct:
    case Class::kAddmm:
    case Class::kConvolution:
      return (2 * summed(c, op.given) + has_bias) * elements;
    case Class::kElements:
      return elements;
    case Class::kReduction:
      return static_cast<double>(op.given[0].numel);
    case Class::kCopy:
    case Class::kFill:
      return 0;
    case Class::kStream:
      return std::nullopt;
  }
  return std::nullopt;
}

// Whether a node consists of products alone, so that its work is the sum of its ops.
bool is_sum_of_ops(std::string_view node) {
  for (const std::string_view begin : {"Mm", "Bmm", "Addmm", "Mv", "Dot", "Linear"})
    if (node.substr(0, begin.size()) == begin) return true;
  return false;
}

void add_up(Event& node) {
  double flop = 0, bytes = 0;
  for (const Event& op : node.inside) {
    if (!op.flop || !op.bytes) return;
    flop += *op.flop;
    bytes += *op.bytes;
  }
  node.flop = flop;
  node.bytes = bytes;
}

}  // namespace

void count_work(Event& op) {
  if (op.kind == listen::Kind::kNode) {
    if (is_sum_of_ops(op.name)) add_up(op);
    return;
  }
  const std::string_view way = op.way;
  if (way == "view" || way == "same") {
    op.flop = op.bytes = 0;
    return;
  }
  const std::optional<Class> c = class_of(op.name);
  if (!c || op.results.empty() || !op.results[0].dtype) return;
  const bool fills = *c == Class::kFill;
  const size_t needed = *c == Class::kConvolution || *c == Class::kAddmm ? 2 : fills ? 0 : 1;
  if (op.given.size() < needed) return;
  if (*c == Class::kConvolution && op.given[1].sizes.empty()) return;
  double elements = 0, bytes = 0;
  for (const TensorForm& form : op.results) {
    elements += static_cast<double>(form.numel);
    bytes += form.bytes;
  }
  if (!fills)
    for (const TensorForm& form : op.given) bytes += form.bytes;
  if (op.name == "aten::copy_") bytes -= op.given[0].bytes;  // written, not read
  op.flop = operations(*c, op, elements);
  op.bytes = bytes;
  if (*c == Class::kCopy && way.empty()) op.way = "copy";
}

}  // namespace etude::detail
