#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "etude/core/dtype.h"
#include "etude/core/shape.h"
#include "etude/core/tensor.h"
#include "etude/io/detail/file.h"
#include "etude/io/safetensors.h"

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

/// The same for an entry with a dtype, row by row.
Tensor stored_tensor(const std::shared_ptr<const MappedFile>& file, const FileEntry& entry);

/// A dtype as a format names it.
using DtypeName = std::pair<const char*, ScalarType>;
/// The names of safetensors files and of llama.cpp, which has no U8 and BOOL.
constexpr DtypeName kShortNames[] = {{"F64", kDouble}, {"F32", kFloat}, {"I64", kLong},
                                     {"I32", kInt},    {"U8", kByte},   {"I8", kChar},
                                     {"BOOL", kBool},  {"F16", kHalf},  {"BF16", kBFloat16}};
/// The dtype of a name, or nullopt; and the name of a dtype, or null.
optional<ScalarType> dtype_of_name(ArrayRef<DtypeName> names, const std::string& name);
const char* name_of_dtype(ArrayRef<DtypeName> names, ScalarType dtype);

/// Writes the elements of t, row by row.
void write_elements(const WriteBytes& write, const Tensor& t);

}  // namespace etude::detail
