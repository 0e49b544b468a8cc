#pragma once

#include <string>

#include "etude/autograd/node.h"
#include "etude/core/tensor.h"

#define ETUDE_TEXT_OF(name) #name
#define ETUDE_TEXT(name) ETUDE_TEXT_OF(name)

namespace etude {

/// "etude::autograd::", or with the namespace that the macro etude stands for.
const std::string kAutogradScope = ETUDE_TEXT(etude) "::autograd::";

/// The name of the node that made t, without its namespace; empty for a leaf.
inline std::string node_name(const Tensor& t) {
  const auto node = t.grad_fn();
  if (!node) return {};
  const std::string name = node->name();
  return name.substr(name.rfind(':') + 1);
}

}  // namespace etude
