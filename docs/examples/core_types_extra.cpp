#include "support/example.h"

/// A list without memory on the heap, for authors of ops.
///
/// - Shapes: at most 8 dims
/// - Errors: `tensors of more than 8 dims are not supported` where there would be more.
/// - PyTorch: `c10::DimVector`
EXAMPLE(etude::Shape, etude::kMaxDims) {
  etude::Shape sizes{2, 3};
  sizes.push_back(4);
  sizes.erase(0);
  print(sizes.ref(), etude::kMaxDims);
  print(examples::message_of([] { etude::zeros({1, 1, 1, 1, 1, 1, 1, 1, 1}); }));
}

/// Computations with sizes, for authors of ops.
///
/// - Shapes: a [2, 1] and b [3] -> [2, 3] of `broadcast_sizes`
/// - Units: strides in elements
/// - Errors: `Dimension out of range (expected to be in range of [-2, 1], but got 2)`;
///   `numel: integer multiplication overflow`;
///   `The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0`;
///   `shape '[4, 2]' is invalid for input of size 6`.
/// - PyTorch: `c10::maybe_wrap_dim`, `at::infer_size`, `at::detail::computeStride`
EXAMPLE(etude::wrap_dim, etude::count_elements, etude::contiguous_strides, etude::broadcast_sizes,
        etude::infer_sizes, etude::view_strides) {
  print(etude::wrap_dim(-1, 2), etude::count_elements({2, 3}));
  print(etude::contiguous_strides({2, 3}).ref());
  print(etude::broadcast_sizes({2, 1}, {3}).ref(), etude::infer_sizes({-1, 2}, 6).ref());
  etude::Shape strides;
  print(etude::view_strides({2, 3}, {3, 1}, {6}, strides));
  print(strides.ref());
  print(etude::view_strides({3, 2}, {1, 3}, {6}, strides));
  print(examples::message_of([] { etude::wrap_dim(2, 2); }));
  print(examples::message_of([] { etude::broadcast_sizes({2}, {3}); }));
}

/// The type of the parameter `dim` of reductions.
///
/// - Shapes: x [a, b]: `sum(0)` -> [b], `sum({0, 1})` and `sum(nullopt)` -> []
/// - Errors: none of its own
/// - PyTorch: `at::OptionalIntArrayRef`
EXAMPLE(etude::DimList) {
  const etude::DimList all, one = 1, two = {0, 1};
  print(all.has_value(), one.value().vec() == std::vector<int64_t>{1}, two.value().size() == 2);
}

/// The function must outlive the reference.
///
/// - Errors: none of its own
/// - PyTorch: `c10::function_ref`
EXAMPLE(etude::FunctionRef) {
  const auto twice = [](etude::FunctionRef<int64_t(int64_t)> f, int64_t x) { return f(f(x)); };
  print(twice([](int64_t x) { return 3 * x; }, 2));
}

/// - Shapes: any, of the tensors in it
/// - Errors: `Argument passed to at() was not in the map.`
/// - PyTorch: `c10::impl::GenericDict`
EXAMPLE(etude::GenericDict, etude::DictEntry) {
  etude::GenericDict dict;
  dict.insert_or_assign("step", 3);
  dict.insert_or_assign("rate", 0.5);
  for (const etude::DictEntry& entry : dict)
    print(entry.key().toStringRef(), entry.value().toScalar().toDouble());
  print(dict.contains("loss"), examples::message_of([&] { dict.at("loss"); }));
}

/// - Shapes: x [*] -> as many numbers as x has elements
/// - Errors: `value cannot be converted to type uint8_t without overflow` where T cannot hold an element.
/// - PyTorch: `torch.Tensor.tolist`
EXAMPLE(etude::to_vector) {
  const std::vector<float> numbers = etude::to_vector<float>(etude::tensor({{1, 2}, {3, 4}}).t());
  for (const float number : numbers) print(static_cast<double>(number));
  print(examples::message_of([] { etude::to_vector<uint8_t>(etude::tensor({300})); }));
}
