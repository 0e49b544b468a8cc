// Paths of modules. A module knows its submodules but not its parents. They are found among the modules that run on this
// thread and, above the outermost one, in a table of the latest registrations.

#include "etude/nn/module_scope.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "etude/core/detail/listen.h"
#include "etude/nn/module.h"

namespace etude::nn::detail {

namespace listen = etude::detail::listen;

namespace {

thread_local const ModuleScope* innermost = nullptr;

// The parent that last registered each child. A destroyed parent loses its number, so that entries with the number are void.
struct Parents {
  std::mutex mutex;
  uint64_t count = 0;
  std::unordered_map<const Module*, uint64_t> numbers;  // of modules that are parents
  std::unordered_map<const Module*, std::pair<const Module*, uint64_t>> of;

  const Module* find(const Module* child) const {
    const auto found = of.find(child);
    if (found == of.end()) return nullptr;
    const auto number = numbers.find(found->second.first);
    return number != numbers.end() && number->second == found->second.second ? number->first : nullptr;
  }
};

Parents& parents() {
  static Parents* const p = new Parents;  // modules may outlive statics destroyed at exit
  return *p;
}

const listen::Place* kept(listen::Place place) {
  static std::mutex mutex;
  static auto* const all = new std::map<std::string, listen::Place>;
  const std::lock_guard<std::mutex> lock(mutex);
  std::string text = place.text;
  return &all->try_emplace(std::move(text), std::move(place)).first->second;
}

}  // namespace

std::string joined_path(const std::string& above, const std::string& below) {
  return above.empty() || below.empty() ? above + below : above + "." + below;
}

void ModuleScope::note_parent(const Module& child, const Module& parent) {
  Parents& all = parents();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto [number, is_new] = all.numbers.try_emplace(&parent, all.count);
  if (is_new) ++all.count;
  all.of[&child] = {&parent, number->second};
}

void ModuleScope::forget(const Module& module) {
  Parents& all = parents();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.of.erase(&module);
  all.numbers.erase(&module);
}

bool ModuleScope::find_below(const Module& top, const Module* wanted, std::string& path) {
  std::deque<std::pair<const Module*, std::string>> found{{&top, ""}};
  std::unordered_set<const Module*> seen{&top};
  for (size_t i = 0; i < found.size(); ++i) {
    const auto& [module, above] = found[i];  // stays where it is while the deque grows
    for (const auto& child : module->children_) {
      if (child->get() == wanted) {
        path = joined_path(above, child.key());
        return true;
      }
      if (*child && seen.insert(child->get()).second)
        found.emplace_back(child->get(), joined_path(above, child.key()));
    }
  }
  return false;
}

// Climbs from a running module: prepends names to the path and returns the topmost module.
const Module* ModuleScope::climb(const Module* module, std::string& path) {
  Parents& all = parents();
  const std::lock_guard<std::mutex> lock(all.mutex);
  std::unordered_set<const Module*> seen{module};
  for (const Module* parent; (parent = all.find(module)) && seen.insert(parent).second; module = parent) {
    const std::string* name = nullptr;
    for (const auto& child : parent->children_)
      if (child->get() == module) name = &child.key();
    if (!name) break;
    path = joined_path(*name, path);
  }
  return module;
}

listen::Place ModuleScope::place() const {
  const Module* top = module_;
  const std::string type = top->class_name();
  std::string path, part;
  for (const ModuleScope* s = around_; s; s = s->around_)
    if (s->module_ != top && find_below(*s->module_, top, part)) {
      path = joined_path(part, path);
      top = s->module_;
    }
  top = climb(top, path);
  if (top != module_) return {path, path + " (" + type + ") of " + top->class_name()};
  if (!around_) return {path, type};
  listen::Place around = around_->place();
  if (around_->module_ == top) return around;  // it calls itself
  return {joined_path(around.path, "(" + type + ")"),
          "a " + type + " that no module has registered, called in " + around.text};
}

ModuleScope::ModuleScope(const Module& module) : module_(&module), around_(innermost) {
  if (listen::is_heard()) {
    const listen::Place* const here = kept(place());
    heard_ = std::make_unique<listen::Scope>(listen::Event{listen::Kind::kModule, here->text, module_, here});
  }
  innermost = this;
}

ModuleScope::~ModuleScope() { innermost = around_; }

void ModuleScope::returns(const etude::detail::TensorsIn& result) { heard_->ends({result}); }

void ModuleScope::name_in(Error& error) const {
  if (!etude::detail::ErrorPlace::is_named(error)) etude::detail::ErrorPlace::name(error, place().text);
}

}  // namespace etude::nn::detail
