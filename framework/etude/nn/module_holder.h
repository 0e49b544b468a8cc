#pragma once

#include <cstddef>
#include <memory>
#include <ostream>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "etude/core/error.h"
#include "etude/io/archives.h"
#include "etude/nn/module_hooks.h"

namespace etude::nn {

class Module;
template <typename Contained>
class ModuleHolder;

namespace detail {

[[noreturn]] ETUDE_API void refuse_empty_holder(const std::type_info& module);

/// Exists while a holder builds a module. Notes the modules that other holders build meanwhile, its members, and warns about
/// members with parameters that no module registered. Use std::make_shared for a module that should stay unregistered.
class ETUDE_API Construction {
 public:
  Construction();
  ~Construction();
  Construction(const Construction&) = delete;
  Construction& operator=(const Construction&) = delete;
  void ends(const std::shared_ptr<Module>& module);

 private:
  Construction* around_;
  std::vector<std::weak_ptr<Module>> members_;
};

/// The base of every ModuleHolder, by which templates recognise one.
struct ModuleHolderIndicator {};

template <typename T>
inline constexpr bool is_module_holder = std::is_base_of_v<ModuleHolderIndicator, std::decay_t<T>>;

template <typename T, typename Contained, typename = void>
inline constexpr bool is_holder_of = false;
template <typename T, typename Contained>
inline constexpr bool is_holder_of<T, Contained, std::enable_if_t<is_module_holder<T>>> =
    std::is_same_v<typename std::decay_t<T>::ContainedType, Contained>;

/// Whether a holder takes over what it is given and builds nothing; Contained may then be incomplete.
template <typename Contained, typename First, typename... Rest>
using IsHeld = std::bool_constant<sizeof...(Rest) == 0 &&
                                  (is_holder_of<First, Contained> || std::is_same_v<First, std::nullptr_t> ||
                                   std::is_same_v<std::decay_t<First>, std::shared_ptr<Contained>>)>;

/// Whether Contained has a forward that takes these arguments.
template <typename Args, typename Contained, typename = void>
inline constexpr bool fits_forward = false;
template <typename... Args, typename Contained>
inline constexpr bool
    fits_forward<void(Args...), Contained,
                 std::void_t<decltype(std::declval<Contained&>().forward(std::declval<Args>()...))>> = true;

/// Its name, the cure, appears in the compiler's error for a holder without arguments whose module needs some. An incomplete
/// module counts as one that needs none.
struct WriteEqualsNullptr {};
template <typename Contained, typename T, typename = void>
inline constexpr bool needs_none = true;
template <typename Contained, typename T>
inline constexpr bool needs_none<Contained, T, std::void_t<decltype(sizeof(Contained))>> =
    std::is_default_constructible_v<Contained>;
template <typename Contained>
using WriteEqualsNullptrOrModuleHolder = ModuleHolder<Contained>;

}  // namespace detail

/// A shared pointer to a module that is built, called and passed like a value:
/// `Linear fc(3, 4); fc(x); fc->weight`. Copies share the module. `Linear fc = nullptr;` is empty until it is assigned.
template <typename Contained>
class ModuleHolder : detail::ModuleHolderIndicator {
 public:
  using ContainedType = Contained;

  /// A module built without arguments.
  template <typename T = detail::WriteEqualsNullptr,
            std::enable_if_t<detail::needs_none<Contained, T>, int> = 0>
  ModuleHolder() : impl_(make()) {}
  template <typename T = detail::WriteEqualsNullptr,
            std::enable_if_t<!detail::needs_none<Contained, T>, int> = 0>
  ModuleHolder() = delete;
  /// An empty holder.
  ModuleHolder(std::nullptr_t) {}
  /// A holder of an existing module.
  ModuleHolder(std::shared_ptr<Contained> module) : impl_(std::move(module)) {}

