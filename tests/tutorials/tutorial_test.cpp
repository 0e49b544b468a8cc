#include "support/tutorial.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/came.h"
#include "support/files.h"
#include "support/help.h"

namespace {

namespace fs = std::filesystem;
using tutorials::cell;
using tutorials::Compare;
using tutorials::figure;
using tutorials::FileError;
using tutorials::Options;
using tutorials::Tutorial;

/// A folder that is gone after the test.
struct Folder {
  fs::path path;
  explicit Folder(const std::string& name)
      : path(fs::temp_directory_path() / ("etude_" + name + std::to_string(::getpid()))) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
};

struct Ran {
  int code;
  std::string out, err;
};

/// Three cells: one that prints, one that defines something, one with a picture.
Ran run_three_cells(const Options& options, const std::string& input = "", const std::string& last = "3\n",
                    const Compare& compare = Compare::bytes()) {
  std::istringstream in(input);
  std::ostringstream out, err;
  Tutorial tutorial(options, "test", in, out, err);
  cell("first", "The first");
  std::cout << "1\n2\n";
  cell("class", "A class");
  cell("last", "The last", compare);
  std::cout << last;
  figure("picture.svg", "<svg/>\n");
  const int code = tutorial.finish();
  return {code, out.str(), err.str()};
}

Options options_for(Options::Mode mode, const fs::path& directory = {}) {
  Options options;
  options.mode = mode;
  options.directory = directory;
  return options;
}

TEST_CASE("cells are printed under headings") {
  const Ran ran = run_three_cells({});
  CHECK(ran.code == 0);
  CHECK(ran.out ==
        "first | The first\n-----------------\n1\n2\n\n"
        "class | A class\n---------------\n\n"
        "last | The last\n---------------\n3\n(figure picture.svg: written by --record DIR)\n\n");
  CHECK(ran.err == "");
}

TEST_CASE("exercises are right, or it is said in words why not") {
  const Folder folder("exercises");
  for (const char* id : {"exercise1", "exercise2", "exercise3"})
    tutorials::write_file(folder.path / (std::string(id) + ".txt"), "7\n");
  const auto solve = [&](int first, bool holds, bool throws) {
    std::istringstream in;
    std::ostringstream out, err;
    Tutorial tutorial(options_for(Options::Mode::exercises, folder.path), "test", in, out, err);
    cell("before", "No exercise");
    std::cout << "not compared\n";
    cell("exercise1", "One");
    std::cout << first << '\n';
    cell("exercise2", "Two");
    try {
      tutorials::expect(holds, "seven is seven");
      std::cout << "7\n";
    } catch (const std::exception& error) {
      tutorials::exercise_failed(error);
    }
    cell("exercise3", "Three");
    try {
      if (throws) throw std::runtime_error("the reason\nand a hint");
      std::cout << "7\n";
    } catch (const std::exception& error) {
      tutorials::exercise_failed(error);
    }
    const int code = tutorial.finish();
    return out.str() + std::to_string(code);
  };
  CHECK(solve(7, true, false) ==
        "right    exercise1 | One\nright    exercise2 | Two\nright    exercise3 | Three\n"
        "3 of 3 exercises are right\n0");
  CHECK(solve(8, false, true) ==
        "not yet  exercise1 | One\n  it prints something else than PyTorch:\n  line 1, column 1\n"
        "    recorded: 7\n    printed:  8\n"
        "not yet  exercise2 | Two\n  does not hold: seven is seven\n"
        "not yet  exercise3 | Three\n  the reason\n  and a hint\n"
        "0 of 3 exercises are right\n1");
}

TEST_CASE("of an exercise that is wrong it is said what came") {
  const Folder folder("came");
  for (const char* id : {"exercise1", "exercise2", "exercise3"})
    tutorials::write_file(folder.path / (std::string(id) + ".txt"), "7\n");
  std::istringstream in;
  std::ostringstream out, err;
  {
    Tutorial tutorial(options_for(Options::Mode::exercises, folder.path), "test", in, out, err);
    const etude::Tensor matrix = etude::tensor({{1.0f, 2.0f}, {3.0f, 4.5f}});
    cell("exercise1", "One");
    for (const int i : {1, 2, 3}) {
      tutorials::given("sum", 0.0);
      tutorials::came("sum", i / 2.0);
    }
    cell("exercise2", "Two");
    tutorials::given("matrix", etude::Tensor());
    tutorials::given("list", std::vector<int64_t>());
    tutorials::came("matrix", matrix);
    tutorials::came("list", std::vector<int64_t>{4, 3});
    cell("exercise3", "Three");
    for (int i = 0; i < 2; ++i) {
      tutorials::given("answer", i);
      tutorials::came("answer", i);
    }
    tutorials::given("none", etude::Tensor());
    tutorials::came("none", etude::Tensor());
    tutorial.finish();
  }
  const std::string differs =
      "  it prints something else than PyTorch:\n  line 1, column 1\n    recorded: 7\n    printed:  \n";
  const auto without = [](std::string text, const std::string& part) {
    for (size_t at; (at = text.find(part)) != std::string::npos;) text.erase(at, part.size());
    return text;
  };
  CHECK(without(out.str(), differs) ==
        "not yet  exercise1 | One\n  sum is 0.5, then 1, then 1.5\n"
        "not yet  exercise2 | Two\n  matrix is a tensor of shape [2, 2], Float:\n"
        "  tensor([[1.0000, 2.0000],\n          [3.0000, 4.5000]])\n  list is {4, 3}\n"
        "not yet  exercise3 | Three\n  answer is 0, then 1\n  and was that before your lines\n"
        "  none is a tensor into which nothing was put\n  and was that before your lines\n"
        "0 of 3 exercises are right\n");
}

TEST_CASE("values are shown with their shapes, and briefly") {
  using tutorials::value_of;
  const auto brief = [](const auto& value) { return value_of(value).brief; };
  CHECK(brief(0.14112000805986722) == "0.1411");
  CHECK(brief(-1e-17) == "0");
  CHECK(value_of(1e-17).shown == "1e-17");
  CHECK(brief(true) == "true");
  CHECK(brief(std::string("bl")) == "\"bl\"");
  CHECK(brief(std::vector<std::pair<int64_t, int64_t>>{{1, 2}, {3, 4}}) == "{{1, 2}, {3, 4}}");
  CHECK(brief(etude::arange(20).view({4, 5})) == "[4, 5] 0 1 2 3 4 5 6 7 8 9 10 11 sum 190");
  CHECK(brief(etude::tensor(2.5)) == "[] 2.5");
  CHECK(brief(etude::zeros({0, 3})) == "[0, 3]");
  CHECK(value_of(etude::zeros({100})).shown.find("shape [100], Float, which begins with:") !=
        std::string::npos);
  CHECK(value_of(std::vector<etude::Tensor>{etude::zeros({1}), etude::ones({1})}).shown ==
        "2 of them:\na tensor of shape [1], Float:\ntensor([0.])\na tensor of shape [1], "
        "Float:\ntensor([1.])");
}

TEST_CASE("known mistakes are read from a lesson's help") {
  const auto mistakes = tutorials::read_mistakes(
      "exercise1\nhint No\n  mistake.\nwrong x = 1;\ncame x 1\nsays One is\n  not two.\n\nwrong y;\ncame "
      "stopped: a\nsays B\n"
      "exercise2\nwrong z;\nsays Not recorded.\n");
  CHECK(mistakes.at("exercise1").size() == 2);
  CHECK(mistakes.at("exercise1")[0].came == "x 1");
  CHECK(mistakes.at("exercise1")[0].says == "One is not two.");
  CHECK(mistakes.at("exercise1")[1].came == "stopped: a");
  CHECK(mistakes.at("exercise2")[0].came == "");
}

TEST_CASE("a known mistake is found on a processor that rounds differently") {
  const auto mistakes = tutorials::read_mistakes(
      "exercise1\ngives w 0.25\nwrong a;\ncame w [3] 0.5 1.53e-05 sum 0, then 0.7249\nsays A\n"
      "wrong b;\ncame w [3] 0.501 1.53e-05 sum 0, then 0.7249\nsays B\nwrong c;\ncame n 1000\nsays C\n");
  const auto says = [&](const std::string& came) {
    const tutorials::Mistake* found = tutorials::find_mistake(mistakes.at("exercise1"), came);
    return found == nullptr ? "nothing" : found->says;
  };
  CHECK(says("w [3] 0.5 1.53e-05 sum 0, then 0.7249") == "A");
  CHECK(says("w [3] 0.501 1.53e-05 sum 0, then 0.7249") == "B");  // the same before nearly the same
  CHECK(says("w [3] 0.4999 1.49e-05 sum -1.2e-07, then 0.724") == "A");
  CHECK(says("w 0.2501") == "");  // a right answer
  for (const char* other :
       {"w [3] 0.52 1.53e-05 sum 0, then 0.7249", "w [3] 0.5 1.53e-05 sum 0",
        "w [4] 0.5 1.53e-05 sum 0, then 0.7249", "v [3] 0.5 1.53e-05 sum 0, then 0.7249",
        "w [3] 0.5 1.53e-05 sum 0. then 0.7249", "w [3] nan 1.53e-05 sum 0, then 0.7249", "n 1001", ""})
    CHECK_MESSAGE(says(other) == "nothing", other);
}

TEST_CASE("std::cout is given back") {
  std::streambuf* const before = std::cout.rdbuf();
  run_three_cells({});
  CHECK(std::cout.rdbuf() == before);
}

TEST_CASE("a single cell is printed without anything around it") {
  Options options = options_for(Options::Mode::one_cell);
  options.cell = "first";
  CHECK(run_three_cells(options).out == "1\n2\n");
  options.cell = "class";
  const Ran silent = run_three_cells(options);
  CHECK(silent.out == "");
  CHECK(silent.err == "The cell 'class' prints nothing.\n");
  CHECK(silent.code == 0);
}

TEST_CASE("a cell that does not exist is wrong usage, answered with those that do") {
  Options options = options_for(Options::Mode::one_cell);
  options.cell = "frist";
  const Ran ran = run_three_cells(options);
  CHECK(ran.code == 2);
  CHECK(ran.out == "");
  CHECK(ran.err == "There is no cell 'frist'. Did you mean 'first'?\nThe cells are: first class last\n");
}

/// The output for a reader who steps through a lesson and types these lines.
struct Stepped {
  std::string out, err;
  std::vector<std::string> computed;
  int code = -1;
};

Stepped step(const std::string& input) {
  Options options;
  options.step = true;
  options.name = "test";
  options.source =
      "/// # A lesson\n///\n/// The idea.\n//%% first | The first\n/// Words.\nf();\n//%% class | A class\n"
      "//%% last | The last\n//%% answer\n/// Why.\n//%% end answer\n//%% summary\n/// 1. One.\n";
  std::istringstream in(input);
  std::ostringstream out, err;
  Stepped stepped;
  try {
    Tutorial tutorial(options, "test", in, out, err);
    const auto begin = [&](const char* id, const char* title) {
      cell(id, title);
      stepped.computed.push_back(id);
    };
    begin("first", "The first");
    std::cout << "1\n2\n";
    begin("class", "A class");
    begin("last", "The last");
    std::cout << "3\n";
    figure("picture.svg", "<svg/>\n");
    stepped.code = tutorial.finish();
  } catch (const std::exception& error) {
    stepped.code = tutorials::report(error);
  }
  stepped.out = out.str();
  stepped.err = err.str();
  return stepped;
}

const std::string kIntroduction = "A lesson\n\nThe idea.\n\n",
                  kFirst = "first | The first\n-----------------\nWords.\n\nC++\n  f();\n\nOutput\n1\n2\n\n",
                  kClass = "class | A class\n---------------\n\n",
                  kTask = "last | The last\n---------------\nC++\n  // your lines\n\n",
                  kAnswer = "Why.\n\nOutput\n3\n\n(picture.svg is written by --record DIR)\n\n",
                  kSummary = "Summary\n-------\n1. One.\n\nReferences\n----------\n";

/// The lines at stops in these places.
std::string stops(const std::vector<std::string>& places) {
  std::string lines;
  for (const std::string& place : places) lines += place + ": Enter goes on, b goes back, q ends\n";
  return lines;
}

TEST_CASE("stepping shows the lesson, and stops before each cell, each answer and the summary") {
  const Stepped all = step("\n\n\r\n\n\n");
  CHECK(all.out == kIntroduction + kFirst + kClass + kTask + kAnswer + kSummary);
  CHECK(all.err == stops({"introduction to 3 cells", "cell 1 of 3", "cell 2 of 3",
                          "cell 3 of 3, before its answer", "cell 3 of 3"}));
  CHECK(all.code == 0);
}

TEST_CASE("q and the end of the input end a lesson, and nothing more is computed") {
  for (const char* end : {"q\n", "q", ""}) {
    const Stepped at_once = step(end);
    CHECK(at_once.out == kIntroduction);
    CHECK(at_once.err == stops({"introduction to 3 cells"}));
    CHECK(at_once.code == 0);
    const Stepped later = step(std::string("\n\n") + end);
    CHECK(later.out == kIntroduction + kFirst + kClass);
    CHECK(later.err == stops({"introduction to 3 cells", "cell 1 of 3", "cell 2 of 3"}));
    CHECK(later.computed == std::vector<std::string>{"first", "class", "last"});
    CHECK(later.code == 0);
  }
  CHECK(step("q\n").computed == std::vector<std::string>{"first"});
}

TEST_CASE("b shows what was shown before, and Enter goes on from there") {
  const Stepped back = step("\n\nb\nb\nb\n\n\n\n\n\n");
  CHECK(back.out == kIntroduction + kFirst + kClass + kFirst + kIntroduction + kIntroduction + kFirst +
                        kClass + kTask + kAnswer + kSummary);
  CHECK(back.err == stops({"introduction to 3 cells", "cell 1 of 3", "cell 2 of 3", "cell 1 of 3",
                           "introduction to 3 cells", "introduction to 3 cells", "cell 1 of 3", "cell 2 of 3",
                           "cell 3 of 3, before its answer", "cell 3 of 3"}));
  CHECK(back.computed == std::vector<std::string>{"first", "class", "last"});
  CHECK(step("\n\nb\nq\n").out == kIntroduction + kFirst + kClass + kFirst);
}

TEST_CASE("what is neither Enter nor b nor q is asked again") {
  const Stepped asked = step("x\n\nbq\nq\n");
  CHECK(asked.out == kIntroduction + kFirst);
  CHECK(asked.err ==
        stops({"introduction to 3 cells", "introduction to 3 cells", "cell 1 of 3", "cell 1 of 3"}));
}

TEST_CASE("recording writes each cell's bytes and the figures, and nothing else") {
  const Folder folder("record");
  const fs::path into = folder.path / "made" / "on demand";
  const Ran ran = run_three_cells(options_for(Options::Mode::record, into));
  CHECK(ran.code == 0);
  CHECK(ran.out == "");
  CHECK(tutorials::read_file(into / "first.txt") == "1\n2\n");
  CHECK(tutorials::read_file(into / "class.txt") == "");
  CHECK(tutorials::read_file(into / "last.txt") == "3\n");
  CHECK(tutorials::read_file(into / "picture.svg") == "<svg/>\n");
  CHECK(std::distance(fs::directory_iterator(into), fs::directory_iterator()) == 4);
}

TEST_CASE("what was recorded agrees when it is checked") {
  const Folder folder("check");
  run_three_cells(options_for(Options::Mode::record, folder.path));
  const Ran ran = run_three_cells(options_for(Options::Mode::check, folder.path));
  CHECK(ran.code == 0);
  CHECK(ran.out == "agrees   first\nagrees   class\nagrees   last\n3 of 3 cells agree: 3 equal in bytes\n");
}

TEST_CASE("a cell without output needs no recording") {
  const Folder folder("silent");
  run_three_cells(options_for(Options::Mode::record, folder.path));
  fs::remove(folder.path / "class.txt");
  const Ran ran = run_three_cells(options_for(Options::Mode::check, folder.path));
  CHECK(ran.code == 0);
  CHECK(ran.out == "agrees   first\nagrees   last\n2 of 2 cells agree: 2 equal in bytes\n");
}

TEST_CASE("a cell that prints something else is shown and fails") {
  const Folder folder("differs");
  run_three_cells(options_for(Options::Mode::record, folder.path));
  const Ran ran = run_three_cells(options_for(Options::Mode::check, folder.path), "", "4\n");
  CHECK(ran.code == 1);
  CHECK(ran.out ==
        "agrees   first\nagrees   class\nDIFFERS  last\n"
        "  line 1, column 1\n    recorded: 3\n    printed:  4\n2 of 3 cells agree: 2 equal in bytes\n");
}

TEST_CASE("a cell that is not equal in bytes is counted by how it agrees, with the lines that differ") {
  const Folder folder("nearly");
  run_three_cells(options_for(Options::Mode::record, folder.path), "", "3\n0.5\n");
  const auto check = [&](const std::string& last, const Compare& compare) {
    return run_three_cells(options_for(Options::Mode::check, folder.path), "", last, compare);
  };
  const std::string before = "agrees   first\nagrees   class\nagrees   last";
  const Ran nearly = check("4\n0.5\n", Compare::within(1.5));
  CHECK(nearly.code == 0);
  CHECK(nearly.out == before +
                          "  1 of 2 lines within 1.5, the others equal in bytes\n"
                          "3 of 3 cells agree: 2 equal in bytes, 1 within 1.5\n");
  CHECK(check("3\n0.50000006\n", Compare::within_ulp(2)).out ==
        before +
            "  1 of 2 lines within 2 ulp, the others equal in bytes\n"
            "3 of 3 cells agree: 2 equal in bytes, 1 within 2 ulp\n");
  CHECK(check("7\n8\n", Compare::layout()).out == before +
                                                      "  2 of 2 lines by layout, the others equal in bytes\n"
                                                      "3 of 3 cells agree: 2 equal in bytes, 1 by layout\n");
  CHECK(check("3\n0.5\n", Compare::within(1.5)).out == before + "\n3 of 3 cells agree: 3 equal in bytes\n");
  CHECK(check("5\n0.5\n", Compare::within(1.5)).code == 1);
}

TEST_CASE("a recording without a cell fails, and so does a cell without a recording") {
  const Folder folder("names");
  run_three_cells(options_for(Options::Mode::record, folder.path));
  fs::rename(folder.path / "last.txt", folder.path / "lost.txt");
  const Ran ran = run_three_cells(options_for(Options::Mode::check, folder.path));
  CHECK(ran.code == 1);
  CHECK(ran.out.find("DIFFERS  last\n  nothing was recorded for it\n") != std::string::npos);
  CHECK(ran.out.find("DIFFERS  lost\n  it was recorded, but the tutorial has no such cell\n") !=
        std::string::npos);
  CHECK(ran.out.find("2 of 4 cells agree: 2 equal in bytes\n") != std::string::npos);
}

TEST_CASE("a folder that cannot be read or made is a file error") {
  const Folder folder("files");
  CHECK_THROWS_AS(run_three_cells(options_for(Options::Mode::check, folder.path / "missing")), FileError);
  tutorials::write_file(folder.path / "file", "");
  CHECK_THROWS_AS(run_three_cells(options_for(Options::Mode::record, folder.path / "file" / "below")),
                  FileError);
}

TEST_CASE("a file error ends a program with 3, any other with 1") {
  std::ostringstream err;
  std::streambuf* const before = std::cerr.rdbuf(err.rdbuf());
  CHECK(tutorials::report(FileError("no such file")) == 3);
  CHECK(tutorials::report(std::runtime_error("something else")) == 1);
  std::cerr.rdbuf(before);
  CHECK(err.str() == "error: no such file\nerror: something else\n");
}

TEST_CASE("two cells of one id, a print before the first and a figure outside are mistakes of the tutorial") {
  std::istringstream in;
  std::ostringstream out, err;
  {
    Tutorial tutorial({}, "test", in, out, err);
    CHECK_THROWS_AS(figure("picture.svg", ""), std::logic_error);
    std::cout << "too early";
    CHECK_THROWS_AS(cell("first", "The first"), std::logic_error);
  }
  {
    Tutorial tutorial({}, "test", in, out, err);
    cell("first", "The first");
    CHECK_THROWS_AS(cell("first", "Again"), std::logic_error);
  }
  CHECK_THROWS_AS(cell("first", "The first"), std::logic_error);
}

TEST_CASE("a tutorial that ends in an exception names its cell") {
  std::istringstream in;
  std::ostringstream out, err;
  try {
    Tutorial tutorial({}, "test", in, out, err);
    cell("first", "The first");
    throw std::runtime_error("broken");
  } catch (const std::runtime_error&) {
  }
  CHECK(err.str() == "test: stopped in cell first\n");
}

TEST_CASE("a comparison of its own goes with the cell") {
  const Folder folder("compare");
  tutorials::write_file(folder.path / "random.txt", "0.25\n");
  std::istringstream in;
  std::ostringstream out, err;
  Tutorial tutorial(options_for(Options::Mode::check, folder.path), "test", in, out, err);
  cell("random", "Another number each time", Compare::layout());
  std::cout << "0.75\n";
  CHECK(tutorial.finish() == 0);
}

TEST_CASE("writing a file leaves no temporary one behind") {
  const Folder folder("write");
  tutorials::write_file(folder.path / "a.txt", "one");
  tutorials::write_file(folder.path / "a.txt", std::string("t\0wo", 4));
  CHECK(tutorials::read_file(folder.path / "a.txt") == std::string("t\0wo", 4));
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
  CHECK_THROWS_AS(tutorials::write_file(folder.path / "missing" / "a.txt", ""), FileError);
  CHECK_THROWS_AS(tutorials::read_file(folder.path / "missing.txt"), FileError);
  CHECK_THROWS_AS(tutorials::read_file(folder.path), FileError);
}

TEST_CASE("files of the source tree are found from anywhere") {
  CHECK(fs::exists(tutorials::source_file("tutorials/support/sample.txt")));
  CHECK(tutorials::source_file("no/such/file") == "no/such/file");
}

}  // namespace
