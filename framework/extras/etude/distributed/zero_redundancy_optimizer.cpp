#include "etude/distributed/zero_redundancy_optimizer.h"

#include <algorithm>
#include <sstream>

#include "etude/distributed/detail/agreement.h"
#include "etude/distributed/detail/broadcast.h"
#include "etude/io/input_archive.h"
#include "etude/version.h"

namespace etude::distributed::detail {

namespace {

// A parameter as a fact for check_same. The first element tells parameters of equal sizes apart.
std::string text_of(const Tensor& parameter) {
  std::string text = str(parameter.sizes(), " of ", toString(parameter.scalar_type()));
  if (parameter.numel() == 0) return text;
  Tensor first = parameter.detach();
  while (first.dim() > 0) first = first[0];
  return text + str(" that begins with ", first.item<double>());
}

}  // namespace

Owners::Owners(std::shared_ptr<ProcessGroup> group) : group_(std::move(group)) {
  ETUDE_CHECK(group_,
              "ZeroRedundancyOptimizer: the group is a null pointer\nhint: ProcessGroup::single() is one "
              "of this process alone");
  numel_.resize(static_cast<size_t>(group_->getSize()));
}

ProcessGroup& Owners::group() const {
  ETUDE_CHECK(group_,
              "ZeroRedundancyOptimizer: it was moved from, and its parameters belong to another one now");
  return *group_;
}

void Owners::update(const Groups& groups) {
  Facts facts;
  std::vector<std::vector<Tensor>> added(groups.size());
  for (size_t g = 0; g < groups.size(); ++g)
    for (size_t i = 0; i < groups[g].params().size(); ++i)
      if (const Tensor& p = groups[g].params()[i]; !own_.count(p.unsafeGetTensorImpl())) {
        facts.emplace_back(str("parameter ", i, " of group ", g), text_of(p));
        added[g].push_back(p);
      }
  if (facts.empty()) return;
  check_same(group(), ETUDE_VERSION, facts);
  for (std::vector<Tensor>& of_group : added) {
    std::stable_sort(of_group.begin(), of_group.end(),
                     [](const Tensor& a, const Tensor& b) { return a.numel() > b.numel(); });
    for (const Tensor& p : of_group) {
      const auto least = std::min_element(numel_.begin(), numel_.end());
      own_[p.unsafeGetTensorImpl()] = static_cast<size_t>(least - numel_.begin());
      *least += p.numel();
    }
  }
}

bool Owners::is_own(const Tensor& parameter) const {
  const auto found = own_.find(parameter.unsafeGetTensorImpl());
  return found != own_.end() && found->second == static_cast<size_t>(group().getRank());
}

void Owners::broadcast(const Groups& groups) const {
  std::vector<std::vector<Tensor>> of_rank(numel_.size());
  for (const etude::optim::OptimizerParamGroup& group : groups)
    for (const Tensor& p : group.params()) of_rank[own_.at(p.unsafeGetTensorImpl())].push_back(p);
  broadcast_from_owners(group(), of_rank);
}

OwnParameters::OwnParameters(Owners::Groups& groups, const Owners& owners) : groups_(groups) {
  for (etude::optim::OptimizerParamGroup& group : groups) {
    all_.push_back(group.params());
    std::vector<Tensor>& own = group.params();
    own.erase(std::remove_if(own.begin(), own.end(), [&](const Tensor& p) { return !owners.is_own(p); }),
              own.end());
  }
}

OwnParameters::~OwnParameters() {
  for (size_t g = 0; g < all_.size(); ++g) groups_[g].params() = std::move(all_[g]);
}

void gather_archives(ProcessGroup& group, int to, serialize::OutputArchive& own,
                     const std::function<void(serialize::InputArchive&)>& take) {
  std::ostringstream bytes;
  own.save_to(bytes);
  for (int r = 0; r < group.getSize(); ++r) {
    const std::string of_r = broadcast_text(group, r, bytes.str());
    if (group.getRank() != to) continue;
    serialize::InputArchive archive;
    archive.load_from(of_r.data(), of_r.size());
    take(archive);
  }
}

}  // namespace etude::distributed::detail
