#pragma once

#include "etude/gpt.h"

namespace etude::nn {

/// Makes the weight int8, with a scale for each group of its inputs (quantize_per_group): about a quarter of the memory of
/// float32. `weight` is then undefined and `quantized` is used instead; the state has `weight_values` int8 [out, in] and
/// `weight_scales` [out, in / group]. The module is frozen. Throws if the number of inputs is not a multiple of the group.
ETUDE_API void quantize(Linear& module, ScalarType dtype = kChar, int64_t group = 32,
                        ScalarType scales = kHalf);
ETUDE_API void quantize(Conv1D& module, ScalarType dtype = kChar, int64_t group = 32,
                        ScalarType scales = kHalf);

/// The same for the linear layers of a model, its token embedding and its head. All else becomes float32, and every parameter is
/// frozen. Returns the names of the weights that stay float32 because the group does not divide their number of inputs.
ETUDE_API std::vector<std::string> quantize(GPT& model, ScalarType dtype = kChar, int64_t group = 32,
                                            ScalarType scales = kHalf);

}  // namespace etude::nn
