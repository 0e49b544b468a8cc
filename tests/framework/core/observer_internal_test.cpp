// Who listens hears of what begins and ends, in order, on the thread where it runs.
#include "etude/core/detail/observer.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/autograd/autograd.h"
#include "etude/core/detail/trace.h"
#include "etude/ops/ops.h"
#include "support/on_threads.h"

using namespace etude;
namespace trace = etude::detail::trace;

TEST_SUITE("observer") {
  namespace {

  struct Notes final : trace::Observer {
    void begins(const trace::Begun& what, std::initializer_list<detail::TensorsIn> given) override {
      std::size_t tensors = 0;
      for (const auto& some : given) tensors += some.tensors.size();
      text() += std::string("<") + what.name + " " + std::to_string(tensors) + " ";
    }
    void ends(std::initializer_list<detail::TensorsIn>) override { text() += ">"; }
    void fails() noexcept override { text() += "!>"; }
    static std::string& text() {
      thread_local std::string t;
      return t;
    }
  };

  template <typename F>
  std::string heard(const F& f) {
    static Notes* const notes = new Notes;
    trace::start_listening(*notes);
    Notes::text().clear();
    f();
    trace::stop_listening();
    return Notes::text();
  }

  }  // namespace

  TEST_CASE("ops are inside of each other, and nodes hold the ops of their gradients") {
    const Tensor a = ones({2, 2});
    CHECK(heard([&] { a + a; }) == "<aten::add 2 >");
    CHECK(heard([&] { linear(a, a); }) == "<aten::linear 3 <aten::t 1 ><aten::matmul 2 <aten::mm 2 >>>");
    const Tensor x = ones({2}).requires_grad_(), y = x.exp();
    CHECK(heard([&] { y.backward(ones({2})); }) ==
          "<aten::ones 0 <aten::fill_ 1 >><ExpBackward0 1 <aten::mul 2 >><AccumulateGrad 1 >");
  }

  TEST_CASE("an exception ends what it leaves") {
    const std::string text = heard([] { CHECK_THROWS_AS(ones({2, 3}).mm(ones({2, 3})), Error); });
    CHECK(text.find("<aten::mm 2 !>") != std::string::npos);
    CHECK(heard([] { empty({1}); }) == "<aten::empty 0 >");
  }

  TEST_CASE("nobody hears anything when nobody listens, nor other threads each other") {
    CHECK(trace::observer() == nullptr);
    const Tensor a = ones({2});
    Notes::text().clear();
    a + a;
    CHECK(Notes::text().empty());
    std::vector<std::string> texts(4);
    heard([&] {
      on_threads(4, [&](int i) {
        for (int k = 0; k <= i; ++k) a + a;
        texts[static_cast<size_t>(i)] = Notes::text();
      });
    });
    for (std::size_t i = 0; i < 4; ++i)
      CHECK(texts[i].size() == (i + 1) * std::string("<aten::add 2 >").size());
  }

  TEST_CASE("kernels are noted for who listens, each once") {
    trace::take_kernel();  // of what was heard before
    trace::note_kernel("library", "unheard");
    CHECK(trace::take_kernel().empty());
    heard([] {
      trace::note_kernel("library", "one");
      trace::note_kernel("library", "one");
      trace::note_kernel("library", "two");
    });
    CHECK(trace::take_kernel() == "library one, two");
    CHECK(trace::take_kernel().empty());
  }

  TEST_CASE("a place is that of a scope") {
    const trace::Place place{"a", "a (A) of B"};
    CHECK(trace::place() == nullptr);
    {
      const trace::PlaceGuard guard(&place);
      CHECK(trace::place() == &place);
    }
    CHECK(trace::place() == nullptr);
  }
}
