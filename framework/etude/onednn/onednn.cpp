// The only code that knows oneDNN. Written for 2.6 and 3.x, which differ in how a primitive is made.

#include <dnnl.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "etude/core/detail/parallel_for.h"
#include "etude/core/error.h"
#include "etude/onednn/backend.h"
#include "etude/onednn/detail/onednn.h"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace etude::onednn {
namespace {

dnnl::engine& cpu() {
  static dnnl::engine e(dnnl::engine::kind::cpu, 0);
  return e;
}

dnnl::stream& stream() {
  thread_local dnnl::stream s(cpu());
  return s;
}

// Within its scope oneDNN works on the calling thread alone, and so do the primitives that are made: parallel_for decides
// about threads. oneDNN would cut sums by their number, which changes bits.
#ifdef _OPENMP
struct OneThread : detail::Restoring<omp_get_max_threads, omp_set_num_threads> {
  OneThread() : Restoring(1) {}
};
#else
struct [[maybe_unused]] OneThread {};
#endif

struct Ready {
  dnnl::primitive primitive;
  dnnl::memory::desc description;  // of every tensor that it reads or writes
};

// An exponential costs about as much as eight simple steps.
constexpr int64_t kGrain = detail::kGrain / 8;

using dnnl::prop_kind;
constexpr auto f32 = dnnl::memory::data_type::f32;

Ready make_softmax(int64_t outer, int64_t length, int64_t inner, bool logarithm) {
  const dnnl::memory::desc d({outer, length, inner}, f32, dnnl::memory::format_tag::abc);
  const auto algorithm = logarithm ? dnnl::algorithm::softmax_log : dnnl::algorithm::softmax_accurate;
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::softmax_forward::primitive_desc made(cpu(), prop_kind::forward_inference, algorithm, d, d, 1);
  return {dnnl::softmax_forward(made), d};
#else
  const dnnl::softmax_v2_forward::desc wanted(prop_kind::forward_inference, algorithm, d, d, 1);
  return {dnnl::softmax_v2_forward(dnnl::softmax_v2_forward::primitive_desc(wanted, cpu())), d};
#endif
}

using Key = std::array<int64_t, 4>;  // the arguments of make_softmax

// Making a primitive takes 2 microseconds to some milliseconds, running a small one less than one microsecond: they
// are kept until they are too many, which is when sizes never come back. Threads share them.
class Cache {
 public:
  static constexpr size_t kMost = 256;

  Ready get(const Key& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = ready_.find(key);
    if (found != ready_.end()) return found->second;
    if (ready_.size() == kMost) ready_.clear();
    return ready_.emplace(key, make_softmax(key[0], key[1], key[2], key[3] != 0)).first->second;
  }

  int64_t size() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<int64_t>(ready_.size());
  }

 private:
  std::mutex mutex_;
  std::map<Key, Ready> ready_;
};

Cache& primitives() {
  static Cache* cache = new Cache;
  return *cache;
}

// Runs the primitive on numbers in memory, each named by oneDNN's name of the argument.
void run(const Key& key, std::initializer_list<std::pair<int, const float*>> arguments) {
  const OneThread alone;
  const Ready ready = primitives().get(key);
  std::unordered_map<int, dnnl::memory> memory;
  for (const auto& [name, data] : arguments)
    memory.emplace(name, dnnl::memory(ready.description, cpu(), const_cast<float*>(data)));
  ready.primitive.execute(stream(), memory);
  stream().wait();
}

}  // namespace

bool available() { return true; }

const char* version() {
  static const std::string text = [] {
    const dnnl_version_t* v = dnnl::version();
    return str("oneDNN ", v->major, ".", v->minor, ".", v->patch);
  }();
  return text.c_str();
}

bool gemm(int64_t n, int64_t m, int64_t k, float alpha, Matrix a, Matrix b, float beta, float* c,
          int64_t c_leading) {
  if (!enabled()) return false;
  const OneThread alone;
  return dnnl::sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', n, m, k, alpha, a.data, a.leading,
                     b.data, b.leading, beta, c, c_leading) == dnnl::status::success;
}

bool softmax(int64_t outer, int64_t length, int64_t inner, bool logarithm, const float* x, float* y) {
  if (!enabled() || outer * length * inner == 0) return false;
  const int64_t row = length * inner;
  detail::parallel_for(0, outer, std::max<int64_t>(1, kGrain / row), [=](int64_t begin, int64_t end) {
    run({end - begin, length, inner, logarithm},
        {{DNNL_ARG_SRC, x + begin * row}, {DNNL_ARG_DST, y + begin * row}});
  });
  return true;
}

int64_t cached_primitives() { return primitives().size(); }

}  // namespace etude::onednn
