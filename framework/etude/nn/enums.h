#pragma once

#include <string>
#include <variant>

#include "etude/core/error.h"
#include "etude/ops/ops.h"

// Each choice has a type of its own, so that `reduction(kSum)` compiles and `reduction(kReLU)` does not
// (torch::enumtype).

namespace etude {

#define ETUDE_ENUM(name)                           \
  namespace enumtype {                             \
  struct k##name {                                 \
    /** Private to the framework. */               \
    static constexpr const char* text = "k" #name; \
  };                                               \
  }                                                \
  inline constexpr enumtype::k##name k##name{};

ETUDE_ENUM(None)
ETUDE_ENUM(Mean)
ETUDE_ENUM(Sum)
ETUDE_ENUM(BatchMean)

ETUDE_ENUM(Linear)
ETUDE_ENUM(Sigmoid)
ETUDE_ENUM(Tanh)
ETUDE_ENUM(ReLU)
ETUDE_ENUM(LeakyReLU)
ETUDE_ENUM(GELU)

ETUDE_ENUM(FanIn)
ETUDE_ENUM(FanOut)

ETUDE_ENUM(RNN_TANH)
ETUDE_ENUM(RNN_RELU)
ETUDE_ENUM(LSTM)
ETUDE_ENUM(GRU)
ETUDE_ENUM(Constant)
ETUDE_ENUM(Reflect)
ETUDE_ENUM(Replicate)
ETUDE_ENUM(Circular)
ETUDE_ENUM(Zeros)
ETUDE_ENUM(Valid)
ETUDE_ENUM(Same)

ETUDE_ENUM(Nearest)
ETUDE_ENUM(Bilinear)
ETUDE_ENUM(Bicubic)
ETUDE_ENUM(Trilinear)
ETUDE_ENUM(Area)
ETUDE_ENUM(NearestExact)

#undef ETUDE_ENUM

namespace enumtype {

/// The name of the choice in a variant: `kMean`.
template <typename Variant>
std::string get_enum_name(const Variant& choice) {
  return std::visit([](const auto& chosen) { return std::string(chosen.text); }, choice);
}

/// The number that loss ops take for a reduction.
template <typename Variant>
Reduction::Reduction reduction_get_enum(const Variant& reduction) {
  if (std::holds_alternative<kNone>(reduction)) return Reduction::None;
  if (std::holds_alternative<kMean>(reduction)) return Reduction::Mean;
  if (std::holds_alternative<kSum>(reduction)) return Reduction::Sum;
  throw Error(get_enum_name(reduction) + " is not a valid value for reduction");
}

}  // namespace enumtype
}  // namespace etude
