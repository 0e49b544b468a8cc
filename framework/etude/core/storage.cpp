#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <new>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "etude/core/detail/tensor_impl.h"
#include "etude/core/error.h"
#include "etude/core/memory.h"

namespace etude::detail {
namespace {

constexpr std::size_t kAlignment = 64;
static_assert(sizeof(Storage) <= kAlignment);

// Freed blocks are kept by the size class of their data, because giving a large block back to the system and touching fresh
// pages again costs far more than the arithmetic on it. There are four classes between two powers of two, so at most a fifth
// is wasted. The header comes on top, so that data of exactly a class size waste nothing.
constexpr int kClasses = 48 * 4;
constexpr int64_t kSmall = 1024;  // blocks up to this size come from the thread's own pool
// A span is kSpan allocations and frees. Memory in use plus memory kept is at most twice the peak use of the last one or two
// spans: the factor leaves room for tensors of different sizes that are not needed at the same time.
constexpr int kSpan = 10000;

int64_t round_up(int64_t bytes, int64_t step) { return (bytes + step - 1) / step * step; }

// The size class of the data of a large block. Rounds `bytes` up to the size of the class.
int class_of(int64_t& bytes) {
  const int power = 63 - __builtin_clzll(static_cast<unsigned long long>(bytes));
  const int64_t quarter = int64_t{1} << (power - 2);
  bytes = round_up(bytes, quarter);
  if (bytes == int64_t{1} << (power + 1)) return (power + 1) * 4;
  return power * 4 + static_cast<int>((bytes >> (power - 2)) & 3);
}

// The bytes of a block of class c, header included.
int64_t block_of_class(int c) { return (int64_t{4 + c % 4} << (c / 4 - 2)) + int64_t{kAlignment}; }

// A kept block points to the next one in its list.
struct Block {
  Block* next;
};

void free_block(void* p) { ::operator delete (p, std::align_val_t{kAlignment}); }

void free_list(Block*& head) {
  while (head) free_block(std::exchange(head, head->next));
}

// Pages of 2 MiB are looked up faster, and fault once instead of 512 times.
constexpr std::uintptr_t kHuge = std::uintptr_t{2} << 20;
void use_huge_pages([[maybe_unused]] void* p, [[maybe_unused]] int64_t bytes) {
#ifdef MADV_HUGEPAGE
  const auto at = reinterpret_cast<std::uintptr_t>(p), first = (at + kHuge - 1) / kHuge * kHuge,
             end = (at + static_cast<std::uintptr_t>(bytes)) / kHuge * kHuge;
  if (p && first < end) madvise(static_cast<std::byte*>(p) + (first - at), end - first, MADV_HUGEPAGE);
#endif
}

// Null if there is no room, or if `bytes` exceeds the address space (on 32-bit systems).
void* allocate_large(int64_t bytes) {
  if (static_cast<uint64_t>(bytes) > std::numeric_limits<std::size_t>::max()) return nullptr;
  void* p = ::operator new (static_cast<std::size_t>(bytes), std::align_val_t{kAlignment}, std::nothrow);
  if (static_cast<uint64_t>(bytes) >= kHuge) use_huge_pages(p, bytes);
  return p;
}

struct Pool {
  std::mutex mutex;
  Block* free[kClasses] = {};
  memory::Stats now = {};
  int64_t lately = 0, before = 0;  // peak use in this span and in the last one
  int moves = 0;

  // Returns a block for a header and `data` bytes, and sets `block` to its size.
  void* take(int64_t data, int64_t& block) {
    const int c = class_of(data);
    block = data + int64_t{kAlignment};
    {
      const std::lock_guard<std::mutex> lock(mutex);
      if (free[c]) {
        now.kept -= block;
        use(block);
        return std::exchange(free[c], free[c]->next);
      }
    }
    void* p = allocate_large(block);
    if (!p) p = allocate_in_kept(data, block);
    const std::lock_guard<std::mutex> lock(mutex);
    use(block);
    return p;
  }

  void give(void* p, int64_t block) {
    int64_t data = block - int64_t{kAlignment};
    const int c = class_of(data);
    const std::lock_guard<std::mutex> lock(mutex);
    free[c] = new (p) Block{free[c]};
    now.kept += block;
    use(-block);
    // Frees the largest blocks first and this size last, because the next tensor is often like the one before.
    for (int other = kClasses - 1; other >= 0 && too_much(); --other)
      if (other != c) trim(other);
    trim(c);
  }

  int64_t release_all() {
    const std::lock_guard<std::mutex> lock(mutex);
    for (Block*& head : free) free_list(head);
    return std::exchange(now.kept, 0);
  }

