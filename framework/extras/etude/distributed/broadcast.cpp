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
  BroadcastOfSeveral(ProcessGroup& group, int root, const std::vector<Tensor>& all, std::vector<size_t> list)
      : all_(all), list_(std::move(list)), is_root_(group.getRank() == root) {
    int64_t numel = 0;
    for (const size_t i : list_) numel += all_[i].numel();
    flat_ = etude::empty({numel}, all_[list_[0]].scalar_type());
    if (is_root_) for_each_piece([](const Tensor& t, const Tensor& piece) { piece.copy_(t); });
    work_ = detail::start_broadcast(group, root, flat_);
  }

  void finish() {
    work_->wait();
    if (!is_root_) for_each_piece([](const Tensor& t, const Tensor& piece) { t.copy_(piece); });
  }

 private:
  template <typename F>
  void for_each_piece(const F& f) {
    int64_t begin = 0;
    for (const size_t i : list_) {
      const Tensor& t = all_[i];
      f(t, flat_.narrow(0, begin, t.numel()).view(t.sizes()));
      begin += t.numel();
    }
  }

  const std::vector<Tensor>& all_;
  std::vector<size_t> list_;  // positions in all_
  Tensor flat_;
  bool is_root_;
  std::shared_ptr<Work> work_;
};

}  // namespace

std::shared_ptr<Work> detail::start_broadcast(ProcessGroup& group, int root, const Tensor& t) {
  BroadcastOptions options;
  options.rootRank = root;
  std::vector<Tensor> list = {t};
  return group.broadcast(list, options);
}

std::vector<std::vector<size_t>> detail::lists_of_one_type(const std::vector<Tensor>& tensors, int64_t bytes,
                                                           int64_t first_bytes) {
  struct Open {
    int64_t left;  // bytes until the list is full
    std::vector<size_t> list;
  };
  std::map<ScalarType, Open> open_lists;
  std::vector<std::vector<size_t>> lists;
  for (size_t i = 0; i < tensors.size(); ++i) {
    Open& open = open_lists.try_emplace(tensors[i].scalar_type(), Open{first_bytes, {}}).first->second;
    open.list.push_back(i);
    open.left -= static_cast<int64_t>(tensors[i].nbytes());
    if (open.left > 0) continue;
    lists.push_back(std::move(open.list));
    open = {bytes, {}};
  }
  for (auto& [type, open] : open_lists)
    if (!open.list.empty()) lists.push_back(std::move(open.list));
  return lists;
}

// Two broadcasts are in flight at once: while one travels, the other is packed or unpacked.
void detail::broadcast_from_owners(ProcessGroup& group, const std::vector<std::vector<Tensor>>& of_rank) {
  const NoGradGuard no_grad;
  std::optional<BroadcastOfSeveral> before;
  for (size_t root = 0; root < of_rank.size(); ++root)
    for (std::vector<size_t>& list : lists_of_one_type(of_rank[root], kBytesAtOnce, kBytesAtOnce)) {
      BroadcastOfSeveral next(group, static_cast<int>(root), of_rank[root], std::move(list));
      if (before) before->finish();
      before.emplace(std::move(next));
    }
  if (before) before->finish();
}

}  // namespace etude::distributed
