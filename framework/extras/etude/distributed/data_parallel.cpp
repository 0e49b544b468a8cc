#include "etude/distributed/data_parallel.h"

#include <algorithm>

#include "etude/autograd/grad_mode.h"
#include "etude/core/error.h"
#include "etude/core/generator.h"
#include "etude/distributed/detail/agreement.h"
#include "etude/distributed/detail/broadcast.h"
#include "etude/distributed/detail/reducer.h"
#include "etude/ops/ops.h"
#include "etude/version.h"

namespace etude::nn::parallel {
namespace {

using namespace distributed;
using distributed::detail::PartialSums;
using distributed::detail::Reducer;

// Where part k of `parts` begins; if the rows do not divide evenly, the first parts have one row more.
int64_t first_row(int64_t rows, int64_t parts, int64_t k) {
  return k * (rows / parts) + std::min(k, rows % parts);
}

int64_t rows_of(const std::vector<Tensor>& batch) {
  int64_t rows = -1;
  for (const Tensor& t : batch) {
    if (!t.defined() || t.dim() == 0) continue;
    ETUDE_CHECK(rows < 0 || rows == t.size(0),
                "the tensors of a batch must have the same number of rows\nreceived ", rows, " and ",
                t.size(0));
    rows = t.size(0);
  }
  ETUDE_CHECK(rows > 0, "a batch without rows\nhint: pass tensors whose first dim counts the rows");
  return rows;
}

std::vector<Tensor> rows_in(const std::vector<Tensor>& batch, int64_t begin, int64_t count) {
  std::vector<Tensor> part = batch;
  for (Tensor& t : part)
    if (t.defined() && t.dim() > 0) t = t.narrow(0, begin, count);
  return part;
}

// What the processes of a step exchange besides gradients: the sum of the losses, and numbers that must agree.
class StepSummary {
 public:
  StepSummary(int64_t rows, uint32_t step, uint32_t draw)
      : rows_(static_cast<double>(rows)), step_(step % kExact), draw_(draw % kExact) {}

  void add(const Tensor& loss, double share, bool is_last) {
    const NoGradGuard no_grad;
    Tensor term = loss.defined() ? loss.detach().to(kDouble).reshape({}).mul(share) : Tensor();
    if (loss.defined()) type_ = loss.scalar_type();
    if (is_last) sum_ = losses_.total(term);
    else losses_.add(std::move(term));
  }

  void send(ProcessGroup& group) {
    const bool any = sum_.defined();
    all_ = etude::tensor(
        {any ? sum_.item<double>() : -0.0, any ? 1.0 : 0.0, any ? static_cast<double>(type_) : 0.0, rows_,
         rows_ * rows_, step_, step_ * step_, draw_, draw_ * draw_},
        kDouble);
    std::vector<Tensor> list = {all_};
    work_ = group.allreduce(list);
  }

  // The mean loss, after all processes have sent.
  Tensor receive(int size, bool check_draws) {
    work_->wait();
    const double* all = all_.const_data_ptr<double>();
    const auto differ = [&](double sum, double of_squares) { return size * of_squares != sum * sum; };
    ETUDE_CHECK(
        !differ(all[5], all[6]), "the processes are not at the same step\nthis is call ", step_,
        " of mean_loss here, and call ", all[5] / size,
        " in the mean\nhint: where the step of one process fails, as by an exception of its loss, let it "
        "end: distributed::guarded ends all");
    ETUDE_CHECK(!differ(all[3], all[4]),
                "the processes have batches of different numbers of rows\nin the mean ", all[3] / size,
                ", and in this one ", rows_,
                "\nhint: leave out the last batch of an epoch if it is smaller for some: drop_last(true)");
    ETUDE_CHECK(
        !check_draws || !differ(all[7], all[8]),
        "the default generators of the processes are not at the same place, so that the result of random "
        "functions depends on the number of processes\nhint: call manual_seed with the same seed in all, and "
        "draw alike in all");
    return etude::full({}, all[0], kDouble).to(static_cast<ScalarType>(static_cast<int>(all[2] / all[1])));
  }

 private:
  static constexpr uint32_t kExact = 1 << 20;  // below this, sums of squares are exact

