// meshgrid: y_k[i_0, i_1, ...] = x_k[i_k], as expanded views of the x_k; dx_k is the sum of dy_k over the other dims.

#include "etude/core/warning.h"
#include "etude/ops/detail/elementwise.h"

namespace etude {

static std::vector<Tensor> grid_of(TensorList tensors, bool swapped) {
  ETUDE_CHECK(!tensors.empty(), "meshgrid expects a non-empty TensorList");
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
  for (size_t k = 0; k < count; ++k) {
    Shape own = Shape::filled(sizes.size(), 1);
    own[dim_of(k)] = tensors[k].numel();
    grids.push_back(tensors[k].view(own).expand(sizes));
  }
  return grids;
}

std::vector<Tensor> meshgrid(TensorList tensors) {
  ETUDE_OP(meshgrid, tensors);
  ETUDE_WARN_ONCE(
      "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.");
  return grid_of(tensors, false);
}

std::vector<Tensor> meshgrid(TensorList tensors, const std::string& indexing) {
  ETUDE_OP(meshgrid, tensors, indexing);
  ETUDE_CHECK(!tensors.empty(), "meshgrid expects a non-empty TensorList");
  ETUDE_CHECK(indexing == "ij" || indexing == "xy",
              "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: ", indexing);
  return grid_of(tensors, indexing == "xy");
}

}  // namespace etude
