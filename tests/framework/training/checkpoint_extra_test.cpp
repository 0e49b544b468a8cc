// What a checkpoint saves and loads, that errors change nothing, and that a crash during a save leaves either the old
// file or the new one.
#include "etude/training/checkpoint.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <random>
#include <sstream>
#include <string>

#include "etude/core/generator.h"
#include "etude/io/safetensors.h"
#include "etude/nn/module.h"
#include "etude/ops/ops.h"
#include "etude/optim/adamw.h"
#include "etude/optim/ema.h"
#include "etude/optim/schedulers/cosine_annealing_lr.h"
#include "etude/optim/schedulers/reduce_lr_on_plateau.h"
#include "etude/optim/sgd.h"
#include "support/fingerprint.h"
#include "support/mutated_bytes.h"
#include "support/own_process.h"
#include "support/refusal.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"

using namespace etude;

TEST_SUITE("checkpoint") {
  namespace {

  struct Part : nn::Module {
    explicit Part(int64_t n) {
      weight = register_parameter("weight", etude::randn({n, 2}));
      count = register_buffer("count", etude::zeros({}, kLong));
      scratch = register_buffer("scratch", etude::zeros({1}), /*persistent=*/false);
    }
    Tensor weight, count, scratch;
  };

  struct Net : nn::Module {
    explicit Net(int64_t n = 3) : part(std::make_shared<Part>(n)) {
      register_module("part", part);
      bias = register_parameter("bias", etude::randn({2}));
    }
    std::shared_ptr<Part> part;
    Tensor bias;
  };

  /// A run that uses everything that a checkpoint can hold.
  struct Run {
    Net net;
    optim::AdamW optimizer;
    optim::CosineAnnealingLR schedule;
    optim::ReduceLROnPlateau plateau;
    optim::EMA averages;
    Generator generator{5};
    Tensor order = etude::arange(4);
    int64_t step = 0;
    double best = std::numeric_limits<double>::infinity();
    std::string note;
    Checkpoint checkpoint;

    explicit Run(int64_t n = 3)
        : net(n),
          optimizer(net.parameters(), 0.1),
          schedule(optimizer, 10),
          plateau(optimizer),
          averages(net) {
      checkpoint.add("model", net)
          .add("optimizer", optimizer)
          .add("schedule", schedule)
          .add("plateau", plateau)
          .add("averages", averages)
          .add("generator", generator)
          .add("order", order)
          .add("step", step)
          .add("best", best)
          .add("note", note);
    }

    void train(int steps) {
      for (int i = 0; i < steps; ++i) {
        optimizer.zero_grad();
        const Tensor loss = (net.part->weight.sum(0) * etude::randn({2}) + net.bias).pow(2).sum();
        loss.backward();
        optimizer.step();
        schedule.step();
        plateau.step(loss.item<double>());
        net.part->count.add_(1);
        averages.update();
        order = order.index_select(0, etude::randperm(4, generator));
        ++step;
        best = std::min(best, loss.item<double>() / 3);
        note = "after \"" + std::to_string(step) + "\"\n\xc3\xa9";
      }
    }
  };

  /// The exact content of a run as text.
  std::string all_of(const Run& run) {
    std::ostringstream text;
    text << std::hexfloat;
    const auto add = [&text](const Tensor& t) {
      if (t.defined()) text << fingerprint(t) << t.sizes() << '\n';
    };
    for (const auto& item : run.net.state_dict()) add(*item);
    for (const Tensor& t : run.averages.averages()) add(t);
    for (const optim::OptimizerParamGroup& group : run.optimizer.param_groups()) {
      text << group.options().get_lr() << ' ' << group.initial_lr().value_or(-1) << '\n';
      for (const Tensor& parameter : group.params()) {
        const auto found = run.optimizer.state().find(optim::Optimizer::state_key(parameter));
        if (found == run.optimizer.state().end()) continue;
        const auto& state = static_cast<const optim::AdamWParamState&>(*found->second);
        text << state.step() << '\n';
        add(state.exp_avg());
        add(state.exp_avg_sq());
      }
    }
    text << run.schedule.last_epoch() << ' ' << run.schedule.get_last_lr()[0] << ' '
         << run.schedule.base_lrs()[0] << '\n';
    const auto& plateau = run.plateau.state();
    text << plateau.best << ' ' << plateau.num_bad_epochs << ' ' << plateau.cooldown_counter << ' '
         << plateau.last_epoch << '\n';
    add(run.generator.get_state());
    add(default_generator().get_state());
    add(run.order);
    text << run.step << ' ' << run.best << ' ' << run.note;
    return text.str();
  }

  /// The first line of the error of load; checks that the run is unchanged.
  std::string refused(Run& run, const std::string& path) {
    const std::string before = all_of(run);
    const std::string text = refusal_text([&] { run.checkpoint.load(path); });
    CHECK(all_of(run) == before);
    return text;
  }

  constexpr char kSaver[] = "(run by another case) saves until it is killed";

  }  // namespace

  TEST_CASE("what was saved is loaded, bit for bit, into a run that was made anew") {
    const TemporaryFolder folder;
    manual_seed(1);
    Run first;
    first.train(3);
    CHECK_FALSE(Checkpoint::exists(folder / "run"));
    first.checkpoint.save(folder / "run");
    CHECK(Checkpoint::exists(folder / "run"));
    CHECK_FALSE(Checkpoint::exists(folder.path()));
    CHECK(folder.count() == 1);
    const std::string saved = all_of(first);
    first.train(4);
    const std::string end = all_of(first);

    manual_seed(2);
    Run second;
    second.net.part->scratch.fill_(7);
    second.train(5);
    const Tensor weight = second.net.part->weight;
    second.checkpoint.load(folder / "run");
    CHECK(all_of(second) == saved);
    CHECK(second.net.part->weight.is_same(weight));
    CHECK(second.net.part->scratch.item<float>() == 7);
    second.net.part->scratch.fill_(0);
    second.train(4);
    CHECK(all_of(second) == end);
  }

  TEST_CASE("before the first step there is nothing to remember, and that is loaded too") {
    const TemporaryFolder folder;
    manual_seed(1);
    Run first;
    first.checkpoint.save(folder / "run");
    const std::string saved = all_of(first);
    Run second;
    second.train(2);
    second.checkpoint.load(folder / "run");
    CHECK(second.optimizer.state().empty());
    CHECK(all_of(second) == saved);
  }

  TEST_CASE("the file is a safetensors file whose names tell what is what") {
    const TemporaryFolder folder;
    Run run;
    run.train(1);
    run.checkpoint.save(folder / "run.pt");
    const auto tensors = load_safetensors(folder / "run.pt");
    CHECK(tensors["model.part.weight"].equal(run.net.part->weight));
    CHECK(tensors["model.part.count"].item<int64_t>() == 1);
    CHECK_FALSE(tensors.contains("model.part.scratch"));
    CHECK(tensors["optimizer.state.0.exp_avg"].sizes() == IntArrayRef({2}));
    CHECK(tensors["default_generator"].sizes() == IntArrayRef({5056}));
    const auto texts = safetensors_metadata(folder / "run.pt");
    CHECK(texts.at("step") == "1");
    CHECK(texts.at("optimizer.param_groups.0.params") == "[0,1]");
    CHECK(texts.at("optimizer.param_groups.0.betas") == "[0.9,0.999]");
    CHECK(texts.at("optimizer.param_groups.0.initial_lr") == "0.1");
    CHECK(texts.at("schedule.base_lrs") == "[0.1]");
    CHECK(texts.at("note") == "\"after \\\"1\\\"\\n\xc3\xa9\"");
  }

  TEST_CASE("numbers are the same bits, and a list of them is told from a text") {
    const TemporaryFolder folder;
    for (const double value : {0.1, 1.0, -0.0, 1e-320, 5e300, 1.0 / 3, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
      double number = value;
      int64_t count = std::numeric_limits<int64_t>::min();
      std::string text = "nan";
      Checkpoint checkpoint;
      checkpoint.add("number", number).add("count", count).add("text", text);
      checkpoint.save(folder / "x");
      number = 3;
      count = 0;
      text = "[1]";
      checkpoint.load(folder / "x");
      CHECK(((number == value && std::signbit(number) == std::signbit(value)) ||
             (std::isnan(number) && std::isnan(value))));
      CHECK(count == std::numeric_limits<int64_t>::min());
      CHECK(text == "nan");
      text = "{\"Double\":\"nan\"}";
      checkpoint.save(folder / "x");
      text = "";
      checkpoint.load(folder / "x");
      CHECK(text == "{\"Double\":\"nan\"}");
    }
  }

  TEST_CASE("a tensor that is undefined becomes the saved one, another one takes its values") {
    const TemporaryFolder folder;
    Tensor t = etude::arange(6).view({2, 3}).t();
    Checkpoint checkpoint;
    checkpoint.add("t", t);
    checkpoint.save(folder / "t");
    const Tensor before = t, values = t.clone();
    t.fill_(0);
    checkpoint.load(folder / "t");
    CHECK(t.is_same(before));
    CHECK(t.equal(values));
    t = Tensor();
    checkpoint.load(folder / "t");
    CHECK(t.equal(values));
    t = Tensor();
    checkpoint.save(folder / "none");
    checkpoint.load(folder / "none");
    CHECK_FALSE(t.defined());
    t = etude::ones({2});
    CHECK(refusal_text([&] { checkpoint.load(folder / "none"); }) == "No such serialized tensor 't'");
    CHECK(refusal_text([&] { checkpoint.load(folder / "t"); }) ==
          "size mismatch for t: the tensor is torch.Size([2]) of Float, the saved one torch.Size([3, 2]) of "
          "Long");
    CHECK(t.equal(etude::ones({2})));
    t = etude::zeros({1}, kLong).expand({3, 2});  // cannot be written to, which is checked before any write
    CHECK(refusal_lines([&] { checkpoint.load(folder / "t"); }).find("in 't' of") != std::string::npos);
  }

  TEST_CASE("names are told apart") {
    int64_t a = 0;
    Checkpoint checkpoint;
    checkpoint.add("a", a);
    CHECK(refusal_text([&] { checkpoint.add("a", a); }) == "the checkpoint has a part 'a' already");
    CHECK(refusal_text([&] { checkpoint.add("default_generator", a); }) ==
          "the checkpoint has a part 'default_generator' already");
    for (const std::string name : {"", "a.b"})
      CHECK(refusal_text([&] { checkpoint.add(name, a); }) ==
            "the name of a part of a checkpoint must not be empty nor contain a dot");
  }

  TEST_CASE("a file with other parts is refused, and nothing changes") {
    const TemporaryFolder folder;
    Run run;
    run.train(2);
    CHECK(refused(run, folder / "none").find("none: cannot be opened") != std::string::npos);
    int64_t step = 3;
    Checkpoint other;
    other.add("step", step).add("steps", step);
    other.save(folder / "other");
    const std::string text = refusal_lines([&] { run.checkpoint.load(folder / "other"); });
    CHECK(text.find("Error(s) in loading checkpoint " + (folder / "other") +
                    ":\n\tMissing part(s): \"averages\", ") == 0);
    CHECK(text.find("\n\tUnexpected part(s): \"steps\"\n") != std::string::npos);
    CHECK(refused(run, folder / "other") == "Error(s) in loading checkpoint " + (folder / "other") + ":");

    Run larger(4);
    larger.train(1);
    larger.checkpoint.save(folder / "larger");
    CHECK(refused(run, folder / "larger") == "Error(s) in loading state_dict for Net:");
    CHECK(refusal_lines([&] { run.checkpoint.load(folder / "larger"); })
              .find("size mismatch for part.weight: copying a param with shape torch.Size([4, 2]) from "
                    "checkpoint, the shape "
                    "in current model is torch.Size([3, 2]).") != std::string::npos);
  }

  TEST_CASE("whatever of its parts is wrong, nothing has changed") {
    const TemporaryFolder folder;
    manual_seed(1);
    Run saved;
    saved.train(2);
    saved.checkpoint.save(folder / "run");
    const auto tensors = load_safetensors(folder / "run");
    const auto texts = safetensors_metadata(folder / "run");
    Run run;
    run.train(3);
    for (const auto& item : tensors) {  // one is missing, or is twice as long
      CAPTURE(item.key());
      OrderedDict<std::string, Tensor> fewer = tensors, longer = tensors;
      fewer.erase(item.key());
      longer[item.key()] = etude::cat({item->reshape({-1}), item->reshape({-1})});
      save_safetensors(folder / "fewer", fewer, texts);
      save_safetensors(folder / "longer", longer, texts);
      if (item.key().find("exp_avg") == std::string::npos) CHECK(refused(run, folder / "fewer") != "");
      if (item.key() != "model.part.count")
        CHECK(refused(run, folder / "longer") != "");  // one number may have a dim
    }
    for (const auto& [key, text] : texts) {
      CAPTURE(key);
      auto fewer = texts, other = texts;
      fewer.erase(key);
      other[key] = "[[]";
      save_safetensors(folder / "fewer", tensors, fewer);
      save_safetensors(folder / "other", tensors, other);
      if (key.find("initial_lr") == std::string::npos) CHECK(refused(run, folder / "fewer") != "");
      if (key != "note") CHECK(refused(run, folder / "other") != "");
    }
    run.checkpoint.load(folder / "run");
  }

  TEST_CASE("a file with spoiled bytes is loaded or refused as a whole") {
    const TemporaryFolder folder;
    Run run;
    run.train(2);
    run.checkpoint.save(folder / "run");
    const std::string bytes = read_bytes(folder / "run");
    std::mt19937 random(4);
    int refusals = 0;
    for (int i = 0; i < 300; ++i) {
      write_bytes(folder / "bad", mutated(bytes, random, "{}[]\",:.0123456789einf", [&](size_t size) {
                    return random() % std::min<size_t>(size, 4000);
                  }));
      const std::string before = all_of(run);
      if (refusal_text([&] { run.checkpoint.load(folder / "bad"); }).empty()) continue;
      ++refusals;
      CHECK(all_of(run) == before);
    }
    CHECK(refusals > 200);
  }

  TEST_CASE("a save that fails leaves the file as it was") {
    const TemporaryFolder folder;
    Run run;
    run.checkpoint.save(folder / "run");
    const std::string bytes = read_bytes(folder / "run");
    run.averages.apply();
    CHECK(refusal_text([&] { run.checkpoint.save(folder / "run"); }) == "EMA: the averages are applied");
    CHECK(refused(run, folder / "run") == "EMA: the averages are applied");
    run.averages.restore();
    run.note = "\xff";
    CHECK(refusal_text([&] { run.checkpoint.save(folder / "run"); }) ==
          "a text in an archive has to be UTF-8");
    CHECK(read_bytes(folder / "run") == bytes);
    CHECK(folder.count() == 1);
  }

  TEST_CASE(kSaver * doctest::skip()) {
    const std::string path = told("ETUDE_TEST_PATH");
    Tensor filled = etude::zeros({30000}, kLong);
    int64_t step = 0;
    Checkpoint checkpoint;
    checkpoint.add("filled", filled).add("step", step);
    if (Checkpoint::exists(path)) checkpoint.load(path);
    for (;;) {
      filled.fill_(++step);
      checkpoint.save(path);
    }
  }

  TEST_CASE("whenever a process is killed that saves, the file is whole and not older than before") {
    const TemporaryFolder folder;
    Tensor filled = etude::zeros({30000}, kLong);
    int64_t step = 0;
    Checkpoint checkpoint;
    checkpoint.add("filled", filled).add("step", step);
    std::mt19937 random(11);
    int64_t before = 0;
    const int rounds = sanitized() ? 5 : 30;  // a sanitized program takes long to start
    for (int round = 0; round < rounds; ++round) {
      OwnProcess saver(kSaver, {{"ETUDE_TEST_PATH", folder / "run"}});
      const auto saved_step = [&] {
        if (Checkpoint::exists(folder / "run")) checkpoint.load(folder / "run");
        return step;
      };
      for (int waited = 0; saved_step() <= before; ++waited) {
        REQUIRE(waited < 20000);
        ::usleep(1000);
      }
      ::usleep(static_cast<unsigned>(random() % 30000));
      saver.kill();
      const int64_t seen = step;
      checkpoint.load(folder / "run");
      CHECK(step >= seen);
      CHECK(filled.equal(etude::full({30000}, step, kLong)));
      before = step;
    }
    CHECK(before >= rounds);
  }
}
