#include "support/example.h"

/// # Mixed precision
///
/// While autocast is on, matrix products are computed in bfloat16, which takes half the memory of float32, and losses in
/// float32.

/// - Errors: none of its own
EXAMPLE(etude::autocast::is_cpu_enabled, etude::autocast::set_cpu_enabled, etude::autocast::clear_cache) {
  const Tensor x = etude::ones({1, 2}), weight = etude::ones({3, 2});
  etude::autocast::set_cpu_enabled(true);
  print(etude::autocast::is_cpu_enabled());
  const Tensor y = etude::linear(x, weight);
  print(y.scalar_type() == etude::kBFloat16, F::mse_loss(y, y).scalar_type());
  etude::autocast::clear_cache();
  etude::autocast::set_cpu_enabled(false);
  print(etude::linear(x, weight).scalar_type());
}

/// - Errors: `Currently, AutocastCPU only support Bfloat16 as the autocast_cpu_dtype` from the next op that casts,
///   where the dtype is another one
EXAMPLE(etude::autocast::get_autocast_cpu_dtype, etude::autocast::set_autocast_cpu_dtype) {
  etude::autocast::set_autocast_cpu_dtype(etude::kBFloat16);
  print(etude::autocast::get_autocast_cpu_dtype() == etude::kBFloat16);
}

/// - Errors: none of its own
EXAMPLE(etude::autocast::is_autocast_cache_enabled, etude::autocast::set_autocast_cache_enabled) {
  print(etude::autocast::is_autocast_cache_enabled());
  etude::autocast::set_autocast_cache_enabled(false);
  print(etude::autocast::is_autocast_cache_enabled());
  etude::autocast::set_autocast_cache_enabled(true);
}

/// A guard that switches autocast on calls the first at its beginning and the second at its end.
///
/// - Errors: none of its own
EXAMPLE(etude::autocast::increment_nesting, etude::autocast::decrement_nesting) {
  print(etude::autocast::increment_nesting());
  print(etude::autocast::increment_nesting());
  print(etude::autocast::decrement_nesting());
  if (etude::autocast::decrement_nesting() == 0) etude::autocast::clear_cache();
}
