// The two loops over elements selected by an index, and the range check of ids.

#include "etude/ops/detail/indexed.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "etude/ops/detail/arithmetic.h"
#include "etude/ops/detail/elementwise.h"

namespace etude::detail {
namespace {

[[noreturn]] void refuse_id(RefuseId refuse, int64_t id, int64_t p) {
  refuse(id, p);
  std::abort();  // refuse throws
}

// Turns an id into an offset. It holds copies of the fields of Ids, so that no store of a loop can change them.
struct Lookup {
  const int64_t* data;
  int64_t size, step;
  const RefuseId* refuse;

  explicit Lookup(const Ids& ids) : data(ids.data), size(ids.size), step(ids.step), refuse(&ids.refuse) {}
  int64_t operator()(int64_t at) const {
    const int64_t id = data[at];
    if (id < 0 || id >= size) refuse_id(*refuse, id, at);
    return id * step;
  }
};

// Divides the lanes along the dim of the ids among threads. Neighbouring lanes are processed together if they share an id or
// are adjacent in memory.
template <typename T, typename F>
void write_lanes(const Ids& ids, const Written& s, const Tensor& y, const Shape& y_strides, const F& f) {
  const int64_t d = s.dim, length = s.sizes[d], id_along = ids.strides[d], s_along = s.strides[d];
  const auto w = make_walk<3>(without(s.sizes, d),
                              {without(y_strides, d), without(s.strides, d), without(ids.strides, d)});
  for_each_row<3>(w, std::max<int64_t>(kGrain / length, 1), [&](const auto& at, int64_t n) {
    T* to = impl(y).data<T>() + at[0];
    const T* from = impl(s.source).data<T>() + at[1];
    const int64_t y_step = w.stride(0), s_step = w.stride(1), id_step = w.stride(2), id = at[2];
    const Lookup offset(ids);
    if (id_step == 0 && n > 1) {
      for (int64_t i = 0; i < length; ++i) {
        T* row = to + offset(id + i * id_along);
        const T* written = from + i * s_along;
        if (y_step == 1 && s_step == 1)
          vectorised<T>([&] {
            for (int64_t lane = 0; lane < n; ++lane) row[lane] = f(row[lane], written[lane]);
          });
        else
          for (int64_t lane = 0; lane < n; ++lane)
            row[lane * y_step] = f(row[lane * y_step], written[lane * s_step]);
      }
      return;
    }
    auto write = [=](int64_t i, int64_t lane) {
      T& element = to[offset(id + i * id_along + lane * id_step) + lane * y_step];
      element = f(element, from[i * s_along + lane * s_step]);
    };
    if (y_step < offset.step) {
      for (int64_t i = 0; i < length; ++i)
        for (int64_t lane = 0; lane < n; ++lane) write(i, lane);
    } else {
      for (int64_t lane = 0; lane < n; ++lane)
        for (int64_t i = 0; i < length; ++i) write(i, lane);
    }
  });
}

}  // namespace

static Tensor counted_from_start(const Tensor& ids, int64_t size) {
  Tensor result = contiguous_copy(ids);
  int64_t* const id = impl(result).data<int64_t>();
  for (int64_t p = 0; p < ids.numel(); ++p) id[p] += id[p] < 0 ? size : 0;
  return result;
}

Tensor checked_ids(const Tensor& index, int64_t size, bool from_the_end, RefuseId refuse) {
  const Tensor ids = dense(as_type(index, kLong));
  const int64_t *id = impl(ids).data<int64_t>(), least = from_the_end ? -size : 0, n = impl(ids).numel;
  bool is_negative = false;
  for (int64_t p = 0; p < n; ++p) {
    if (id[p] < least || id[p] >= size) refuse_id(refuse, id[p], p);
    is_negative = is_negative || id[p] < 0;
  }
  return is_negative ? counted_from_start(ids, size) : ids;
}

std::vector<int64_t> distinct(const Tensor& ids) {
  std::vector<int64_t> result(impl(ids).data<int64_t>(), impl(ids).data<int64_t>() + ids.numel());
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

Ids known_ids(const Tensor& ids, const Shape& strides, int64_t step) {
  static constexpr auto nothing = [](int64_t, int64_t) {};
  return {impl(ids).data<int64_t>(), strides, std::numeric_limits<int64_t>::max(), step, nothing};
}

Shape along(int64_t dims, int64_t d, int64_t stride) {
  Shape strides = Shape::filled(dims, 0);
  strides[d] = stride;
  return strides;
}

void pick_by(const Ids& ids, const Shape& sizes, const Tensor& y, const Tensor& x, const Shape& x_strides) {
  const auto w = make_walk<3>(sizes, {contiguous_strides(sizes), x_strides, ids.strides});
  const int64_t x_step = w.stride(1), id_step = w.stride(2);
  dispatch(y.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    const auto pick = [x_step, id_step, offset = Lookup(ids), out = impl(y).data<T>(),
                       in = impl(x).data<T>()](const std::array<int64_t, 3>& at, int64_t n) {
      T* to = out + at[0];
      const T* from = in + at[1];
      const int64_t id = at[2];
      if (id_step != 0) {
        for (int64_t i = 0; i < n; ++i) to[i] = from[i * x_step + offset(id + i * id_step)];
        return;
      }
      from += offset(id);
      if (x_step == 1) std::copy_n(from, n, to);
      else
        for (int64_t i = 0; i < n; ++i) to[i] = from[i * x_step];
    };
    for_each_row<3>(w, kGrain, pick);
  });
}

Tensor rows_of(const Tensor& table, int64_t d, const Tensor& ids, const Shape& result) {
  const TensorImpl& x = impl(table);
  Tensor y = make_tensor(result, x.dtype);
  const int64_t count = impl(ids).numel, elements = impl(y).numel;
  if (!x.contiguous || elements == 0) {
    Shape sizes = x.sizes, apart = x.strides;
    const int64_t step = std::exchange(apart[d], 0);
    sizes[d] = count;
    pick_by(known_ids(ids, along(sizes.size(), d, 1), step), sizes, y, table, apart);
    return y;
  }
  // A row is one block of memory, or one block in each of several slices.
  const int64_t slices = count_elements(x.sizes.ref().slice(0, static_cast<size_t>(d))), size = x.sizes[d],
                rows = slices * count, bytes = elements / rows * elementSize(x.dtype),
                *id = impl(ids).data<int64_t>();
  const std::byte* from = x.bytes();
  std::byte* to = impl(y).bytes();
  parallel_for(0, rows, std::max<int64_t>(1, 4 * kGrain / bytes), [=](int64_t begin, int64_t end) {
    for (int64_t slice = begin / count, p = begin % count, i = begin; i < end; ++i) {
      std::memcpy(to + i * bytes, from + (slice * size + id[p]) * bytes, static_cast<size_t>(bytes));
      if (++p == count) ++slice, p = 0;
    }
  });
  return y;
}

void write_by(const Ids& ids, const Written& s, const Tensor& y, const Shape& y_strides, Combine combine) {
  if (count_elements(s.sizes) == 0) return;
  dispatch(y.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    if (combine == Combine::Add) write_lanes<T>(ids, s, y, y_strides, Plus());
    else if (combine == Combine::Multiply) write_lanes<T>(ids, s, y, y_strides, Times());
    else write_lanes<T>(ids, s, y, y_strides, [](T, T b) { return b; });
  });
}

}  // namespace etude::detail
