#include "etude/convolution.h"

#include <algorithm>
#include <cmath>

namespace etude::nn {
namespace {

template <size_t D>
bool are_all(const ExpandingArray<D>& numbers, int64_t value) {
  return std::all_of(numbers->begin(), numbers->end(), [value](int64_t n) { return n == value; });
}

// The padding in the order of functional::pad: from the last dim on, before and after.
template <size_t D>
std::vector<int64_t> border_of(const ConvOptions<D>& options) {
  std::vector<int64_t> border;
  for (size_t d = D; d-- > 0;) {
    const int64_t total = (*options.dilation())[d] * ((*options.kernel_size())[d] - 1);
    if (const auto* const numbers = std::get_if<ExpandingArray<D>>(&options.padding()))
      border.insert(border.end(), 2, (**numbers)[d]);
    else if (std::holds_alternative<enumtype::kSame>(options.padding()))
      border.insert(border.end(), {total / 2, total - total / 2});
    else border.insert(border.end(), 2, 0);
  }
  return border;
}

constexpr const char* kPaddingModes[] = {"zeros", "reflect", "replicate", "circular"};

}  // namespace

template <size_t D, typename Derived>
void ConvNdImpl<D, Derived>::reset() {
  ETUDE_CHECK(options.groups() > 0, "groups must be a positive integer\nreceived ", options.groups());
  ETUDE_CHECK(options.in_channels() % options.groups() == 0,
              "in_channels must be divisible by groups\nreceived ", options.in_channels(), " and ",
              options.groups());
  ETUDE_CHECK(options.out_channels() % options.groups() == 0,
              "out_channels must be divisible by groups\nreceived ", options.out_channels(), " and ",
              options.groups());
  ETUDE_CHECK(!std::holds_alternative<enumtype::kSame>(options.padding()) || are_all(options.stride(), 1),
              "padding='same' is not supported for strided convolutions");
  std::vector<int64_t> sizes{options.out_channels(), options.in_channels() / options.groups()};
  sizes.insert(sizes.end(), options.kernel_size()->begin(), options.kernel_size()->end());
  weight = this->register_parameter("weight", etude::empty(sizes));
  bias = this->register_parameter("bias", options.bias() ? etude::empty({options.out_channels()}) : Tensor(),
                                  options.bias());
  reset_parameters();
}

template <size_t D, typename Derived>
void ConvNdImpl<D, Derived>::reset_parameters() {
  init::kaiming_uniform_(weight, std::sqrt(5.0));  // with this slope the bound equals the bound of the bias
  if (!bias.defined()) return;
  const auto fan_in = static_cast<double>(std::get<0>(init::_calculate_fan_in_and_fan_out(weight)));
  const double bound = fan_in > 0 ? 1 / std::sqrt(fan_in) : 0;
  init::uniform_(bias, -bound, bound);
}

template <size_t D, typename Derived>
Tensor ConvNdImpl<D, Derived>::forward(const Tensor& input) {
  const size_t mode = options.padding_mode().index();
  if (mode == 0)
    return functional::detail::conv<D>(input, weight, bias, options.stride(), options.padding(),
                                       options.dilation(), options.groups());
  return functional::detail::conv<D>(etude::pad(input, border_of(options), kPaddingModes[mode]), weight, bias,
                                     options.stride(), 0, options.dilation(), options.groups());
}

template <size_t D, typename Derived>
std::string ConvNdImpl<D, Derived>::extra_repr() const {
  const auto tuple = [](const ExpandingArray<D>& numbers) { return etude::detail::python_tuple(*numbers); };
  std::string text =
      str(options.in_channels(), ", ", options.out_channels(), ", kernel_size=", tuple(options.kernel_size()),
          ", stride=", tuple(options.stride()));
  const auto* const padding = std::get_if<ExpandingArray<D>>(&options.padding());
  if (!padding)
    text += std::holds_alternative<enumtype::kSame>(options.padding()) ? ", padding=same" : ", padding=valid";
  else if (!are_all(*padding, 0)) text += ", padding=" + tuple(*padding);
  if (!are_all(options.dilation(), 1)) text += ", dilation=" + tuple(options.dilation());
  if (options.groups() != 1) text += str(", groups=", options.groups());
  if (!options.bias()) text += ", bias=False";
  if (options.padding_mode().index() != 0)
    text += str(", padding_mode=", kPaddingModes[options.padding_mode().index()]);
  return text;
}

template class ConvNdImpl<1, Conv1dImpl>;
template class ConvNdImpl<2, Conv2dImpl>;

}  // namespace etude::nn
