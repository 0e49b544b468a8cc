#include "support/example.h"

/// # Convolutions and borders
///
/// Windows that slide over signals and images, and borders around them.

/// - Shapes: input [n, in, length] or [in, length], weight [out, in / groups, kernel]; the result [n, out, length'] or
///   [out, length']
/// - Errors: `Given groups=1, weight of size [1, 2, 2], expected input[1, 1, 4] to have 2 channels, but got 1 channels instead`
///   where weight and input have different channels
/// - Errors: `Calculated padded input size per channel: (4). Kernel size: (5). Kernel size can't be greater than actual input
///   size` where the window is longer than the padded signal
EXAMPLE(etude::conv1d, etude::nn::functional::conv1d) {
  const Tensor x = etude::tensor({{{1.0, 2.0, 3.0, 4.0}}}), weight = etude::tensor({{{1.0, -1.0}}});
  print(etude::conv1d(x, weight));
  print(F::conv1d(x, weight, F::Conv1dFuncOptions().stride(2)));
  print(examples::message_of([&] { etude::conv1d(x, etude::ones({1, 2, 2})); }));
  print(examples::message_of([&] { etude::conv1d(x, etude::ones({1, 1, 5})); }));
}

/// - Shapes: input [n, in, height, width] or [in, height, width], weight [out, in / groups, kernel height, kernel width]; the
///   result [n, out, height', width'], or without n
/// - Errors: as those of conv1d
EXAMPLE(etude::conv2d, etude::nn::functional::conv2d, etude::convolution) {
  const Tensor x = etude::arange(9.0).view({1, 1, 3, 3}), weight = etude::ones({1, 1, 2, 2});
  print(etude::conv2d(x, weight));
  print(F::conv2d(x, weight, F::Conv2dFuncOptions().padding(1)).sizes());
  print(etude::convolution(x, weight, {}, {1, 1}, {0, 0}, {1, 1}, false, {0, 0}, 1).sizes());
}

/// - Shapes: input [n, in_channels, length] or [in_channels, length]; the result [n, out_channels, length'] or
///   [out_channels, length']; weight [out_channels, in_channels / groups, kernel_size]
/// - Errors: `in_channels must be divisible by groups`, or out_channels, where it is not
/// - Errors: `padding='same' is not supported for strided convolutions` where both are asked for
EXAMPLE(etude::nn::Conv1d, etude::nn::ConvNdImpl, etude::nn::ConvOptions) {
  nn::Conv1d signal(nn::Conv1dOptions(3, 5, 2));
  print(signal(etude::zeros({1, 3, 10})).sizes());
  nn::Conv1d same(nn::Conv1dOptions(4, 4, 3).padding(etude::kSame).padding_mode(etude::kReflect).groups(2));
  print(same(etude::zeros({1, 4, 10})).sizes(), same->weight.sizes());
  print(examples::message_of([&] { nn::Conv1d(nn::Conv1dOptions(3, 5, 2).groups(2)); }));
}

/// - Shapes: input [n, in_channels, height, width] or without n; the result [n, out_channels, height', width'] or without n
/// - Errors: `Given groups=1, weight of size [5, 3, 3, 3], expected input[1, 2, 8, 8] to have 3 channels, but got 2 channels
///   instead` where the input has other channels
EXAMPLE(etude::nn::Conv2d) {
  nn::Conv2d image(nn::Conv2dOptions(3, 5, 3).padding(1).stride(2));
  print(image(etude::zeros({1, 3, 8, 8})).sizes());
  print(examples::message_of([&] { image(etude::zeros({1, 2, 8, 8})); }));
}

