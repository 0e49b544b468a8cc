#include "support/sinks.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <istream>
#include <map>
#include <ostream>
#include <set>
#include <sstream>
#include <system_error>

#include "support/character_plot.h"
#include "support/files.h"
#include "support/help.h"
#include "support/lesson_text.h"

namespace tutorials {
namespace fs = std::filesystem;

namespace {

class PrintAll : public Sink {
 public:
  explicit PrintAll(std::ostream& out) : out_(out) {}

  void take(const Cell& cell) override {
    out_ << heading(cell.id + " | " + cell.title, {}) << cell.printed;
    if (!cell.failure.empty()) out_ << "(stopped: " << cell.failure << ")\n";
    for (const auto& figure : cell.figures)
      out_ << "(figure " << figure.first << ": written by --record DIR)\n";
    out_ << '\n' << std::flush;
  }

 private:
  std::ostream& out_;
};

/// The whole lesson, cell by cell: what its page has, in a terminal. A screen is what is shown between two stops; the
/// screens so far are kept, and going back shows them again.
class StepThrough : public Sink {
 public:
  StepThrough(const Options& options, std::istream& in, std::ostream& out, std::ostream& err)
      : lesson_(read_lesson(options.source, options.name)),
        style_(terminal_style(options.colour)),
        in_(in),
        out_(out),
        err_(err) {
    keep_characters(std::min<size_t>(style_.width, 80));
    show_next(show(lesson_.introduction, style_) + '\n',
              "introduction to " + std::to_string(lesson_.cells.size()) + " cells");
  }

  void take(const Cell& cell) override {
    const std::string place =
        "cell " + std::to_string(++taken_) + " of " + std::to_string(lesson_.cells.size());
    std::string text =
        heading(cell.id + " | " + cell.title, style_) + show(lesson_.cells[cell.id], style_);
    const auto answer = lesson_.answers.find(cell.id);
    if (answer != lesson_.answers.end()) {
      show_next(text + '\n', place + ", before its answer");
      text = show(answer->second, style_);
    }
    if (!cell.printed.empty()) text += "\nOutput\n" + cell.printed;
    if (!cell.failure.empty()) text += "(stopped: " + cell.failure + ")\n";
    for (const auto& [name, svg] : cell.figures)
      text += '\n' + characters_of(svg) + "(" + name + " is written by --record DIR)\n";
    show_next(text + '\n', place);
  }

  int finish() override {
    if (lesson_.summary.empty()) return 0;
    show_next(heading("Summary", style_) + show(lesson_.summary, style_) + '\n' +
                  heading("References", style_) + show(lesson_.references, style_),
              "summary");
    return 0;
  }

 private:
  struct Screen {
    std::string text, place;
  };

  void show_next(const std::string& text, const std::string& place) {
    if (!screens_.empty()) stop();
    screens_.push_back({text, place});
    out_ << text << std::flush;
  }

  /// Until the reader goes on from the last screen.
  void stop() {
    for (size_t at = screens_.size() - 1; at < screens_.size();) {
      err_ << screens_[at].place << ": Enter goes on, b goes back, q ends\n" << std::flush;
      std::string line;
      if (!std::getline(in_, line)) throw Left();
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (line == "q") throw Left();
      if (line == "b") at -= at > 0;
      else if (line.empty()) ++at;
      else continue;
      if (at < screens_.size()) out_ << screens_[at].text << std::flush;
    }
  }

  LessonText lesson_;
  TerminalStyle style_;
  std::vector<Screen> screens_;
  size_t taken_ = 0;  // cells
  std::istream& in_;
  std::ostream& out_;
  std::ostream& err_;
};

class PrintOne : public Sink {
 public:
  PrintOne(std::string id, std::ostream& out, std::ostream& err)
      : id_(std::move(id)), out_(out), err_(err) {}

  void take(const Cell& cell) override {
    seen_.push_back(cell.id);
    if (cell.id != id_) return;
    out_ << cell.printed << std::flush;
    if (cell.printed.empty()) err_ << "The cell '" << id_ << "' prints nothing.\n";
    found_ = true;
  }

