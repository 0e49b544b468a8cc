#include "etude/ops/autocast.h"

#include <algorithm>
#include <unordered_map>

#include "etude/core/warning.h"
#include "etude/onednn/backend.h"
#include "etude/ops/detail/autocast.h"
#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

struct CastWeight {
  Tensor weight, cast;
  uint32_t version;  // the version of the weight when it was cast
};

struct State {
  bool enabled = false, caches = true;
  ScalarType dtype = kBFloat16;
  int nesting = 0;
  std::unordered_map<const TensorImpl*, CastWeight> weights;
};

State& state() {
  thread_local State of_thread;
  return of_thread;
}

bool is_cast(ScalarType dtype, const Tensor& t) {
  return t.defined() && t.scalar_type() != dtype && t.is_floating_point() && t.scalar_type() != kDouble;
}

}  // namespace

bool autocast::is_cpu_enabled() { return state().enabled; }
ScalarType autocast::get_autocast_cpu_dtype() { return state().dtype; }
void autocast::set_autocast_cpu_dtype(ScalarType dtype) { state().dtype = dtype; }
bool autocast::is_autocast_cache_enabled() { return state().caches; }
void autocast::set_autocast_cache_enabled(bool enabled) { state().caches = enabled; }
void autocast::clear_cache() { state().weights.clear(); }
int autocast::increment_nesting() { return ++state().nesting; }
int autocast::decrement_nesting() { return --state().nesting; }

void autocast::set_cpu_enabled(bool enabled) {
  if (enabled && !onednn::multiplies_bfloat16())
    ETUDE_WARN_ONCE(
        "autocast to bfloat16 is slow here\nhint: its products are made in float32, and rounded, where the "
        "processor has neither AVX512-BF16 nor AMX or oneDNN is not used");
  state().enabled = enabled;
}

bool detail::casts_to(ScalarType dtype, Inputs inputs) {
  const State& s = state();
  if (!s.enabled) return false;
  ETUDE_CHECK(s.dtype == kBFloat16,
              "Currently, AutocastCPU only support Bfloat16 as the autocast_cpu_dtype\nreceived ",
              dtype_name(s.dtype), "\nhint: call set_autocast_cpu_dtype(kBFloat16)");
  return std::any_of(inputs.begin(), inputs.end(), [=](const Input& i) { return is_cast(dtype, i.tensor); });
}

Tensor detail::cast_to(ScalarType dtype, const Tensor& t) {
  if (!is_cast(dtype, t)) return t;
  State& s = state();
  if (dtype != kBFloat16 || !s.caches || !t.requires_grad() || !t.is_leaf() || t.is_view())
    return t.to(dtype);
  CastWeight& known = s.weights[&impl(t)];
  const bool has_graph = known.cast.defined() && known.cast.requires_grad();
  if (!known.cast.defined() || known.version != version_of(t) || (GradMode::is_enabled() && !has_graph))
    known = {t, t.to(dtype), version_of(t)};
  return known.cast;
}

}  // namespace etude
