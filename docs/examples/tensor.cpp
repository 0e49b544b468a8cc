#include "support/example.h"

/// # Tensor
///
/// The class, and the methods that are no functions as well: all others stand with the function of the same name.

/// - Shapes: any, of at most 8 dims
/// - Errors: `Expected a proper Tensor but got None (or an undefined Tensor in C++)` where a handle that names no array is used
///   for more than `defined`, `reset`, `is_same` and `use_count`.
EXAMPLE(etude::Tensor) {
  const Tensor x = etude::tensor({{1.0, 2.0}, {3.0, 4.0}});
  const Tensor same = x;  // another name of the same array
  same[0][0] = 9;
  print(x);
  print(Tensor().defined());
}

/// Whether the tensor is the handle of an array; `reset` makes it the handle of none.
///
/// - Shapes: none
/// - Errors: none of its own
EXAMPLE(etude::Tensor::defined, etude::Tensor::reset) {
  Tensor x = etude::zeros({2});
  print(x.defined());
  x.reset();
  print(x.defined());
}

/// `is_same` says whether two tensors are handles of the same array, `use_count` how many handles that array has, and
/// `is_alias_of` whether two tensors share memory.
///
/// - Shapes: any
/// - Units: `use_count` in handles
/// - Errors: none of its own
EXAMPLE(etude::Tensor::is_same, etude::Tensor::use_count, etude::Tensor::is_alias_of) {
  const Tensor x = etude::zeros({4}), same = x, view = x.view({2, 2});
  print(x.is_same(same), x.is_same(view), x.is_alias_of(view));
  print(x.use_count());
}

/// The number of dims, their sizes, and the number of elements.
///
/// - Shapes: x [*] -> a number for each dim, and their product
/// - Units: dims; `numel` in elements
/// - Errors: `Dimension out of range (expected to be in range of [-2, 1], but got 2)` from `size` where the dim is not there.
EXAMPLE(etude::Tensor::dim, etude::Tensor::ndimension, etude::Tensor::sizes, etude::Tensor::size,
        etude::Tensor::numel) {
  const Tensor x = etude::zeros({2, 3});
  print(x.dim(), x.ndimension(), x.numel());
  print(x.sizes(), x.size(-1));
  print(examples::message_of([&] { return x.size(2); }));
}

/// Writes the type and the sizes to `std::cerr`: [CPUFloatType [2, 3]]. `std::cout << x` writes the elements.
///
/// - Shapes: any
/// - Errors: none of its own
EXAMPLE(etude::Tensor::print) { etude::zeros({2, 3}).print(); }

/// How far two neighbours of a dim lie apart in memory, where the first element lies there, and whether the elements lie one
/// after the other.
///
/// - Shapes: x [*] -> a number for each dim
/// - Units: elements
/// - Errors: `Dimension out of range (expected to be in range of [-2, 1], but got 2)` from `stride` where the dim is not there.
EXAMPLE(etude::Tensor::strides, etude::Tensor::stride, etude::Tensor::storage_offset,
        etude::Tensor::is_contiguous) {
  const Tensor x = etude::zeros({2, 3}), column = x.select(1, 2);
  print(x.strides(), x.is_contiguous());
  print(column.stride(0), column.storage_offset(), column.is_contiguous());
}

/// The size of one element, and of all of them (`nbytes`).
///
/// - Shapes: any
/// - Units: bytes
/// - Errors: none of its own
EXAMPLE(etude::Tensor::element_size, etude::Tensor::itemsize, etude::Tensor::nbytes) {
  const Tensor x = etude::zeros({3}, etude::kDouble);
  print(x.element_size(), x.itemsize(), static_cast<int64_t>(x.nbytes()));
}

/// The dtype, and all options with which a tensor like this one is made. In LibTorch `dtype()` is a TypeMeta, and
/// `scalar_type()` is its name.
///
/// - Shapes: any
/// - Errors: none of its own
EXAMPLE(etude::Tensor::scalar_type, etude::Tensor::options) {
  const Tensor x = etude::zeros({2}, etude::kLong);
  print(x.scalar_type());
  print(etude::ones({1}, x.options()));
}

