// Functions that need complex numbers, which no tensor holds.

#include "etude/core/error.h"
#include "etude/ops/ops.h"

namespace etude {

[[noreturn]] static void refuse_complex(const char* function) {
  throw NotImplementedError(str(function, ": Etude has no complex tensors",
                                "\nhint: a rotation is two real numbers, (x cos a - y sin a, x sin a + y cos "
                                "a); for rotary embeddings there is "
                                "RotaryPositions, which rotates queries and keys in this form"));
}

Tensor view_as_real(const Tensor& self) {
  throw Error(str("view_as_real is only supported for complex tensors\nreceived ",
                  dtype_name(self.scalar_type()), "; Etude has no complex tensors"));
}

Tensor view_as_complex(const Tensor&) { refuse_complex("view_as_complex"); }
Tensor polar(const Tensor&, const Tensor&) { refuse_complex("polar"); }

}  // namespace etude
