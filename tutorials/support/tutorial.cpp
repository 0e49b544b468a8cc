#include "support/tutorial.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "support/cell.h"
#include "support/files.h"
#include "support/sinks.h"

namespace tutorials {
namespace {

Tutorial* running = nullptr;

Tutorial& running_tutorial() {
  if (running == nullptr) throw std::logic_error("cell and figure need a Tutorial");
  return *running;
}

std::string text_of(double number) {
  std::ostringstream text;
  text.precision(15);
  text << number;
  return text.str();
}

Options options_or_exit(int argc, const char* const* argv, const std::string& program,
                        const std::vector<TextOption>& more) {
  Options options = parse_options(argc, argv, program, more);
  if (options.exit_code) std::exit(*options.exit_code);
  return options;
}

}  // namespace

Tutorial::Tutorial(int argc, const char* const* argv, const std::string& program,
                   const std::vector<TextOption>& more)
    : Tutorial(options_or_exit(argc, argv, program, more), program, std::cin, std::cout,
               std::cerr) {}

Tutorial::Tutorial(const Options& options, const std::string& program, std::istream& in,
                   std::ostream& out, std::ostream& err)
    : options_(options),
      program_(program),
      out_(std::make_unique<std::ostream>(out.rdbuf())),
      err_(&err) {
  if (running != nullptr) throw std::logic_error("there is a Tutorial already");
  sink_ = make_sink(options_, in, *out_, err);
  outside_ = std::cout.rdbuf(captured_.rdbuf());
  running = this;
}

Tutorial::~Tutorial() {
  std::cout.rdbuf(outside_);
  running = nullptr;
  if (!finished_ && current_) *err_ << program_ << ": stopped in cell " << current_->id << '\n';
}

void Tutorial::cell(const std::string& id, const std::string& title, Compare compare) {
  if (std::find(ids_.begin(), ids_.end(), id) != ids_.end())
    throw std::logic_error("two cells are called " + id);
  end_cell();
  ids_.push_back(id);
  current_ = std::make_unique<Cell>(Cell{id, title, std::move(compare), "", {}, "", {}});
}

void Tutorial::figure(const std::string& file_name, const std::string& svg) {
  if (!current_) throw std::logic_error("figure " + file_name + " stands outside of every cell");
  current_->figures.emplace_back(file_name, svg);
}

void Tutorial::exercise_failed(const std::string& why) {
  if (!current_) throw std::logic_error("an exercise stands outside of every cell");
  current_->failure = why;
}

void Tutorial::note(const std::string& name, const Value& value, bool given) {
  if (!current_) throw std::logic_error(name + " stands outside of every cell");
  std::vector<Came>& all = current_->came;
  auto came = std::find_if(all.begin(), all.end(),
                           [&](const Came& other) { return other.name == name; });
  if (came == all.end()) came = all.insert(all.end(), {name});
  (given ? came->given : came->values).push_back(value);
}

std::optional<std::string> Tutorial::change_of(const Parameter& p) {
  if (!current_)
    throw std::logic_error("the parameter " + p.name + " stands outside of every cell");
  parameters_.insert(p.name);
  const auto set = options_.changes.find(p.name);
  if (set == options_.changes.end() || !is_change(p, set->second)) return std::nullopt;
  own_ = true;
  return set->second;
}

void Tutorial::end_cell() {
  const std::string printed = captured_.str();
  captured_.str("");
  if (!current_) {
    if (!printed.empty())
      throw std::logic_error("something was printed before the first cell: " + printed);
    return;
  }
  current_->printed = printed;
  current_->own = own_;
  const std::unique_ptr<Cell> done = std::move(current_);
  sink_->take(*done);
}

int Tutorial::finish() {
  end_cell();
  for (const auto& [name, value] : options_.changes) {
    if (parameters_.count(name) == 0) throw WrongUsage("there is no parameter '" + name + "'");
  }
  finished_ = true;
  const int code = sink_->finish();
  out_->flush();
  if (!*out_) throw FileError("cannot write to stdout");
  return code;
}

void cell(const std::string& id, const std::string& title, Compare compare) {
  running_tutorial().cell(id, title, std::move(compare));
}

void figure(const std::string& file_name, const std::string& svg) {
  running_tutorial().figure(file_name, svg);
}

void expect(bool holds, const std::string& sentence) {
  if (!holds) throw std::runtime_error("does not hold: " + sentence);
}

void exercise_failed(const std::exception& error) {
  running_tutorial().exercise_failed(error.what());
}

void note(const std::string& name, const Value& value, bool given) {
  running_tutorial().note(name, value, given);
}

int64_t parameter(const std::string& name, int initial, int least, int most, int step) {
  const auto change =
      running_tutorial().change_of({name, Parameter::Kind::whole, text_of(initial),
                                    text_of(least), text_of(most), text_of(step)});
  return change ? std::stoll(*change) : initial;
}

double parameter(const std::string& name, double initial, double least, double most) {
  const auto change = running_tutorial().change_of(
      {name, Parameter::Kind::number, text_of(initial), text_of(least), text_of(most)});
  return change ? std::stod(*change) : initial;
}

std::string parameter(const std::string& name, const char* initial) {
  return running_tutorial().change_of({name, Parameter::Kind::text, initial}).value_or(initial);
}

std::string parameter(const std::string& name, const char* initial,
                      const std::vector<std::string>& choices) {
  return running_tutorial()
      .change_of({name, Parameter::Kind::choice, initial, "", "", "", choices})
      .value_or(initial);
}

int report(const std::exception& error) {
  if (dynamic_cast<const Left*>(&error) != nullptr) return 0;
  std::cerr << "error: " << error.what() << '\n';
  if (dynamic_cast<const WrongUsage*>(&error) != nullptr) return 2;
  return dynamic_cast<const FileError*>(&error) != nullptr ? 3 : 1;
}

}  // namespace tutorials
