// Moved-from objects: each public function throws a clear error or returns a sensible value.
#include <doctest/doctest.h>

#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "etude/distributed/zero_redundancy_optimizer.h"
#include "etude/etude.h"
#include "support/any_function.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;

TEST_SUITE("objects that were moved from") {
  namespace {

  /// `value` was moved from, `taker` has its content.
  template <typename T>
  struct Moved {
    explicit Moved(T (*make)()) : value(make()), taker(std::move(value)) {}
    T value, taker;
  };

  /// A row of the table: a call, and the beginning of its error message. Empty means that the call must succeed.
  template <typename T>
  struct Call {
    const char *name, *refusal;
    void (*run)(T& moved_from);
  };

  void check_call(const char* type, const char* name, const std::string& refusal, FunctionRef<void()> run) {
    const std::string text = refusal_lines(run);
    CAPTURE(type);
    CAPTURE(name);
    CAPTURE(text);
    CHECK((refusal.empty() ? text.empty() : text.substr(0, refusal.size()) == refusal));
  }

  template <typename T>
  void check(const char* type, T (*make)(), std::initializer_list<Call<T>> calls) {
    for (const Call<T>& call : calls) {
      Moved<T> moved(make);
      check_call(type, call.name, call.refusal, [&] { call.run(moved.value); });
    }
  }

  constexpr char kGenerator[] =
      "Generator: it was moved from, and its stream belongs to another one now\nhint: ";
  constexpr char kInput[] =
      "InputArchive: it was moved from, and what it loaded belongs to another one now\nhint: ";
  constexpr char kOutput[] =
      "OutputArchive: it was moved from, and what was written to it belongs to another one now\nhint: ";
  constexpr char kDefaults[] =
      "the optimizer has no default options\nit was moved from, or made without any\nhint: ";
  constexpr char kShared[] =
      "SharedBatchDataset: it has no dataset\nit was moved from, or made of a null pointer";
  constexpr char kNoModule[] = "Accessing empty ModuleHolder";

  Tensor weight() { return etude::ones({2}).requires_grad_(); }
  optim::SGD sgd() { return optim::SGD(std::vector<Tensor>{weight()}, optim::SGDOptions(0.1)); }

  /// Outlives the schedules.
  optim::SGD& lasting_sgd() {
    static optim::SGD optimizer = sgd();
    return optimizer;
  }

  /// Whether a draw with a moved-from generator is the draw from the default one.
  void check_default(const AnyFunction<Tensor(optional<Generator>)>& draw) {
    Moved<Generator> moved([] { return Generator(7); });
    manual_seed(3);
    const Tensor expected = draw(nullopt);
    manual_seed(3);
    CHECK(draw(moved.value).equal(expected));
  }

  template <typename Optimizer>
  void check_optimizer(const char* type, Optimizer (*make)()) {
    check<Optimizer>(
        type, make,
        {{"add_param_group", kDefaults,
          [](Optimizer& o) { o.add_param_group(optim::OptimizerParamGroup({weight()})); }},
         {"add_param_group with options", "",
          [](Optimizer& o) {
            o.add_param_group({{weight()}, std::make_unique<optim::SGDOptions>(0.1)});
            CHECK(o.param_groups().size() == 1);
          }},
         {"defaults", kDefaults, [](Optimizer& o) { o.defaults(); }},
         {"defaults of a constant", kDefaults, [](Optimizer& o) { std::as_const(o).defaults(); }},
         {"param_groups", "", [](Optimizer& o) { CHECK(o.param_groups().empty()); }},
         {"state", "", [](Optimizer& o) { CHECK(o.state().empty()); }},
         {"zero_grad", "", [](Optimizer& o) { o.zero_grad(true); }},
         {"parameters", "the optimizer has no group of parameters", [](Optimizer& o) { o.parameters(); }},
         {"add_parameters", "the optimizer has no group of parameters",
          [](Optimizer& o) { o.add_parameters({weight()}); }},
         {"size", "", [](Optimizer& o) { CHECK(o.size() == 0); }}});
  }

  /// Moving a schedule copies it, so the moved-from schedule continues unchanged.
  template <typename Schedule>
  void check_schedule(const char* type, Schedule (*make)()) {
    check<Schedule>(type, make,
                    {{"step", "", [](Schedule& s) { s.step(); }},
                     {"get_last_lr", "", [](Schedule& s) { CHECK(s.get_last_lr().size() == 1); }},
                     {"base_lrs", "", [](Schedule& s) { CHECK(s.base_lrs().size() == 1); }},
                     {"set_base_lrs", "", [](Schedule& s) { s.set_base_lrs({0.5}); }},
                     {"save", "", [](Schedule& s) {
                        serialize::OutputArchive archive;
                        s.save(archive);
                      }}});
  }

  template <typename Sampler>
  void check_sampler(const char* type, Sampler (*make)(), const char* refusal) {
    check<Sampler>(
        type, make,
        {{"next", refusal, [](Sampler& s) { s.next(2); }}, {"reset with a size and next", "", [](Sampler& s) {
                                                              s.reset(3);
                                                              CHECK(s.next(2).has_value());
                                                            }}});
  }

  struct Counter : data::datasets::StatefulDataset<Counter, std::vector<int>> {
    optional<std::vector<int>> get_batch(size_t) override { return std::vector<int>{1}; }
    optional<size_t> size() const override { return 1; }
    void reset() override {}
  };

  }  // namespace

  TEST_CASE("tensors and values") {
    check<Tensor>("Tensor", [] { return etude::ones({2}); },
                  {{"defined", "", [](Tensor& t) { CHECK_FALSE(t.defined()); }},
                   {"numel", "Expected a proper Tensor but got None", [](Tensor& t) { t.numel(); }},
                   {"use_count", "", [](Tensor& t) { CHECK(t.use_count() == 0); }},
                   {"reset", "", [](Tensor& t) { t.reset(); }},
                   {"print", "",
                    [](Tensor& t) {
                      std::ostringstream out;
                      out << t;
                      CHECK_FALSE(out.str().empty());
                    }},
                   {"sum", "Expected a proper Tensor but got None", [](Tensor& t) { t.sum(); }},
                   {"add", "Expected a proper Tensor but got None", [](Tensor& t) { t + 1; }}});
    check<TensorIndex>("TensorIndex", [] { return TensorIndex(etude::tensor({1})); },
                       {{"as a value", "", [](TensorIndex& i) { CHECK_FALSE(i.tensor().defined()); }}});
    check<IValue>("IValue of a text", [] { return IValue(std::string(100, 'x')); },
                  {{"isNone", "", [](IValue& v) { CHECK(v.isNone()); }},
                   {"toStringRef", "Expected String but got None", [](IValue& v) { v.toStringRef(); }}});
    check<IValue>("IValue of a tensor", [] { return IValue(etude::ones({2})); },
                  {{"isTensor", "", [](IValue& v) { CHECK_FALSE(v.isTensor()); }}});
    check<IValue>("IValue of a number", [] { return IValue(3); },
                  {{"toInt", "Expected Int but got None", [](IValue& v) { v.toInt(); }}});
    check<IValue>(
        "IValue of a dict",
        [] {
          return IValue(GenericDict({{"a", 1}}));
        },
        {{"toGenericDict", "Expected GenericDict but got None", [](IValue& v) { v.toGenericDict(); }},
         {"assigned", "", [](IValue& v) {
            IValue taker;
            v = IValue(4);
            taker = std::move(v);
            CHECK(taker.toInt() == 4);
            CHECK(v.isNone());
          }}});
    check<DictEntry>("DictEntry", [] { return DictEntry("a", 1); },
                     {{"key", "", [](DictEntry& e) { CHECK(e.key().isNone()); }}});
    check<GenericDict>("GenericDict",
                       [] {
                         return GenericDict({{"a", 1}});
                       },
                       {{"size", "", [](GenericDict& d) { CHECK(d.size() == 1); }},
                        {"find", "", [](GenericDict& d) { CHECK(d.find("b") == d.end()); }},
                        {"at", "", [](GenericDict& d) { CHECK(d.at("a").toInt() == 1); }},
                        {"insert_or_assign", "", [](GenericDict& d) {
                           d.insert_or_assign("b", 2);
                           CHECK(d.size() == 2);
                         }}});
    using Dict = OrderedDict<std::string, int>;
    check<Dict>("OrderedDict",
                [] {
                  return Dict({{"a", 1}});
                },
                {{"find", "", [](Dict& d) { CHECK(d.find("a") == nullptr); }},
                 {"front", "Called front() on an empty OrderedDict", [](Dict& d) { d.front(); }},
                 {"operator[]", "", [](Dict& d) { CHECK_FALSE(refusal([&] { d["a"]; }).empty()); }},
                 {"insert", "", [](Dict& d) {
                    d.insert("a", 2);
                    CHECK(d["a"] == 2);
                  }}});
    check<Error>("Error", [] { return Error("long enough to stand on the heap, not in the object"); },
                 {{"what", "", [](Error& e) { CHECK(e.msg() == e.what()); }}});
    check<autograd::Edge>("Edge",
                          [] {
                            return autograd::Edge{(weight() * 2).grad_fn(), 0};
                          },
                          {{"is_valid", "", [](autograd::Edge& e) { CHECK_FALSE(e.is_valid()); }}});
  }

  // As in LibTorch 1.13.1, except for its randperm, which does not survive this.
  TEST_CASE("a generator: random functions take the default one") {
    check_default([](auto g) { return etude::rand({4}, g); });
    check_default([](auto g) { return etude::randn({4}, g); });
    check_default([](auto g) { return etude::randperm(5, g); });
    check_default([](auto g) { return etude::randint(0, 5, {4}, g); });
    check_default([](auto g) { return etude::ones({4}).normal_(0, 1, g); });
    check_default([](auto g) { return etude::bernoulli(etude::full({4}, 0.5), g); });
    check_default([](auto g) { return etude::multinomial(etude::ones({4}), 2, false, g); });
    check<Generator>("Generator", [] { return Generator(3); },
                     {{"defined", "", [](Generator& g) { CHECK_FALSE(g.defined()); }},
                      {"==", "", [](Generator& g) { CHECK(g == g); }},
                      {"manual_seed", kGenerator, [](Generator& g) { g.manual_seed(1); }},
                      {"set_current_seed", kGenerator, [](Generator& g) { g.set_current_seed(1); }},
                      {"initial_seed", kGenerator, [](Generator& g) { g.initial_seed(); }},
                      {"current_seed", kGenerator, [](Generator& g) { g.current_seed(); }},
                      {"seed", kGenerator, [](Generator& g) { g.seed(); }},
                      {"get_state", kGenerator, [](Generator& g) { g.get_state(); }},
                      {"set_state", kGenerator, [](Generator& g) { g.set_state(Generator().get_state()); }},
                      {"clone", kGenerator, [](Generator& g) { g.clone(); }},
                      {"random", kGenerator, [](Generator& g) { g.random(); }},
                      {"random64", kGenerator, [](Generator& g) { g.random64(); }},
                      {"assigned", "", [](Generator& g) {
                         g = Generator(5);
                         CHECK(g.initial_seed() == 5);
                       }}});
  }

  TEST_CASE("files and archives") {
    using In = serialize::InputArchive;
    using Out = serialize::OutputArchive;
    check<In>("InputArchive", [] { return In(); },
              {{"read a value", kInput,
                [](In& a) {
                  IValue v;
                  a.read("x", v);
                }},
               {"read a tensor", kInput,
                [](In& a) {
                  Tensor t;
                  a.read("x", t);
                }},
               {"read an archive", kInput,
                [](In& a) {
                  In nested;
                  a.try_read("x", nested);
                }},
               {"keys", kInput, [](In& a) { a.keys(); }},
               {"tensor_names", kInput, [](In& a) { a.tensor_names(); }},
               {"load_from", "", [](In& a) {
                  Out out;
                  out.write("x", etude::ones({2}));
                  std::stringstream stream;
                  out.save_to(stream);
                  a.load_from(stream);
                  CHECK(a.keys() == std::vector<std::string>{"x"});
                }}});
    check<Out>("OutputArchive", [] { return Out(); },
               {{"write a value", kOutput, [](Out& a) { a.write("x", IValue(1)); }},
                {"write a tensor", kOutput, [](Out& a) { a.write("x", etude::ones({2})); }},
                {"write an archive", kOutput,
                 [](Out& a) {
                   Out nested;
                   a.write("x", nested);
                 }},
                {"be written to another", kOutput, [](Out& a) { Out().write("x", a); }},
                {"save_to a stream", kOutput,
                 [](Out& a) {
                   std::ostringstream out;
                   a.save_to(out);
                 }},
                {"save_to a file", kOutput,
                 [](Out& a) {
                   const TemporaryFolder folder;
                   a.save_to(folder / "x");
                 }},
                {"save_to a function", kOutput,
                 [](Out& a) { a.save_to([](const void*, size_t bytes) { return bytes; }); }}});
    check<TempFile>("TempFile", [] { return make_tempfile(); },
                    {{"fd", "", [](TempFile& f) { CHECK(f.fd == -1); }}});
    check<Checkpoint>("Checkpoint",
                      [] {
                        Checkpoint checkpoint;
                        checkpoint.add("generator", Generator(1));
                        return checkpoint;
                      },
                      {{"save and load", "",
                        [](Checkpoint& c) {
                          const TemporaryFolder folder;
                          c.save(folder / "x");
                          c.load(folder / "x");
                        }},
                       {"add a generator that was moved from", kGenerator, [](Checkpoint& c) {
                          Moved<Generator> generator([] { return Generator(1); });
                          const TemporaryFolder folder;
                          c.add("generator", generator.value).save(folder / "x");
                        }}});
  }

  TEST_CASE("optimizers, schedules and averages") {
    check_optimizer<optim::SGD>("SGD", sgd);
    check_optimizer<optim::Adam>("Adam", [] { return optim::Adam(std::vector<Tensor>{weight()}); });
    check_optimizer<optim::AdamW>("AdamW", [] { return optim::AdamW(std::vector<Tensor>{weight()}); });
    check_optimizer<optim::RMSprop>("RMSprop", [] { return optim::RMSprop(std::vector<Tensor>{weight()}); });
    check_optimizer<optim::Adagrad>("Adagrad", [] { return optim::Adagrad(std::vector<Tensor>{weight()}); });
    check<optim::SGD>("SGD", sgd,
                      {{"step", "", [](optim::SGD& o) { o.step(); }}, {"save", "", [](optim::SGD& o) {
                                                                         serialize::OutputArchive archive;
                                                                         o.save(archive);
                                                                       }}});
    using Zero = distributed::ZeroRedundancyOptimizer<optim::SGD>;
    constexpr char kZero[] =
        "ZeroRedundancyOptimizer: it was moved from, and its parameters belong to another one now";
    check<Zero>("ZeroRedundancyOptimizer",
                [] {
                  return Zero(std::vector<Tensor>{weight()}, distributed::ProcessGroup::single(),
                              optim::SGDOptions(0.1));
                },
                {{"step", kZero, [](Zero& o) { o.step(); }},
                 {"consolidate_state_dict", kZero, [](Zero& o) { o.consolidate_state_dict(); }},
                 {"defaults", kDefaults, [](Zero& o) { o.defaults(); }},
                 {"save", kZero, [](Zero& o) {
                    serialize::OutputArchive archive;
                    o.save(archive);
                  }}});
    using Group = optim::OptimizerParamGroup;
    check<Group>(
        "OptimizerParamGroup", [] { return Group({weight()}, std::make_unique<optim::SGDOptions>(0.1)); },
        {{"options", "Expected has_options() to be true, but got false.", [](Group& g) { g.options(); }},
         {"params", "", [](Group& g) { CHECK(g.params().empty()); }},
         {"copy", "", [](Group& g) { CHECK_FALSE(Group(g).has_options()); }}});
    check_schedule<optim::StepLR>("StepLR", [] { return optim::StepLR(lasting_sgd(), 2); });
    check_schedule<optim::MultiStepLR>("MultiStepLR", [] {
      return optim::MultiStepLR(lasting_sgd(), {1, 2});
    });
    check_schedule<optim::ExponentialLR>("ExponentialLR",
                                         [] { return optim::ExponentialLR(lasting_sgd(), 0.9); });
    check_schedule<optim::LinearLR>("LinearLR", [] { return optim::LinearLR(lasting_sgd()); });
    check_schedule<optim::CosineAnnealingLR>("CosineAnnealingLR",
                                             [] { return optim::CosineAnnealingLR(lasting_sgd(), 10); });
    check_schedule<optim::NoamLR>("NoamLR", [] { return optim::NoamLR(lasting_sgd(), 64); });
    check_schedule<optim::LambdaLR>(
        "LambdaLR", [] { return optim::LambdaLR(lasting_sgd(), [](int64_t) { return 1.0; }); });
    check_schedule<optim::OneCycleLR>("OneCycleLR", [] {
      return optim::OneCycleLR(lasting_sgd(), optim::OneCycleLROptions(0.1, 10).cycle_momentum(false));
    });
    using Plateau = optim::ReduceLROnPlateau;
    check<Plateau>("ReduceLROnPlateau",
                   [] { return Plateau(lasting_sgd(), optim::ReduceLROnPlateauOptions().patience(0)); },
                   {{"step", "", [](Plateau& p) {
                       p.step(1);
                       p.step(2);
                       CHECK(p.state().last_epoch == 2);
                     }}});
    check<optim::PerGroup>(
        "PerGroup", [] { return optim::PerGroup(0.1); },
        {{"of", "expected 1 min_lrs, got 0", [](optim::PerGroup& p) { p.of(2, "min_lrs"); }}});
    check<optim::EMA>("EMA", [] { return optim::EMA(std::vector<Tensor>{weight()}); },
                      {{"update", "", [](optim::EMA& e) { e.update(); }},
                       {"apply and restore", "",
                        [](optim::EMA& e) {
                          e.apply();
                          e.restore();
                        }},
                       {"averages", "", [](optim::EMA& e) { CHECK(e.averages().empty()); }}});
  }

  TEST_CASE("tokenizers and tokens") {
    using text::BytePairTokenizer;
    using text::CharacterTokenizer;
    using text::WordTokenizer;
    check<BytePairTokenizer>(
        "BytePairTokenizer", [] { return BytePairTokenizer::train("aa aa", 258, {"<end>"}); },
        {{"encode", "", [](BytePairTokenizer& t) { CHECK(t.decode(t.encode("aa<end>")) == "aa<end>"); }},
         {"encode_ordinary", "",
          [](BytePairTokenizer& t) { CHECK(t.decode(t.encode_ordinary("a")) == "a"); }},
         {"vocab_size", "", [](BytePairTokenizer& t) { CHECK(t.vocab_size() == 258); }},
         {"special_token", "", [](BytePairTokenizer& t) { CHECK(t.special_token("<end>") == 257); }},
         {"save", "", [](BytePairTokenizer& t) {
            const TemporaryFolder folder;
            t.save(folder / "t");
            CHECK(BytePairTokenizer::load(folder / "t").vocab_size() == 258);
          }}});
    check<WordTokenizer>("WordTokenizer", [] { return WordTokenizer::train("a b"); },
                         {{"encode", "",
                           [](WordTokenizer& t) {
                             for (const int64_t id : t.encode("a z")) CHECK(id < t.vocab_size());
                           }},
                          {"decode", "", [](WordTokenizer& t) { CHECK(t.decode(t.encode("b")) == "b"); }},
                          {"save", "", [](WordTokenizer& t) {
                             const TemporaryFolder folder;
                             t.save(folder / "t");
                             CHECK(WordTokenizer::load(folder / "t").vocab_size() == t.vocab_size());
                           }}});
    check<CharacterTokenizer>("CharacterTokenizer", [] { return CharacterTokenizer::train("ab"); },
                              {{"encode", "encode: 'a' (U+0061) at byte 0 is none of the 0 characters",
                                [](CharacterTokenizer& t) { t.encode("a"); }},
                               {"decode", "decode: the id 0 is outside of the vocabulary of 0 tokens",
                                [](CharacterTokenizer& t) { t.decode({0}); }},
                               {"vocab_size", "", [](CharacterTokenizer& t) { CHECK(t.vocab_size() == 0); }},
                               {"save", "", [](CharacterTokenizer& t) {
                                  const TemporaryFolder folder;
                                  t.save(folder / "t");
                                }}});
    using data::Tokens;
    check<Tokens>("Tokens",
                  [] {
                    return Tokens(std::vector<int64_t>{1, 2, 3});
                  },
                  {{"size", "", [](Tokens& t) { CHECK(t.size() == 3); }},
                   {"slice", "",
                    [](Tokens& t) {
                      CHECK(t.slice(1, 2).equal(etude::tensor({2, 3})));
                    }},
                   {"window", "", [](Tokens& t) { CHECK(t.window(0, 1).target.equal(etude::tensor({2}))); }},
                   {"random_windows", "", [](Tokens& t) { t.random_windows(2, 1); }}});
    using Windows = data::datasets::TokenWindows;
    check<Windows>("TokenWindows",
                   [] {
                     return Windows(Tokens(std::vector<int64_t>{1, 2, 3}), 1);
                   },
                   {{"get", "", [](Windows& w) { CHECK(w.get(1).data.equal(etude::tensor({2}))); }},
                    {"size", "", [](Windows& w) { CHECK(w.size() == 2); }}});
  }

  TEST_CASE("datasets, samplers and loaders") {
    using namespace data;
    check_sampler<samplers::SequentialSampler>(
        "SequentialSampler", [] { return samplers::SequentialSampler(3); }, "");
    check_sampler<samplers::StreamSampler>(
        "StreamSampler", [] { return samplers::StreamSampler(3); }, "");
    check_sampler<samplers::DistributedSequentialSampler>(
        "DistributedSequentialSampler", [] { return samplers::DistributedSequentialSampler(3); }, "");
    check_sampler<samplers::DistributedRandomSampler>(
        "DistributedRandomSampler", [] { return samplers::DistributedRandomSampler(3); },
        "DistributedRandomSampler: it was moved from, and its order belongs to another one now\nhint: ");
    check_sampler<samplers::RandomSampler>(
        "RandomSampler", [] { return samplers::RandomSampler(3); }, "");
    using Rows = datasets::TensorDataset;
    check<Rows>("TensorDataset",
                [] {
                  return Rows(etude::ones({2, 3}));
                },
                {{"get", "", [](Rows& d) { CHECK_FALSE(refusal([&] { d.get(0); }).empty()); }},
                 {"size", "", [](Rows& d) { CHECK_FALSE(refusal([&] { d.size(); }).empty()); }}});
    using Mapped = datasets::MapDataset<Rows, transforms::Stack<TensorExample>>;
    check<Mapped>("MapDataset",
                  [] {
                    return Mapped(Rows(etude::ones({2, 3})), {});
                  },
                  {{"get_batch", "",
                    [](Mapped& d) {
                      const size_t first = 0;
                      CHECK_FALSE(refusal([&] { d.get_batch(first); }).empty());
                    }},
                   {"size", "", [](Mapped& d) { CHECK_FALSE(refusal([&] { d.size(); }).empty()); }}});
    using Shared = datasets::SharedBatchDataset<Counter>;
    check<Shared>("SharedBatchDataset", [] { return datasets::make_shared_dataset<Counter>(); },
                  {{"get_batch", kShared, [](Shared& d) { d.get_batch(1); }},
                   {"size", kShared, [](Shared& d) { d.size(); }},
                   {"reset", kShared, [](Shared& d) { d.reset(); }},
                   {"*", kShared, [](Shared& d) { (*d).size(); }},
                   {"->", kShared, [](Shared& d) { d->size(); }}});
    check<transforms::Normalize<>>(
        "Normalize", [] { return transforms::Normalize<>({0.5}, {0.5}); },
        {{"()", "Expected a proper Tensor but got None", [](transforms::Normalize<>& t) {
            t(etude::ones({1, 2, 2}));
          }}});
    using It = Iterator<int>;
    check<It>(
        "Iterator", [] { return It([] { return optional<int>(1); }); },
        {{"++", "Incrementing the DataLoader's past-the-end iterator is not allowed", [](It& i) { ++i; }},
         {"*", "Dereferencing the DataLoader's past-the-end iterator is not allowed", [](It& i) { *i; }},
         {"==", "", [](It& i) { CHECK(i == It()); }}});
    check<WorkerException>("WorkerException",
                           [] { return WorkerException(std::make_exception_ptr(ValueError("no"))); },
                           {{"what", "", [](WorkerException& e) { CHECK(e.what() == e.message); }}});
  }

  TEST_CASE("modules and what holds them") {
    using nn::AnyModule;
    check<nn::Linear>("ModuleHolder", [] { return nn::Linear(2, 3); },
                      {{"is_empty", "", [](nn::Linear& m) { CHECK(m.is_empty()); }},
                       {"()", kNoModule, [](nn::Linear& m) { m(etude::ones({2})); }},
                       {"->", kNoModule, [](nn::Linear& m) { m->reset(); }},
                       {"*", kNoModule, [](nn::Linear& m) { (*m).reset(); }},
                       {"ptr", kNoModule, [](nn::Linear& m) { m.ptr(); }},
                       {"print", kNoModule, [](nn::Linear& m) {
                          std::ostringstream out;
                          out << m;
                        }}});
    check<AnyModule>("AnyModule", [] { return AnyModule(nn::Linear(2, 3)); },
                     {{"is_empty", "", [](AnyModule& m) { CHECK(m.is_empty()); }},
                      {"forward", "Cannot call", [](AnyModule& m) { m.forward(etude::ones({2})); }},
                      {"get", "Cannot call", [](AnyModule& m) { m.get<nn::LinearImpl>(); }},
                      {"ptr", "Cannot call", [](AnyModule& m) { m.ptr(); }},
                      {"type_info", "Cannot call", [](AnyModule& m) { m.type_info(); }},
                      {"clone", "", [](AnyModule& m) { CHECK(m.clone().is_empty()); }}});
    check<nn::NamedAnyModule>("NamedAnyModule", [] { return nn::NamedAnyModule("fc", nn::Linear(2, 3)); },
                              {{"in a Sequential", "", [](nn::NamedAnyModule& m) {
                                  CHECK_FALSE(refusal([&] { nn::Sequential({m}); }).empty());
                                }}});
    check<nn::AnyValue>("AnyValue", [] { return nn::AnyValue(4); },
                        {{"try_get", "", [](nn::AnyValue& v) { CHECK(v.try_get<int>() == nullptr); }},
                         {"get", "Attempted to cast AnyValue to int, but its actual type is void",
                          [](nn::AnyValue& v) { v.get<int>(); }}});
    using nn::RemovableHandle;
    check<RemovableHandle>("RemovableHandle",
                           [] {
                             static nn::Linear linear(2, 3);
                             return linear->register_forward_hook(
                                 [](nn::Module&, const std::vector<Tensor>&, const std::vector<Tensor>&) {});
                           },
                           {{"remove", "", [](RemovableHandle& h) { h.remove(); }}});
    using nn::utils::rnn::PackedSequence;
    check<PackedSequence>(
        "PackedSequence",
        [] {
          return nn::utils::rnn::pack_sequence({etude::ones({3, 2}), etude::ones({1, 2})});
        },
        {{"to", "Expected a proper Tensor but got None", [](PackedSequence& p) { p.to(kDouble); }},
         {"data", "", [](PackedSequence& p) { CHECK_FALSE(p.data().defined()); }},
         {"pad_packed_sequence", "",
          [](PackedSequence& p) {
            CHECK_FALSE(refusal([&] { nn::utils::rnn::pad_packed_sequence(p); }).empty());
          }},
         {"into an RNN", "", [](PackedSequence& p) {
            nn::RNN rnn(2, 2);
            CHECK_FALSE(refusal([&] { rnn->forward_with_packed_input(p); }).empty());
          }}});
    using Cache = nn::KeyValueCache;
    check<Cache>(
        "KeyValueCache", [] { return Cache(1, 1, 1, 4, 2); },
        {{"length", "", [](Cache& c) { CHECK(c.length() == 0); }},
         {"layer", "the key-value cache has 0 layers, but the model has 1", [](Cache& c) { c.layer(0, 1); }},
         {"clear", "", [](Cache& c) { c.clear(); }},
         {"reorder", "", [](Cache& c) { c.reorder(etude::tensor({0})); }}});
    using Layer = Cache::Layer;
    check<Layer>("KeyValueCache::Layer", [] { return Layer(1, 1, 4, 2, kFloat); },
                 {{"append", "",
                   [](Layer& l) {
                     const NoGradGuard no_grad;
                     const Tensor x = etude::ones({1, 1, 1, 2});
                     CHECK_FALSE(refusal([&] { l.append(x, x); }).empty());
                   }},
                  {"all", "", [](Layer& l) { CHECK_FALSE(refusal([&] { l.all(); }).empty()); }}});
    check<nn::HookNames>("HookNames", [] { return nn::HookNames("hook_embed"); },
                         {{"among", "", [](nn::HookNames& n) { CHECK(n.among({"hook_embed"}).empty()); }}});
    check<Drawing>("Drawing", [] { return draw(weight() * 2); },
                   {{"svg", "", [](Drawing& d) { CHECK_FALSE(d.svg().empty()); }},
                    {"dot", "", [](Drawing& d) { CHECK_FALSE(d.dot().empty()); }}});
    check<Summary>("Summary",
                   [] {
                     nn::Linear linear(2, 3);
                     return summary(linear, etude::ones({1, 2}));
                   },
                   {{"print", "", [](Summary& s) {
                       std::ostringstream out;
                       out << s;
                       CHECK_FALSE(out.str().empty());
                     }}});
  }

  // Holders keep modules in place. Moving a module out of its holder still must not crash.
  TEST_CASE("modules themselves") {
    const auto refuses = [](const std::string& name, const AnyFunction<void()>& f) {
      CAPTURE(name);
      CHECK_FALSE(refusal(f).empty());
    };
    Moved<nn::LinearImpl> linear([] { return nn::LinearImpl(2, 3); });
    refuses("Linear", [&] { linear.value.forward(etude::ones({2})); });
    Moved<nn::SequentialImpl> sequential([] { return nn::SequentialImpl(nn::Linear(2, 3)); });
    refuses("Sequential", [&] { sequential.value.forward(etude::ones({2})); });
    refuses("Sequential::ptr", [&] { sequential.value.ptr(0); });
    Moved<nn::ModuleListImpl> list([] { return nn::ModuleListImpl(nn::Linear(2, 3)); });
    refuses("ModuleList::ptr", [&] { list.value.ptr(0); });
    Moved<nn::ModuleDictImpl> dict([] {
      return nn::ModuleDictImpl(nn::ModuleDictImpl::Items{{"a", nn::Linear(2, 3).ptr()}});
    });
    refuses("ModuleDict::[]", [&] { dict.value["a"]; });
    Moved<nn::LSTMImpl> lstm([] { return nn::LSTMImpl(2, 3); });
    refuses("LSTM", [&] { lstm.value.forward(etude::ones({4, 1, 2})); });
    Moved<nn::GRUCellImpl> cell([] { return nn::GRUCellImpl(2, 3); });
    refuses("GRUCell", [&] { cell.value.forward(etude::ones({1, 2})); });
    Moved<nn::MultiheadAttentionImpl> attention([] { return nn::MultiheadAttentionImpl(4, 2); });
    const Tensor x = etude::ones({3, 1, 4});
    refuses("MultiheadAttention", [&] { attention.value.forward(x, x, x); });
    Moved<nn::TransformerEncoderLayerImpl> layer([] { return nn::TransformerEncoderLayerImpl(4, 2); });
    refuses("TransformerEncoderLayer", [&] { layer.value.forward(x); });
    Moved<nn::GPTImpl> gpt(
        [] { return nn::GPTImpl(nn::GPTOptions(5).context(4).d_model(4).layers(1).heads(2)); });
    refuses("GPT", [&] { gpt.value.forward(etude::zeros({1, 2}, kLong)); });
    refuses("GPT::max_length", [&] { gpt.value.max_length(); });
    Moved<nn::EncoderDecoderImpl> both([] {
      return nn::EncoderDecoderImpl(nn::EncoderDecoderOptions(5)
                                        .d_model(4)
                                        .heads(2)
                                        .encoder_layers(1)
                                        .decoder_layers(1)
                                        .dim_feedforward(4));
    });
    refuses("EncoderDecoder", [&] {
      both.value.forward(etude::zeros({1, 2}, kLong), etude::zeros({1, 2}, kLong));
    });
    refuses("EncoderDecoder::max_length", [&] { both.value.max_length(); });
  }
}
