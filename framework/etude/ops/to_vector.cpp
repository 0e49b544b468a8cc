// The elements of a tensor in a std::vector.

#include "etude/core/detail/dispatch.h"
#include "etude/core/detail/tensor_impl.h"
#include "etude/ops/ops.h"

namespace etude {

template <typename T>
std::vector<T> to_vector(const Tensor& t) {
  const Tensor from = t.contiguous();
  return detail::dispatch(from.scalar_type(), [&](auto zero) {
    using From = decltype(zero);
    const From *first = detail::impl(from).data<From>(), *last = first + from.numel();
    if constexpr (std::is_same_v<From, T>) {
      return std::vector<T>(first, last);
    } else {
      std::vector<T> result;
      result.reserve(static_cast<size_t>(from.numel()));
      for (const From* x = first; x != last; ++x) result.push_back(Scalar(*x).to<T>());
      return result;
    }
  });
}

#define ETUDE_INSTANTIATE(T) template ETUDE_API std::vector<T> to_vector<T>(const Tensor& t);
ETUDE_INSTANTIATE(bool)
ETUDE_INSTANTIATE(uint8_t)
ETUDE_INSTANTIATE(int)
ETUDE_INSTANTIATE(long)
ETUDE_INSTANTIATE(long long)
ETUDE_INSTANTIATE(float)
ETUDE_INSTANTIATE(double)
ETUDE_INSTANTIATE(Half)
ETUDE_INSTANTIATE(BFloat16)
#undef ETUDE_INSTANTIATE

}  // namespace etude
