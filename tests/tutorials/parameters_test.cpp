#include "support/parameters.h"

#include <doctest/doctest.h>

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "support/files.h"
#include "support/options.h"
#include "support/temporary_folder.h"
#include "support/tutorial.h"

namespace {

using tutorials::Changes;
using tutorials::Options;
using tutorials::parameter;
using tutorials::Parameter;
using tutorials::parameters_of;
using tutorials::read_changes;
using tutorials::Tutorial;
using tutorials::WrongUsage;

const char* const source = R"(
  // parameter("in_a_comment", 1, 0, 2)
  /// parameter("in_the_text", 1, 0, 2)
  const int64_t d_model = parameter("d_model", 512, 2, 1024, 2);
  f(parameter("rate", 1e-2, 0.0, 1.0), parameter("place", -3,
      -4, 5));
  const std::string sentence = parameter("sentence", "the dog, \"saw\" "
                                                     "itself");
  if (parameter("norm", "first", {"first", "last"}) == "first") g();
  my_parameter("other", 1, 0, 2), parameter(name, 1, 0, 2);
)";

Options with(const Changes& changes) {
  Options options;
  options.changes = changes;
  return options;
}

/// The output of two cells, the second of which has parameters, or the error.
std::string run(const Options& options) {
  std::istringstream in;
  std::ostringstream out, err;
  try {
    Tutorial tutorial(options, "test", in, out, err);
    tutorials::cell("before", "Before");
    std::cout << "0\n";
    tutorials::cell("numbers", "Numbers");
    std::cout << parameter("width", 4, 2, 8) << ' ' << parameter("rate", 0.5, 0.25, 1.0) << '\n'
              << parameter("sentence", "the dog") << ' ' << parameter("norm", "first", {"first", "last"})
              << '\n';
    const int code = tutorial.finish();
    return std::to_string(code) + "\n" + out.str();
  } catch (const WrongUsage& error) {
    return error.what();
  }
}

TEST_CASE("parameters are read from the source, with their limits") {
  const std::vector<Parameter> found = parameters_of(source);
  REQUIRE(found.size() == 5);
  CHECK(tutorials::list_of_parameters(found) ==
        "d_model=512                     a whole number from 2 to 1024 in steps of 2\n"
        "rate=1e-2                       a number from 0.0 to 1.0\n"
        "place=-3                        a whole number from -4 to 5\n"
        "sentence=the dog, \"saw\" itself  a text of one line\n"
        "norm=first                      one of first, last\n");
  CHECK(parameters_of("").empty());
  CHECK(tutorials::list_of_parameters({}) == "This lesson has no parameters.\n");
}

TEST_CASE("what is set is within the limits, or it is said what they are") {
  const std::vector<Parameter> parameters = parameters_of(source);
  const auto problem = [&](const std::string& setting) -> std::string {
    try {
      read_changes({setting}, parameters);
    } catch (const WrongUsage& error) {
      return error.what();
    }
    return "";
  };
  CHECK(read_changes({"d_model=16", "rate=0.5", "norm=last", "place=+2"}, parameters) ==
        Changes{{"d_model", "16"}, {"norm", "last"}, {"place", "+2"}, {"rate", "0.5"}});
  CHECK(read_changes({"sentence=a=b"}, parameters) == Changes{{"sentence", "a=b"}});
  // The recorded value is no change, and the last change of a parameter counts.
  CHECK(read_changes({"d_model=512", "rate=0.01", "norm=first"}, parameters).empty());
  CHECK(read_changes({"d_model=8", "d_model=16"}, parameters) == Changes{{"d_model", "16"}});
  CHECK(read_changes({"d_model=8", "d_model=512"}, parameters).empty());

  CHECK(problem("d_model=1") == "d_model is a whole number from 2 to 1024 in steps of 2, and not '1'");
  CHECK(problem("d_model=1025") == "d_model is a whole number from 2 to 1024 in steps of 2, and not '1025'");
  for (const std::string wrong :
       {"", "x", "17", "16x", "1.5", "1e1", "0x10", " 16", "nan", "inf", "99999999999999999999"})
    CHECK(problem("d_model=" + wrong) ==
          "d_model is a whole number from 2 to 1024 in steps of 2, and not '" + wrong + "'");
  for (const std::string wrong : {"", "-0.1", "1.01", "nan", "inf", "1e999", "0.5.5", "--1"})
    CHECK(problem("rate=" + wrong) == "rate is a number from 0.0 to 1.0, and not '" + wrong + "'");
  CHECK(problem("norm=both") == "norm is one of first, last, and not 'both'");
  CHECK(problem("sentence=") == "sentence is a text of one line, and not ''");
  CHECK(problem("sentence=a\nb") == "sentence is a text of one line, and not 'a\nb'");
  CHECK(problem("d_mdoel=16") == "there is no parameter 'd_mdoel'. Did you mean 'd_model'?");
  CHECK(problem("something_else=1") == "there is no parameter 'something_else'. --parameters lists them.");
  CHECK(problem("d_model") == "--set takes NAME=VALUE, and not 'd_model'");
}

TEST_CASE("a cell has what was set, and otherwise what stands in the program") {
  const std::string before =
      "0\nbefore | Before\n---------------\n0\n\nnumbers | Numbers\n-----------------\n";
  CHECK(run({}) == before + "4 0.5\nthe dog first\n\n");
  CHECK(run(with({{"width", "8"}, {"rate", "0.75"}, {"sentence", "the cat"}, {"norm", "last"}})) ==
        before + "8 0.75\nthe cat last\n\n");
}

TEST_CASE("a cell refuses what its source was not asked about") {
  CHECK(run(with({{"width", "9"}})) == "width is a whole number from 2 to 8, and not '9'");
  CHECK(run(with({{"rate", "0.1"}})) == "rate is a number from 0.25 to 1, and not '0.1'");
  CHECK(run(with({{"height", "3"}})) == "there is no parameter 'height'");
  CHECK_THROWS_AS(parameter("width", 4, 2, 8), std::logic_error);
  std::ostringstream err;
  std::streambuf* const outside = std::cerr.rdbuf(err.rdbuf());
  CHECK(tutorials::report(WrongUsage("no such thing")) == 2);
  std::cerr.rdbuf(outside);
  CHECK(err.str() == "error: no such thing\n");
}

TEST_CASE("what hangs on a change is not compared, and what stands before it is") {
  const etude::TemporaryFolder folder;
  tutorials::write_file(folder / "before.txt", "0\n");
  tutorials::write_file(folder / "numbers.txt", "4 0.5\nthe dog first\n");
  Options options = with({{"width", "8"}});
  options.mode = Options::Mode::check;
  options.directory = folder.path();
  CHECK(run(options) ==
        "0\nagrees   before\nown      numbers  not compared\n"
        "1 of 1 cells agree: 1 equal in bytes; 1 are not compared, since they hang on what was set\n");
  options.changes = {{"width", "4"}, {"rate", "5e-1"}};
  CHECK(run(options) == "0\nagrees   before\nagrees   numbers\n2 of 2 cells agree: 2 equal in bytes\n");
  tutorials::write_file(folder / "before.txt", "1\n");
  options.changes = {{"width", "8"}};
  CHECK(run(options).rfind("1\nDIFFERS  before\n", 0) == 0);
}

}  // namespace