  /// Builds the module from the arguments of one of its constructors.
  template <typename First, typename... Rest,
            std::enable_if_t<std::conjunction_v<std::negation<detail::IsHeld<Contained, First, Rest...>>,
                                                std::is_constructible<Contained, First, Rest...>>,
                             int> = 0>
  explicit ModuleHolder(First&& first, Rest&&... rest)
      : impl_(make(std::forward<First>(first), std::forward<Rest>(rest)...)) {}
  template <typename First, typename... UseOptionsOrArgsOfImpl,
            std::enable_if_t<
                !std::disjunction_v<detail::IsHeld<Contained, First, UseOptionsOrArgsOfImpl...>,
                                    std::is_constructible<Contained, First, UseOptionsOrArgsOfImpl...>>,
                int> = 0>
  explicit ModuleHolder(First&&, UseOptionsOrArgsOfImpl&&...) = delete;  // LinearOptions(3, 4).bias(false)

  /// Calls the module's forward and its hooks, and returns the result.
  template <typename... Args, std::enable_if_t<detail::fits_forward<void(Args&&...), Contained>, int> = 0>
  decltype(auto) operator()(Args&&... args) {
    if constexpr (std::is_base_of_v<Module, Contained>) return call(*ptr(), std::forward<Args>(args)...);
    else return ptr()->forward(std::forward<Args>(args)...);
  }
  template <typename... ArgumentsOfForward,
            std::enable_if_t<!detail::fits_forward<void(ArgumentsOfForward&&...), Contained>, int> = 0>
  void operator()(ArgumentsOfForward&&...) = delete;  // MSELoss()(input, target)
  /// Calls operator[] of the module.
  template <typename Index>
  decltype(auto) operator[](Index&& index) {
    return (*ptr())[std::forward<Index>(index)];
  }

  Contained* operator->() { return ptr().get(); }
  const Contained* operator->() const { return ptr().get(); }
  template <typename... UseAnArrow>
  void forward(const UseAnArrow&...) const = delete;  // net->forward(x), or net(x)
  template <typename... UseAnArrow>
  void parameters(const UseAnArrow&...) const = delete;  // net->parameters()
  Contained& operator*() { return *ptr(); }
  const Contained& operator*() const { return *ptr(); }

  /// Whether the holder is empty.
  bool is_empty() const noexcept { return impl_ == nullptr; }
  explicit operator bool() const noexcept { return !is_empty(); }

  /// The module. Throws if the holder is empty.
  const std::shared_ptr<Contained>& ptr() const {
    if (!impl_) detail::refuse_empty_holder(typeid(Contained));
    return impl_;
  }
  Contained* get() { return ptr().get(); }
  const Contained* get() const { return ptr().get(); }

 protected:
  std::shared_ptr<Contained> impl_;

 private:
  template <typename... Args>
  static std::shared_ptr<Contained> make(Args&&... args) {
    detail::Construction construction;
    auto module = std::make_shared<Contained>(std::forward<Args>(args)...);
    if constexpr (std::is_convertible_v<Contained*, Module*>) construction.ends(module);
    return module;
  }
};

/// Writes the module as Python prints it.
template <typename Contained>
std::ostream& operator<<(std::ostream& out, const ModuleHolder<Contained>& module) {
  return out << *module;
}

/// Saves the module to an archive.
template <typename Contained>
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                     const ModuleHolder<Contained>& module) {
  return archive << module.ptr();
}
/// Loads the module from an archive.
template <typename Contained>
serialize::InputArchive& operator>>(serialize::InputArchive& archive, ModuleHolder<Contained>& module) {
  return archive >> module.ptr();
}

}  // namespace etude::nn

/// Declares `Name`, the holder of `ImplType`. Its own constructor suppresses the implicit default constructor, so that
/// ModuleHolder's constructors without arguments are inherited.
#define ETUDE_MODULE_IMPL(Name, ImplType)                                               \
  class Name : public ::etude::nn::detail::WriteEqualsNullptrOrModuleHolder<ImplType> { \
   public:                                                                              \
    using ::etude::nn::ModuleHolder<ImplType>::ModuleHolder;                            \
    Name(std::nullptr_t) : ::etude::nn::ModuleHolder<ImplType>(nullptr) {}              \
    using Impl [[maybe_unused]] = ImplType;                                             \
  }

/// Declares `Name`, the holder of `NameImpl` (TORCH_MODULE).
#define ETUDE_MODULE(Name) ETUDE_MODULE_IMPL(Name, Name##Impl)
