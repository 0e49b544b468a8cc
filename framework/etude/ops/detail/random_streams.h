#pragma once

#include <cstdint>

#include "etude/core/detail/generator_impl.h"

// PyTorch's CPU distributions on plain memory: each writes n values in the order in which the generator gives
// them. The generator's mutex is held by the caller. T is float or double, unless another is named.

namespace etude::detail {

/// Uniform in [from, to]: float takes the low 24 bits of one output, double the low 53 of two.
template <typename T>
void fill_uniform(GeneratorImpl& generator, T* out, int64_t n, double from, double to);

/// Normal by Box and Muller's pairs. PyTorch has two unrelated streams: blocks of 16 for a contiguous tensor
/// of at least 16 elements, and otherwise double pairs, one value after the other, whose second value waits
/// in the generator for the next request.
template <typename T>
void fill_normal_blocks(GeneratorImpl& generator, T* out, int64_t n, double mean, double std);
template <typename T>
void fill_normal_pairs(GeneratorImpl& generator, T* out, int64_t n, double mean, double std);

/// Exponential with the given rate, from 53 bits per value.
template <typename T>
void fill_exponential(GeneratorImpl& generator, T* out, int64_t n, double lambda);

/// `one` with probability p, else zero, from 53 bits per value. T is any element type.
template <typename T>
void fill_bernoulli(GeneratorImpl& generator, T* out, int64_t n, double p, T one);

/// Integers base + [0, range), where a range of 0 stands for 2^64. T is any element type.
template <typename T>
void fill_integers(GeneratorImpl& generator, T* out, int64_t n, uint64_t range, int64_t base);

}  // namespace etude::detail
