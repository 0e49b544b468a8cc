#pragma once

#include <cmath>
#include <map>
#include <string>

#include "etude/nn/init.h"
#include "support/any_function.h"

namespace etude {

/// Every fill of nn::init, by its name in the golden data.
inline const std::map<std::string, AnyFunction<Tensor(Tensor)>> fills = {
    {"xavier_uniform", [](Tensor t) { return nn::init::xavier_uniform_(t); }},
    {"xavier_uniform gain 2", [](Tensor t) { return nn::init::xavier_uniform_(t, 2.0); }},
    {"xavier_normal", [](Tensor t) { return nn::init::xavier_normal_(t); }},
    {"kaiming_uniform", [](Tensor t) { return nn::init::kaiming_uniform_(t); }},
    {"kaiming_uniform sqrt 5", [](Tensor t) { return nn::init::kaiming_uniform_(t, std::sqrt(5.0)); }},
    {"kaiming_uniform fan_out relu",
     [](Tensor t) { return nn::init::kaiming_uniform_(t, 0, kFanOut, kReLU); }},
    {"kaiming_normal", [](Tensor t) { return nn::init::kaiming_normal_(t); }},
    {"kaiming_normal fan_out tanh", [](Tensor t) { return nn::init::kaiming_normal_(t, 0, kFanOut, kTanh); }},
    {"normal", [](Tensor t) { return nn::init::normal_(t, 1.0, 0.02); }},
    {"uniform", [](Tensor t) { return nn::init::uniform_(t, -0.5, 2.0); }},
    {"eye", [](Tensor t) { return t.dim() == 2 ? nn::init::eye_(t) : nn::init::zeros_(t); }},
    {"constant", [](Tensor t) { return nn::init::constant_(t, 0.3); }},
};

}  // namespace etude
