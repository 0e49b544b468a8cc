#include "etude/distributed/detail/partial_sums.h"

#include <utility>

namespace etude::distributed::detail {
namespace {

// left + right, in the memory of left.
Tensor joined(const Tensor& left, const Tensor& right) {
  if (left.defined() && right.defined()) left.add_(right);
  return left.defined() ? left : right;
}

}  // namespace

void PartialSums::add(Tensor part) {
  size_t level = 0;
  for (; count_ >> level & 1; ++level) part = joined(std::exchange(blocks_[level], Tensor()), part);
  if (level == blocks_.size()) blocks_.emplace_back();
  blocks_[level] = std::move(part);
  ++count_;
}

// Joins the remaining blocks from the right, as the last part joins the blocks of its size.
Tensor PartialSums::total(const Tensor& last) {
  Tensor sum = last;
  for (Tensor& block : blocks_) sum = joined(std::exchange(block, Tensor()), sum);
  count_ = 0;
  return sum;
}

void PartialSums::clear() { *this = PartialSums(); }

}  // namespace etude::distributed::detail
