// Parses the equations of einsum, with PyTorch's rules and messages.

#include "etude/ops/detail/equation.h"

#include <algorithm>

#include "etude/ops/ops.h"

namespace etude {
namespace {

using namespace detail;

// Subscripts are numbers: A to Z and a to z first, then the dims of the ellipsis, aligned at the last dim for all operands.
using Subscripts = std::vector<int>;
constexpr int kEllipsis = 52, kSubscripts = kEllipsis + kMaxDims;

bool has_subscript(const Subscripts& list, int s) {
  return std::find(list.begin(), list.end(), s) != list.end();
}

char letter_of(int s) { return static_cast<char>(s < 26 ? 'A' + s : 'a' + s - 26); }

int subscript_of(char c, size_t at) {
  const bool upper = c >= 'A' && c <= 'Z';
  ETUDE_CHECK(upper || (c >= 'a' && c <= 'z'), "einsum(): invalid subscript given at index ", at,
              " in the equation string, subscripts must be in [a-zA-Z]");
  return upper ? c - 'A' : c - 'a' + 26;
}

// Parses the part left of the arrow; kEllipsis stands for three dots.
std::vector<Subscripts> read_inputs(std::string_view text, size_t operands) {
  std::vector<Subscripts> inputs(1);
  for (size_t i = 0; i < text.size(); ++i) {
    Subscripts& own = inputs.back();
    if (text[i] == ' ') continue;
    if (text[i] == ',') {
      ETUDE_CHECK(inputs.size() < operands,
                  "einsum(): fewer operands were provided than specified in the equation");
      inputs.emplace_back();
    } else if (text[i] == '.') {
      ETUDE_CHECK(!has_subscript(own, kEllipsis), "einsum(): found '.' for operand ", inputs.size() - 1,
                  " for which an ellipsis was already found");
      ETUDE_CHECK(text.substr(i, 3) == "...", "einsum(): found '.' for operand ", inputs.size() - 1,
                  " that is not part of any ellipsis");
      own.push_back(kEllipsis);
      i += 2;
    } else {
      own.push_back(subscript_of(text[i], i));
    }
  }
  ETUDE_CHECK(inputs.size() == operands,
              "einsum(): more operands were provided than specified in the equation");
  return inputs;
}

// Replaces the ellipsis by the last `dims` of its `all` dims.
void spell_out(Subscripts& list, int dims, int all) {
  const auto at = std::find(list.begin(), list.end(), kEllipsis);
  if (at == list.end()) return;
  Subscripts numbers;
  for (int k = all - dims; k < all; ++k) numbers.push_back(kEllipsis + k);
  list.insert(list.erase(at), numbers.begin(), numbers.end());
}

// Gives every dim of every operand its subscript; returns the number of dims of the ellipsis.
int spell_out_all(std::vector<Subscripts>& inputs, TensorList tensors) {
  Subscripts covered;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool dots = has_subscript(inputs[i], kEllipsis);
    const int64_t letters = static_cast<int64_t>(inputs[i].size()) - dots, dims = tensors[i].dim();
    ETUDE_CHECK(!dots || letters <= dims, "einsum(): the number of subscripts in the equation (", letters,
                ") is more than the number of dimensions (", dims, ") for operand ", i);
    ETUDE_CHECK(dots || letters == dims, "einsum(): the number of subscripts in the equation (", letters,
                ") does not match the number of dimensions (", dims, ") for operand ", i,
                " and no ellipsis was given");
    covered.push_back(dots ? static_cast<int>(dims - letters) : 0);
  }
  const int all = *std::max_element(covered.begin(), covered.end());
  for (size_t i = 0; i < inputs.size(); ++i) spell_out(inputs[i], covered[i], all);
  return all;
}

// Parses the part right of the arrow, which starts at `begin`.
Subscripts read_output(std::string_view text, size_t begin, const std::vector<Subscripts>& inputs,
                       int ellipsis_dims) {
  Subscripts output;
  for (size_t i = begin; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (text[i] == '.') {
      ETUDE_CHECK(!has_subscript(output, kEllipsis),
                  "einsum(): found '.' for output but an ellipsis (...) was already found");
      ETUDE_CHECK(text.substr(i, 3) == "...",
                  "einsum(): found '.' for output that is not part of any ellipsis (...)");
      output.push_back(kEllipsis);
      i += 2;
      continue;
    }
    const int s = subscript_of(text[i], i);
    ETUDE_CHECK(!has_subscript(output, s), "einsum(): output subscript ", text[i],
                " appears more than once in the output");
    ETUDE_CHECK(
        std::any_of(inputs.begin(), inputs.end(), [s](const auto& in) { return has_subscript(in, s); }),
        "einsum(): output subscript ", text[i], " does not appear in the equation for any input operand");
    output.push_back(s);
  }
  spell_out(output, ellipsis_dims, ellipsis_dims);
  return output;
}

// The output of an equation without an arrow.
Subscripts implied_output(const std::vector<Subscripts>& inputs, int ellipsis_dims) {
  Subscripts output;
  for (int k = 0; k < ellipsis_dims; ++k) output.push_back(kEllipsis + k);
  for (int s = 0; s < kEllipsis; ++s) {
    int64_t times = 0;
    for (const Subscripts& in : inputs) times += std::count(in.begin(), in.end(), s);
    if (times == 1) output.push_back(s);
  }
  return output;
}

// Takes the diagonal where a subscript is repeated.
Tensor without_repeats(Tensor x, Subscripts& list, size_t operand) {
  for (size_t j = 1; j < list.size(); ++j) {
    const int s = list[j];
    const auto first = static_cast<size_t>(std::find(list.begin(), list.end(), s) - list.begin());
    if (first == j) continue;
    const auto a = static_cast<int64_t>(first), b = static_cast<int64_t>(j);
    ETUDE_CHECK(x.size(a) == x.size(b), "einsum(): subscript ", letter_of(s), " is repeated for operand ",
                operand, " but the sizes don't match, ", x.size(b), " != ", x.size(a));
    x = x.diagonal(0, a, b);
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(b));
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(a));
    list.push_back(s);
    j = 0;
  }
  return x;
}

