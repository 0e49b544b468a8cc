#pragma once

#include "etude/core/detail/parallel_for.h"
#include "etude/core/detail/tensor_impl.h"

// Elements named by an index: one loop reads them and one writes them, for gather, scatter, embedding and all that
// start with index. Both walk over the elements of the result, or of what is written.

namespace etude::detail {

/// Throws the sentence of the op for an id that names nothing; p is its number in a contiguous index.
using RefuseId = FunctionRef<void(int64_t id, int64_t p)>;

[[noreturn]] void refuse_id(RefuseId refuse, int64_t id, int64_t p);

/// The id counted from 0, if it is one of a dim of this size. Only some ops count negative ones from the end.
inline int64_t checked_id(int64_t id, int64_t size, bool from_the_end, int64_t p, RefuseId refuse) {
  if (id >= size || id < (from_the_end ? -size : 0)) refuse_id(refuse, id, p);
  return id < 0 ? id + size : id;
}

/// The ids as contiguous int64 from 0. They share the memory of the index if they can.
Tensor checked_ids(const Tensor& index, int64_t size, bool from_the_end, RefuseId refuse);

/// The ids in order, each once.
std::vector<int64_t> distinct(const Tensor& ids);

/// Where a walk finds ids, and what they mean: id * step elements from where the walk stands.
struct Ids {
  const int64_t* data;
  Shape strides;  // one per dim of the walk, 0 where all share an id
  int64_t size, step;
  RefuseId refuse;
};

/// Ids of which it is known that they are none too many.
Ids known_ids(const Tensor& ids, const Shape& strides, int64_t step);

/// Strides of `dims` dims, all 0 but that of dim d.
Shape along(int64_t dims, int64_t d, int64_t stride = 1);

/// A 0-dim tensor counts as one of a single dim.
Shape with_a_dim(const Shape& shape);

/// y[i] = x[i's id], where y is contiguous and is walked as if it had `sizes`; x_strides are 0 along the dims that ids
/// stand for.
void pick_by(const Ids& ids, const Shape& sizes, const Tensor& y, const Tensor& x, const Shape& x_strides);

/// The rows of x along dim d that checked, contiguous ids name, in their order, as a tensor of these sizes.
Tensor rows_of(const Tensor& x, int64_t d, const Tensor& ids, const Shape& result);

/// What is written, as if it had `sizes`. The ids count along dim d.
struct Written {
  Shape sizes;
  int64_t dim;
  Tensor source;
  Shape strides;  // of the source
};

enum class Combine { Replace, Add, Multiply };

/// y[i's id] = s[i], or s[i] is added to it, or it is multiplied. Of several that name one element the last stays, or all
/// are combined in their order along d, for any number of threads.
void write_by(const Ids& ids, const Written& s, const Tensor& y, const Shape& y_strides, Combine combine);

/// Where in a tensor of these sizes the i-th element stands: `[0, 3]`. For messages.
inline Shape position_of(int64_t i, Shape sizes) {
  for (int64_t d = sizes.size() - 1; d >= 0; --d) {
    const int64_t size = sizes[d];
    sizes[d] = i % size;
    i /= size;
  }
  return sizes;
}

// embedding.cpp

/// The ids as contiguous int64, all of them rows of a table of so many; else PyTorch's sentence.
Tensor embedding_ids(const Tensor& indices, int64_t rows);

/// The gradient of the first input of the op whose backward runs, a table with so many rows of which the ids name some.
/// make(ids, rows, padding_idx) gives the sums for each row, zero for those that are not named. Where the table has a
/// gradient from elsewhere, the sums of the named rows alone are made, and added to it.
Tensor gradient_of_rows(const Tensor& ids, int64_t rows, int64_t padding_idx,
                        FunctionRef<Tensor(const Tensor&, int64_t, int64_t)> make);

// index_tensor.cpp

/// What tensors pick out of self: indices[d] belongs to dim d, undefined where the dim is taken whole. An index is
/// int64, or a mask (bool or uint8) that stands for as many dims as it has. The indices are broadcast with each other,
/// and their dims take the place of those that they index, or the front if those are not side by side. Differentiable.
Tensor index_with(const Tensor& self, const std::vector<Tensor>& indices);

/// Writes value, broadcast, to the elements that the indices pick; of several values for one element the last
/// stays, or with accumulate all are added to it. Differentiable.
Tensor& index_put_with(const Tensor& self, const std::vector<Tensor>& indices, const Tensor& value,
                       bool accumulate = false);

/// A view of t without its leading dims of size one.
Tensor without_leading_ones(const Tensor& t);

}  // namespace etude::detail
