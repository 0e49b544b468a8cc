// hint: WriteEqualsNullptr
#include "etude/etude.h"

using namespace etude;

struct Net : nn::Module {
  Net() { fc = register_module("fc", nn::Linear(3, 4)); }  // error
#ifdef RIGHT
  nn::Linear fc = nullptr;
#else
  nn::Linear fc;
#endif
};

int main() { return static_cast<int>(Net().parameters().size()); }
