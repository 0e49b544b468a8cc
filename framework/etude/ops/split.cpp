// Ops that return several views. split, chunk and unbind: adjacent parts along a dim, all outputs of one node. Their
// gradient joins the gradients of the parts, with zeros for a part without a gradient.
//
// meshgrid: y_k[i_0, i_1, ...] = x_k[i_k], as expanded views of the x_k; dx_k is the sum of dy_k over the other dims.

#include "etude/core/warning.h"
#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

// The most parts without elements into which a tensor may be split.
constexpr int64_t kMostParts = int64_t{1} << 31;

// Records parts that share the memory of self. `join` computes the gradient of self from those of all parts, all defined.
template <typename Join>
std::vector<Tensor> record_parts(const char* name, const Tensor& self, std::vector<Tensor> parts, Join join) {
  if (parts.empty()) return parts;
  for (const Tensor& part : parts) set_base(part, self, ViewOrigin::kOneOfSeveral);
  if (!recording({self})) return parts;
  std::vector<Shape> sizes;
  sizes.reserve(parts.size());
  for (const Tensor& part : parts) sizes.emplace_back(part.sizes());
  record_outputs(name, {self}, parts,
                 WithoutTensors([sizes, dtype = self.scalar_type(), join](const Gradients& dy) {
                   Gradients all = dy;
                   for (size_t i = 0; i < all.size(); ++i)
                     if (!all[i].defined()) all[i] = zeros(sizes[i], dtype);
                   return Gradients{join(all)};
                 }));
  return parts;
}

std::vector<Tensor> split_at(const char* name, const Tensor& self, int64_t d,
                             const std::vector<int64_t>& lengths) {
  const TensorImpl& x = impl(self);
  std::vector<Tensor> parts;
  int64_t start = 0;
  for (const int64_t length : lengths) {
    Shape sizes = x.sizes;
    sizes[d] = length;
    parts.push_back(make_view(x.storage, sizes, x.strides, x.offset_of(d, start), x.dtype));
    start += length;
  }
  return record_parts(name, self, std::move(parts), [d](const Gradients& dy) { return cat(dy, d); });
}

}  // namespace

std::vector<Tensor> split(const Tensor& self, int64_t split_size, int64_t dim) {
  ETUDE_OP(split, self, split_size, dim);
  ETUDE_CHECK(self.dim() != 0, "split expects at least a 1-dimensional tensor");
  ETUDE_CHECK(split_size >= 0, "split expects split_size be non-negative, but got split_size=", split_size);
  const int64_t d = wrap_dim(dim, self.dim()), size = self.size(d);
  ETUDE_CHECK(split_size > 0 || size == 0,
              "split_size can only be 0 if dimension size is 0, but got dimension size of ", size);
  std::vector<int64_t> lengths;
  for (int64_t rest = size; rest > 0; rest -= split_size) lengths.push_back(std::min(rest, split_size));
  if (lengths.empty()) lengths.push_back(0);
  return split_at("SplitBackward0", self, d, lengths);
}

std::vector<Tensor> split(const Tensor& self, IntArrayRef split_sizes, int64_t dim) {
  ETUDE_OP(split, self, split_sizes, dim);
  ETUDE_CHECK(self.dim() != 0, "split expects at least a 1-dimensional tensor");
  const int64_t d = wrap_dim(dim, self.dim());
  int64_t rest = self.size(d);  // negative once the sizes exceed the dim
  for (const int64_t s : split_sizes) {
    ETUDE_CHECK(s >= 0,
                "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=",
                split_sizes);
    if (rest >= 0) rest -= s;
  }
  ETUDE_CHECK(rest == 0, "split_with_sizes expects split_sizes to sum exactly to ", self.size(d),
              " (input tensor's size at dimension ", dim, "), but got split_sizes=", split_sizes);
  return split_at("SplitWithSizesBackward0", self, d, split_sizes.vec());
}

