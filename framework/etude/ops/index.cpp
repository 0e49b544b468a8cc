// x.index({...}) and x.index_put_({...}, value): Python's x[...] and x[...] = value.
//
// Integers, slices, None and Ellipsis make a view of x with the gradients of select, slice and unsqueeze. Tensors
// and bools then select elements of that view (index_tensor.cpp). An assignment writes into the view.

#include <cstring>
#include <ostream>

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/indexed.h"

namespace etude {

namespace indexing {

Slice::Slice(optional<int64_t> start, optional<int64_t> stop, optional<int64_t> step)
    : step_(step.value_or(1)) {
  ETUDE_CHECK_VALUE(step_ != 0, "slice step cannot be zero");
  start_ = start.value_or(step_ < 0 ? INDEX_MAX : 0);
  stop_ = stop.value_or(step_ < 0 ? INDEX_MIN : INDEX_MAX);
}

std::ostream& operator<<(std::ostream& out, const Slice& slice) {
  return out << slice.start() << ":" << slice.stop() << ":" << slice.step();
}

}  // namespace indexing

std::ostream& operator<<(std::ostream& out, const TensorIndex& index) {
  if (index.is_none()) return out << "None";
  if (index.is_ellipsis()) return out << "...";
  if (index.is_integer()) return out << index.integer();
  if (index.is_boolean()) return out << (index.boolean() ? "true" : "false");
  if (index.is_slice()) return out << index.slice();
  return out << index.tensor();
}

std::ostream& operator<<(std::ostream& out, const std::vector<TensorIndex>& indices) {
  return out << '(' << Join(", ", indices) << ')';
}

TensorIndex::TensorIndex(const char* text) : kind_(Kind::Ellipsis) {
  ETUDE_CHECK_VALUE(std::strcmp(text, "...") == 0,
                    "Expected \"...\" to represent an ellipsis index, but got \"", text, "\"");
}

namespace {

using namespace detail;
using Indices = ArrayRef<TensorIndex>;

bool is_mask(const Tensor& t) { return t.scalar_type() == kByte || t.scalar_type() == kBool; }

// The number of dims that the indices cover without Ellipsis.
int64_t count_specified(Indices indices) {
  int64_t count = 0;
  for (const TensorIndex& i : indices) {
    if (i.is_tensor()) count += is_mask(i.tensor()) ? i.tensor().dim() : 1;
    else if (i.is_integer() || i.is_slice()) ++count;
  }
  return count;
}

// Applies the entries of an index from left to right.
class Sliced {
 public:
  Tensor view;                  // of the indexed tensor
  std::vector<Tensor> tensors;  // that index its dims; undefined for dims without an index tensor

  Sliced(const Tensor& self, Indices indices, bool keep_whole_slices)
      : view(self), self_(self), specified_(count_specified(indices)), keep_whole_slices_(keep_whole_slices) {
    const bool lone = indices.size() == 1 && (indices[0].is_integer() || indices[0].is_slice());
    ETUDE_CHECK_INDEX(lone || specified_ <= self.dim(), "too many indices for tensor of dimension ",
                      self.dim(), "\nreceived ", specified_, " indices for sizes ", self.sizes());
    for (size_t i = 0; i < indices.size(); ++i) apply(indices[i], static_cast<int64_t>(i));
  }

 private:
  void apply(const TensorIndex& index, int64_t position) {
    if (index.is_integer()) select(index.integer(), position);
    else if (index.is_slice()) slice(index.slice());
    else if (index.is_ellipsis()) advance(self_.dim() - specified_);
    else if (index.is_none()) {
      view = view.unsqueeze(dim_);
      advance(1);
    } else if (index.is_boolean()) pick(index.boolean());
    else pick(index.tensor(), position);
  }

  void select(int64_t index, int64_t position) {
    ETUDE_CHECK_INDEX(view.dim() > 0,
                      "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` "
                      "in C++ to convert a 0-dim tensor to a number");
    const int64_t size = dim_ < view.dim() ? view.size(dim_) : 0;
    ETUDE_CHECK_INDEX(index >= -size && index < size, "index ", index, " is out of bounds for dimension ",
                      position, " with size ", size, "\nreceived an index into a tensor of sizes ",
                      self_.sizes(),
                      dim_ < view.dim() ? "\nhint: negative indices count from the end"
                                        : "\nhint: an index has at most one Ellipsis");
    view = view.select(dim_, index);
  }

