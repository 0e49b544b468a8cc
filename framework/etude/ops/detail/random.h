#pragma once

#include <mutex>

#include "etude/core/detail/generator_impl.h"
#include "etude/ops/detail/elementwise.h"

namespace etude::detail {

// PyTorch's CPU distributions on plain memory: each function writes n values in the order in which the generator
// produces them. The caller holds the generator's mutex. T is float or double unless stated otherwise.

/// Uniform in [from, to): float uses the low 24 bits of one output, double the low 53 bits of two outputs.
template <typename T>
void fill_uniform(GeneratorImpl& generator, T* out, int64_t n, double from, double to);

/// Normal, by the pairs of Box and Muller. PyTorch has two unrelated streams. A contiguous tensor of at least 16
/// elements gets blocks of 16. Any other tensor gets values from pairs computed in double, one after the other; the second
/// value of a pair is kept in the generator for the next request.
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

/// Draws which of n elements dropout keeps, 1 or 0 for each, in rounds. While one thread draws the next round, the others call
/// write(from, count) for parts of the round already drawn.
void draw_kept(uint8_t* kept, int64_t n, double p, FunctionRef<void(int64_t, int64_t)> write);

/// Integers in base + [0, range), where a range of 0 means 2^64: output mod range, of 64 bits if `wide`, else of 32. T is any
/// element type.
template <typename T>
void fill_integers(GeneratorImpl& generator, T* out, int64_t n, uint64_t range, int64_t base, bool wide);

// Random numbers are written in the order of a tensor's memory, whatever its strides, as in PyTorch.

/// The dims of t from the outermost in memory to the innermost.
Shape order_in_memory(const Tensor& t);
/// A view of t with its dims in that order, without a graph.
Tensor in_order(const Tensor& t, const Shape& order);

inline GeneratorImpl& generator_or_default(const optional<Generator>& generator) {
  return (generator && generator->defined() ? *generator : default_generator()).impl();
}

/// Calls draw(generator, elements), where elements is contiguous and receives the values of `to` in the order of its
/// memory. For 16-bit floats elements is float32, rounded afterwards.
template <typename Draw>
void write_random(const Tensor& to, const optional<Generator>& generator, Draw&& draw) {
  const Tensor elements = in_order(to, order_in_memory(to));
  const bool rounds = isReducedFloatingType(elements.scalar_type());
  const Tensor target = elements.is_contiguous() && !rounds
                            ? elements
                            : make_tensor(elements.sizes(), rounds ? kFloat : elements.scalar_type());
  GeneratorImpl& g = generator_or_default(generator);
  {
    const std::lock_guard<std::mutex> lock(g.mutex);
    draw(g, target);
  }
  if (!target.is_same(elements)) convert(elements, target);
}

/// Fills y, a new tensor, and then makes it a leaf that requires a gradient if the options say so.
template <typename Draw>
Tensor draw_into(const Tensor& y, const TensorOptions& options, const optional<Generator>& generator,
                 Draw&& draw) {
  write_random(y, generator, draw);
  if (options.requires_grad()) y.set_requires_grad(true);
  return y;
}

/// Fills self in place, as an op called `name`. Its inputs, self and perhaps `parameter`, get gradients of zero.
template <typename Draw>
Tensor& fill_random(const Tensor& self, const char* name, const optional<Generator>& generator, Draw&& draw,
                    const Tensor& parameter = {}) {
  return in_place(
      self, {parameter},
      [&](const Tensor& before) {
        const Tensor y = empty_like(self);
        write_random(y, generator, draw);
        return record(name, {before, parameter}, y,
                      [sizes = parameter.defined() ? Shape(parameter.sizes()) : Shape()](const Tensor& dy) {
                        return Gradients{zeros_like(dy), zeros(sizes, dy.scalar_type())};
                      });
      },
      [&] { write_random(self, generator, draw); });
}

}  // namespace etude::detail