std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes, int64_t dim) {
  return split(self, split_sizes, dim);
}

std::vector<Tensor> chunk(const Tensor& self, int64_t chunks, int64_t dim) {
  ETUDE_OP(chunk, self, chunks, dim);
  ETUDE_CHECK(self.dim() > 0, "chunk expects at least a 1-dimensional tensor");
  ETUDE_CHECK(chunks > 0, "chunk expects `chunks` to be greater than 0, got: ", chunks);
  const int64_t size = self.size(dim);
  if (size > 0) return split(self, (size - 1) / chunks + 1, dim);
  ETUDE_CHECK(chunks <= kMostParts, "cannot create std::vector larger than max_size()\nreceived ", chunks,
              " chunks");
  return split_at("SplitWithSizesBackward0", self, wrap_dim(dim, self.dim()),
                  std::vector<int64_t>(static_cast<size_t>(chunks), 0));
}

std::vector<Tensor> unbind(const Tensor& self, int64_t dim) {
  ETUDE_OP(unbind, self, dim);
  const TensorImpl& x = impl(self);
  ETUDE_CHECK_INDEX(!x.sizes.empty(), "Dimension specified as ", dim, " but tensor has no dimensions");
  const int64_t d = wrap_dim(dim, x.sizes.size());
  const Shape sizes = without(x.sizes, d), strides = without(x.strides, d);
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < x.sizes[d]; ++i)
    parts.push_back(make_view(x.storage, sizes, strides, x.offset_of(d, i), x.dtype));
  return record_parts("UnbindBackward0", self, std::move(parts),
                      [d](const Gradients& dy) { return stack(dy, d); });
}

ETUDE_METHOD(split, (int64_t split_size, int64_t dim), split_size, dim)
ETUDE_METHOD(split, (IntArrayRef split_sizes, int64_t dim), split_sizes, dim)
ETUDE_METHOD(split_with_sizes, (IntArrayRef split_sizes, int64_t dim), split_sizes, dim)
ETUDE_METHOD(chunk, (int64_t chunks, int64_t dim), chunks, dim)
ETUDE_METHOD(unbind, (int64_t dim), dim)

static std::vector<Tensor> grid_of(TensorList tensors, const std::string& indexing) {
  ETUDE_CHECK(!tensors.empty(), "meshgrid expects a non-empty TensorList");
  const bool swapped = indexing == "xy";
  ETUDE_CHECK(swapped || indexing == "ij",
              "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: ", indexing);
  const size_t count = tensors.size();
  const auto dim_of = [&](size_t k) {
    return static_cast<int64_t>(swapped && count > 1 && k < 2 ? 1 - k : k);
  };
  Shape sizes = Shape::filled(static_cast<int64_t>(count), 1);
  for (size_t k = 0; k < count; ++k) {
    ETUDE_CHECK(tensors[k].dim() <= 1,
                "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: ", tensors[k].sizes(),
                "\nreceived it at position ", k);
    ETUDE_CHECK(tensors[k].scalar_type() == tensors[0].scalar_type(),
                "meshgrid expects all tensors to have the same dtype\nreceived ",
                dtype_name(tensors[0].scalar_type()), " and ", dtype_name(tensors[k].scalar_type()));
    sizes[dim_of(k)] = tensors[k].numel();
  }
  std::vector<Tensor> grids;
  for (size_t k = 0; k < count; ++k)
    grids.push_back(seen_along(tensors[k], sizes.size(), dim_of(k)).expand(sizes));
  return grids;
}

std::vector<Tensor> meshgrid(TensorList tensors) {
  ETUDE_OP(meshgrid, tensors);
  ETUDE_WARN_ONCE(
      "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.");
  return grid_of(tensors, "ij");
}

std::vector<Tensor> meshgrid(TensorList tensors, const std::string& indexing) {
  ETUDE_OP(meshgrid, tensors, indexing);
  return grid_of(tensors, indexing);
}

}  // namespace etude
