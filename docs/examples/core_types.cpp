#include "support/example.h"

/// # Numbers, lists and values
///
/// The types of arguments: numbers, sizes, lists of tensors, and values of any type.

/// - Errors: `value cannot be converted to type uint8_t without overflow` where T cannot hold it.
EXAMPLE(etude::Scalar) {
  const etude::Scalar number = 300;
  print(number.isFloatingPoint(), number.isIntegral(/*include_bool=*/false), number.toDouble());
  print(number.equal(300.0), etude::Scalar(0.5).to<bool>());
  print(examples::message_of([&] { number.to<uint8_t>(); }));
}

/// A parameter of type `IntArrayRef` accepts a vector, a list in braces or a number.
///
/// - Units: elements; `slice` counts them from the first
/// - Errors: `ArrayRef: invalid index Index = 2; Length = 2` from `at`; `ArrayRef: invalid slice, N = 1; M = 2; size = 2`;
///   `ArrayRef: attempted to access front() of empty list`.
EXAMPLE(etude::ArrayRef, etude::IntArrayRef) {
  const std::vector<int64_t> sizes{2, 3, 4};
  const etude::IntArrayRef all(sizes);
  print(all.slice(1, 2).vec() == std::vector<int64_t>{3, 4}, all == sizes);
  print(examples::message_of([&] { all.at(3); }));
  const etude::ArrayRef<double> none;
  print(none.empty(), examples::message_of([&] { none.front(); }));
}

/// - Errors: none of its own
EXAMPLE(etude::OptionalIntArrayRef) {
  const etude::OptionalIntArrayRef all, some = etude::IntArrayRef{0, 1};
  print(all.has_value(), some.has_value());
}

/// - Shapes: any
/// - Errors: those of `ArrayRef`.
EXAMPLE(etude::TensorList) {
  const auto elements = [](etude::TensorList tensors) {
    int64_t count = 0;
    for (const Tensor& t : tensors) count += t.numel();
    return count;
  };
  print(elements({etude::zeros({2, 3}), etude::zeros({4})}));
}

/// LibTorch's names for a tensor and for a list of tensors in functions about gradients.
///
/// - Shapes: any
/// - Errors: none of its own
EXAMPLE(etude::autograd::Variable, etude::autograd::variable_list) {
  const etude::autograd::Variable x = etude::ones({2}, etude::requires_grad());
  const etude::autograd::variable_list gradients = etude::autograd::grad({x.sum()}, {x});
  print(gradients[0]);
}

/// The type of the options of layers that have a number for each dim.
///
/// - Errors: `Expected 2 values, but instead got 3`.
EXAMPLE(etude::ExpandingArray) {
  const etude::ExpandingArray<2> kernel(3), sides({1, 2});
  print((*kernel)[0], (*kernel)[1]);
  print((*sides)[0], sides->back());
  print(examples::message_of([] { etude::ExpandingArray<2>({1, 2, 3}); }));
}

/// - Errors: none of its own
EXAMPLE(etude::irange, etude::IntegerRange, etude::IntegerRange::iterator) {
  int64_t sum = 0;
  for (const auto i : etude::irange(2, 5)) sum += i;
  print(sum);
  for (const auto i : etude::irange(2)) print(i);
}

/// The type of the arguments of a `RecordFunction` and of the values in archives.
///
/// - Shapes: any, of a tensor
/// - Errors: `Expected Tensor but got String` where the value is of another type.
EXAMPLE(etude::IValue) {
  const etude::IValue number = 3, text = "three", list = std::vector<int64_t>{1, 2}, nothing;
  print(number.toInt(), text.toStringRef(), list.toIntVector().size() == 2, nothing.isNone());
  print(number.isInt(), number.isTensor(), number.tagKind());
  print(etude::IValue(etude::ones({2})).toTensor());
  print(examples::message_of([&] { text.toTensor(); }));
}

/// - Shapes: any
/// - Errors: none of its own
EXAMPLE(etude::List) {
  etude::List<int64_t> numbers;
  numbers.push_back(3);
  print(numbers.size() == 1);
}

/// A tensor, a scalar, a device, options and a dtype can be written to a stream.
///
/// - Shapes: any
/// - Errors: none of its own
EXAMPLE(etude::operator<<) {
  std::ostringstream out;
  out << etude::Scalar(1.5) << ' ' << etude::Device("cpu:0") << ' ' << etude::kCPU << ' '
      << etude::indexing::Slice(1, etude::indexing::None, 2);
  print(out.str());
}
