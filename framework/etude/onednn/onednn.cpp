// The only code that knows oneDNN. Written for 2.6 and 3.x, which differ in how a primitive is made.

#include <dnnl.hpp>

#include <array>
#include <list>
#include <map>
#include <mutex>
#include <string>

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

// Within its scope oneDNN works on the calling thread alone: it cuts sums by the number of threads, which
// would change bits.
class OneThread {
 public:
#ifdef _OPENMP
  OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
#endif
};

struct Softmax {
  dnnl::primitive primitive;
  dnnl::memory::desc description;
};

using Key = std::array<int64_t, 4>;  // outer, length, inner, logarithm

// Making a primitive takes 2 to 50 microseconds, running a small one takes less than one: they are kept, the
// least recently used one making room. Threads share them.
class SoftmaxCache {
 public:
  static constexpr size_t kMost = 256;

  Softmax get(const Key& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = places_.find(key);
    if (found != places_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return found->second->second;
    }
    if (entries_.size() == kMost) {
      places_.erase(entries_.back().first);
      entries_.pop_back();
    }
    entries_.emplace_front(key, make(key));
    places_[key] = entries_.begin();
    return entries_.front().second;
  }

  int64_t size() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<int64_t>(entries_.size());
  }

 private:
  static Softmax make(const Key& key) {
    const dnnl::memory::desc description({key[0], key[1], key[2]}, dnnl::memory::data_type::f32,
                                         dnnl::memory::format_tag::abc);
    const auto algorithm = key[3] ? dnnl::algorithm::softmax_log : dnnl::algorithm::softmax_accurate;
#if DNNL_VERSION_MAJOR >= 3
    const dnnl::softmax_forward::primitive_desc made(cpu(), dnnl::prop_kind::forward_inference, algorithm,
                                                     description, description, 1);
    return {dnnl::softmax_forward(made), description};
#else
    const dnnl::softmax_v2_forward::desc wanted(dnnl::prop_kind::forward_inference, algorithm, description,
                                                description, 1);
    const dnnl::softmax_v2_forward::primitive_desc made(wanted, cpu());
    return {dnnl::softmax_v2_forward(made), description};
#endif
  }

  std::mutex mutex_;
  std::list<std::pair<Key, Softmax>> entries_;
  std::map<Key, std::list<std::pair<Key, Softmax>>::iterator> places_;
};

SoftmaxCache& softmaxes() {
  static SoftmaxCache* cache = new SoftmaxCache;
  return *cache;
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
  const Softmax s = softmaxes().get({outer, length, inner, logarithm});
  const dnnl::memory from(s.description, cpu(), const_cast<float*>(x)), to(s.description, cpu(), y);
  s.primitive.execute(stream(), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
  stream().wait();
  return true;
}

int64_t cached_primitives() { return softmaxes().size(); }

}  // namespace etude::onednn
