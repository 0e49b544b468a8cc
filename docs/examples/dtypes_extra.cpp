#include "support/example.h"

/// - Errors: none of its own
/// - PyTorch: `str(dtype)`
EXAMPLE(etude::dtype_name) {
  print(std::string(etude::dtype_name(etude::kFloat)));
  print(std::string(etude::dtype_name(etude::kBFloat16)));
}

/// - Errors: none of its own
/// - PyTorch: none
EXAMPLE(etude::isReducedFloatingType) {
  print(etude::isReducedFloatingType(etude::kHalf), etude::isReducedFloatingType(etude::kFloat));
}

/// - Units: `bits` is the size of an element in bits, not bytes
/// - Errors: `torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'`, and of `iinfo` the
///   opposite.
/// - PyTorch: `torch.finfo`, `torch.iinfo`
EXAMPLE(etude::finfo, etude::iinfo) {
  const etude::finfo half(etude::kHalf);
  print(half.bits, half.max, half.eps);
  const etude::iinfo bytes(etude::kByte);
  print(bytes.bits, bytes.min, bytes.max);
  print(examples::message_of([] { etude::finfo no(etude::kLong); }));
  print(examples::message_of([] { etude::iinfo no(etude::kFloat); }));
}
