// Measures the list of docs/numerics.md: which ops have the same bits on every machine, and which depend on the form of
// their loops or on oneDNN. The recorded fingerprints are Etude's own. They do not show that a result is right, only that a
// machine, a compiler or a change computes another result.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "etude/etude.h"
#include "layers/families.h"
#include "support/golden.h"
#include "support/processor.h"

using namespace etude;

TEST_SUITE("same bits") {
  TEST_CASE("every form, any number of threads, and oneDNN where it has no say, give the recorded bits") {
    const Recorded recorded = golden_json("same_bits.json");
    std::map<std::string, std::string> found;
    for (const auto& [name, family] : families::all()) {
      CAPTURE(name);
      for (const etude::detail::Isa form : kProcessors) {
        const ProcessorGuard guard(form);
        if (etude::detail::isa() != form) continue;
        const std::string bits = families::run(family);
        const char* const steps = etude::detail::has_fma() ? ", fused" : ", rounded each";
        const auto& known =
            found.try_emplace(family.by == families::By::Nothing ? name : name + steps, bits).first->second;
        CHECK(bits == known);
        if (family.by != families::By::OneDnn) CHECK(families::run(family, true) == bits);
      }
      for (const bool onednn_too : {false, true}) {
        const std::string one = families::run(family, onednn_too, 1);
        for (const int threads : {2, 5}) CHECK(families::run(family, onednn_too, threads) == one);
      }
    }
    std::string file, wrong;
    for (const auto& [name, bits] : found) {
      file += "  \"" + name + "\": \"" + bits + "\",\n";
      if (!recorded.contains(name) || recorded.at(name).get<std::string>() != bits) wrong += "\n" + name;
    }
    CHECK_MESSAGE(wrong.empty(), "others than recorded:", wrong, "\nall of them here:\n", file);
  }

  TEST_CASE("the documentation has the list, and what hangs on the form differs by it") {
    std::ostringstream text;
    text << std::ifstream(ETUDE_SOURCE_DIR "/docs/numerics.md").rdbuf();
    const Recorded recorded = golden_json("same_bits.json");
    std::map<families::By, std::string> rows = {{families::By::Nothing, "| nothing"},
                                                {families::By::Form, "| the form"},
                                                {families::By::OneDnn, "| the form and oneDNN"}};
    for (const auto& [name, family] : families::all()) {
      std::string& row = rows.at(family.by);
      row += (std::count(row.begin(), row.end(), '|') == 1 ? " | " : ", ") + name;
      if (family.by == families::By::Form)
        CHECK_MESSAGE(recorded.at(name + ", fused").get<std::string>() !=
                          recorded.at(name + ", rounded each").get<std::string>(),
                      name);
    }
    for (const auto& [by, row] : rows) CHECK_MESSAGE(text.str().find(row + " |\n") != std::string::npos, row);
  }
}