  double rows_, step_, draw_;
  PartialSums losses_;
  ScalarType type_ = kFloat;
  Tensor sum_, all_;
  std::shared_ptr<Work> work_;
};

Tensor checked(const Tensor& loss) {
  ETUDE_CHECK(loss.defined() && loss.numel() == 1, "mean_loss: the loss of a part must be one number",
              "\nhint: take the mean over the rows of the part");
  return loss;
}

}  // namespace

DistributedDataParallelBase::NoSync::NoSync(std::shared_ptr<Reducer> reducer)
    : reducer_(std::move(reducer)), before_(reducer_ && std::exchange(reducer_->synchronises, false)) {}

DistributedDataParallelBase::NoSync::~NoSync() {
  if (reducer_) reducer_->synchronises = before_;
}

DistributedDataParallelBase::DistributedDataParallelBase(std::shared_ptr<Module> module,
                                                         std::shared_ptr<ProcessGroup> group,
                                                         const DistributedDataParallelOptions& options)
    : group_(std::move(group)), options_(options) {
  ETUDE_CHECK(module, "DistributedDataParallel: the module is a null pointer");
  ETUDE_CHECK(group_,
              "DistributedDataParallel: the group is a null pointer\nhint: ProcessGroup::single() is one of "
              "this process alone");
  register_module("module", module);
  check_options();
  std::vector<Tensor> trained;
  for (const Tensor& p : module->parameters())
    if (p.requires_grad()) trained.push_back(p);
  ETUDE_CHECK(
      !trained.empty(),
      "DistributedDataParallel is not needed when a module doesn't have any parameters that require a "
      "gradient.");
  if (group_->getSize() > 1) {
    check_same_model();
    std::vector<Tensor> state = module->parameters();
    for (const Tensor& buffer : module->buffers()) state.push_back(buffer);
    distributed::detail::broadcast_from_owners(*group_, {state});
  }
  if (group_->getSize() == 1 && options_.parts() == 1) return;
  const auto bytes = static_cast<int64_t>(options_.bucket_cap_mb() * 1024 * 1024);
  reducer_ = std::make_shared<Reducer>(std::move(trained), group_,
                                       Reducer::Options{bytes, options_.deterministic()});
  reducer_->listen();
}

void DistributedDataParallelBase::check_options() {
  const int64_t size = group_->getSize(), parts = options_.parts() == 0 ? size : options_.parts();
  const int64_t each = parts / size;
  const bool fits = parts > 0 && (size == 1 || (parts % size == 0 && (each & (each - 1)) == 0));
  ETUDE_CHECK(fits,
              "DistributedDataParallel: the parts must be as many as the processes, or twice, four times, "
              "... as many",
              "\nreceived ", parts, " parts for ", size, " processes\nhint: ", size, ", ", 2 * size, " or ",
              4 * size, " would do");
  ETUDE_CHECK(options_.bucket_cap_mb() > 0,
              "DistributedDataParallel: bucket_cap_mb must be positive\nreceived ", options_.bucket_cap_mb());
  options_.parts(parts);
}

void DistributedDataParallelBase::check_same_model() const {
  distributed::detail::Facts facts;
  const Module& module = *children()[0];
  for (const auto& item : module.named_parameters()) {
    facts.emplace_back(item.key(), str(item->sizes()));
    facts.emplace_back("the type of " + item.key(), toString(item->scalar_type()));
    facts.emplace_back("requires_grad of " + item.key(), item->requires_grad() ? "true" : "false");
  }
  for (const auto& item : module.named_buffers()) {
    facts.emplace_back("the buffer " + item.key(), str(item->sizes()));
    facts.emplace_back("the type of the buffer " + item.key(), toString(item->scalar_type()));
  }
  facts.emplace_back("the number of parts", str(options_.parts()));
  facts.emplace_back("bucket_cap_mb", str(options_.bucket_cap_mb()));
  facts.emplace_back("deterministic", options_.deterministic() ? "true" : "false");
  facts.emplace_back("broadcast_buffers", options_.broadcast_buffers() ? "true" : "false");
  distributed::detail::check_same(*group_, ETUDE_VERSION, facts);
}

// Not inside a part: it was done before, and processes may differ in how many of their parts have rows.
void DistributedDataParallelBase::before_forward() {
  if (group_->getSize() == 1 || !options_.broadcast_buffers() || !GradMode::is_enabled()) return;
  if (!reducer_->synchronises || reducer_->is_in_part()) return;
  const std::vector<Tensor> all = buffers();
  if (!all.empty()) distributed::detail::broadcast_from_owners(*group_, {all});
}

std::pair<int64_t, int64_t> DistributedDataParallelBase::own_rows(int64_t rows) const {
  const int64_t each = options_.parts() / group_->getSize(), first = group_->getRank() * each;
  return {first_row(rows, options_.parts(), first), first_row(rows, options_.parts(), first + each)};
}

Tensor DistributedDataParallelBase::run_parts(const std::vector<Tensor>& rows, bool own_rows,
                                              const Loss& loss) {
  ++steps_;  // also for a call that fails
  const int64_t size = group_->getSize(), each = options_.parts() / size, first = group_->getRank() * each;
  const int64_t count = rows_of(rows), total = own_rows ? count * size : count;
  before_forward();
  if (options_.parts() == 1) {
    const Tensor mean = checked(loss(rows));
    mean.backward();
    return mean.detach();
  }
  std::vector<uint32_t> seeds(static_cast<size_t>(options_.parts()));
  for (uint32_t& seed : seeds) seed = default_generator().random();
  StepSummary summary(count, steps_, seeds[0]);
  // Gradients that stay in this process until later are scaled to the mean of this process.
  const bool stays = size > 1 && !reducer_->synchronises;
  const double unit = (stays ? static_cast<double>(size) : 1.0) / static_cast<double>(total);

  const auto run_part = [&](int64_t k, bool is_last) {
    const int64_t part = own_rows ? k - first : k, parts = own_rows ? each : options_.parts();
    const int64_t begin = first_row(count, parts, part), end = first_row(count, parts, part + 1);
    const auto number = static_cast<double>(end - begin);
    Tensor of_part;
    const etude::detail::KeepRandomState own_stream;
    etude::manual_seed(seeds[static_cast<size_t>(k)]);
    if (number > 0) of_part = checked(loss(rows_in(rows, begin, end - begin)));
    summary.add(of_part, number / static_cast<double>(total), is_last);
    if (is_last) summary.send(*group_);
    if (of_part.defined()) of_part.backward(etude::full_like(of_part.detach(), number * unit));
  };
  try {
    for (int64_t k = first; k < first + each; ++k) {
      const bool is_last = k + 1 == first + each;
      if (!stays) reducer_->begin_part(is_last);
      run_part(k, is_last);
      if (!stays) reducer_->end_part();
    }
  } catch (...) {
    reducer_->abandon();
    throw;
  }
  return summary.receive(static_cast<int>(size), options_.deterministic());
}

}  // namespace etude::nn::parallel
