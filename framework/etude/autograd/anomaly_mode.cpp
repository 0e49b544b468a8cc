#include "etude/autograd/anomaly_mode.h"

#include <atomic>
#include <mutex>

#include "etude/autograd/detail/node.h"
#include "etude/core/warning.h"

namespace etude::autograd {
namespace {

namespace listen = etude::detail::listen;
using etude::detail::TensorsIn;

std::atomic<bool> looks_for_faults{false}, checks_nan{true};

// A node that runs.
class CheckedNode final : public listen::Heard {
 public:
  explicit CheckedNode(const detail::GraphNode& node) : node_(node) {}
  ~CheckedNode() override {
    if (has_ended_) return;
    try {
      ETUDE_WARN("Error detected in ", node_.name(), ".");
      if (node_.recorded_in) ETUDE_WARN("Previous calculation was induced by ", node_.recorded_in, ".");
    } catch (...) {  // The error that is warned of propagates, whatever the handler throws.
    }
  }

  // A nan in a gradient is an error that names the op.
  void ends(std::initializer_list<TensorsIn> results) override {
    const NoGradGuard no_grad;
    const bool checks = AnomalyMode::is_enabled() && AnomalyMode::should_check_nan();
    const TensorList dx = checks ? results.begin()->tensors : TensorList();
    for (size_t i = 0; i < dx.size(); ++i)
      ETUDE_CHECK(!dx[i].defined() || !dx[i].isnan().any().item<bool>(), "Function '", node_.name(),
                  "' returned nan values in its ", i, "th output.");
    has_ended_ = true;
  }

 private:
  const detail::GraphNode& node_;
  bool has_ended_ = false;
};

std::unique_ptr<listen::Heard> begins(const listen::Event& event, std::initializer_list<TensorsIn>) {
  if (event.kind != listen::Kind::kNode) return nullptr;
  return std::make_unique<CheckedNode>(*static_cast<const detail::GraphNode*>(event.subject));
}

}  // namespace

bool AnomalyMode::is_enabled() { return looks_for_faults.load(std::memory_order_relaxed); }
bool AnomalyMode::should_check_nan() { return checks_nan.load(std::memory_order_relaxed); }
void AnomalyMode::set_enabled(bool on, bool check_nan) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  checks_nan = check_nan;
  if (looks_for_faults.exchange(on) == on) return;
  if (on) listen::start(listen::Listener::kAnomalyMode, begins);
  else listen::stop(listen::Listener::kAnomalyMode);
}

}  // namespace etude::autograd
