#pragma once

#include <string_view>

#include "etude/core/dim_list.h"
#include "etude/core/tensor.h"

// Products summed over dims that are named, or numbered: einsum.cpp (with equation.cpp), tensordot.cpp.

namespace etude {

/// The sum over every subscript that the output does not name of the product of the operands: "bij,bjk->bik" for a batched
/// product, "ii" for a trace, "...ij->...ji". Without an arrow the output has the ellipsis and, in order, the letters that appear
/// once. path names two operands for each step, whose result goes to the end of the list; without one the steps that
/// leave the least are first.
ETUDE_API Tensor einsum(std::string_view equation, TensorList tensors, DimList path = {});

/// Sums over dims_self[i] of self and dims_other[i] of other, which go together: their other dims stay, in this order.
ETUDE_API Tensor tensordot(const Tensor& self, const Tensor& other, IntArrayRef dims_self,
                           IntArrayRef dims_other);

}  // namespace etude
