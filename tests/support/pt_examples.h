#pragma once

#include <memory>
#include <string>
#include <vector>

#include "etude/etude.h"

namespace etude {

/// The class of the same name in tests/golden/io/make_pt.cpp.
struct PtNet : nn::Module {
  nn::Linear first{2, 3};
  nn::Sequential rest{nn::Linear(3, 1), nn::ReLU()};
  Tensor table = register_buffer("table", etude::arange(3));
  PtNet() {
    register_module("first", first);
    register_module("rest", rest);
    double next = 0;
    for (auto& p : parameters()) p.data().fill_(next++);
  }
};

/// The optimizer of tests/golden/io/make_pt.cpp after its two steps, and its parameters.
struct PtAdam {
  Tensor p = etude::ones({2}).requires_grad_(), q = etude::ones({3}).requires_grad_();
  optim::Adam adam{std::vector<Tensor>{p}, optim::AdamOptions(0.25).betas({0.5, 0.75})};
  PtAdam() {
    adam.add_param_group(optim::OptimizerParamGroup({q}));
    (p.sum() + 2 * q.sum()).backward();
    adam.step();
    adam.step();
  }
};

/// Saves the files that tests/golden/io/make_etude_pt.cpp records.
inline void save_pt_examples(const std::string& prefix) {
  save(std::make_shared<PtNet>(), prefix + "module.pt");
  save(PtAdam().adam, prefix + "adam.pt");
  const Tensor t = etude::arange(6).view({2, 3});
  save(std::vector<Tensor>{t, t.t(), t[1], etude::zeros({0, 2}), etude::ones({}).to(kBFloat16)},
       prefix + "vector.pt");
}

}  // namespace etude
