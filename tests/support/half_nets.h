#pragma once

#include "etude/nn/nn.h"
#include "etude/ops/ops.h"

namespace etude {

/// y = x W^T: a Linear for tests without layers.
struct FcImpl : nn::Cloneable<FcImpl> {
  FcImpl(int64_t in_, int64_t out_) : in(in_), out(out_) { FcImpl::reset(); }
  void reset() override { weight = register_parameter("weight", full({out, in}, 0.5)); }
  Tensor forward(const Tensor& x) { return linear(x, weight); }
  int64_t in, out;
  Tensor weight;
};
ETUDE_MODULE(Fc);

/// fc, relu, out.
struct HalfNetImpl : nn::Cloneable<HalfNetImpl> {
  HalfNetImpl() { HalfNetImpl::reset(); }
  void reset() override {
    fc = register_module("fc", Fc(3, 4));
    out = register_module("out", Fc(4, 3));
  }
  Tensor forward(const Tensor& x) { return out(relu(fc(x))); }
  Fc fc = nullptr, out = nullptr;
};
ETUDE_MODULE(HalfNet);

/// first and second, each a HalfNet.
struct HalfNetsImpl : nn::Cloneable<HalfNetsImpl> {
  HalfNetsImpl() { HalfNetsImpl::reset(); }
  void reset() override {
    first = register_module("first", HalfNet());
    second = register_module("second", HalfNet());
  }
  Tensor forward(const Tensor& x) { return second(first(x)); }
  HalfNet first = nullptr, second = nullptr;
};
ETUDE_MODULE(HalfNets);

}  // namespace etude