/// What kind of numbers the tensor holds.
///
/// - Shapes: any
/// - Errors: none of its own
EXAMPLE(etude::Tensor::is_floating_point, etude::Tensor::is_signed, etude::Tensor::is_complex) {
  const Tensor x = etude::zeros({2}), bytes = etude::zeros({2}, etude::kByte);
  print(x.is_floating_point(), x.is_signed(), x.is_complex());
  print(bytes.is_floating_point(), bytes.is_signed());
}

/// Does what the method of the same name does.
///
/// - Shapes: any
/// - Errors: those of the methods
EXAMPLE(etude::numel, etude::size, etude::stride, etude::is_floating_point, etude::is_signed,
        etude::is_complex, etude::is_inference, etude::fill_, etude::zero_) {
  Tensor x = etude::zeros({2, 3});
  print(etude::numel(x), etude::size(x, -1), etude::stride(x, 0));
  print(etude::is_floating_point(x), etude::is_signed(x), etude::is_complex(x), etude::is_inference(x));
  print(etude::fill_(x, 2).sum(), etude::zero_(x).sum());
}

/// Where the tensor lives: always in the memory of the CPU, as a plain array.
///
/// - Shapes: any
/// - Errors: none of its own
EXAMPLE(etude::Tensor::is_cpu, etude::Tensor::is_cuda, etude::Tensor::is_sparse, etude::Tensor::is_pinned,
        etude::Tensor::get_device) {
  const Tensor x = etude::zeros({2});
  print(x.is_cpu(), x.is_cuda(), x.is_sparse(), x.is_pinned(), int64_t{x.get_device()});
}

/// How often the array was written to. backward() throws for a tensor that has changed since an op saved it.
///
/// - Shapes: any
/// - Units: writes
/// - Errors: none of its own
EXAMPLE(etude::Tensor::_version) {
  const Tensor x = etude::zeros({2});
  x.add_(1);
  x.mul_(2);
  print(static_cast<int64_t>(x._version()));
}

/// - Shapes: x of one element: [], [1], [1, 1], ...
/// - Errors: `a Tensor with 2 elements cannot be converted to Scalar` where there is not one element; `value cannot be
///   converted to type uint8_t without overflow` where T cannot hold it.
EXAMPLE(etude::Tensor::item) {
  print(etude::tensor({7}).item<int64_t>());
  print(etude::tensor(0.5).item<double>());
  print(examples::message_of([] { etude::tensor({1, 2}).item<int64_t>(); }));
}

/// - Shapes: any
/// - Errors: `expected scalar type Float but found Long` where T is not the type of the elements.
EXAMPLE(etude::Tensor::data_ptr) {
  const Tensor x = etude::tensor({1, 2, 3});
  x.data_ptr<int64_t>()[0] = 9;
  print(x);
  print(examples::message_of([&] { x.data_ptr<float>(); }));
}

/// - Shapes: x of N dims
/// - Errors: `TensorAccessor expected 1 dims but tensor has 2`; `expected scalar type Float but found Long` where T is not the
///   type of the elements. `a[i]` checks nothing.
EXAMPLE(etude::Tensor::accessor, etude::TensorAccessor) {
  const Tensor x = etude::tensor({{1, 2}, {3, 4}});
  const auto a = x.accessor<int64_t, 2>();
  int64_t trace = 0;
  for (int64_t i = 0; i < a.size(0); ++i) trace += a[i][i];
  print(trace);
}

/// New tensors of the dtype of this one.
///
/// - Shapes: sizes -> [*sizes]
/// - Errors: `Trying to create tensor with negative dimension -1: [-1]`; `value cannot be converted to type int64_t without
///   overflow` where `new_full` gets a number that the dtype cannot hold.
EXAMPLE(etude::Tensor::new_empty, etude::Tensor::new_zeros, etude::Tensor::new_ones,
        etude::Tensor::new_full) {
  const Tensor x = etude::tensor({1, 2});
  print(x.new_zeros({2}), x.new_ones({2}), x.new_full({2}, 5));
  print(x.new_empty({3}).sizes());
}

