// A training that is stopped and resumed in another process equals a training that was never stopped.
#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <string>

#include "etude/etude.h"
#include "support/fingerprint.h"
#include "support/own_process.h"
#include "support/temporary_folder.h"

using namespace etude;

TEST_SUITE("resumed training") {
  namespace {

  constexpr int64_t kVocabulary = 11, kSteps = 30;
  constexpr char kPart[] = "(run by another case) trains a part of the way";

  /// Trains until step `end`, from the checkpoint on if there is one, and appends a line for each step to a log: the
  /// bits of the loss and of everything that the next step depends on. At step `save` it saves and continues.
  void train(const std::string& folder, int64_t save, int64_t end) {
    manual_seed(42);
    nn::GPT model(nn::GPTOptions(kVocabulary).context(8).d_model(16).layers(2).heads(2).dropout(0.2));
    optim::AdamW optimizer(model->parameters(), optim::AdamWOptions(3e-3).weight_decay(0.1));
    optim::OneCycleLR schedule(optimizer, optim::OneCycleLROptions(1e-2, kSteps + 1));
    Generator batches(7);
    int64_t step = 0;
    Checkpoint checkpoint;
    checkpoint.add("model", *model)
        .add("optimizer", optimizer)
        .add("schedule", schedule)
        .add("batches", batches);
    checkpoint.add("step", step);
    const std::string path = folder + "/run.safetensors";
    if (Checkpoint::exists(path)) checkpoint.load(path);
    else manual_seed(43);

    while (step < end) {
      const Tensor ids = etude::randint(0, kVocabulary, {4, 9}, batches, kLong);
      const Tensor logits = model->forward(ids.slice(1, 0, 8));
      const Tensor loss =
          nn::functional::cross_entropy(logits.reshape({-1, kVocabulary}), ids.slice(1, 1, 9).reshape({-1}));
      optimizer.zero_grad();
      loss.backward();
      nn::utils::clip_grad_norm_(model->parameters(), 1.0);
      optimizer.step();
      schedule.step();
      ++step;
      Fingerprint all;
      for (const auto& item : model->state_dict()) all.add(*item);
      all.add(default_generator().get_state());
      all.add(batches.get_state());
      std::ofstream(folder + "/log", std::ios::app)
          << step << ' ' << fingerprint(loss) << ' ' << all.text() << '\n';
      if (step == save) checkpoint.save(path);
    }
  }

  }  // namespace

  TEST_CASE(kPart * doctest::skip()) {
    train(told("ETUDE_TEST_FOLDER"), std::stoll(told("ETUDE_TEST_SAVE")), std::stoll(told("ETUDE_TEST_END")));
    if (told("ETUDE_TEST_END") == "12") ::raise(SIGKILL);
  }

  TEST_CASE("twelve steps, a kill, and the rest in another process are thirty steps at once, bit for bit") {
    const TemporaryFolder at_once, in_parts;
    const auto run = [](const TemporaryFolder& folder, const char* save, const char* end) {
      OwnProcess process(
          kPart, {{"ETUDE_TEST_FOLDER", folder.path()}, {"ETUDE_TEST_SAVE", save}, {"ETUDE_TEST_END", end}});
      return process.passed();
    };
    CHECK(run(at_once, "0", "30"));
    CHECK_FALSE(run(in_parts, "12", "12"));
    CHECK(run(in_parts, "0", "30"));
    const std::string log = read_bytes(at_once / "log");
    CHECK(std::count(log.begin(), log.end(), '\n') == kSteps);
    CHECK(read_bytes(in_parts / "log") == log);
  }
}
