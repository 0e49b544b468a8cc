#include "support/program.h"

#include <doctest/doctest.h>

#include <iostream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "etude/ops/ops.h"
#include "support/temporary_folder.h"
#include "support/trace_events.h"

namespace {

using examples::Program;

/// Captures the output to std::cout and std::cerr while it exists.
struct Captured {
  ~Captured() {
    std::cout.rdbuf(cout_before);
    std::cerr.rdbuf(cerr_before);
  }
  std::ostringstream out, err;
  std::streambuf* const cout_before = std::cout.rdbuf(out.rdbuf());
  std::streambuf* const cerr_before = std::cerr.rdbuf(err.rdbuf());
};

/// The code and the output of a program with the option --word for a command line.
struct Run {
  int code;
  std::string out, err, again, word;
};

Run run(std::vector<const char*> arguments, const std::function<int(Program&)>& body) {
  Program program("toy", "Trains a toy.", 30, {"", "--steps 5"});
  Run result;
  program.add_text("--word", result.word, "A word");
  arguments.insert(arguments.begin(), "toy");
  {
    const Captured output;
    result.code =
        program.run(static_cast<int>(arguments.size()), arguments.data(), [&] { return body(program); });
    result.out = output.out.str();
    result.err = output.err.str();
  }
  result.again = program.again_with("--resume");
  return result;
}

Run run(
    const std::vector<const char*>& arguments, const std::function<int()>& body = [] { return 0; }) {
  return run(arguments, [&](Program&) { return body(); });
}

TEST_SUITE("program") {
  TEST_CASE("--help names every option, shows command lines and explains exit codes") {
    const Run help = run({"--help"}, [] { return 9; });
    CHECK(help.code == 0);
    for (const char* text :
         {"--seed", "--threads", "--steps", "--out", "--save-every", "--resume", "--version", "--word",
          "--trace", "  toy\n", "  toy --steps 5\n", "130 stopped", "Ctrl-C"}) {
      CAPTURE(text);
      CHECK(help.out.find(text) != std::string::npos);
    }
    CHECK(run({"--version"}).out.find("toy (etude ") == 0);
  }

  TEST_CASE("a misspelt option is answered with the nearest one, and code 2") {
    const Run wrong = run({"--wrod", "x"});
    CHECK(wrong.code == 2);
    CHECK(wrong.out == "");
    CHECK(wrong.err.find("Did you mean --word?\n") != std::string::npos);
    CHECK(run({"--steps", "0"}).code == 2);
    CHECK(run({"--threads", "-1"}).code == 2);
    CHECK(run({"--seed", "x"}).code == 2);
    CHECK(run({"word"}).code == 2);
  }

  TEST_CASE("a program that does not train takes arguments, and each option one text") {
    const auto run_toy = [](std::vector<const char*> words) {
      examples::CommandLine program("toy", "Reads.", 0, {"FILE"});
      std::string file, text, out;
      std::vector<std::string> more;
      program.add_argument("FILE", file, "A file", true);
      program.add_argument("PLACE", text, "A place", false);
      program.add_texts("--more", more, "More");
      words.insert(words.begin(), "toy");
      const Captured output;
      const int code = program.run(static_cast<int>(words.size()), words.data(), [&] {
        out = file + "," + text;
        for (const std::string& one : more) out += "," + one;
        return 0;
      });
      return std::to_string(code) + ":" + out + output.out.str() + output.err.str();
    };
    CHECK(run_toy({"a"}) == "0:a,");
    CHECK(run_toy({"--more", "b", "a", "--more", "c", "d"}) == "0:a,d,b,c");
    CHECK(run_toy({"a", "b", "c"}).rfind("2:", 0) == 0);
    CHECK(run_toy({}).find("FILE is required") != std::string::npos);
    CHECK(run_toy({"a", "--steps", "3"}).rfind("2:", 0) == 0);
    const std::string help = run_toy({"--help"});
    CHECK(help.find("toy FILE\n") != std::string::npos);
    CHECK(help.find("1 failed") != std::string::npos);
    CHECK(help.find("--steps") == std::string::npos);
  }

  TEST_CASE("the code tells what went wrong") {
    CHECK(run({}, [] { return 130; }).code == 130);
    const Run usage = run({}, []() -> int { throw examples::UsageError("not so"); });
    CHECK(usage.code == 2);
    CHECK(usage.err == "toy: not so\n");
    CHECK(run({}, []() -> int { throw examples::FileError("no file"); }).code == 3);
    CHECK(run({}, []() -> int { throw std::runtime_error("else"); }).code == 1);
  }

  TEST_CASE("an error while a file is read names the file and gives the hint") {
    const auto message = [](const std::string& what) {
      try {
        examples::reading("a/b.bin", "try c", [&] { throw std::runtime_error(what); });
      } catch (const examples::FileError& error) {
        return std::string(error.what());
      }
      return std::string("nothing thrown");
    };
    CHECK(message("too short") == "a/b.bin: too short\nhint: try c");
    CHECK(message("a/b.bin: too short") == "a/b.bin: too short\nhint: try c");
  }

  TEST_CASE("the command line is given back as a shell reads it") {
    CHECK(run({"--steps", "5", "--word", "it's a"}).again == "toy --steps 5 --word 'it'\\''s a' --resume");
    CHECK(run({"--word", ""}).again == "toy --word '' --resume");
  }

  TEST_CASE("the folder of --out is made when something is written") {
    const etude::TemporaryFolder folder;
    Program program("toy", "Trains a toy.", 30, {});
    CHECK(program.out == "toy_out");
    program.out = folder / "a/b";
    CHECK(folder.count() == 0);
    CHECK(program.output("x.svg") == folder / "a/b/x.svg");
    CHECK(std::filesystem::is_directory(folder / "a/b"));
    etude::write_bytes(folder / "file", "");
    program.out = folder / "file/c";
    CHECK_THROWS_AS(program.output("x.svg"), examples::FileError);
  }

  TEST_CASE("the files that were written are named at the end") {
    const etude::TemporaryFolder folder;
    const std::string out = folder / "out";
    const auto body = [](Program& program) {
      etude::write_bytes(program.output("b.svg").string(), "");
      etude::write_bytes(program.output("a.svg").string(), "");
      program.output("b.svg");
      program.output("never written");
      return 0;
    };
    CHECK(run({"--out", out.c_str()}, body).err == "files in " + out + ": b.svg a.svg\n");
    CHECK(run({"--out", out.c_str()}).err == "");
  }

  TEST_CASE("--trace writes a file of the first twenty steps, or of what there was") {
    const etude::TemporaryFolder folder;
    const std::string path = folder / "a.trace";
    const auto with_steps = [&](int64_t count) {
      return run({"--trace", path.c_str()}, [&](Program& p) {
        etude::ones({1});
        for (int64_t step = 1; step <= count; ++step) {
          p.begin_step(step);
          p.begin_step(step);
          etude::zeros({step});
          p.end_step();
          CHECK(std::filesystem::exists(path) == (step >= 20));
        }
        return 7;
      });
    };
    const Run many = with_steps(25);
    CHECK(many.code == 7);
    CHECK(many.err == "trace in " + path + ": the first 20 steps\n");
    const etude::TraceText t(etude::read_bytes(path));
    CHECK(t["ProfilerStep#1"].category == "user_annotation");
    const std::vector<std::string> names = t.names();
    CHECK(names.size() == 60);  // with zeros and its empty
    CHECK(names.back() == "ProfilerStep#20");
    std::filesystem::remove(path);
    CHECK(with_steps(2).err == "trace in " + path + ": the first 2 steps\n");
    CHECK(etude::TraceText(etude::read_bytes(path)).names().size() == 6);
  }

  TEST_CASE("a trace that cannot be written ends with code 3") {
    const etude::TemporaryFolder folder;
    const std::string path = folder / "none/a.trace";
    const auto step = [](Program& p) {
      p.begin_step(1);
      return 0;
    };
    const Run failed = run({"--trace", path.c_str()}, step);
    CHECK(failed.code == 3);
    CHECK(failed.err.find(path) != std::string::npos);
    CHECK(run({}, step).err.empty());
    CHECK(folder.count() == 0);
  }

  TEST_CASE("what is expected of a run depends on its steps") {
    const Program program("toy", "Trains a toy.", 30, {});
    CHECK(program.judge(1.5, 1, 2) == 0);
    CHECK(program.judge(1, 1, 2) == 0);
    CHECK(program.judge(2.01, 1, 2) == 1);
    CHECK(program.judge(0.9, 1, 2) == 1);
    CHECK(program.judge(std::numeric_limits<double>::quiet_NaN(), 1, 2) == 1);
    CHECK(run({"--steps", "29"}, [](Program& p) { return p.judge(5, 1, 2); }).code == 0);
    CHECK(run({"--steps", "31"}, [](Program& p) { return p.judge(5, 1, 2); }).code == 1);
  }
}

}  // namespace
