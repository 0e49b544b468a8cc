#include "support/command_line.h"

#include <etude/framework.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <thread>

#include "../../tutorials/support/nearest.h"

namespace examples {
namespace {

// The trace of a whole run would be too large to view.
constexpr int64_t kTracedSteps = 20;

// The value of the first variable that is set, or `otherwise` if none is.
int number_in(std::initializer_list<const char*> variables, int otherwise) {
  for (const char* variable : variables)
    if (const char* text = std::getenv(variable)) return std::atoi(text);
  return otherwise;
}

}  // namespace

Launch launch() {
  Launch launch;
  launch.rank = number_in({"OMPI_COMM_WORLD_RANK", "PMI_RANK"}, 0);
  launch.size = number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 1);
  launch.on_this_machine = number_in({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}, launch.size);
  return launch;
}

struct CommandLine::Trace {
  std::unique_ptr<etude::autograd::profiler::RecordProfile> profile;
  std::unique_ptr<etude::RecordFunction> step;
  int64_t steps = 0;
};

CommandLine::CommandLine(const std::string& program, const std::string& description, int64_t default_steps,
                         const std::vector<std::string>& examples)
    : name(program),
      steps(default_steps),
      app_(std::make_unique<CLI::App>(description, name)),
      usual_steps_(default_steps),
      trace_(std::make_unique<Trace>()) {
  app_->add_option("--seed", seed, "Seed of all random numbers; one seed gives one output")
      ->type_name("N")
      ->capture_default_str();
  add_number("--threads", threads, 0, 1024, "Threads, 0 for all cores; the output does not depend on them");
  if (steps > 0) {
    add_number("--steps", steps, int64_t{1}, int64_t{100000000}, "Training steps");
    add_text("--trace", trace,
             "Write what each thread did in the first " + std::to_string(kTracedSteps) +
                 " steps, for chrome://tracing and ui.perfetto.dev",
             "FILE");
  }
  app_->set_version_flag("--version", name + " (etude " ETUDE_VERSION ")", "Print the version and exit");
  std::string lines = "Examples:\n";
  for (const std::string& example : examples)
    lines += "  " + name + (example.empty() ? "" : " " + example) + "\n";
  app_->footer(lines + "Exit codes: 0 done, 1 " +
               (steps > 0 ? "not as good after all steps as it should be" : "failed") +
               ", 2 wrong usage, 3 a problem with a file,\n130 stopped.");
}

CommandLine::~CommandLine() = default;

template <typename Number>
void CommandLine::add_number(const std::string& option, Number& value, Number low, Number high,
                             const std::string& help) {
  app_->add_option(option, value, help)
      ->check(CLI::Range(low, high).description(""))
      ->type_name("N")
      ->capture_default_str();
}
template void CommandLine::add_number(const std::string&, int&, int, int, const std::string&);
template void CommandLine::add_number(const std::string&, int64_t&, int64_t, int64_t, const std::string&);
template void CommandLine::add_number(const std::string&, double&, double, double, const std::string&);

void CommandLine::add_text(const std::string& option, std::string& value, const std::string& help,
                           const std::string& type) {
  app_->add_option(option, value, help)->type_name(type)->capture_default_str();
}

void CommandLine::add_texts(const std::string& option, std::vector<std::string>& values,
                            const std::string& help, const std::string& type) {
  const auto arguments = app_->get_options([](const CLI::Option* o) { return o->get_positional(); });
  app_->add_option(option, values, help)->type_name(type)->allow_extra_args(arguments.empty());
}

void CommandLine::add_argument(const std::string& argument, std::string& value, const std::string& help,
                               bool required) {
  app_->add_option(argument, value, help)->type_name("")->required(required);
}

void CommandLine::add_flag(const std::string& option, bool& value, const std::string& help) {
  app_->add_flag(option, value, help);
}

void CommandLine::add_to_help(const std::string& text) { app_->footer(app_->get_footer() + "\n" + text); }

