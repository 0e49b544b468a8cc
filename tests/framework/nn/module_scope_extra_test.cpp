// Errors and traces name the module in which they arise.
#include "etude/nn/module_scope.h"

#include <doctest/doctest.h>

#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

#include "etude/io/profiler.h"
#include "support/half_nets.h"
#include "support/on_threads.h"
#include "support/refusal.h"
#include "support/trace_events.h"

using namespace etude;

TEST_SUITE("module scope") {
  namespace {

  std::string last_line(const std::string& text) { return text.substr(text.rfind('\n') + 1); }

  template <typename F>
  std::string place_of_error(const F& f) {
    return last_line(refusal_lines(f));
  }

  const Tensor& wrong() {
    static const Tensor t = ones({2, 5});
    return t;
  }

  }  // namespace

  TEST_CASE(
      "the last line of an error is the path of the innermost module, once, and the first is as it was") {
    HalfNets net;
    const std::string text = refusal_lines([&] { net(wrong()); }),
                      plain = refusal_lines([&] { linear(wrong(), net->first->fc->weight); });
    CHECK(text == plain + "\nin first.fc (Fc) of HalfNets");
    CHECK(place_of_error([&] { net->second->fc(wrong()); }) == "in second.fc (Fc) of HalfNets");
    CHECK(place_of_error([&] { net->forward(wrong()); }) == "in first.fc (Fc) of HalfNets");
    CHECK(refusal([&] { net(Tensor()); }) == refusal([&] { linear(Tensor(), wrong()); }));
  }

  TEST_CASE("an error of a model itself, of no module and of another type") {
    struct TopImpl : nn::Module {
      void forward() { ETUDE_CHECK_VALUE(false, "no"); }
      Tensor fails() { throw std::runtime_error("other"); }
    };
    CHECK(refusal_lines([] { nn::call(*std::make_shared<TopImpl>()); }).rfind("no\nin Top") == 0);
    CHECK(refusal([] { nn::call(*std::make_shared<TopImpl>()); }) == "ValueError: no");
    CHECK(refusal_lines([] { linear(wrong(), ones({2, 2})); }).find("\nin ") == std::string::npos);
    struct OtherImpl : nn::Module {
      Tensor forward() { throw std::runtime_error("other"); }
    };
    OtherImpl other;
    CHECK_THROWS_WITH_AS(nn::call(other), "other", std::runtime_error);
    CHECK(place_of_error([&] { HalfNets()(wrong()); }) == "in first.fc (Fc) of HalfNets");
  }

  TEST_CASE("a module that no module has registered is named so") {
    struct NetImpl : nn::Module {
      Fc lost = std::make_shared<FcImpl>(2, 2);
      Tensor forward(const Tensor& x) { return lost(x); }
    };
    NetImpl net;
    CHECK(place_of_error([&] { nn::call(net, wrong()); }) ==
          "in a Fc that no module has registered, called in Net");
    CHECK(place_of_error([&] { net.lost(wrong()); }) == "in Fc");
  }

  TEST_CASE("a module that two models share has the path below the one that runs") {
    Fc shared(2, 2);
    struct NetImpl : nn::Module {
      NetImpl(std::string name, Fc fc_) : fc(register_module(std::move(name), fc_)) {}
      Tensor forward(const Tensor& x) { return nn::call(*fc, x); }
      std::shared_ptr<FcImpl> fc;
    };
    NetImpl one("a", shared), two("b", shared);
    CHECK(place_of_error([&] { nn::call(one, wrong()); }) == "in a (Fc) of Net");
    CHECK(place_of_error([&] { nn::call(two, wrong()); }) == "in b (Fc) of Net");
    CHECK(place_of_error([&] { shared(wrong()); }) == "in b (Fc) of Net");
  }

  TEST_CASE("clones, replaced modules and models that are gone") {
    HalfNets net;
    const auto copy = std::dynamic_pointer_cast<HalfNetsImpl>(net->clone());
    CHECK(place_of_error([&] { nn::call(*copy, wrong()); }) == "in first.fc (Fc) of HalfNets");
    CHECK(place_of_error([&] { copy->second->out(wrong()); }) == "in second.out (Fc) of HalfNets");
    Fc old = net->first->fc;
    net->first->fc = net->first->replace_module("fc", Fc(3, 4));
    CHECK(place_of_error([&] { net(wrong()); }) == "in first.fc (Fc) of HalfNets");
    CHECK(place_of_error([&] { old(wrong()); }) == "in Fc");
    HalfNet half = net->second;
    net = nullptr;
    CHECK(place_of_error([&] { half(wrong()); }) == "in fc (Fc) of HalfNet");
    HalfNets moved_from;
    HalfNets moved = std::move(moved_from);
    CHECK(place_of_error([&] { moved(wrong()); }) == "in first.fc (Fc) of HalfNets");
    HalfNetsImpl by_value = *moved;
    CHECK(place_of_error([&] { nn::call(by_value, wrong()); }) == "in first.fc (Fc) of HalfNets");
    moved->first->unregister_module("fc");
    CHECK(place_of_error([&] { moved->first->fc(wrong()); }) == "in Fc");
  }

  TEST_CASE("an AnyModule, a module that runs itself, and an error that is caught inside") {
    nn::AnyModule any{HalfNets()};
    CHECK(place_of_error([&] { any.forward(wrong()); }) == "in first.fc (Fc) of HalfNets");
    struct AgainImpl : nn::Module {
      Tensor forward(int times) {
        return times == 0 ? linear(wrong(), ones({1, 1})) : nn::call(*this, times - 1);
      }
    };
    AgainImpl again;
    CHECK(place_of_error([&] { nn::call(again, 3); }) == "in Again");
    struct CatchesImpl : nn::Module {
      CatchesImpl() { fc = register_module("fc", Fc(2, 2)); }
      Tensor forward(const Tensor& x) {
        CHECK_THROWS_AS(fc(x), Error);
        return linear(x, ones({1, 1}));
      }
      Fc fc = nullptr;
    };
    CatchesImpl catches;
    CHECK(place_of_error([&] { nn::call(catches, wrong()); }) == "in Catches");
  }

  TEST_CASE("threads have their own") {
    HalfNets net;
    on_threads(4, [&](int i) {
      for (int k = 0; k < 50; ++k) {
        const std::string place = i % 2 == 0 ? place_of_error([&] { net(wrong()); })
                                             : place_of_error([&] { net->second->out(wrong()); });
        REQUIRE(place == (i % 2 == 0 ? "in first.fc (Fc) of HalfNets" : "in second.out (Fc) of HalfNets"));
        HalfNets();
      }
    });
  }

  TEST_CASE("a trace has the modules, with their ops inside") {
    HalfNets net;
    std::ostringstream out;
    {
      autograd::profiler::RecordProfile guard(out);
      net(ones({2, 3}));
    }
    const TraceText t(out.str());
    CHECK(t["HalfNets"].category == "module");
    CHECK(t["HalfNets"].holds(t["first (HalfNet) of HalfNets"]));
    CHECK(t["first (HalfNet) of HalfNets"].holds(t["first.fc (Fc) of HalfNets"]));
    std::size_t linears = 0;
    for (const TraceEvent& e : t.events) linears += e.name == "aten::linear";
    CHECK(linears == 4);
  }
}
