#include "support/example.h"

/// # Tensor
///
/// The class, and those of its methods that are not functions too: all others stand with the function of their name.

EXAMPLE(etude::Tensor) {
  const Tensor x = etude::tensor({{1.0, 2.0}, {3.0, 4.0}});
  const Tensor same = x;  // another name of the same array
  same[0][0] = 9;
  print(x);
  print(Tensor().defined());
}

/// Whether the handle names an array; `reset` lets it go.
EXAMPLE(etude::Tensor::defined, etude::Tensor::reset) {
  Tensor x = etude::zeros({2});
  print(x.defined());
  x.reset();
  print(x.defined());
}

/// Whether two handles name the same array, and how many do; `is_alias_of` asks for the same memory.
EXAMPLE(etude::Tensor::is_same, etude::Tensor::use_count, etude::Tensor::is_alias_of) {
  const Tensor x = etude::zeros({4}), same = x, view = x.view({2, 2});
  print(x.is_same(same), x.is_same(view), x.is_alias_of(view));
  print(x.use_count());
}

/// The number of dims, their sizes, and the number of elements.
EXAMPLE(etude::Tensor::dim, etude::Tensor::ndimension, etude::Tensor::sizes, etude::Tensor::size,
        etude::Tensor::numel) {
  const Tensor x = etude::zeros({2, 3});
  print(x.dim(), x.ndimension(), x.numel());
  print(x.sizes(), x.size(-1));
}

/// How many elements apart two neighbours of a dim lie in memory, where the first element lies there, and whether the elements lie
/// one after the other.
EXAMPLE(etude::Tensor::strides, etude::Tensor::stride, etude::Tensor::storage_offset,
        etude::Tensor::is_contiguous) {
  const Tensor x = etude::zeros({2, 3}), column = x.select(1, 2);
  print(x.strides(), x.is_contiguous());
  print(column.stride(0), column.storage_offset(), column.is_contiguous());
}

/// Bytes of an element, and of all.
EXAMPLE(etude::Tensor::element_size, etude::Tensor::itemsize, etude::Tensor::nbytes) {
  const Tensor x = etude::zeros({3}, etude::kDouble);
  print(x.element_size(), x.itemsize(), static_cast<int64_t>(x.nbytes()));
}

/// The dtype, and all options a tensor like this is made with. `dtype()` of LibTorch is a TypeMeta, and `scalar_type()` the name.
EXAMPLE(etude::Tensor::scalar_type, etude::Tensor::options) {
  const Tensor x = etude::zeros({2}, etude::kLong);
  print(x.scalar_type());
  print(etude::ones({1}, x.options()));
}

/// What kind of numbers it holds.
EXAMPLE(etude::Tensor::is_floating_point, etude::Tensor::is_signed, etude::Tensor::is_complex) {
  const Tensor x = etude::zeros({2}), bytes = etude::zeros({2}, etude::kByte);
  print(x.is_floating_point(), x.is_signed(), x.is_complex());
  print(bytes.is_floating_point(), bytes.is_signed());
}

/// Where it lives: always in the memory of the CPU, as a plain array.
EXAMPLE(etude::Tensor::is_cpu, etude::Tensor::is_cuda, etude::Tensor::is_sparse, etude::Tensor::get_device) {
  const Tensor x = etude::zeros({2});
  print(x.is_cpu(), x.is_cuda(), x.is_sparse(), x.get_device());
}

/// How often the array was written to: backward() refuses to use what has changed since it was remembered.
EXAMPLE(etude::Tensor::_version) {
  const Tensor x = etude::zeros({2});
  x.add_(1);
  x.mul_(2);
  print(static_cast<int64_t>(x._version()));
}

EXAMPLE(etude::Tensor::item) {
  print(etude::tensor({7}).item<int64_t>());
  print(etude::tensor(0.5).item<double>());
}

EXAMPLE(etude::Tensor::data_ptr) {
  const Tensor x = etude::tensor({1, 2, 3});
  x.data_ptr<int64_t>()[0] = 9;
  print(x);
}

EXAMPLE(etude::Tensor::accessor, etude::TensorAccessor) {
  const Tensor x = etude::tensor({{1, 2}, {3, 4}});
  const auto a = x.accessor<int64_t, 2>();
  int64_t trace = 0;
  for (int64_t i = 0; i < a.size(0); ++i) trace += a[i][i];
  print(trace);
}

/// New tensors of the dtype of this one.
EXAMPLE(etude::Tensor::new_empty, etude::Tensor::new_zeros, etude::Tensor::new_ones,
        etude::Tensor::new_full) {
  const Tensor x = etude::tensor({1, 2});
  print(x.new_zeros({2}), x.new_ones({2}), x.new_full({2}, 5));
  print(x.new_empty({3}).sizes());
}

/// With elements that lie one after the other: itself if they do, else a copy.
EXAMPLE(etude::Tensor::contiguous) {
  const Tensor x = etude::tensor({{1, 2}, {3, 4}}).t();
  print(x.is_contiguous(), x.contiguous().is_contiguous());
}

/// With another dtype; itself if it has it. `toType` and `type_as` are other names for it, and `cpu` gives the tensor itself.
EXAMPLE(etude::Tensor::to, etude::Tensor::toType, etude::Tensor::type_as, etude::Tensor::cpu) {
  const Tensor x = etude::tensor({1.7, -1.7});
  print(x.to(etude::kLong));
  print(x.toType(etude::kDouble));
  print(etude::tensor({1, 2}).type_as(x));
  print(x.cpu().is_same(x));
}

/// Writes to the elements: those of another tensor, broadcast and converted; a number; zeros.
EXAMPLE(etude::Tensor::copy_, etude::Tensor::fill_, etude::Tensor::zero_) {
  const Tensor x = etude::zeros({2, 2});
  print(x.copy_(etude::tensor({1, 2})));
  print(x.fill_(3));
  print(x.zero_());
}

/// Other sizes; elements that are new are not initialised.
EXAMPLE(etude::Tensor::resize_) {
  const Tensor x = etude::tensor({1, 2, 3, 4});
  x.resize_({2, 2});
  print(x);
}

/// The tensor so often along each dim; dims in front are new.
EXAMPLE(etude::Tensor::repeat) {
  const Tensor x = etude::tensor({1, 2});
  print(x.repeat({2, 2}));
}

/// Whether it is a view, and of what.
EXAMPLE(etude::Tensor::is_view, etude::Tensor::_base) {
  const Tensor x = etude::zeros({4}), view = x.view({2, 2});
  print(x.is_view(), view.is_view(), view._base().is_same(x));
}
