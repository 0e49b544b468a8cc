// Sums of products over named dims:
//
//   y[output] = sum over all other subscripts of x_1[...] x_2[...] ...
//
// Two operands at a time are combined by a batched matrix product. A subscript that is needed later numbers the batches if both
// operands have it, otherwise the rows or columns of its operand. The product sums over the other subscripts that both have;
// those that only one operand has are summed out before. All steps are ops, and so are the gradients.

#include "etude/ops/einsum.h"

#include <algorithm>
#include <limits>

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/equation.h"

namespace etude {
namespace {

using namespace detail;

// Drops dims of size 1 that are broadcast to other operands or summed over.
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

// The term as a tensor of all dims, with size 1 for dims that it does not have.
Tensor spread(const Term& term, DimSet all) {
  if (term.dims == all) return term.x;
  Shape sizes;
  for_each_in(all, [&](int64_t s) {
    sizes.push_back(term.dims & only(s) ? term.x.size(place_in(term.dims, s)) : 1);
  });
  return term.x.view(sizes);
}

// The term as a tensor of three dims, each of which joins the dims of a set.
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

// The subscripts of the product of two terms that are still needed.
DimSet kept_of(const SumOfProducts& sum, size_t i, size_t j) {
  DimSet needed = sum.output;
  for (size_t k = 0; k < sum.terms.size(); ++k)
    if (k != i && k != j) needed |= sum.terms[k].dims;
  return (sum.terms[i].dims | sum.terms[j].dims) & needed;
}

// The order of products. The next two terms are those whose product frees the most memory or needs the least; the first pair
// among equals.
//
// A product does not change the cost of any other pair: a subscript that loses one of its terms is still needed by the others,
// or is gone. So each term remembers its best partner among later terms, and searches again only when the partner is gone.
class ProductOrder {
 public:
  explicit ProductOrder(const SumOfProducts& sum) : sum_(sum) {
    for (const Term& term : sum.terms) add(term.dims);
    for (size_t i = 0; i < rows_.size(); ++i) look(i);
  }

  std::pair<size_t, size_t> next() const {
    const auto best = std::min_element(rows_.begin(), rows_.end(),
                                       [](const Row& a, const Row& b) { return a.least < b.least; });
    if (best->least == kInfinity) return {0, 1};
    const auto partner =
        std::find_if(best, rows_.end(), [best](const Row& r) { return r.id == best->partner; });
    return {static_cast<size_t>(best - rows_.begin()), static_cast<size_t>(partner - rows_.begin())};
  }

  // Terms i and j have been replaced by one term with these dims, at the end.
  void joined(size_t i, size_t j, DimSet dims) {
    const size_t gone[] = {rows_[i].id, rows_[j].id};
    for (const size_t at : {j, i}) {
      count(rows_[at].dims, -1);
      rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    add(dims);
    for (size_t r = 0; r + 1 < rows_.size(); ++r) {
      if (rows_[r].partner == gone[0] || rows_[r].partner == gone[1]) look(r);
      else compare(rows_[r], rows_.back());
    }
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  struct Row {
    size_t id;
    DimSet dims;
    double elements, least = kInfinity;
    size_t partner = 0;  // the id of the best partner; 0 is the id of no term
  };

  double elements_of(DimSet dims) const {
    double elements = 1;
    for_each_in(dims,
                [&](int64_t s) { elements *= static_cast<double>(sum_.sizes[static_cast<size_t>(s)]); });
    return elements;
  }
  void count(DimSet dims, int change) {
    for_each_in(dims, [&](int64_t s) {
      int& n = counts_[static_cast<size_t>(s)] += change;
      once_ = n == 1 ? once_ | only(s) : once_ & ~only(s);
      twice_ = n == 2 ? twice_ | only(s) : twice_ & ~only(s);
    });
  }
  void add(DimSet dims) {
    rows_.push_back({++last_id_, dims, elements_of(dims)});
    count(dims, 1);
  }
  void compare(Row& row, const Row& other) const {
    const DimSet goes = ((row.dims ^ other.dims) & once_) | (row.dims & other.dims & twice_);
    const DimSet kept = (row.dims | other.dims) & (sum_.output | ~goes);
    if (number_of(kept) > kMaxDims) return;
    const double cost = elements_of(kept) - row.elements - other.elements;
    if (!(cost < row.least)) return;
    row.least = cost;
    row.partner = other.id;
  }
  void look(size_t i) {
    rows_[i].least = kInfinity;
    for (size_t j = i + 1; j < rows_.size(); ++j) compare(rows_[i], rows_[j]);
  }

  const SumOfProducts& sum_;
  std::vector<Row> rows_;
  size_t last_id_ = 0;
  std::array<int, 64> counts_{};
  DimSet once_ = 0, twice_ = 0;  // the subscripts that exactly one term has, and those that exactly two have
};

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
  // Sums of integers change their type, so integer terms go from left to right, as in PyTorch.
  const bool any_order =
      std::all_of(terms.begin(), terms.end(), [](const Term& t) { return t.x.is_floating_point(); });
  optional<ProductOrder> order;
  if (any_order && !path.has_value()) order.emplace(sum);
  for (size_t at = 0; terms.size() > 1; at += 2) {
    const auto [i, j] = order              ? order->next()
                        : path.has_value() ? pair_of(steps, at, terms.size())
                                           : std::pair<size_t, size_t>{0, 1};
    Term term = contracted(terms[i], terms[j], kept_of(sum, i, j), sum);
    if (order) order->joined(i, j, term.dims);
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(j));
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i));
    terms.push_back(std::move(term));
  }
  const Tensor& y = terms[0].x;
  return goes ? y.view(y.sizes()) : y;  // gives the result the node name that it has in PyTorch
}

}  // namespace etude
