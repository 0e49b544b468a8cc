#include "etude/distributed/detail/broadcast.h"

#include <map>
#include <optional>
#include <utility>

#include "etude/autograd/grad_mode.h"
#include "etude/ops/ops.h"

namespace etude::distributed {
namespace {

constexpr int64_t kBytesAtOnce = 25 * 1024 * 1024;

// Tensors of one type that are broadcast as one.
class BroadcastOfSeveral {
 public:
  BroadcastOfSeveral(ProcessGroup& group, int root, std::vector<Tensor> tensors)
      : tensors_(std::move(tensors)), is_root_(group.getRank() == root) {
    int64_t numel = 0;
    for (const Tensor& t : tensors_) numel += t.numel();
    flat_ = etude::empty({numel}, tensors_[0].scalar_type());
    if (is_root_) for_each_piece([](const Tensor& t, const Tensor& piece) { piece.copy_(t); });
    BroadcastOptions options;
    options.rootRank = root;
    std::vector<Tensor> list = {flat_};
    work_ = group.broadcast(list, options);
  }

  void finish() {
    work_->wait();
    if (!is_root_) for_each_piece([](const Tensor& t, const Tensor& piece) { t.copy_(piece); });
  }

 private:
  template <typename F>
  void for_each_piece(const F& f) {
    int64_t begin = 0;
    for (const Tensor& t : tensors_) {
      f(t, flat_.narrow(0, begin, t.numel()).view(t.sizes()));
      begin += t.numel();
    }
  }

  std::vector<Tensor> tensors_;
  Tensor flat_;
  bool is_root_;
  std::shared_ptr<Work> work_;
};

// Splits tensors into lists of one type; a new list begins after kBytesAtOnce bytes.
std::vector<std::vector<Tensor>> lists_of(const std::vector<Tensor>& tensors) {
  struct Open {
    size_t list = 0;
    int64_t bytes = kBytesAtOnce;
  };
  std::map<ScalarType, Open> open_lists;
  std::vector<std::vector<Tensor>> lists;
  for (const Tensor& t : tensors) {
    if (t.numel() == 0) continue;
    Open& open = open_lists[t.scalar_type()];
    if (open.bytes >= kBytesAtOnce) {
      open = {lists.size(), 0};
      lists.emplace_back();
    }
    lists[open.list].push_back(t);
    open.bytes += static_cast<int64_t>(t.nbytes());
  }
  return lists;
}

}  // namespace

// Two broadcasts are in flight at once: while one travels, the other is packed or unpacked.
void detail::broadcast_from_owners(ProcessGroup& group, const std::vector<std::vector<Tensor>>& of_rank) {
  const NoGradGuard no_grad;
  std::optional<BroadcastOfSeveral> before;
  for (size_t root = 0; root < of_rank.size(); ++root)
    for (std::vector<Tensor>& list : lists_of(of_rank[root])) {
      BroadcastOfSeveral next(group, static_cast<int>(root), std::move(list));
      if (before) before->finish();
      before.emplace(std::move(next));
    }
  if (before) before->finish();
}

}  // namespace etude::distributed