 private:
  // Allocates where the system has no more memory, after giving the kept blocks back to it.
  void* allocate_in_kept(int64_t data, int64_t block) {
    void* const p = release_all() > 0 ? allocate_large(block) : nullptr;
    ETUDE_CHECK(p, "DefaultCPUAllocator: can't allocate memory: you tried to allocate ", data,
                " bytes. Error code 12 (Cannot allocate memory)");
    return p;
  }

  bool too_much() const { return now.in_use + now.kept > 2 * std::max(lately, before); }

  void trim(int c) {
    for (; free[c] && too_much(); now.kept -= block_of_class(c))
      free_block(std::exchange(free[c], free[c]->next));
  }

  void use(int64_t bytes) {
    now.in_use += bytes;
    now.most_in_use = std::max(now.most_in_use, now.in_use);
    if (++moves == kSpan) begin_span();
    lately = std::max(lately, now.in_use);
  }

  void begin_span() {
    moves = 0;
    before = std::exchange(lately, 0);
  }
};

// Never destroyed: tensors with static lifetime may be freed after it.
Pool& pool() {
  static Pool* p = new Pool;
  return *p;
}

// Small blocks in classes of 64 bytes, kept per thread without a lock. A block joins the list of the thread that frees it.
constexpr std::size_t kSmallStep = 64, kSmallClasses = 16;
constexpr int kSmallKept = 4096;

thread_local struct {
  Block* free[kSmallClasses];
  int count[kSmallClasses];
  bool gone;  // handles that outlive the thread's pool go directly to the heap
} small_pool;

struct SweepSmallPool {
  ~SweepSmallPool() {
    small_pool.gone = true;
    for (Block*& head : small_pool.free) free_list(head);
  }
};

struct Borrowed final : Storage {
  Borrowed(void* data_, int64_t bytes_, std::function<void(void*)> deleter_)
      : Storage(data_, bytes_, 0), deleter(std::move(deleter_)) {}
  ~Borrowed() {
    if (deleter) deleter(data);
  }
  std::function<void(void*)> deleter;
};

}  // namespace

void* small_allocate(std::size_t bytes) {
  const std::size_t c = (bytes - 1) / kSmallStep;
  if (c >= kSmallClasses || !small_pool.free[c])
    return ::operator new ((c + 1) * kSmallStep, std::align_val_t{kAlignment});
  --small_pool.count[c];
  return std::exchange(small_pool.free[c], small_pool.free[c]->next);
}

void small_free(void* block, std::size_t bytes) {
  const std::size_t c = (bytes - 1) / kSmallStep;
  if (c >= kSmallClasses || small_pool.gone || small_pool.count[c] >= kSmallKept) return free_block(block);
  thread_local const SweepSmallPool at_the_end_of_the_thread;
  small_pool.free[c] = new (block) Block{small_pool.free[c]};
  ++small_pool.count[c];
}

bool& inference_mode() {
  thread_local bool on = false;
  return on;
}

Ref<Storage> allocate(int64_t bytes) {
  ETUDE_CHECK(bytes >= 0 && bytes < (int64_t{1} << 46), "Storage size calculation overflowed\nreceived ",
              bytes, " bytes");
  const int64_t data = round_up(bytes, kAlignment);
  int64_t block = data + int64_t{kAlignment};
  void* p = block <= kSmall ? small_allocate(static_cast<std::size_t>(block)) : pool().take(data, block);
  return Ref<Storage>(new (p) Storage(static_cast<std::byte*>(p) + kAlignment, bytes, block));
}

Ref<Storage> borrow(void* data, int64_t bytes, std::function<void(void*)> deleter) {
  return Ref<Storage>(new Borrowed(data, bytes, std::move(deleter)));
}

void destroy(Storage* storage) {
  const int64_t block = storage->block;
  if (block == 0) return delete static_cast<Borrowed*>(storage);
  storage->~Storage();
  if (block <= kSmall) small_free(storage, static_cast<std::size_t>(block));
  else pool().give(storage, block);
}

}  // namespace etude::detail

namespace etude::memory {

Stats stats() {
  detail::Pool& p = detail::pool();
  const std::lock_guard<std::mutex> lock(p.mutex);
  return p.now;
}

void reset_most_in_use() {
  detail::Pool& p = detail::pool();
  const std::lock_guard<std::mutex> lock(p.mutex);
  p.now.most_in_use = p.now.in_use;
}

int64_t release() {
  const int64_t bytes = detail::pool().release_all();
#ifdef __GLIBC__
  malloc_trim(0);  // the C library also keeps small blocks
#endif
  return bytes;
}

}  // namespace etude::memory
