#pragma once

#include "etude/framework.h"

namespace etude::nn {

/// A module that holds only a function's options. Its constructor takes options, the arguments of their
/// constructor, or nothing if all options have defaults.
template <typename Derived, typename Options>
class ETUDE_API FunctionModule : public Cloneable<Derived> {
 public:
  template <typename... Args, std::enable_if_t<std::is_constructible_v<Options, Args...>, int> = 0>
  explicit FunctionModule(Args... args) : options(args...) {}

  void reset() override {}

  Options options;
};

/// For a function without options.
template <typename Derived>
class ETUDE_API FunctionModule<Derived, void> : public Cloneable<Derived> {
 public:
  void reset() override {}
};

}  // namespace etude::nn

/// Defines such a module: its name, the type of the options or void, the parameters and the result of forward(),
/// and the result of extra_repr().
#define ETUDE_MODULE_OF_PRINTED_FUNCTION(Name, Options, Parameters, Result, Printed) \
  class ETUDE_API Name##Impl : public FunctionModule<Name##Impl, Options> {          \
   public:                                                                           \
    using FunctionModule::FunctionModule;                                            \
    Tensor forward Parameters { return Result; }                                     \
    std::string extra_repr() const override { return Printed; }                      \
  };                                                                                 \
  ETUDE_MODULE(Name)

/// The same, with an empty extra_repr().
#define ETUDE_MODULE_OF_FUNCTION(Name, Options, Parameters, Result) \
  ETUDE_MODULE_OF_PRINTED_FUNCTION(Name, Options, Parameters, Result, "")

/// The same for a function in functional, with its options, functional::NameFuncOptions, and the result of extra_repr().
#define ETUDE_MODULE_OF_FUNCTIONAL(Name, Parameters, Result, Printed) \
  using Name##Options = functional::Name##FuncOptions;                \
  ETUDE_MODULE_OF_PRINTED_FUNCTION(Name, Name##Options, Parameters, functional::Result, Printed)

/// The same for a loss of an input and a target: the name, the options and the function.
#define ETUDE_MODULE_OF_LOSS(Name, FuncOptions, function)                                    \
  using Name##Options = functional::FuncOptions;                                             \
  ETUDE_MODULE_OF_FUNCTION(Name, Name##Options, (const Tensor& input, const Tensor& target), \
                           functional::function(input, target, options))
