#include "support/example.h"

/// # Threads and memory
///
/// How many threads an op uses, a loop of one's own on them, and what memory tensors take.

/// - Errors: `Expected positive number of threads` where the number is not positive
EXAMPLE(etude::set_num_threads, etude::get_num_threads, etude::init_num_threads) {
  etude::init_num_threads();
  const int before = etude::get_num_threads();
  etude::set_num_threads(2);
  print(etude::get_num_threads());
  print(examples::message_of([] { etude::set_num_threads(0); }));
  etude::set_num_threads(before);
}

/// - Errors: `Expected positive number of threads` where the number is not positive
EXAMPLE(etude::set_num_interop_threads, etude::get_num_interop_threads) {
  etude::set_num_interop_threads(2);
  print(etude::get_num_interop_threads());
}

/// Here the loop has more than `grain` steps, so that each thread gets a part of it.
///
/// - Errors: those that the function throws
EXAMPLE(etude::parallel_for) {
  std::vector<int64_t> squares(1000);
  etude::parallel_for(0, 1000, /*grain=*/100, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) squares[static_cast<size_t>(i)] = i * i;
  });
  print(squares[3], squares[999]);
}
