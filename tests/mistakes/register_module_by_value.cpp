// hint: UseMakeShared
#include "etude/etude.h"

using namespace etude;

struct Block : nn::Module {};
struct Net : nn::Module {
#ifdef RIGHT
  Net() { register_module("block", block); }
  std::shared_ptr<Block> block = std::make_shared<Block>();
#else
  Net() { register_module("block", block); }  // error
  Block block;
#endif
};

int main() { return static_cast<int>(Net().parameters().size()); }