/// Places where windows overlap are added up.
///
/// - Shapes: image [n, c, height, width]; columns [n, c * kernel area, windows]
/// - Errors: `Input Error: Only 4D input Tensors are supported (got 2D)` where unfold gets another number of dims
/// - Errors: `Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)=3 and
///   kernel_size=(2, 2).` where columns are no whole windows
EXAMPLE(etude::nn::functional::unfold, etude::nn::functional::fold) {
  const Tensor x = etude::arange(9.0).view({1, 1, 3, 3});
  const Tensor columns = F::unfold(x, F::UnfoldFuncOptions({2, 2}));
  print(columns);
  print(F::fold(columns, F::FoldFuncOptions({3, 3}, {2, 2})));
  print(examples::message_of([&] { F::unfold(x[0][0], F::UnfoldFuncOptions({2, 2})); }));
  print(examples::message_of([&] { F::fold(etude::ones({1, 3, 4}), F::FoldFuncOptions({3, 3}, {2, 2})); }));
}

/// `unfold` and `fold` call these functions.
///
/// - Shapes: image [n, c, height, width] or without n; columns [n, c * kernel area, windows] or without n
/// - Errors: as those of unfold and fold
/// - PyTorch: `torch._C._nn.im2col`, `torch._C._nn.col2im`
EXAMPLE(etude::im2col, etude::col2im) {
  const Tensor x = etude::arange(9.0).view({1, 1, 3, 3});
  const Tensor columns = etude::im2col(x, {2, 2}, {1, 1}, {0, 0}, {1, 1});
  print(columns.sizes());
  print(etude::col2im(columns, {3, 3}, {2, 2}, {1, 1}, {0, 0}, {1, 1}).sizes());
}

/// - Shapes: image [n, c, height, width]; columns [n, c * kernel area, windows]
/// - Errors: as those of the functions
EXAMPLE(etude::nn::Unfold, etude::nn::Fold) {
  const Tensor columns = nn::Unfold(nn::UnfoldOptions({2, 2}))(etude::ones({1, 1, 3, 3}));
  print(columns.sizes());
  print(nn::Fold(nn::FoldOptions({3, 3}, {2, 2}))(columns));
}

/// - Shapes: input [*]; the result larger by what is added, or smaller where a number is negative
/// - Errors: `Length of pad must be even but instead it equals 1`, or of `pad` `Padding length must be divisible by 2`
/// - Errors: `Padding size 2 is not supported for 4D input tensor.` where a mode does not know so many
///   dims
/// - PyTorch: `torch.constant_pad_nd`, `torch.nn.functional.pad`
EXAMPLE(etude::constant_pad_nd, etude::pad, etude::nn::functional::pad) {
  const Tensor x = etude::tensor({{1.0, 2.0}});
  print(etude::constant_pad_nd(x, {1, 0}, 7));
  print(etude::pad(x, {0, 1, 1, 0}));
  print(F::pad(x, F::PadFuncOptions({1, 1}).mode(etude::kReplicate)));
  print(examples::message_of([&] { etude::constant_pad_nd(x, {1}); }));
}

/// - Shapes: input [n, c, ...] or [c, ...] with one, two or three dims of space; the result is larger there
/// - Errors: `Argument #4: Padding size should be less than the corresponding input dimension, but got: padding (3, 1) at
///   dimension 1 of input [1, 3]` where a mirror is not deep enough
/// - PyTorch: `torch._C._nn.reflection_pad1d`, and so on
EXAMPLE(etude::reflection_pad1d, etude::reflection_pad2d, etude::reflection_pad3d, etude::replication_pad1d,
        etude::replication_pad2d, etude::replication_pad3d) {
  const Tensor x = etude::tensor({{1.0, 2.0, 3.0}});
  print(etude::reflection_pad1d(x, {2, 1}));
  print(etude::replication_pad1d(x, {2, 1}));
  const Tensor image = etude::arange(4.0).view({1, 2, 2}), space = image.view({1, 1, 2, 2});
  print(etude::reflection_pad2d(image, {1, 0, 0, 1}));
  print(etude::replication_pad2d(image, {1, 0, 0, 1}));
  print(etude::reflection_pad3d(space, {1, 0, 0, 0, 0, 0}));
  print(etude::replication_pad3d(space, {1, 0, 0, 0, 0, 0}));
  print(examples::message_of([&] { etude::reflection_pad1d(x, {3, 1}); }));
}

