#pragma once

#include "etude/core/detail/parallel_for.h"
#include "etude/core/detail/tensor_impl.h"

// Elements selected by an index. One loop reads them and one writes them, for gather, scatter, embedding and all functions
// whose names start with index. Both loops run over the elements of the result, or of the values to write.

namespace etude::detail {

/// Throws the error message of the op for an id out of range; p is the position of the id in a contiguous index.
using RefuseId = FunctionRef<void(int64_t id, int64_t p)>;

/// The ids as contiguous int64 counted from 0. They share the memory of the index if possible.
Tensor checked_ids(const Tensor& index, int64_t size, bool from_the_end, RefuseId refuse);

/// The distinct ids, ascending.
std::vector<int64_t> distinct(const Tensor& ids);

/// Where a loop finds its ids, and what they mean: an id is an offset of id * step elements from the current element.
struct Ids {
  const int64_t* data;
  Shape strides;  // one per dim of the loop, 0 where all share an id
  int64_t size, step;
  RefuseId refuse;
};

/// Ids already checked to be in range.
Ids known_ids(const Tensor& ids, const Shape& strides, int64_t step);

/// Strides of `dims` dims: `stride` for dim d, 0 for the others.
Shape along(int64_t dims, int64_t d, int64_t stride = 1);

/// y[i] = x[id of i], where y is contiguous and is treated as if it had `sizes`. x_strides are 0 along the dims that the
/// ids index.
void pick_by(const Ids& ids, const Shape& sizes, const Tensor& y, const Tensor& x, const Shape& x_strides);

/// The slices of x along dim d at these checked, contiguous ids, in the order of the ids, as a tensor of sizes `result`.
Tensor rows_of(const Tensor& x, int64_t d, const Tensor& ids, const Shape& result);

/// The values to write, treated as if they had `sizes`. The ids index `dim`.
struct Written {
  Shape sizes;
  int64_t dim;
  Tensor source;
  Shape strides;  // of the source
};

enum class Combine { Replace, Add, Multiply };

/// y[id of i] = s[i], or s[i] is added to it, or it is multiplied by s[i]. If several ids select one element, the last value
/// stays, or all are combined in their order along the indexed dim. The result is the same for any number of threads.
void write_by(const Ids& ids, const Written& s, const Tensor& y, const Shape& y_strides, Combine combine);

/// The coordinates of the i-th element in a tensor of these sizes, for messages: `[0, 3]`.
inline Shape position_of(int64_t i, Shape sizes) {
  for (int64_t d = sizes.size() - 1; d >= 0; --d) {
    const int64_t size = sizes[d];
    sizes[d] = i % size;
    i /= size;
  }
  return sizes;
}

// index_tensor.cpp

/// The elements of self selected by tensors: indices[d] applies to dim d, and an undefined one selects the whole dim. An
/// index is int64, or a mask (bool or uint8) that covers as many dims as it has. The indices are broadcast with each other.
/// Their dims replace the dims that they index, or come first if those are not adjacent. Differentiable.
Tensor index_with(const Tensor& self, const std::vector<Tensor>& indices);

/// Writes value, broadcast, to the elements that the indices select. Of several values for one element the last
/// stays, or with accumulate all of them are added. Differentiable.
Tensor& index_put_with(const Tensor& self, const std::vector<Tensor>& indices, const Tensor& value,
                       bool accumulate = false);

/// A view of t without its leading dims of size one.
Tensor without_leading_ones(const Tensor& t);

}  // namespace etude::detail
