// Sums of products over named dims:
//
//   y[output] = sum over all other subscripts of x_1[...] x_2[...] ...
//
// Two operands at a time become one by a batched matrix product: subscripts of both that stay number the batches, those of one
// its rows or columns, and those of both that go are what is summed over. One that only a single operand knows is summed out
// before. All are compositions of ops, and so are their gradients.

#include "etude/ops/einsum.h"

#include <algorithm>
#include <limits>

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/equation.h"

namespace etude {
namespace {

using namespace detail;

// A term without dims of size 1 that are repeated for others or summed over.
void drop_ones(Term& term, const SumOfProducts& sum) {
  Shape sizes;
  DimSet kept = 0;
  for_each_in(term.dims, [&](int64_t s) {
    const int64_t size = term.x.size(place_in(term.dims, s));
    if (size == 1 && (sum.sizes[static_cast<size_t>(s)] != 1 || !(sum.output & only(s)))) return;
    sizes.push_back(size);
    kept |= only(s);
  });
  if (kept == term.dims) return;
  term = {term.x.view(sizes), kept};
}

void sum_out(Term& term, DimSet set) {
  if (!set) return;
  Shape dims;
  for_each_in(set, [&](int64_t s) { dims.push_back(place_in(term.dims, s)); });
  term = {term.x.sum(dims.ref()), term.dims & ~set};
}

// The term with ones for dims that it has not.
Tensor spread(const Term& term, DimSet all) {
  if (term.dims == all) return term.x;
  Shape sizes;
  for_each_in(all, [&](int64_t s) {
    sizes.push_back(term.dims & only(s) ? term.x.size(place_in(term.dims, s)) : 1);
  });
  return term.x.view(sizes);
}

// The term as a tensor of three dims, each of which joins those of a set.
Tensor joined_dims(const Term& term, std::array<DimSet, 3> sets) {
  Shape places, sizes;
  for (const DimSet set : sets) {
    int64_t size = 1;
    for_each_in(set, [&](int64_t s) {
      places.push_back(place_in(term.dims, s));
      size *= term.x.size(places.back());
    });
    sizes.push_back(size);
  }
  return term.x.permute(places).reshape(sizes);
}

Term contracted(Term a, Term b, DimSet stays, const SumOfProducts& sum) {
  sum_out(a, a.dims & ~b.dims & ~stays);
  sum_out(b, b.dims & ~a.dims & ~stays);
  const DimSet both = a.dims & b.dims, all = a.dims | b.dims, goes = both & ~stays;
  if (!goes) return {spread(a, all) * spread(b, all), all};
  const DimSet batch = both & stays, rows = a.dims & ~both, columns = b.dims & ~both, dims = all & ~goes;
  Shape sizes, places = Shape::filled(number_of(dims), 0);
  for (const DimSet set : {batch, rows, columns})
    for_each_in(set, [&](int64_t s) {
      places[place_in(dims, s)] = sizes.size();
      sizes.push_back(sum.sizes[static_cast<size_t>(s)]);
    });
  const Tensor y =
      joined_dims(a, {batch, rows, goes}).bmm(joined_dims(b, {batch, goes, columns})).view(sizes);
  return {std::is_sorted(places.begin(), places.end()) ? y : y.permute(places), dims};
}

// What is needed of the product of two terms.
DimSet kept_of(const SumOfProducts& sum, size_t i, size_t j) {
  DimSet needed = sum.output;
  for (size_t k = 0; k < sum.terms.size(); ++k)
    if (k != i && k != j) needed |= sum.terms[k].dims;
  return (sum.terms[i].dims | sum.terms[j].dims) & needed;
}

// The two terms whose product makes the most of memory free, or takes the least. Sums of integers change their type, so
// these go from left to right, as in PyTorch.
std::pair<size_t, size_t> next_pair(const SumOfProducts& sum) {
  std::pair<size_t, size_t> best{0, 1};
  double least = std::numeric_limits<double>::infinity();
  const auto& terms = sum.terms;
  if (!std::all_of(terms.begin(), terms.end(), [](const Term& t) { return t.x.is_floating_point(); }))
    return best;
  for (size_t i = 0; i + 1 < terms.size(); ++i)
    for (size_t j = i + 1; j < terms.size(); ++j) {
      const DimSet kept = kept_of(sum, i, j);
      double elements = number_of(kept) > kMaxDims ? least : 1;
      for_each_in(kept,
                  [&](int64_t s) { elements *= static_cast<double>(sum.sizes[static_cast<size_t>(s)]); });
      elements -= static_cast<double>(terms[i].x.numel() + terms[j].x.numel());
      if (elements < least) {
        least = elements;
        best = {i, j};
      }
    }
  return best;
}

std::pair<size_t, size_t> pair_of(IntArrayRef path, size_t at, size_t terms) {
  const auto [i, j] = std::minmax(path[at], path[at + 1]);
  ETUDE_CHECK(i != j, "einsum(): invalid contraction (", path[at], ", ", path[at + 1],
              ") cannot contract an operand with itself");
  ETUDE_CHECK(i >= 0 && j < static_cast<int64_t>(terms), "einsum(): invalid contraction (", path[at], ", ",
              path[at + 1], ") operand index is out of bounds");
  return {static_cast<size_t>(i), static_cast<size_t>(j)};
}

}  // namespace

Tensor einsum(std::string_view equation, TensorList tensors, DimList path) {
  ETUDE_OP(einsum, equation, tensors, path);
  ETUDE_CHECK(!tensors.empty(), "einsum(): must provide at least one operand");
  SumOfProducts sum = read_equation(equation, tensors);
  auto& terms = sum.terms;
  const IntArrayRef steps = path.value();
  const size_t needed = terms.size() == 1 ? 1 : (terms.size() - 1) * 2;
  ETUDE_CHECK(!path.has_value() || steps.size() == needed,
              "einsum(): expected contraction path given in path parameter to have size ", needed,
              " but got ", steps.size(),
              "\nhint: each step names two operands; its result is then the last of those that are left");
  if (terms.size() == 1) {
    sum_out(terms[0], terms[0].dims & ~sum.output);
    return terms[0].x;
  }
  DimSet goes = 0;
  for (Term& term : terms) {
    goes |= term.dims & ~sum.output;
    drop_ones(term, sum);
  }
  for (size_t at = 0; terms.size() > 1; at += 2) {
    const auto [i, j] = path.has_value() ? pair_of(steps, at, terms.size()) : next_pair(sum);
    Term term = contracted(terms[i], terms[j], kept_of(sum, i, j), sum);
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(j));
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i));
    terms.push_back(std::move(term));
  }
  const Tensor& y = terms[0].x;
  return goes ? y.view(y.sizes()) : y;  // for the name that PyTorch's result has
}

}  // namespace etude