// covered: the position of the dim among the dims that the operand's ellipsis covers.
void note_size(int64_t& seen, int64_t size, int s, int covered, size_t operand) {
  if (size == 1) return;
  if (s >= kEllipsis)
    ETUDE_CHECK(seen == 1 || seen == size, "einsum(): dimension ", covered,
                " covered by ellipsis in operand ", operand, "has size ", size,
                " which does not broadcast with previously seen ellipsis with size ", seen,
                " for the respective dimension");
  ETUDE_CHECK(seen == 1 || seen == size, "einsum(): subscript ", letter_of(s), " has size ", size,
              " for operand ", operand, " which does not broadcast with previously seen size ", seen);
  seen = size;
}

SumOfProducts read_checked(std::string_view equation, TensorList tensors) {
  const size_t arrow = equation.find("->");
  std::vector<Subscripts> inputs = read_inputs(equation.substr(0, arrow), tensors.size());
  const int ellipsis_dims = spell_out_all(inputs, tensors);
  const Subscripts output = arrow == std::string_view::npos
                                ? implied_output(inputs, ellipsis_dims)
                                : read_output(equation, arrow + 2, inputs, ellipsis_dims);
  std::array<int, kSubscripts> anew;
  int next = 0;
  for (const int s : output) anew[static_cast<size_t>(s)] = next++;
  for (int s = 0; s < kSubscripts; ++s)
    if (!has_subscript(output, s)) anew[static_cast<size_t>(s)] = next++;
  SumOfProducts sum;
  sum.output = only(static_cast<int64_t>(output.size())) - 1;
  sum.sizes.fill(1);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor x = without_repeats(tensors[i], inputs[i], i);
    std::vector<std::pair<int, int64_t>> order;
    DimSet dims = 0;
    int covered = 0;
    for (size_t d = 0; d < inputs[i].size(); ++d) {
      const int s = inputs[i][d], number = anew[static_cast<size_t>(s)];
      note_size(sum.sizes[static_cast<size_t>(number)], x.size(static_cast<int64_t>(d)), s, covered, i);
      covered += s >= kEllipsis;
      order.emplace_back(number, static_cast<int64_t>(d));
      dims |= only(number);
    }
    std::sort(order.begin(), order.end());
    Shape places;
    for (const auto& entry : order) places.push_back(entry.second);
    sum.terms.push_back({x.permute(places), dims});
  }
  return sum;
}

}  // namespace

SumOfProducts detail::read_equation(std::string_view equation, TensorList tensors) {
  try {
    return read_checked(equation, tensors);
  } catch (const Error& error) {
    std::string received = "\nreceived \"" + std::string(equation) + "\" for";
    for (const Tensor& t : tensors) received += str(" ", t.sizes());
    throw Error(error.msg() + received);
  }
}

}  // namespace etude
