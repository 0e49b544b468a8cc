// Trace files exist completely or not at all.
#include "etude/io/profiler.h"

#include <doctest/doctest.h>

#include <sstream>
#include <stdexcept>
#include <string>

#include "etude/core/warning.h"
#include "etude/ops/ops.h"
#include "support/full_disk.h"
#include "support/has.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"
#include "support/trace_events.h"

using namespace etude;
using autograd::profiler::RecordProfile;

TEST_SUITE("profiler") {
  namespace {

  struct ProfilerWarnings : WarningHandler {
    void process(const SourceLocation&, const std::string& msg, bool) override { text += msg; }
    std::string text;
  };

  }  // namespace

  TEST_CASE("a file gets the trace of a scope, under its name only when it is whole") {
    const TemporaryFolder folder;
    {
      const RecordProfile guard(folder / "a.trace");
      RECORD_USER_SCOPE("mine");
      empty({2, 2}).softmax(1);
      CHECK_FALSE(std::filesystem::exists(folder / "a.trace"));
    }
    CHECK(folder.count() == 1);
    const TraceText t(read_bytes(folder / "a.trace"));
    // The scope ends before the profile that contains it.
    CHECK(t.names() == std::vector<std::string>{"aten::empty", "aten::softmax", "mine"});
  }

  TEST_CASE("a stream gets the same, at the end") {
    std::ostringstream out;
    RecordProfile guard(out);
    empty({2});
    CHECK(out.str().empty());
    guard.end();
    const std::string text = out.str();
    CHECK(TraceText(text).names() == std::vector<std::string>{"aten::empty"});
    guard.end();
    CHECK(out.str() == text);
  }

  TEST_CASE("an exception ends the trace, which is written") {
    const TemporaryFolder folder;
    try {
      const RecordProfile guard(folder / "a.trace");
      ones({2}).add(ones({3}));
    } catch (const Error&) {
    }
    CHECK(TraceText(read_bytes(folder / "a.trace"))["aten::add"].args["Input Dims"].dump() == "[[2],[3]]");
  }

  TEST_CASE("a second one is refused, and the first goes on") {
    std::ostringstream first, second;
    {
      const RecordProfile guard(first);
      CHECK(refusal([&] { RecordProfile another(second); }) == "Error: Profiler is already enabled");
      empty({2});
    }
    CHECK(second.str().empty());
    CHECK(TraceText(first.str()).events.size() == 1);
  }

  TEST_CASE("a file that cannot be made is refused at the begin, and another can follow") {
    const TemporaryFolder folder;
    const std::string path = folder / "none/a.trace";
    const std::string why = refusal([&] { RecordProfile guard(path); });
    CHECK(has(why, path));
    CHECK(has(why, "the folder cannot be opened"));
    CHECK(folder.count() == 0);
    const RecordProfile guard(folder / "a.trace");
  }

  TEST_CASE("a full disk leaves no half file and the old one: end throws, the destructor warns") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.trace";
    write_bytes(path, "old");
    ProfilerWarnings warnings;
    const WarningUtils::WarningHandlerGuard handler(&warnings);
    {
      RecordProfile guard(path);
      empty({2});
      const FullDisk full(64);
      const std::string why = refusal([&] { guard.end(); });
      CHECK(has(why, path));
      CHECK(has(why, "cannot be written"));
    }
    CHECK(warnings.text.empty());
    {
      const FullDisk full(64);
      const RecordProfile guard(path);
    }
    CHECK(has(warnings.text, "Error processing profiler events: " + path));
    CHECK(folder.count() == 1);
    CHECK(read_bytes(path) == "old");
  }
}
