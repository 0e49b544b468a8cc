#include "etude/core/shape.h"

#include <algorithm>
#include <utility>

#include "etude/core/error.h"

namespace etude {

template <typename... Received>
[[noreturn]] static void refuse_dims(const Received&... received) {
  throw Error(str("tensors of more than ", kMaxDims, " dims are not supported\nreceived ", received...));
}

Shape::Shape(IntArrayRef values) : count_(static_cast<int64_t>(values.size())) {
  if (count_ > kMaxDims) refuse_dims("sizes ", values);
  std::copy_n(values.data(), count_, values_);
}

Shape Shape::filled(int64_t count, int64_t value) {
  if (count > kMaxDims) refuse_dims(count, " dims");
  Shape s;
  s.count_ = count;
  std::fill(s.begin(), s.end(), value);
  return s;
}

void Shape::push_back(int64_t value) { insert(count_, value); }

void Shape::insert(int64_t position, int64_t value) {
  if (count_ >= kMaxDims) refuse_dims("a dim to add to ", ref());
  std::copy_backward(values_ + position, values_ + count_, values_ + count_ + 1);
  values_[position] = value;
  ++count_;
}

void Shape::erase(int64_t position) {
  std::copy(values_ + position + 1, values_ + count_, values_ + position);
  --count_;
}

bool operator==(const Shape& a, const Shape& b) {
  return std::equal(a.values_, a.values_ + a.count_, b.values_, b.values_ + b.count_);
}

[[noreturn]] static void refuse_dim(int64_t dim, int64_t range) {
  throw IndexError(str("Dimension out of range (expected to be in range of [", -range, ", ", range - 1,
                       "], but got ", dim, ")"));
}

int64_t wrap_dim(int64_t dim, int64_t dims) {
  const int64_t range = std::max<int64_t>(dims, 1);
  if (dim < -range || dim >= range) refuse_dim(dim, range);
  return dim < 0 ? dim + range : dim;
}

int64_t count_elements(IntArrayRef sizes) {
  int64_t n = 1;
  bool overflow = false;
  for (int64_t s : sizes) {
    if (s == 0) return 0;
    overflow = overflow || s < 0 || __builtin_mul_overflow(n, s, &n);
  }
  ETUDE_CHECK(!overflow, "numel: integer multiplication overflow\nreceived sizes ", sizes);
  return n;
}

Shape contiguous_strides(IntArrayRef sizes) {
  Shape strides(sizes);
  int64_t step = 1;
  bool overflow = false;
  for (int64_t *s = strides.end(), *first = strides.begin(); s != first;) {
    const int64_t size = std::max<int64_t>(std::exchange(*--s, step), 1);
    overflow |= s != first && __builtin_mul_overflow(step, size, &step);
  }
  ETUDE_CHECK(!overflow, "Storage size calculation overflowed with sizes=", sizes);
  return strides;
}

Shape broadcast_sizes(IntArrayRef a, IntArrayRef b) {
  const auto na = static_cast<int64_t>(a.size()), nb = static_cast<int64_t>(b.size());
  const int64_t n = std::max(na, nb);
  Shape result = Shape::filled(n, 1);
  for (int64_t i = n - 1; i >= 0; --i) {
    const int64_t sa = i >= n - na ? a[static_cast<size_t>(i - (n - na))] : 1;
    const int64_t sb = i >= n - nb ? b[static_cast<size_t>(i - (n - nb))] : 1;
    ETUDE_CHECK(sa == sb || sa == 1 || sb == 1, "The size of tensor a (", sa,
                ") must match the size of tensor b (", sb, ") at non-singleton dimension ", i,
                "\nreceived sizes ", a, " and ", b,
                "\nhint: sizes are compared from the last dim on; each pair must be equal or one of them 1");
    result[i] = sa == 1 ? sb : sa;
  }
  return result;
}

Shape infer_sizes(IntArrayRef sizes, int64_t elements) {
  Shape result(sizes);
  int64_t* unknown = nullptr;
  for (int64_t& size : result) {
    ETUDE_CHECK(size >= -1, "invalid shape dimension ", size, " at index ", &size - result.begin(),
                " of shape ", sizes);
    if (size >= 0) continue;
    ETUDE_CHECK(!unknown, "only one dimension can be inferred\nreceived sizes ", sizes);
    unknown = &size;
    size = 1;
  }
  const int64_t known = count_elements(result);
  ETUDE_CHECK(!unknown || known > 0 || elements != 0, "cannot reshape tensor of 0 elements into shape ",
              sizes, " because the unspecified dimension size -1 can be any value and is ambiguous");
  if (unknown && known > 0) *unknown = elements / known;
  ETUDE_CHECK(known * (unknown ? *unknown : 1) == elements, "shape '", sizes,
              "' is invalid for input of size ", elements);
  return result;
}

bool view_strides(IntArrayRef sizes, IntArrayRef strides, IntArrayRef target, Shape& result) {
  result = contiguous_strides(target);
  if (count_elements(sizes) == 0) return true;
  // From the last dim on, matches each contiguous block of source dims with a block of target dims.
  auto t = static_cast<int64_t>(target.size()) - 1;
  int64_t block = 1, viewed = 1;
  int64_t base = sizes.empty() ? 1 : strides.back();
  for (auto i = static_cast<int64_t>(sizes.size()) - 1; i >= 0; --i) {
    const auto s = static_cast<size_t>(i);
    block *= sizes[s];
    const bool ends = i == 0 || (sizes[s - 1] != 1 && strides[s - 1] != block * base);
    if (!ends) continue;
    while (t >= 0 && (viewed < block || target[static_cast<size_t>(t)] == 1)) {
      result[t] = viewed * base;
      viewed *= target[static_cast<size_t>(t)];
      --t;
    }
    if (viewed != block) return false;
    if (i > 0) {
      base = strides[s - 1];
      block = viewed = 1;
    }
  }
  return t < 0 || sizes.empty();
}

}  // namespace etude