  void slice(const indexing::Slice& s) {
    ETUDE_CHECK_VALUE(s.step() > 0, "step must be greater than zero\nreceived ", s.step(),
                      "\nhint: flip() turns a dim around");
    ETUDE_CHECK_INDEX(view.dim() > 0, "slice() cannot be applied to a 0-dim tensor.");
    const bool whole = s.start() == 0 && s.step() == 1 && dim_ < view.dim() && s.stop() >= view.size(dim_);
    if (!whole || keep_whole_slices_) view = view.slice(dim_, s.start(), s.stop(), s.step());
    advance(1);
  }

  // A bool adds a dim of size 1 and selects its only element or none.
  void pick(bool taken) {
    view = view.unsqueeze(dim_);
    add(taken ? zeros({1}, kLong) : empty({0}, kLong));
  }

  void pick(const Tensor& index, int64_t position) {
    if (index.dim() > 0 || index.is_floating_point()) add(index);
    else if (is_mask(index)) pick(index.item<bool>());
    else select(index.item<int64_t>(), position);
  }

  // A mask indexes as many dims of the view as it has.
  void add(const Tensor& index) {
    tensors.resize(position_++);
    tensors.push_back(index);
    dim_ += is_mask(index) ? index.dim() : 1;
  }

  void advance(int64_t dims) {
    dim_ += dims;
    position_ += static_cast<size_t>(dims);
  }

  const Tensor& self_;
  const int64_t specified_;
  const bool keep_whole_slices_;
  int64_t dim_ = 0;      // the dim of the view to which the next entry applies
  size_t position_ = 0;  // and its place in `tensors`
};

void check_not_empty(Indices indices, const char* function) {
  ETUDE_CHECK(!indices.empty(), "Passing an empty index list to Tensor::", function, "() is not valid syntax",
              "\nhint: {\"...\"} stands for the whole tensor");
}

void assign(const Tensor& to, const Tensor& value) {
  if (to.sizes() != value.sizes() && value.dim() == 0) to.fill_(value);
  else to.copy_(to.sizes() == value.sizes() ? value : without_leading_ones(value).expand(to.sizes()));
}

}  // namespace

Tensor Tensor::index(Indices indices) const {
  ETUDE_METHOD_OP(index, indices);
  check_not_empty(indices, "index");
  const Sliced sliced(*this, indices, indices.size() == 1);
  if (!sliced.tensors.empty()) return index_with(sliced.view, sliced.tensors);
  if (!sliced.view.is_same(*this)) return sliced.view;
  return record_view("AliasBackward0", *this, alias(*this), [](const Tensor& dy) { return dy; });
}

Tensor& Tensor::index_put_(Indices indices, const Tensor& value) const {
  ETUDE_METHOD_OP(index_put_, indices, value);
  check_not_empty(indices, "index_put_");
  const bool nothing = indices.size() == 1 && indices[0].is_boolean() && !indices[0].boolean();
  if (!nothing) {
    const Sliced sliced(*this, indices, false);
    if (sliced.tensors.empty()) assign(sliced.view, value);
    else index_put_with(sliced.view, sliced.tensors, without_leading_ones(value));
  }
  return const_cast<Tensor&>(*this);
}

Tensor& Tensor::index_put_(Indices indices, const Scalar& value) const {
  ETUDE_METHOD_OP(index_put_, indices, value);
  check_fits(value, scalar_type());
  return index_put_(indices, scalar_tensor(value, scalar_type()));
}

Tensor Tensor::index(std::initializer_list<TensorIndex> indices) const { return index(Indices(indices)); }
Tensor& Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Tensor& value) const {
  return index_put_(Indices(indices), value);
}
Tensor& Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Scalar& value) const {
  return index_put_(Indices(indices), value);
}

Tensor Tensor::operator[](int64_t index) const { return select(0, index); }

Tensor Tensor::operator[](const Tensor& index) const {
  ETUDE_CHECK_INDEX(index.defined(), "Can only index with tensors that are defined");
  ETUDE_CHECK_INDEX(index.dim() == 0,
                    "Can only index with tensors that are scalars (zero-dim)\nreceived sizes ", index.sizes(),
                    "\nhint: x.index({i}) takes an index of any sizes");
  ETUDE_CHECK_INDEX(isIntegralType(index.scalar_type(), false),
                    "Can only index tensors with integral scalars\nreceived ",
                    dtype_name(index.scalar_type()));
  return select(0, index.item<int64_t>());
}

}  // namespace etude
