#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "etude/core/dtype.h"
#include "etude/core/shape.h"
#include "etude/core/tensor.h"
#include "etude/io/detail/file.h"

namespace etude::detail {

// Tensors as stored in files: little-endian numbers without gaps.

/// The bytes that a tensor of these sizes takes in a file; nullopt for a negative size, and if the product of
/// the nonzero sizes is larger than any file or stride could be.
std::optional<int64_t> stored_bytes(IntArrayRef sizes, ScalarType stored);

/// The tensor at `offset` of a file, with these strides (contiguous in some order of the dims). It shares the
/// memory of the file if its numbers are aligned there, else it is a copy. The caller has checked sizes and
/// offset. Throws Error for a bool that is neither 0 nor 1.
Tensor stored_tensor(const std::shared_ptr<const MappedFile>& file, size_t offset, IntArrayRef sizes,
                     IntArrayRef strides, ScalarType stored);

/// Writes the elements of t, row by row.
void write_elements(FileWriter& file, const Tensor& t);

}  // namespace etude::detail
