// Indexing with tensors. With one index tensor for dim 0 and p counting its elements,
//
//   index:  y[p, ...] = x[i[p], ...]   dx[i[p], ...] += dy[p, ...]
//   index_put:            x[i[p], ...] = v[p, ...]   dx = dy with zeros at i,  dv[p, ...] = dy[i[p], ...]
//
// Several index tensors are broadcast with each other and iterated together: each p selects one position in all the
// dims that they index. Elements selected twice are written (or added up, in the gradient) in the order of p, for any
// number of threads.

#include <algorithm>

#include "etude/core/warning.h"
#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/indexed.h"

namespace etude {
namespace {

using namespace detail;

// What the indices select from a tensor of the given sizes.
struct Plan {
  Shape sizes;
  std::vector<Saved> indices;  // int64 of index_sizes, one per dim; undefined for a dim taken whole
  Shape index_sizes;
  int64_t at = 0;  // the first dim of the result that comes from the indices
};

// Replaces every mask by its coordinates.
std::vector<Tensor> without_masks(const Tensor& self, const std::vector<Tensor>& indices) {
  std::vector<Tensor> result;
  for (const Tensor& index : indices) {
    if (!index.defined() || index.scalar_type() == kLong || index.scalar_type() == kInt) {
      result.push_back(index.defined() ? index.to(kLong) : index);
      continue;
    }
    ETUDE_CHECK_INDEX(index.scalar_type() == kBool || index.scalar_type() == kByte,
                      "tensors used as indices must be long, int, byte or bool tensors", "\nreceived ",
                      dtype_name(index.scalar_type()), "\nhint: convert it with .to(kLong)");
    if (index.scalar_type() == kByte)
      ETUDE_WARN("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.");
    for (int64_t j = 0; j < index.dim(); ++j) {
      const int64_t d = static_cast<int64_t>(result.size()) + j;
      ETUDE_CHECK_INDEX(d < self.dim() && index.size(j) == self.size(d), "The shape of the mask ",
                        index.sizes(), " at index ", j, " does not match the shape of the indexed tensor ",
                        self.sizes(), " at index ", d);
    }
    const NoGradGuard no_grad;
    for (const Tensor& coordinates : nonzero(index).unbind(1)) result.push_back(coordinates);
  }
  return result;
}

Shape common_sizes(const std::vector<Tensor>& indices) {
  Shape sizes;
  try {
    for (const Tensor& i : indices)
      if (i.defined()) sizes = broadcast_sizes(sizes, i.sizes());
  } catch (const Error&) {
    std::string all;
    for (const Tensor& i : indices)
      if (i.defined()) all += (all.empty() ? "" : ", ") + str(i.sizes());
    throw IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes " + all);
  }
  return sizes;
}

bool is_given(const Tensor& index) { return index.defined(); }

// The dim of the result where the dims of the indices go: in place of the dims they index if adjacent, else in front.
int64_t place_of(const std::vector<Tensor>& indices) {
  const auto first = std::find_if(indices.begin(), indices.end(), is_given);
  const auto gap = std::find_if_not(first, indices.end(), is_given);
  return std::any_of(gap, indices.end(), is_given) ? 0 : first - indices.begin();
}

Plan make_plan(const Tensor& self, const std::vector<Tensor>& given, bool records) {
  const std::vector<Tensor> indices = without_masks(self, given);
  ETUDE_CHECK_INDEX(static_cast<int64_t>(indices.size()) <= self.dim(),
                    "too many indices for tensor of dimension ", self.dim(), " (got ", indices.size(), ")");
  Plan plan{Shape(self.sizes()), {}, common_sizes(indices), place_of(indices)};
  const bool any = count_elements(plan.index_sizes) > 0;
  for (size_t d = 0; d < indices.size(); ++d) {
    const bool used = indices[d].defined();
    ETUDE_CHECK_INDEX(!used || !any || self.size(static_cast<int64_t>(d)) > 0,
                      "index is out of bounds for dimension with size 0", "\nreceived an index for dim ", d,
                      " of a tensor of sizes ", self.sizes());
    const Tensor index = used ? indices[d].expand(plan.index_sizes) : Tensor();
    plan.indices.push_back(records || !used ? Saved(index) : Saved::unrecorded(index));
  }
  plan.indices.resize(static_cast<size_t>(self.dim()));
  return plan;
}

// The entries of a shape for the dims that are taken whole.
Shape of_whole_dims(const Plan& plan, const Shape& shape) {
  Shape result;
  for (int64_t d = 0; d < shape.size(); ++d)
    if (!plan.indices[static_cast<size_t>(d)].defined()) result.push_back(shape[d]);
  return result;
}

Shape result_sizes(const Plan& plan) {
  Shape sizes = of_whole_dims(plan, plan.sizes);
  for (int64_t i = 0; i < plan.index_sizes.size(); ++i) sizes.insert(plan.at + i, plan.index_sizes[i]);
  return sizes;
}

// A shape for the loop over the result. The dims of the indices are joined into one, which has the entry `joined`.
Shape walk_shape(const Plan& plan, const Shape& shape, int64_t joined) {
  Shape result = of_whole_dims(plan, shape);
  result.insert(plan.at, joined);
  return result;
}
Shape walk_sizes(const Plan& plan) { return walk_shape(plan, plan.sizes, count_elements(plan.index_sizes)); }
Shape walk_strides(const Plan& plan, const Tensor& x) { return walk_shape(plan, impl(x).strides, 0); }

[[noreturn]] void refuse_index(const Plan& plan, int64_t index, int64_t dim) {
  int64_t place = 0;
  for (int64_t d = 0; d < dim; ++d) place += plan.indices[static_cast<size_t>(d)].defined();
  throw IndexError(str("index ", index, " is out of bounds for dimension ", place, " with size ",
                       plan.sizes[dim], "\nreceived an index tensor for dim ", dim, " of a tensor of sizes ",
                       plan.sizes.ref(), "\nhint: indices run from 0 to ", plan.sizes[dim] - 1,
                       "; negative ones count from the end"));
}

// The offset of each selected position from the first element of x.
Tensor offsets(const Plan& plan, const Tensor& x) {
  Tensor table = zeros({count_elements(plan.index_sizes)}, kLong);
  int64_t* offset = impl(table).data<int64_t>();
  for (int64_t d = 0; d < plan.sizes.size(); ++d) {
    const Saved& saved = plan.indices[static_cast<size_t>(d)];
    if (!saved.defined()) continue;
    const Tensor index = saved.get().contiguous();
    const int64_t *id = impl(index).data<int64_t>(), size = plan.sizes[d], stride = impl(x).strides[d];
    for (int64_t p = 0; p < table.numel(); ++p) {
      if (id[p] < -size || id[p] >= size) refuse_index(plan, id[p], d);
      offset[p] += (id[p] < 0 ? id[p] + size : id[p]) * stride;
    }
  }
  return table;
}

// The offsets as ids for the loop over walk_sizes().
Ids ids_of(const Plan& plan, const Tensor& table) {
  return known_ids(table, along(walk_sizes(plan).size(), plan.at), 1);
}

Tensor index_forward(const Tensor& self, const Plan& plan) {
  Tensor y = make_tensor(result_sizes(plan), self.scalar_type());
  if (y.numel() == 0) return y;
  const Tensor table = offsets(plan, self);
  pick_by(ids_of(plan, table), walk_sizes(plan), y, self, walk_strides(plan, self));
  return y;
}

// x[...] = v[p, ...] for every element of v, broadcast to the sizes of the result; or v is added.
void put_values(const Tensor& x, const Tensor& v, const Plan& plan, Combine combine) {
  const NoGradGuard no_grad;
  if (count_elements(result_sizes(plan)) == 0) return;
  const Tensor apart = x.is_alias_of(v) ? v.clone() : alias(v);
  const Tensor table = offsets(plan, x), flat = apart.expand(result_sizes(plan)).reshape(walk_sizes(plan));
  write_by(ids_of(plan, table), {impl(flat).sizes, plan.at, flat, impl(flat).strides}, x,
           walk_strides(plan, x), combine);
}

Tensor index_put_recorded(const Tensor& before, const Tensor& value, const Plan& plan, bool accumulate);

Tensor index_recorded(const Tensor& self, const Plan& plan) {
  return recorded("IndexBackward0", {self}, index_forward(self, plan), [plan](const Tensor& dy) {
    const Tensor terms = dy.to(product_type(dy.scalar_type()));
    return index_put_recorded(zeros(plan.sizes, terms.scalar_type()), terms, plan, true);
  });
}

// Puts the value into `before`, whose memory is not shared.
Tensor index_put_recorded(const Tensor& before, const Tensor& value, const Plan& plan, bool accumulate) {
  Tensor y = alias(before);
  put_values(y, value, plan, accumulate ? Combine::Add : Combine::Replace);
  return recorded(
      "IndexPutBackward0", {before, value}, y,
      [plan, accumulate, on_self = needs_grad(before), on_value = needs_grad(value)](const Tensor& dy) {
        Tensor dx = accumulate ? dy : Tensor();
        if (on_self && !accumulate)
          dx = index_put_recorded(dy.clone(), zeros({}, dy.scalar_type()), plan, false);
        return Gradients{dx, on_value ? index_recorded(dy, plan) : Tensor()};
      });
}

// Converts a one-element value to the type of self if the only index is a mask, since this is a masked_fill.
Tensor fitting(const Tensor& self, const std::vector<Tensor>& indices, const Tensor& value, bool accumulate) {
  const bool alone = std::count_if(indices.begin(), indices.end(), is_given) == 1;
  if (value.numel() != 1 || accumulate || !alone) return value;
  const Tensor& mask = *std::find_if(indices.begin(), indices.end(), is_given);
  if (mask.scalar_type() != kBool && mask.scalar_type() != kByte) return value;
  ETUDE_CHECK(mask.scalar_type() == kBool,
              "masked_fill_ only supports boolean masks, but got mask with dtype unsigned char",
              "\nhint: compare first, for example mask != 0");
  check_fits(value.item(), self.scalar_type());
  return value.to(self.scalar_type());
}

void check_value(const Tensor& self, const Tensor& value, const Plan& plan) {
  const Shape sizes = result_sizes(plan);
  const int64_t extra = sizes.size() - value.dim();
  bool fits = extra >= 0;
  for (int64_t d = 0; fits && d < value.dim(); ++d)
    fits = value.size(d) == 1 || value.size(d) == sizes[d + extra];
  ETUDE_CHECK(fits, "shape mismatch: value tensor of shape ", value.sizes(),
              " cannot be broadcast to indexing result of shape ", sizes.ref());
  ETUDE_CHECK(self.scalar_type() == value.scalar_type(),
              "Index put requires the source and destination dtypes match, got ",
              toString(self.scalar_type()), " for the destination and ", toString(value.scalar_type()),
              " for the source.");
}

}  // namespace

Tensor detail::index_with(const Tensor& self, const std::vector<Tensor>& indices) {
  return index_recorded(self, make_plan(self, indices, recording({self})));
}

Tensor& detail::index_put_with(const Tensor& self, const std::vector<Tensor>& indices, const Tensor& given,
                               bool accumulate) {
  const Plan plan = make_plan(self, indices, recording({self, given}));
  const Tensor value = fitting(self, indices, given, accumulate);
  check_value(self, value, plan);
  return in_place(
      self, {value},
      [&](const Tensor& before) { return index_put_recorded(before, value, plan, accumulate); },
      [&] { put_values(self, value, plan, accumulate ? Combine::Add : Combine::Replace); });
}

Tensor detail::without_leading_ones(const Tensor& t) {
  const IntArrayRef sizes = t.sizes();
  const auto rest = std::find_if(sizes.begin(), sizes.end(), [](int64_t size) { return size != 1; });
  return rest == sizes.begin() ? t : t.reshape(IntArrayRef(rest, sizes.end()));
}

static std::vector<Tensor> listed(const std::vector<optional<Tensor>>& indices) {
  std::vector<Tensor> result;
  result.reserve(indices.size());
  for (const optional<Tensor>& i : indices) result.push_back(input_of(i));
  ETUDE_CHECK_INDEX(std::any_of(result.begin(), result.end(), is_given),
                    "at least one index must be a tensor\nreceived ", indices.size(), " without one");
  return result;
}

Tensor index(const Tensor& self, const std::vector<optional<Tensor>>& indices) {
  ETUDE_OP(index, self, indices);
  return index_with(self, listed(indices));
}

Tensor& index_put_(const Tensor& self, const std::vector<optional<Tensor>>& indices, const Tensor& value,
                   bool accumulate) {
  ETUDE_OP(index_put_, self, indices, value, accumulate);
  return index_put_with(self, listed(indices), value, accumulate);
}

ETUDE_METHOD(index, (const std::vector<optional<Tensor>>& indices), indices)

Tensor& Tensor::index_put_(const std::vector<optional<Tensor>>& indices, const Tensor& value,
                           bool accumulate) const {
  return etude::index_put_(*this, indices, value, accumulate);
}

}  // namespace etude
