#include "support/example.h"

/// # einops
///
/// Reshaping, reduction and repetition by patterns that name axes, as in the Python package of this name. Axes in
/// parentheses share one dim, `1` is a dim of size 1, and `...` is any number of dims.

/// - Shapes: as the pattern says; the images of the example [b, h w, c] -> [b, c, h, w]
/// - Errors: `Error while processing rearrange-reduction pattern "b p c -> b p".` where the two sides, or the tensor and the
///   left side, do not match; the next lines say what is wrong: `Identifiers only on one side of expression (should
///   be on both): {'c'}`, `Shape mismatch, can't divide axis of length 6 in chunks of 4`.
/// - PyTorch: `einops.rearrange`
EXAMPLE(etude::rearrange, etude::AxesLengths) {
  const Tensor images = etude::arange(12).view({1, 6, 2});
  const etude::AxesLengths height{{"h", 2}};
  print(etude::rearrange(images, "b (h w) c -> b c h w", height));
  print(etude::rearrange({images, images}, "two b p c -> (two b) p c").sizes());
  print(examples::message_of([&] { etude::rearrange(images, "b p c -> b p"); }));
}

/// - Shapes: as the pattern says; the example [4, 4] -> [2, 2]
/// - Errors: `Error while processing median-reduction pattern "h w -> h".` where there is no such reduction: `Unknown reduction
///   median. Expect one of ('min', 'max', 'sum', 'mean', 'prod', 'any', 'all').`
/// - PyTorch: `einops.reduce`
EXAMPLE(etude::reduce) {
  const Tensor x = etude::arange(16).view({4, 4});
  print(etude::reduce(x, "(h 2) (w 2) -> h w", "max"));
  print(etude::reduce(x, "h w -> h", [](const Tensor& t, etude::IntArrayRef dims) { return t.sum(dims); }));
  print(examples::message_of([&] { etude::reduce(x, "h w -> h", "median"); }));
}

/// - Shapes: as the pattern says; the example [2] -> [2, 3]
/// - Errors: `Error while processing repeat-reduction pattern "w -> w n".` where an axis has no length: `Specify sizes for new
///   axes in repeat: {'n'}`.
/// - PyTorch: `einops.repeat`
EXAMPLE(etude::repeat) {
  const Tensor x = etude::tensor({1, 2});
  print(etude::repeat(x, "w -> w n", {{"n", 3}}));
  print(etude::repeat(x, "w -> (w 2)"));
  print(examples::message_of([&] { etude::repeat(x, "w -> w n"); }));
}

/// - Shapes: x of as many dims as the pattern names
/// - Units: elements
/// - Errors: `Can't parse shape with different number of dimensions: batch width torch.Size([2, 3, 4])`.
/// - PyTorch: `einops.parse_shape`
EXAMPLE(etude::parse_shape) {
  const Tensor x = etude::zeros({2, 3, 4});
  for (const auto& [axis, length] : etude::parse_shape(x, "batch _ width")) print(axis, length);
  print(examples::message_of([&] { etude::parse_shape(x, "batch width"); }));
}
