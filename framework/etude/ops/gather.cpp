// Elements selected by index along one dim:
//
//   gather:   y[i, j] = x[i, k[i, j]]  (dim 1)      dx[i, k[i, j]] += dy[i, j]
//   one_hot:  y[..., c] = 1 if c = x[...], else 0   no gradient

#include "etude/ops/detail/arithmetic.h"
#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/indexed.h"

namespace etude {
namespace {

using namespace detail;

Tensor gather_forward(const Tensor& x, int64_t d, const Tensor& index) {
  const Shape sizes = with_a_dim(impl(x).sizes);
  auto refuse = [&](int64_t id, int64_t) {
    throw Error(str("index ", id, " is out of bounds for dimension ", d, " with size ", sizes[d],
                    "\nreceived an index of sizes ", index.sizes(), " for a tensor of sizes ", x.sizes(),
                    "\nhint: gather counts from 0 and takes no negative indices"));
  };
  Tensor y = make_tensor(index.sizes(), x.scalar_type());
  Shape strides = with_a_dim(impl(x).strides);
  const Ids ids{impl(index).data<int64_t>(), with_a_dim(impl(index).strides), sizes[d], strides[d], refuse};
  strides[d] = 0;
  pick_by(ids, with_a_dim(impl(index).sizes), y, x, strides);
  return y;
}

void check_index(const Tensor& self, int64_t d, const Tensor& index) {
  if (index.numel() == 0) return;
  ETUDE_CHECK(index.scalar_type() == kLong, "gather(): Expected dtype int64 for index\nreceived ",
              dtype_name(index.scalar_type()));
  const Shape x = with_a_dim(impl(self).sizes), k = with_a_dim(impl(index).sizes);
  ETUDE_CHECK(x.size() == k.size(),
              "Index tensor must have the same number of dimensions as input tensor\nreceived sizes ",
              index.sizes(), " for a tensor of sizes ", self.sizes());
  for (int64_t i = 0; i < x.size(); ++i)
    ETUDE_CHECK(i == d || k[i] <= x[i], "Size does not match at dimension ", i, " expected index ",
                index.sizes(), " to be smaller than self ", self.sizes(), " apart from dimension ", d);
}

}  // namespace

Tensor gather(const Tensor& self, int64_t dim, const Tensor& index, bool) {
  ETUDE_OP(gather, self, dim, index, false);
  const int64_t d = wrap_dim(dim, self.dim());
  check_index(self, d, index);
  return recorded("GatherBackward0", {self}, gather_forward(self, d, index), {index},
                  [d, sizes = impl(self).sizes](const Tensor& dy, const Tensor& k) {
                    return zeros(sizes, dy.scalar_type()).scatter_add_(d, k, dy);
                  });
}

Tensor one_hot(const Tensor& self, int64_t num_classes) {
  ETUDE_OP(one_hot, self, num_classes);
  ETUDE_CHECK(self.scalar_type() == kLong, "one_hot is only applicable to index tensor.\nreceived ",
              dtype_name(self.scalar_type()), "\nhint: convert it with .to(kLong)");
  ETUDE_CHECK(self.numel() > 0 || num_classes > 0,
              "Can not infer total number of classes from empty tensor.");
  const Tensor ids = self.contiguous();
  const int64_t* id = impl(ids).data<int64_t>();
  int64_t largest = -1;
  for (int64_t i = 0; i < ids.numel(); ++i) {
    ETUDE_CHECK(id[i] >= 0, "Class values must be non-negative.\nreceived ", id[i]);
    ETUDE_CHECK(num_classes == -1 || id[i] < num_classes,
                "Class values must be smaller than num_classes.\nreceived ", id[i], " for ", num_classes,
                " classes");
    largest = std::max(largest, id[i]);
  }
  const int64_t classes = num_classes == -1 ? Plus()(largest, int64_t{1}) : num_classes;
  Shape sizes = impl(self).sizes;
  sizes.push_back(classes);
  Tensor y = zeros(sizes, kLong);
  for (int64_t i = 0; i < ids.numel(); ++i) impl(y).data<int64_t>()[i * classes + id[i]] = 1;
  return y;
}

ETUDE_METHOD(gather, (int64_t dim, const Tensor& index, bool sparse_grad), dim, index, sparse_grad)

}  // namespace etude
