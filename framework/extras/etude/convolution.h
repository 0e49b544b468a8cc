#pragma once

#include "etude/framework.h"

namespace etude::nn {

/// Options of a convolution over D spatial dims.
template <size_t D>
struct ConvOptions {
  using padding_mode_t =
      std::variant<enumtype::kZeros, enumtype::kReflect, enumtype::kReplicate, enumtype::kCircular>;
  using padding_t = detail::conv_padding_t<D>;
  ConvOptions(int64_t in_channels, int64_t out_channels, ExpandingArray<D> kernel_size)
      : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(kernel_size) {}
  /// The number of channels of the input.
  ETUDE_ARG(int64_t, in_channels);
  /// The number of channels of the result.
  ETUDE_ARG(int64_t, out_channels);
  /// The size of a window.
  ETUDE_ARG(ExpandingArray<D>, kernel_size);
  /// The distance between windows.
  ETUDE_ARG(ExpandingArray<D>, stride) = 1;
  /// The number of elements added at both ends, kValid (none) or kSame (enough to keep the size).
  ETUDE_ARG(padding_t, padding) = 0;

 public:
  auto& padding(std::initializer_list<int64_t> numbers) { return padding(padding_t(numbers)); }
  /// The distance between the elements of a window.
  ETUDE_ARG(ExpandingArray<D>, dilation) = 1;
  /// The number of groups of channels; each group of outputs sees only its own group of inputs.
  ETUDE_ARG(int64_t, groups) = 1;
  /// Whether to add a bias.
  ETUDE_ARG(bool, bias) = true;
  /// The elements that are added: zeros, or elements of the input.
  ETUDE_ARG(padding_mode_t, padding_mode) = kZeros;
};
using Conv1dOptions = ConvOptions<1>;
using Conv2dOptions = ConvOptions<2>;

/// Base of the convolutions over D spatial dims (torch::nn::ConvNdImpl).
template <size_t D, typename Derived>
class ETUDE_API ConvNdImpl : public Cloneable<Derived> {
 public:
  ConvNdImpl(int64_t in_channels, int64_t out_channels, ExpandingArray<D> kernel_size)
      : ConvNdImpl(ConvOptions<D>(in_channels, out_channels, kernel_size)) {}
  explicit ConvNdImpl(ConvOptions<D> options_) : options(std::move(options_)) { ConvNdImpl::reset(); }

  void reset() override;
  /// Draws weight, then bias, from U(-1/sqrt(f), 1/sqrt(f)), where f is the number of weights per output channel.
  void reset_parameters();
  Tensor forward(const Tensor& input);
  std::string extra_repr() const override;

  ConvOptions<D> options;
  Tensor weight;  ///< [out_channels, in_channels / groups, kernel_size ...]
  Tensor bias;    ///< [out_channels], undefined without options.bias()
};

/// Convolves a signal with filters: [n, in_channels, length] (or without n) -> [n, out_channels, length']
/// (torch::nn::Conv1d). Conv1D is a different layer, from GPT-2.
class ETUDE_API Conv1dImpl : public ConvNdImpl<1, Conv1dImpl> {
 public:
  using ConvNdImpl::ConvNdImpl;
};
ETUDE_MODULE(Conv1d);

/// Convolves an image with filters: [n, in_channels, height, width] (or without n) ->
/// [n, out_channels, height', width'] (torch::nn::Conv2d).
class ETUDE_API Conv2dImpl : public ConvNdImpl<2, Conv2dImpl> {
 public:
  using ConvNdImpl::ConvNdImpl;
};
ETUDE_MODULE(Conv2d);

}  // namespace etude::nn
