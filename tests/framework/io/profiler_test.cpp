#include "etude/io/profiler.h"

#include <doctest/doctest.h>

#include <sstream>
#include <stdexcept>
#include <string>

#include "etude/ops/ops.h"
#include "support/has.h"

using etude::has;
using etude::autograd::profiler::RecordProfile;

TEST_SUITE("traces by LibTorch's names") {
  TEST_CASE("a trace names ops, nodes and a user's scopes") {
    std::ostringstream out;
    {
      const RecordProfile profile(out);
      RECORD_USER_SCOPE("my scope");
      const etude::Tensor x = etude::ones({2, 2}).requires_grad_();
      x.softmax(1).sum().backward();
      etude::RecordFunction another(etude::RecordScope::USER_SCOPE);
      CHECK(another.isActive());
      another.before("another scope");
      another.end();
    }
    for (const char* name :
         {"aten::ones", "aten::softmax", "aten::sum", "SoftmaxBackward0", "SumBackward0", "my scope",
          "another scope", "\"ph\"", "\"ts\"", "\"dur\"", "\"tid\"", "\"pid\""})
      CHECK_MESSAGE(has(out.str(), name), name);
    CHECK_FALSE(etude::RecordFunction(etude::RecordScope::USER_SCOPE).isActive());
  }

  TEST_CASE("a trace ends with its scope, also by an exception") {
    std::ostringstream out;
    const auto fail = [&] {
      const RecordProfile profile(out);
      RECORD_USER_SCOPE("failed scope");
      throw std::runtime_error("by a program");
    };
    CHECK_THROWS_WITH(fail(), "by a program");
    CHECK(has(out.str(), "failed scope"));
    const std::string text = out.str();
    etude::ones({2});
    CHECK(out.str() == text);
  }
}
