#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "etude/core/detail/dispatch.h"
#include "etude/core/detail/loops.h"
#include "etude/core/detail/parallel_for.h"
#include "etude/core/detail/tensor_impl.h"
#include "etude/core/detail/vectorised.h"
#include "etude/ops/detail/lanes.h"

// Shared code of reductions: the dims to reduce, the order in which memory is read, and the joining of partial results.
//
// A Fold is a small struct that defines what is computed:
//
//   using Acc = ...;                                       the type of partial results
//   Acc start() const;                                     the result over no elements
//   Acc join(Acc a, Acc b) const;                          two partial results as one
//   Acc load(T x, int64_t output, int64_t position) const; the contribution of one element; `output` is the index of
//                                                          its result
//
// Elements are joined in blocks and lanes whose bounds depend on the sizes and strides alone, and blocks are
// joined by halves. So the bits are the same for any number of threads and any instruction set, and the error
// of a sum of n numbers grows with log n instead of n.

namespace etude::detail {

/// The dims that a reduction removes from a tensor.
struct ReducedDims {
  Shape sizes;                // of the tensor
  bool taken[kMaxDims] = {};  // by dim
  int64_t count = 1;          // elements per result

  /// The reduced dims, in ascending order.
  Shape list() const;
  /// The sizes of the result. With keepdim, reduced dims have size 1; otherwise they are dropped.
  Shape result_sizes(bool keepdim) const;
  /// A view of a result in which the reduced dims are back with size 1.
  Tensor restored(const Tensor& result, bool keepdim) const;
  /// The gradient of a result, expanded to the elements that were reduced to it.
  Tensor spread(const Tensor& dy, bool keepdim) const;
};

/// All dims.
ReducedDims all_dims(const Tensor& x);
/// The given dims, or all dims if none is given. Throws on a dim out of range or given twice.
ReducedDims reduced_dims(const Tensor& x, const DimList& dims);

/// How a reduction reads its input. Each step of `kept` has one result (operands: input, output), folded over the
/// steps of `reduced`.
struct ReductionWalk {
  Walk<2> kept;
  Walk<1> reduced;
  bool by_columns;  // neighbours in memory belong to different results
};

ReductionWalk make_reduction_walk(const TensorImpl& x, const ReducedDims& dims);

/// The offset of step i of a walk for one operand.
template <int N>
int64_t offset_of(const Walk<N>& w, int operand, int64_t i) {
  const auto& strides = w.strides[static_cast<size_t>(operand)];
  int64_t offset = 0;
  for (auto d = static_cast<size_t>(w.dims - 1); d > 0; --d) {
    offset += i % w.sizes[d] * strides[d];
    i /= w.sizes[d];
  }
  return offset + i * strides[0];
}

constexpr int64_t kBlock = 4096;        // elements of a row that are folded at once
constexpr int64_t kRowsAtOnce = 64;     // rows folded by one call of fold_rows
constexpr int64_t kTileColumns = 4096;  // columns and rows of a tile
constexpr int64_t kTileRows = 256;

/// The task of a kernel: results output, output + output_step, ... over the steps [begin, end) of `reduced`.
struct FoldRange {
  int64_t results, step;  // the number of results, and the distance of their elements in the input
  int64_t output, output_step;
  int64_t begin, end;
};

template <typename Fold>
typename Fold::Acc join_by_halves(const Fold& fold, const typename Fold::Acc* parts, int64_t n,
                                  int64_t stride) {
  if (n == 1) return *parts;
  const int64_t half = n / 2;
  return fold.join(join_by_halves(fold, parts, half, stride),
                   join_by_halves(fold, parts + half * stride, n - half, stride));
}

/// Folds each row into its own result.
template <typename Fold, typename T>
void fold_rows(const Fold& fold, typename Fold::Acc* parts, const T* x, const Walk<1>& reduced,
               const FoldRange& range) {
  using Acc = typename Fold::Acc;
  vectorised([=] {
    const auto join = [&](Acc a, Acc b) { return fold.join(a, b); };
    const int64_t inner = reduced.inner(), stride = reduced.stride(0);
    for (int64_t r = 0; r < range.results; ++r) {
      const int64_t output = range.output + r * range.output_step;
      Acc result = fold.start();
      for (int64_t from = range.begin, n; from < range.end; from += n) {
        n = std::min(inner - from % inner, range.end - from);
        const T* run = x + r * range.step + offset_of(reduced, 0, from);
        if (stride == 1)
          result = join(result, fold_lane(
                                    n, fold.start(),
                                    [&](int64_t i) { return fold.load(run[i], output, from + i); }, join));
        else
          for (int64_t i = 0; i < n; ++i) result = join(result, fold.load(run[i * stride], output, from + i));
      }
      parts[r] = result;
    }
  });
}

/// Folds results that lie side by side in memory, adding one row after the other.
template <typename Fold, typename T>
void fold_columns(const Fold& fold, typename Fold::Acc* parts, const T* x, const Walk<1>& reduced,
                  const FoldRange& range) {
  vectorised([=] {
    for (int64_t c = 0; c < range.results; ++c) parts[c] = fold.start();
    for (int64_t r = range.begin; r < range.end; ++r) {
      const T* row = x + offset_of(reduced, 0, r);
      if (range.step == 1)
        for (int64_t c = 0; c < range.results; ++c)
          parts[c] = fold.join(parts[c], fold.load(row[c], range.output + c * range.output_step, r));
      else
        for (int64_t c = 0; c < range.results; ++c)
          parts[c] =
              fold.join(parts[c], fold.load(row[c * range.step], range.output + c * range.output_step, r));
    }
  });
}

/// Rows that are folded in several blocks each.
template <typename R, typename T, typename Fold, typename Finish>
void reduce_long_rows(const ReductionWalk& w, R* out, const T* x, const Fold& fold, const Finish& finish) {
  using Acc = typename Fold::Acc;
  const int64_t n = w.reduced.count, blocks = (n + kBlock - 1) / kBlock, results = w.kept.count;
  const std::unique_ptr<Acc[]> parts(new Acc[static_cast<size_t>(results * blocks)]);
  parallel_for(0, results * blocks, kGrain / kBlock, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i / blocks, block = i % blocks, output = offset_of(w.kept, 1, row);
      fold_rows(fold, parts.get() + output * blocks + block, x + offset_of(w.kept, 0, row), w.reduced,
                {1, 0, output, 0, block * kBlock, std::min((block + 1) * kBlock, n)});
    }
  });
  parallel_for(0, results, std::max<int64_t>(1, kGrain / blocks), [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o)
      out[o] = finish(join_by_halves(fold, parts.get() + o * blocks, blocks, 1), o);
  });
}

