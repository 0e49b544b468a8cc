#pragma once

#include <string_view>

#include "etude/core/dim_list.h"
#include "etude/core/tensor.h"

// Products summed over named dims (einsum.cpp with equation.cpp) or numbered dims (tensordot.cpp).

namespace etude {

/// The product of the operands, summed over every subscript that the output does not name: "bij,bjk->bik" for a batched
/// product, "ii" for a trace, "...ij->...ji" for a transpose. Without an arrow the output has the ellipsis and, in order, the
/// letters that appear once. path names two operands per step; the result of a step goes to the end of the list. Without a
/// path, the steps that leave the fewest elements come first.
ETUDE_API Tensor einsum(std::string_view equation, TensorList tensors, DimList path = {});

/// The product summed over the dim pairs dims_self[i], dims_other[i]. The result has the other dims of self, then of other.
ETUDE_API Tensor tensordot(const Tensor& self, const Tensor& other, IntArrayRef dims_self,
                           IntArrayRef dims_other);

}  // namespace etude
