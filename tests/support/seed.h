#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "etude/core/generator.h"
#include "support/place.h"

// For the main of a test program: each test case, and each path through its subcases, starts from one seed, which a failure
// prints. The seed is `--seed N`, else the variable ETUDE_TEST_SEED, which processes started by tests inherit, else 0. An exception
// is reported with the last assertion before it.

namespace {

constexpr const char* kSeed = "ETUDE_TEST_SEED";

uint64_t seed() {
  const char* text = std::getenv(kSeed);
  return text ? std::strtoull(text, nullptr, 10) : 0;
}

struct Seed : doctest::IReporter {
  explicit Seed(const doctest::ContextOptions& given) : options(given) {}

  void test_run_start() override {
    if (is_shuffled())
      *options.cout << "[seed] order of --order-by=rand --rand-seed=" << options.rand_seed << "\n";
  }
  void test_case_start(const doctest::TestCaseData&) override {
    last_assertion = {};
    etude::manual_seed(seed());
  }
  void test_case_reenter(const doctest::TestCaseData&) override { etude::manual_seed(seed()); }
  void test_case_end(const doctest::CurrentTestCaseStats& result) override {
    if (result.failure_flags == 0) return;
    *options.cout << "[seed] to repeat: --seed " << seed();
    if (is_shuffled()) *options.cout << " --order-by=rand --rand-seed=" << options.rand_seed;
    *options.cout << "\n";
  }

  void test_case_exception(const doctest::TestCaseException&) override {
    if (last_assertion.file)
      *options.cout << "[place] the last assertion before the exception: " << last_assertion.file << ":"
                    << last_assertion.line << "\n";
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

  bool is_shuffled() const { return options.order_by.compare("rand", true) == 0; }

  const doctest::ContextOptions& options;
};

REGISTER_LISTENER("seed", 1, Seed);

/// Reads `--seed N` from the command line.
void take_seed(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--seed" && i + 1 < argc) setenv(kSeed, argv[i + 1], 1);
    if (argument.rfind("--seed=", 0) == 0) setenv(kSeed, argument.c_str() + 7, 1);
  }
}

}  // namespace
