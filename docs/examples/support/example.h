#pragma once

// What the examples of the API pages share. A file of docs/examples is a page; an example is
//
//     /// A sentence, where the header has none.
//     EXAMPLE(etude::abs) {
//       print(etude::abs(etude::tensor({-1.5, 2.0})));
//     }
//
// with the names of one or several symbols. The program is compiled with Etude and with LibTorch (-Detude=torch), and both
// have to print what stands in docs/examples/expected; what LibTorch has not stands in files that end with _extra.

#include <etude/etude.h>

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace nn = etude::nn;
namespace F = etude::nn::functional;
using etude::print, etude::Tensor;

namespace examples {

struct Example {
  const char* file;
  const char* names;
  void (*run)();
};

/// All examples of the program, in the order of their files.
std::vector<Example>& all();

struct Registration {
  Registration(const char* file, const char* names, void (*run)()) { all().push_back({file, names, run}); }
};

/// The first line of what is thrown.
template <typename F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const std::exception& error) {
    const std::string text = error.what();
    return text.substr(0, text.find('\n'));
  }
  return "nothing was thrown";
}

}  // namespace examples

#define EXAMPLE_JOINED(a, b) a##b
#define EXAMPLE_NUMBERED(number, names)                                                                      \
  static void EXAMPLE_JOINED(example_, number)();                                                            \
  static const examples::Registration EXAMPLE_JOINED(registered_, number)(__FILE__, names,                   \
                                                                          EXAMPLE_JOINED(example_, number)); \
  static void EXAMPLE_JOINED(example_, number)()
#define EXAMPLE(...) EXAMPLE_NUMBERED(__COUNTER__, #__VA_ARGS__)
