// Listeners are told of every begin and end, in order, on the thread where it happens.
#include "etude/core/detail/listen.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/autograd/anomaly_mode.h"
#include "etude/autograd/autograd.h"
#include "etude/core/record_function.h"
#include "etude/ops/ops.h"
#include "support/on_threads.h"

using namespace etude;

TEST_SUITE("listen") {
  namespace {

  namespace listen = etude::detail::listen;
  using listen::Kind;

  std::string& notes() {
    thread_local std::string text;
    return text;
  }

  struct Noted final : listen::Heard {
    Noted(const listen::Event& what, std::initializer_list<detail::TensorsIn> given) {
      std::size_t tensors = 0;
      for (const auto& some : given) tensors += some.tensors.size();
      notes() += "<" + std::string(what.name) + " " + std::to_string(tensors) + " ";
    }
    ~Noted() override { notes() += has_ended ? ">" : "!>"; }
    void ends(std::initializer_list<detail::TensorsIn>) override { has_ended = true; }
    bool has_ended = false;
  };

  std::unique_ptr<listen::Heard> note(const listen::Event& what,
                                      std::initializer_list<detail::TensorsIn> given) {
    if (what.kind == Kind::kCommunication) return nullptr;
    return std::make_unique<Noted>(what, given);
  }

  template <typename F>
  std::string heard(const F& f) {
    listen::start(listen::Listener::kWatch, note);
    notes().clear();
    f();
    listen::stop(listen::Listener::kWatch);
    return notes();
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
    CHECK_FALSE(listen::is_heard());
    const Tensor a = ones({2});
    notes().clear();
    a + a;
    CHECK(notes().empty());
    std::vector<std::string> texts(4);
    heard([&] {
      on_threads(4, [&](int i) {
        for (int k = 0; k <= i; ++k) a + a;
        texts[static_cast<size_t>(i)] = notes();
      });
    });
    for (std::size_t i = 0; i < 4; ++i)
      CHECK(texts[i].size() == (i + 1) * std::string("<aten::add 2 >").size());
  }

  TEST_CASE("a listener keeps what it wants, and others that listen change nothing") {
    const autograd::DetectAnomalyGuard anomaly;
    CHECK(heard([] {
            CHECK_FALSE(RecordFunction().isActive());
            const listen::Scope wait({Kind::kCommunication, "wait"});
            empty({1});
          }) == "<aten::empty 0 >");
  }

  TEST_CASE("what throws at an end has failed for the listeners before") {
    const Tensor x = tensor({-1.0}).requires_grad_(), y = x.sqrt();
    const autograd::DetectAnomalyGuard anomaly;
    const std::string text = heard([&] { CHECK_THROWS_AS(y.backward(ones({1})), Error); });
    CHECK(text.find("<SqrtBackward0 1 ") != std::string::npos);
    CHECK(text.substr(text.size() - 2) == "!>");
  }

  TEST_CASE("kernels are noted for who listens, each once") {
    listen::take_kernel();  // of what was heard before
    listen::note_kernel("library", "unheard");
    CHECK(listen::take_kernel().empty());
    heard([] {
      listen::note_kernel("library", "one");
      listen::note_kernel("library", "one");
      listen::note_kernel("library", "two");
    });
    CHECK(listen::take_kernel() == "library one, two");
    CHECK(listen::take_kernel().empty());
  }

  TEST_CASE("a place is that of a scope") {
    const listen::Place place{"a", "a (A) of B"};
    CHECK(listen::place() == nullptr);
    heard([&] {
      const listen::Scope module({Kind::kModule, place.text, nullptr, &place});
      CHECK(listen::place() == &place);
      const listen::Scope node({Kind::kNode, "node"});
      CHECK(listen::place() == nullptr);
    });
    CHECK(listen::place() == nullptr);
  }
}
