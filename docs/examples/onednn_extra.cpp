#include "support/example.h"

/// # oneDNN
///
/// The library of fast kernels that Etude may be built with: whether it is there, and how to do without it.

/// - Errors: none of its own
/// - PyTorch: `torch.backends.mkldnn.is_available`
EXAMPLE(etude::onednn::available, etude::onednn::version) {
  const bool has_version = std::string(etude::onednn::version()) != "none";
  print(etude::onednn::available() == has_version);
}

/// Without oneDNN the plain kernels run, to compare with.
///
/// - Errors: none of its own
/// - PyTorch: `torch.backends.mkldnn.flags`
EXAMPLE(etude::onednn::EnabledGuard, etude::onednn::enabled, etude::onednn::set_enabled) {
  const Tensor a = etude::ones({64, 64});
  const Tensor fast = a.mm(a);
  {
    const etude::onednn::EnabledGuard plain(false);
    print(etude::onednn::enabled(), a.mm(a).equal(fast));
  }
  print(etude::onednn::enabled() == etude::onednn::available());
  etude::onednn::set_enabled(etude::onednn::available());
}

/// Without oneDNN the result is false; with it, the result depends on the processor.
///
/// - Errors: none of its own
/// - PyTorch: none
EXAMPLE(etude::onednn::multiplies_bfloat16) {
  const etude::onednn::EnabledGuard plain(false);
  print(etude::onednn::multiplies_bfloat16());
}
