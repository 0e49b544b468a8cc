// The names of all graph nodes are read from the sources; gradcheck must have met each of them in some test.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace fs = std::filesystem;

TEST_SUITE("every node") {
  namespace {

  std::set<std::string> nodes_in(const std::string& source) {
    // Names are in calls of record and similar functions, or are passed to them by a function that several ops
    // share.
    static const std::regex name(R"re((?:\brecord\w*\(\s*"(\w+)"|"(\w+Backwards?\d*|CopySlices)"))re");
    std::set<std::string> names;
    for (std::sregex_iterator it(source.begin(), source.end(), name), end; it != end; ++it)
      names.insert((*it)[1].matched ? (*it)[1] : (*it)[2]);
    return names;
  }

  std::set<std::string> nodes_of_the_framework() {
    std::set<std::string> names;
    for (const char* root : {"etude", "extras/etude"}) {
      const size_t before = names.size();
      for (const auto& entry :
           fs::recursive_directory_iterator(fs::path(ETUDE_SOURCE_DIR) / "framework" / root)) {
        if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
        std::ifstream file(entry.path());
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        names.merge(nodes_in(text));
      }
      CHECK(names.size() > before + 20);
    }
    return names;
  }

  // The nodes that gradcheck notes while all cases with "gradient" in their names run, in a new process: this
  // process may run only a few cases.
  std::set<std::string> gradchecked_names() {
    std::string list = (fs::temp_directory_path() / "etude_gradchecked_XXXXXX").string();
    const int file = mkstemp(list.data());
    REQUIRE(file >= 0);
    close(file);
    const std::string program = fs::read_symlink("/proc/self/exe").string();
    const std::string command =
        "ETUDE_GRADCHECKED='" + list + "' '" + program + "' --test-case='*gradient*' > /dev/null 2>&1";
    // Cases that fail here also fail in their own entries of the suite.
    const int status = std::system(command.c_str());
    CHECK(status != -1);
    std::ifstream in(list);
    const std::set<std::string> names{std::istream_iterator<std::string>(in), {}};
    fs::remove(list);
    return names;
  }

  }  // namespace

  TEST_CASE("names of nodes are found in sources, where record is called and where a name is handed on") {
    const std::set<std::string> expected = {"AddBackward0", "CopyBackwards", "CopySlices", "ExpBackward0",
                                            "PlainName"};
    CHECK(nodes_in(R"(return record("AddBackward0", {a}, y, f); record_list(
                        "PlainName", xs, y, f); unary("ExpBackward0", x);
                      x("CopyBackwards") + "CopySlices" + "not a node")") == expected);
  }

  TEST_CASE(
      "every node that the framework records is checked against finite differences in a case that says so in "
      "its name") {
    const std::set<std::string> names = nodes_of_the_framework(), checked = gradchecked_names();
    for (const std::string& name : names) CHECK_MESSAGE(checked.count(name) == 1, name);
  }
}
