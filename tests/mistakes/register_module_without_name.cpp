// hint: NameIsFirst
#include "etude/etude.h"

using namespace etude;

struct Net : nn::Module {
#ifdef RIGHT
  Net() { fc = register_module("fc", nn::Linear(3, 4)); }
#else
  Net() { fc = register_module(nn::Linear(3, 4)); }  // error
#endif
  nn::Linear fc = nullptr;
};

int main() { return static_cast<int>(Net().parameters().size()); }
