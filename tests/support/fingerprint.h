#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "etude/core/tensor.h"

namespace etude {

/// The 64-bit FNV-1a hash of the bytes added to it: equal bits, equal fingerprints.
class Fingerprint {
 public:
  void add(const void* data, int64_t bytes) {
    const auto* byte = static_cast<const unsigned char*>(data);
    for (int64_t i = 0; i < bytes; ++i) hash_ = (hash_ ^ byte[i]) * 0x100000001b3u;
  }
  /// The elements in row-major order.
  void add(const Tensor& t) {
    const Tensor x = t.detach().contiguous();
    add(x.data_ptr(), x.nbytes());
  }
  std::string text() const {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash_));
    return text;
  }

 private:
  uint64_t hash_ = 0xcbf29ce484222325u;
};

inline std::string fingerprint(const Tensor& t) {
  Fingerprint f;
  f.add(t);
  return f.text();
}

}  // namespace etude