bool CommandLine::is_given(const std::string& option) const { return app_->count(option) > 0; }

int CommandLine::run(int argc, const char* const* argv, const std::function<int()>& body) {
  if (!is_first()) {  // only the first process prints
    if (!std::freopen("/dev/null", "w", stdout)) return kFailed;
    std::cerr.setstate(std::ios::badbit);
  }
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& success) {
    app_->exit(success);
    return kDone;
  } catch (const CLI::ParseError& error) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app_->get_options())
      if (!option->get_positional()) names.push_back("--" + option->get_lnames().front());
    std::cerr << name << ": " << error.what() << '\n'
              << tutorials::did_you_mean(argc, argv, names) << "Run with --help for more information.\n";
    return kWrongUsage;
  }
  try {
    return run_body(body);
  } catch (const UsageError& error) {
    return fail(error, kWrongUsage);
  } catch (const FileError& error) {
    return fail(error, kFileProblem);
  } catch (const std::exception& error) {
    return fail(error, kFailed);
  }
}

void CommandLine::begin_step(int64_t step) const {
  if (trace.empty() || trace_->step || trace_->steps == kTracedSteps) return;
  try {
    if (trace_->steps++ == 0)
      trace_->profile = std::make_unique<etude::autograd::profiler::RecordProfile>(trace_file());
  } catch (const std::exception& error) {
    throw FileError(error.what());
  }
  trace_->step = std::make_unique<etude::RecordFunction>(etude::RecordScope::USER_SCOPE);
  trace_->step->before("ProfilerStep#" + std::to_string(step));
}

// The first process uses the given name; the others insert their rank: steps.json, steps.rank1.json.
std::string CommandLine::trace_file() const {
  if (is_first()) return trace;
  std::filesystem::path path = trace;
  const std::string extension = path.extension().string();
  return path.replace_extension(".rank" + std::to_string(launch().rank) + extension).string();
}

void CommandLine::end_step() const {
  trace_->step.reset();
  if (trace_->steps == kTracedSteps) end_trace();
}

void CommandLine::end_trace() const {
  trace_->step.reset();
  if (!trace_->profile) return;
  trace_->profile.reset();  // writes the trace, and warns if it cannot
  std::cerr << "trace in " << trace << ": the first " << trace_->steps << " steps\n";
}

int CommandLine::run_body(const std::function<int()>& body) {
  const Launch launched = launch();
  join_others();
  // Processes on one machine share its cores.
  if (threads > 0) etude::set_num_threads(threads);
  else if (launched.on_this_machine > 1 && !std::getenv("OMP_NUM_THREADS"))
    etude::set_num_threads(
        std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / launched.on_this_machine));
  etude::manual_seed(seed);
  const int code = body();
  end_trace();
  return code;
}

void CommandLine::join_others() {
  if (launch().size > 1)
    throw UsageError("runs in one process, and mpirun has started " + std::to_string(launch().size) +
                     "\nhint: char_gpt shares its batches between several");
}

int CommandLine::fail(const std::exception& error, ExitCode code) const {
  std::cout.flush();
  std::cerr << name << ": " << error.what() << '\n';
  return code;
}

int CommandLine::judge(const std::string& expected, bool is_reached) const {
  const bool is_short = steps < usual_steps_;
  std::string verdict = is_reached ? "reached" : is_short ? "not yet" : "not reached";
  if (!is_reached && is_short)
    verdict += ", with " + std::to_string(steps) + " of the usual " + std::to_string(usual_steps_) + " steps";
  std::printf("expected %s: %s\n", expected.c_str(), verdict.c_str());
  return is_reached || is_short ? kDone : kFailed;
}

int CommandLine::judge(double loss, double low, double high) const {
  char expected[64];
  std::snprintf(expected, sizeof expected, "loss between %.2f and %.2f", low, high);
  return judge(expected, loss >= low && loss <= high);
}

}  // namespace examples