/// finish(acc, output) turns a folded value into a result.
template <typename R, typename T, typename Fold, typename Finish>
void reduce_rows(const ReductionWalk& w, R* out, const T* x, const Fold& fold, const Finish& finish) {
  const int64_t n = w.reduced.count, step = w.kept.stride(0), output_step = w.kept.stride(1);
  if (n > kBlock) return reduce_long_rows(w, out, x, fold, finish);
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(n, 1));
  parallel_for(0, w.kept.count, grain, [&](int64_t begin, int64_t end) {
    typename Fold::Acc parts[kRowsAtOnce];
    for (int64_t row = begin, count; row < end; row += count) {
      count = std::min({kRowsAtOnce, w.kept.inner() - row % w.kept.inner(), end - row});
      const int64_t output = offset_of(w.kept, 1, row);
      fold_rows(fold, parts, x + offset_of(w.kept, 0, row), w.reduced,
                {count, step, output, output_step, 0, n});
      for (int64_t i = 0; i < count; ++i)
        out[output + i * output_step] = finish(parts[i], output + i * output_step);
    }
  });
}

template <typename R, typename T, typename Fold, typename Finish>
void reduce_columns(const ReductionWalk& w, R* out, const T* x, const Fold& fold, const Finish& finish) {
  using Acc = typename Fold::Acc;
  const int64_t n = w.reduced.count, columns = w.kept.inner(), output_step = w.kept.stride(1),
                results = w.kept.count;
  const int64_t tiles = (columns + kTileColumns - 1) / kTileColumns,
                blocks = std::max<int64_t>(1, (n + kTileRows - 1) / kTileRows);
  const int64_t work = std::min(columns, kTileColumns) * std::clamp<int64_t>(n, 1, kTileRows);
  const std::unique_ptr<Acc[]> parts(blocks > 1 ? new Acc[static_cast<size_t>(results * blocks)] : nullptr);
  parallel_for(0, results / columns * tiles * blocks, std::max<int64_t>(1, kGrain / work),
               [&](int64_t begin, int64_t end) {
                 Acc tile[kTileColumns];
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t block = i % blocks, left = i / blocks % tiles * kTileColumns,
                                 first = i / blocks / tiles * columns + left;
                   const int64_t width = std::min(kTileColumns, columns - left),
                                 output = offset_of(w.kept, 1, first);
                   fold_columns(fold, tile, x + offset_of(w.kept, 0, first), w.reduced,
                                {width, w.kept.stride(0), output, output_step, block * kTileRows,
                                 std::min((block + 1) * kTileRows, n)});
                   for (int64_t c = 0; c < width; ++c) {
                     const int64_t o = output + c * output_step;
                     if (blocks == 1) out[o] = finish(tile[c], o);
                     else parts[static_cast<size_t>(block * results + o)] = tile[c];
                   }
                 }
               });
  if (blocks == 1) return;
  parallel_for(0, results, std::max<int64_t>(1, kGrain / blocks), [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o)
      out[o] = finish(join_by_halves(fold, parts.get() + o, blocks, results), o);
  });
}

/// The sum of the elements. float32 is added up in float64; integers wrap around. Other sums derive from it and
/// replace load().
template <typename T>
struct Sum {
  using Acc = Accumulator<T>;
  Acc start() const { return 0; }
  Acc load(T x, int64_t, int64_t) const { return static_cast<Acc>(x); }
  Acc join(Acc a, Acc b) const { return a + b; }
};

/// Writes finish(fold over the reduced elements, output) for every result. out is contiguous. T is the element
/// type of x, or a type with the same bytes.
template <typename T, typename R, typename Fold, typename Finish>
void reduce(R* out, const Tensor& x, const ReducedDims& dims, const Fold& fold, const Finish& finish) {
  const TensorImpl& in = impl(x);
  const ReductionWalk w = make_reduction_walk(in, dims);
  if (w.kept.count == 0) return;
  if (w.by_columns) reduce_columns(w, out, in.data<T>(), fold, finish);
  else reduce_rows(w, out, in.data<T>(), fold, finish);
}

}  // namespace etude::detail