  int finish() override {
    if (found_) return 0;
    err_ << "There is no cell '" << id_ << "'.";
    const std::string near = nearest(id_, seen_);
    if (!near.empty()) err_ << " Did you mean '" << near << "'?";
    err_ << "\nThe cells are:";
    for (const std::string& id : seen_) err_ << ' ' << id;
    err_ << '\n';
    return 2;
  }

 private:
  std::string id_;
  bool found_ = false;
  std::vector<std::string> seen_;
  std::ostream& out_;
  std::ostream& err_;
};

class RecordAll : public Sink {
 public:
  explicit RecordAll(fs::path directory) : directory_(std::move(directory)) {
    std::error_code error;
    fs::create_directories(directory_, error);
    if (error)
      throw FileError("cannot create the folder " + directory_.string() + ": " +
                      error.message());
  }

  void take(const Cell& cell) override {
    write_file(directory_ / (cell.id + ".txt"), cell.printed);
    for (const auto& [name, svg] : cell.figures) write_file(directory_ / name, svg);
  }

 private:
  fs::path directory_;
};

/// A cell that prints nothing, such as a class, needs no file and is not counted.
class CheckAll : public Sink {
 public:
  CheckAll(fs::path directory, std::ostream& out) : directory_(std::move(directory)), out_(out) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(directory_, error)) {
      if (entry.path().extension() == ".txt") recorded_.insert(entry.path().stem().string());
    }
    if (error)
      throw FileError("cannot read the folder " + directory_.string() + ": " + error.message());
  }

  void take(const Cell& cell) override {
    const bool is_recorded = recorded_.erase(cell.id) > 0;
    if (cell.own) {
      ++own_;
      out_ << "own      " << cell.id << "  not compared\n";
      return;
    }
    if (cell.printed.empty() && !is_recorded) return;
    if (!is_recorded) return report(cell.id, "nothing was recorded for it");
    const std::string recorded = read_file(directory_ / (cell.id + ".txt"));
    const std::string difference = cell.compare.difference(cell.printed, recorded);
    if (!difference.empty()) return report(cell.id, difference);
    ++(cell.printed == recorded ? equal_ : nearly_[cell.compare.name()]);
    ++total_;
    out_ << "agrees   " << cell.id;
    if (cell.printed != recorded)
      out_ << "  " << lines_not_equal(cell.printed, recorded) << ' ' << cell.compare.name()
           << ", the others equal in bytes";
    out_ << '\n';
  }

  int finish() override {
    for (const std::string& id : recorded_)
      report(id, "it was recorded, but the tutorial has no such cell");
    int agreed = equal_;
    for (const auto& [how, count] : nearly_) agreed += count;
    out_ << agreed << " of " << total_ << " cells agree: " << equal_ << " equal in bytes";
    for (const auto& [how, count] : nearly_) out_ << ", " << count << ' ' << how;
    if (own_ > 0) out_ << "; " << own_ << " are not compared, since they hang on what was set";
    out_ << '\n';
    return agreed == total_ && total_ + own_ > 0 ? 0 : 1;
  }

 private:
  static std::string lines_not_equal(const std::string& printed, const std::string& recorded) {
    std::istringstream a(printed), b(recorded);
    int different = 0, total = 0;
    for (std::string x, y;; ++total) {
      if (!std::getline(a, x)) x.clear();
      if (!std::getline(b, y)) y.clear();
      if (!a && !b) return std::to_string(different) + " of " + std::to_string(total) + " lines";
      different += x != y;
    }
  }

  void report(const std::string& id, const std::string& difference) {
    ++total_;
    out_ << "DIFFERS  " << id << "\n  ";
    for (char c : difference) out_ << c << (c == '\n' ? "  " : "");
    out_ << '\n';
  }

  fs::path directory_;
  std::set<std::string> recorded_;
  int equal_ = 0, total_ = 0, own_ = 0;
  std::map<std::string, int> nearly_;  // by how they agree
  std::ostream& out_;
};

constexpr size_t most_rounds = 4;  // that are shown of a variable in a loop

