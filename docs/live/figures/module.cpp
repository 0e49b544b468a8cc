// The WebAssembly module's side of figures.

#include <emscripten.h>

#include "figures.h"

extern "C" EMSCRIPTEN_KEEPALIVE const char* figures_answer(const char* name, const char* controls) {
  static std::string answer;
  answer = figures::answer(name, controls);
  return answer.c_str();
}