/// The tensor itself if its elements lie one after the other in memory, else a copy in which they do.
///
/// - Shapes: x [*] -> [*]
/// - Errors: none of its own
EXAMPLE(etude::Tensor::contiguous) {
  const Tensor x = etude::tensor({{1, 2}, {3, 4}}).t();
  print(x.is_contiguous(), x.contiguous().is_contiguous());
}

/// The tensor converted to another dtype, or itself if it has this dtype already. `toType` and `type_as` are other names for it,
/// and `cpu` gives the tensor itself.
///
/// - Shapes: x [*] -> [*]
/// - Errors: `dtype torch.complex64 is not supported` where there are no tensors of the dtype.
EXAMPLE(etude::Tensor::to, etude::Tensor::toType, etude::Tensor::type_as, etude::Tensor::cpu) {
  const Tensor x = etude::tensor({1.7, -1.7});
  print(x.to(etude::kLong));
  print(x.toType(etude::kDouble));
  print(etude::tensor({1, 2}).type_as(x));
  print(x.cpu().is_same(x));
}

/// Writes to the elements: those of another tensor, broadcast and converted; a number; zeros.
///
/// - Shapes: x [*], source [*] that broadcasts to it; `fill_` also takes a tensor []
/// - Errors: `The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1` where source cannot be
///   broadcast; `fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions.`; `value cannot be converted to
///   type int64_t without overflow` where the dtype cannot hold the number; `a leaf Variable that requires grad is being used in
///   an in-place operation.`; `unsupported operation: more than one element of the written-to tensor refers to a single memory
///   location. Please clone() the tensor before performing the operation.` where x is an expanded view.
EXAMPLE(etude::Tensor::copy_, etude::Tensor::fill_, etude::Tensor::zero_) {
  const Tensor x = etude::zeros({2, 2});
  print(x.copy_(etude::tensor({1, 2})));
  print(x.fill_(3));
  print(x.zero_());
}

/// Changes the sizes in place. New elements are not initialised.
///
/// - Shapes: x [*], sizes -> [*sizes]
/// - Errors: `cannot resize variables that require grad`; `numel: integer multiplication overflow` where a size is negative.
EXAMPLE(etude::Tensor::resize_) {
  const Tensor x = etude::tensor({1, 2, 3, 4});
  x.resize_({2, 2});
  print(x);
}

/// Repeats the tensor along each dim. If there are more repeats than dims, the first ones make new dims in front.
///
/// - Shapes: x [a, b], repeats {m, n} -> [m a, n b]
/// - Errors: `Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor`, which is Python's
///   sentence.
EXAMPLE(etude::Tensor::repeat) {
  const Tensor x = etude::tensor({1, 2});
  print(x.repeat({2, 2}));
}

/// Whether the tensor is a view, and of which tensor.
///
/// - Shapes: any
/// - Errors: none of its own. `_base()` of a tensor that is no view is undefined.
EXAMPLE(etude::Tensor::is_view, etude::Tensor::_base) {
  const Tensor x = etude::zeros({4}), view = x.view({2, 2});
  print(x.is_view(), view.is_view(), view._base().is_same(x));
}

/// `detach_` turns the tensor itself into a leaf that needs no gradient; `is_inference` says whether it was made in an
/// `InferenceMode`, where nothing is recorded.
///
/// - Shapes: x [*] -> [*]
/// - Errors: `Can't detach views in-place. Use detach() instead. ...` where x is a view.
EXAMPLE(etude::Tensor::detach_, etude::Tensor::is_inference) {
  Tensor y = etude::ones({2}, etude::requires_grad()) * 2;
  print(y.requires_grad());
  print(y.detach_().requires_grad(), y.is_inference());
}
