// A tensor from numbers in nested braces, tensor({{1, 2}, {3, 4}}), and its elements in a std::vector.

#include "etude/ops/tensor_literal.h"

#include "etude/core/detail/dispatch.h"
#include "etude/core/detail/tensor_impl.h"
#include "etude/ops/ops.h"

namespace etude::detail {

TensorLiteral::TensorLiteral(std::initializer_list<TensorLiteral> list)
    : sizes_{static_cast<int64_t>(list.size())},
      type_(list.size() == 0 ? get_default_dtype() : list.begin()->type_),
      is_list_(true) {
  for (const TensorLiteral& part : list) {
    const TensorLiteral& first = *list.begin();
    ETUDE_CHECK(part.sizes_ == first.sizes_,
                "Expected all sub-lists to have sizes: ", Join(" ", first.sizes_), " (e.g. ", first.text(),
                "), but got sub-list ", part.text(), " with sizes: ", Join(" ", part.sizes_));
    ETUDE_CHECK(part.type_ == first.type_,
                "Expected all elements of the tensor to have the same scalar type: ", toString(first.type_),
                ", but got element of scalar type: ", toString(part.type_),
                "\nhint: write 1. for the floating point number 1, as in {1., 2.5}");
    values_.insert(values_.end(), part.values().begin(), part.values().end());
  }
  if (list.size() > 0) sizes_.insert(sizes_.end(), list.begin()->sizes_.begin(), list.begin()->sizes_.end());
}

// Elements of std::vector<bool> are converted to bool first: with some standard libraries a Scalar accepts nothing else.
TensorLiteral::TensorLiteral(const std::vector<bool>& values)
    : sizes_{static_cast<int64_t>(values.size())}, type_(kBool), is_list_(true) {
  for (const bool v : values) values_.push_back(v);
}

Tensor TensorLiteral::make(const TensorOptions& options) const {
  const ScalarType own = isFloatingType(type_) ? get_default_dtype() : type_ == kInt ? kLong : type_;
  Tensor t = make_tensor(IntArrayRef(sizes_), options.has_dtype() ? options.dtype() : own);
  dispatch(t.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    T* out = impl(t).data<T>();
    for (const Scalar& v : values()) *out++ = v.to<T>();
  });
  if (options.requires_grad()) t.set_requires_grad(true);
  return t;
}

// The values as in the source. A brace opens before each group of values that it encloses.
std::string TensorLiteral::text() const {
  if (is_list_ && values_.empty()) return "{}";
  std::ostringstream out;
  std::vector<size_t> groups;  // values per brace, from the outermost to the innermost
  size_t group = 1;
  for (size_t d = sizes_.size(); d-- > 0;)
    groups.insert(groups.begin(), group *= static_cast<size_t>(sizes_[d]));
  for (size_t i = 0; i < values().size(); ++i) {
    if (i > 0) out << ", ";
    for (size_t g : groups)
      if (i % g == 0) out << '{';
    if (isFloatingType(type_)) out << values()[i].toDouble();
    else out << values()[i].toLong();
    for (size_t g : groups)
      if ((i + 1) % g == 0) out << '}';
  }
  return out.str();
}

}  // namespace etude::detail

namespace etude {

template <typename T>
std::vector<T> to_vector(const Tensor& t) {
  const Tensor from = t.contiguous();
  return detail::dispatch(from.scalar_type(), [&](auto zero) {
    using From = decltype(zero);
    const From *first = detail::impl(from).data<From>(), *last = first + from.numel();
    if constexpr (std::is_same_v<From, T>) {
      return std::vector<T>(first, last);
    } else {
      std::vector<T> result;
      result.reserve(static_cast<size_t>(from.numel()));
      for (const From* x = first; x != last; ++x) result.push_back(Scalar(*x).to<T>());
      return result;
    }
  });
}

#define ETUDE_INSTANTIATE(T) template ETUDE_API std::vector<T> to_vector<T>(const Tensor& t);
ETUDE_FOR_NUMBERS(ETUDE_INSTANTIATE)
#undef ETUDE_INSTANTIATE

}  // namespace etude
