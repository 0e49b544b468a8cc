// Functions composed of a few ops: broadcast_tensors of views, tile of repeat, count_nonzero of a comparison and a sum. Also
// Tensor::print().

#include "etude/ops/assorted.h"

#include <algorithm>
#include <iostream>

#include "etude/ops/detail/elementwise.h"

namespace etude {

std::vector<Tensor> broadcast_tensors(TensorList tensors) {
  ETUDE_OP(broadcast_tensors, tensors);
  Shape sizes;
  for (const Tensor& t : tensors) sizes = broadcast_sizes(sizes, t.sizes());
  std::vector<Tensor> views;
  views.reserve(tensors.size());
  for (const Tensor& t : tensors) views.push_back(t.sizes() == sizes.ref() ? t : t.expand(sizes));
  return views;
}

Tensor tile(const Tensor& self, IntArrayRef dims) {
  ETUDE_OP(tile, self, dims);
  std::vector<int64_t> repeats(std::max(static_cast<size_t>(self.dim()), dims.size()), 1);
  std::copy_backward(dims.begin(), dims.end(), repeats.end());
  return self.repeat(repeats);
}

Tensor count_nonzero(const Tensor& self, DimList dim) {
  ETUDE_OP(count_nonzero, self, dim);
  return self.ne(0).sum(dim);
}

ETUDE_METHOD(tile, (IntArrayRef dims), dims)
ETUDE_METHOD(count_nonzero, (DimList dim), dim)

void Tensor::print() const {
  std::cerr << (defined() ? str("[CPU", toString(scalar_type()), "Type ", sizes(), "]") : "[UndefinedTensor]")
            << std::endl;
}

}  // namespace etude