/// What came of an exercise, in a line: by it a known mistake is found.
std::string came_in_a_line(const Cell& cell) {
  std::string line;
  for (const Came& came : cell.came) {
    for (size_t i = 0; i < came.values.size() && i < most_rounds; ++i)
      line += (i == 0 ? " " + came.name + " " : ", then ") + came.values[i].brief;
  }
  if (!line.empty()) return line.substr(1);
  const auto first_line_of = [](const std::string& text) {
    return text.substr(0, text.find('\n'));
  };
  return cell.failure.empty() ? "printed: " + first_line_of(cell.printed)
                              : "stopped: " + first_line_of(cell.failure);
}

/// What came of an exercise, for its reader.
std::string came_in_words(const Cell& cell) {
  std::string words;
  for (const auto& [name, given, values] : cell.came) {
    if (values.empty()) continue;
    const bool is_as_given =
        std::equal(values.begin(), values.end(), given.begin(), given.end(),
                   [](const Value& a, const Value& b) { return a.shown == b.shown; });
    words += name + " is ";
    for (size_t i = 0; i < std::min(values.size(), most_rounds); ++i)
      words += (i == 0 ? "" : ", then ") + values[i].shown;
    words += is_as_given ? "\nand was that before your lines\n" : "\n";
  }
  return words;
}

/// A line per exercise, "right" or "not yet", and below it what is wrong, what came, and what helps against a known mistake.
class CheckExercises : public Sink {
 public:
  CheckExercises(const fs::path& directory, std::ostream& out)
      : directory_(directory), out_(out) {
    const fs::path help =
        source_file("tutorials/help/" + directory.filename().string() + ".txt");
    if (fs::exists(help)) mistakes_ = read_mistakes(read_file(help));
  }

  void take(const Cell& cell) override {
    if (cell.id.rfind("exercise", 0) != 0) return;
    ++total_;
    std::string came = came_in_a_line(cell);
    const Mistake* known = find_mistake(mistakes_[cell.id], came);
    if (known != nullptr) came = known->came;  // as it was recorded
    std::string wrong = cell.failure;
    if (wrong.empty()) {
      wrong = cell.compare.difference(cell.printed, read_file(directory_ / (cell.id + ".txt")));
      if (!wrong.empty()) wrong = "it prints something else than PyTorch:\n" + wrong;
    }
    right_ += wrong.empty();
    if (!wrong.empty()) {
      wrong += '\n' + came_in_words(cell);
      if (known != nullptr && !known->says.empty()) wrong += known->says + '\n';
    }
    out_ << (wrong.empty() ? "right    " : "not yet  ") << cell.id << " | " << cell.title
         << '\n';
    if (std::getenv("ETUDE_EXERCISE_CAME") != nullptr) out_ << "  came " << came << '\n';
    std::istringstream lines(wrong);
    for (std::string line; std::getline(lines, line);) out_ << "  " << line << '\n';
    out_ << std::flush;  // what comes next may end the program
  }

  int finish() override {
    out_ << right_ << " of " << total_ << " exercises are right\n";
    return right_ == total_ && total_ > 0 ? 0 : 1;
  }

 private:
  fs::path directory_;
  std::map<std::string, std::vector<Mistake>> mistakes_;
  int right_ = 0, total_ = 0;
  std::ostream& out_;
};

}  // namespace

std::unique_ptr<Sink> make_sink(const Options& options, std::istream& in, std::ostream& out,
                                std::ostream& err) {
  switch (options.mode) {
    case Options::Mode::one_cell:
      return std::make_unique<PrintOne>(options.cell, out, err);
    case Options::Mode::record:
      return std::make_unique<RecordAll>(options.directory);
    case Options::Mode::check:
      return std::make_unique<CheckAll>(options.directory, out);
    case Options::Mode::exercises:
      return std::make_unique<CheckExercises>(options.directory, out);
    case Options::Mode::run:
      break;
  }
  if (options.step) return std::make_unique<StepThrough>(options, in, out, err);
  return std::make_unique<PrintAll>(out);
}

}  // namespace tutorials
