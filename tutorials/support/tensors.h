#pragma once

#include <etude/framework.h>

#include <string>
#include <vector>

// What tutorials do with tensors besides the tutorial's subject: state facts about them, and
// write them as Python does.
namespace tutorials {

/// States that both hold the same numbers. Prints nothing if so. Otherwise it prints where they
/// differ, and since no recorded cell has such a line, the cell no longer agrees with its
/// recording.
void expect_equal(const etude::Tensor& actual, const etude::Tensor& expected);

/// The same, up to an absolute difference of `tolerance`.
void expect_close(const etude::Tensor& actual, const etude::Tensor& expected, double tolerance);

/// `(4, 20, 1)`: sizes or strides as Python writes a tuple.
std::string python_tuple(etude::IntArrayRef numbers);

/// `['weight', 'bias']`: names as Python writes a list of strings.
std::string python_list(const std::vector<std::string>& names);

/// The shortest decimal that reads back as the same float32, as NumPy writes it: `0.15782663`,
/// `1.0`, `1e-05`.
std::string shortest(float v);

/// The text up to the first line break: of an error, PyTorch's sentence.
std::string first_line(const std::string& text);

/// All elements row by row, for plots.
std::vector<double> values_of(const etude::Tensor& t);

}  // namespace tutorials