/// - Shapes: input [*, length]; the result [*, length + padding]
/// - Errors: none of its own
EXAMPLE(etude::nn::ConstantPad1d, etude::nn::ConstantPad2d, etude::nn::ZeroPad2d) {
  const Tensor x = etude::tensor({{{1.0, 2.0, 3.0}}}), image = etude::arange(4.0).view({1, 1, 2, 2});
  print(nn::ConstantPad1d(nn::ConstantPad1dOptions(1, 9))(x));
  print(nn::ConstantPad2d(nn::ConstantPad2dOptions(1, 9))(image).sizes());
  print(nn::ZeroPad2d(1)(image));
}

/// - Shapes: input [n, c, length] or [c, length], of an image [n, c, height, width] or [c, height, width]; the result is larger
///   by the padding
/// - Errors: `Argument #4: Padding size should be less than the corresponding input dimension, but got: padding (3, 3) at
///   dimension 2 of input [1, 1, 3]` where a mirror is not deep enough
EXAMPLE(etude::nn::ReflectionPad1d, etude::nn::ReflectionPad2d, etude::nn::ReplicationPad1d,
        etude::nn::ReplicationPad2d) {
  const Tensor x = etude::tensor({{{1.0, 2.0, 3.0}}}), image = etude::arange(4.0).view({1, 1, 2, 2});
  print(nn::ReflectionPad1d(1)(x), nn::ReplicationPad1d(1)(x));
  print(nn::ReflectionPad2d(1)(image).sizes(), nn::ReplicationPad2d(1)(image).sizes());
  print(nn::ReflectionPad2d(nn::ReflectionPad2dOptions({1, 0, 0, 0}))(image));
  print(examples::message_of([&] { nn::ReflectionPad1d(3)(x); }));
}

/// `Upsample` is the layer.
///
/// - Shapes: input [n, c, length] -> [n, c, size]; [n, c, height, width] -> [n, c, sizes...]
/// - Errors: `either size or scale_factor should be defined`
EXAMPLE(etude::nn::functional::interpolate, etude::nn::functional::InterpolateFuncOptions,
        etude::nn::Upsample, etude::nn::UpsampleOptions) {
  const Tensor x = etude::tensor({{{1., 3.}}}), image = x.unsqueeze(2);
  print(F::interpolate(x, F::InterpolateFuncOptions().size(std::vector<int64_t>{5})));
  const auto options = nn::UpsampleOptions().scale_factor(std::vector<double>{1, 2});
  print(nn::Upsample(nn::UpsampleOptions(options).mode(etude::kBilinear).align_corners(false))(image));
  print(examples::message_of([&] { F::interpolate(x); }));
}

/// The functions that `interpolate` calls.
///
/// - Shapes: self [n, c, length] or [n, c, height, width] -> [n, c, output_size...]
/// - Errors: `It is expected output_size equals to 2, but got size 1`
EXAMPLE(etude::upsample_nearest1d, etude::upsample_nearest2d, etude::upsample_linear1d,
        etude::upsample_bilinear2d) {
  const Tensor x = etude::tensor({{{1., 3.}}}), image = x.unsqueeze(2);
  const std::vector<int64_t> five = {5}, sizes = {1, 5};
  print(etude::upsample_nearest1d(x, five));
  print(etude::upsample_linear1d(x, five, /*align_corners=*/true));
  print(etude::upsample_nearest2d(image, sizes).equal(etude::upsample_nearest1d(x, five).unsqueeze(2)));
  print(etude::upsample_bilinear2d(image, sizes, true)
            .equal(etude::upsample_linear1d(x, five, true).unsqueeze(2)));
  print(examples::message_of([&] { etude::upsample_nearest2d(image, five); }));
}
