#include "support/char_trainer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/command_line.h"
#include "support/temporary_folder.h"

namespace {

using examples::CharSettings, examples::CharText, examples::CharTrainer;

const std::string& letters() {
  static const std::string text = [] {
    std::string many;
    for (int i = 0; i < 40; ++i) many += "abcdefgh";
    return many;
  }();
  return text;
}

CharSettings tiny(int64_t steps) {
  CharSettings s;
  s.layers = 1;
  s.heads = 2;
  s.width = 8;
  s.context = 8;
  s.batch = 4;
  s.lr = 0.02;
  s.steps = steps;
  return s;
}

void learn(CharTrainer& trainer, int64_t steps) {
  while (trainer.state().step() < steps) {
    trainer.state().note(trainer.step());
    if (trainer.is_due()) trainer.evaluate();
  }
}

TEST_SUITE("char trainer") {
  TEST_CASE("nine tenths are learnt, and characters come back") {
    const CharText text("aßcdefghijklmnopqrst");
    CHECK(text.training.size(0) == 18);
    CHECK(text.unseen.size(0) == 2);
    CHECK(text.decode(text.ids.narrow(0, 0, 3)) == "aßc");
    CHECK(text.decode(text.unseen) == "st");
  }

  TEST_CASE("learns what always follows, and is asked ten times how far it is") {
    etude::manual_seed(1);
    CharTrainer trainer(CharText(letters()), tiny(200));
    CHECK(trainer.unseen_loss() == doctest::Approx(std::log(8)).epsilon(0.05));
    learn(trainer, 200);
    CHECK(trainer.unseen().x == std::vector<double>{20, 40, 60, 80, 100, 120, 140, 160, 180, 200});
    CHECK(trainer.unseen().y.back() < 0.2);
    CHECK(trainer.unseen_loss() == trainer.unseen().y.back());
    CHECK(trainer.state().losses().y.size() == 200);
    CHECK(trainer.bigram_loss() < 0.1);
  }

  TEST_CASE("refuses settings that do not go together, or not with the text") {
    CharSettings s = tiny(10);
    s.width = 9;
    CHECK_THROWS_AS(CharTrainer(CharText(letters()), s), examples::UsageError);
    s = tiny(10);
    s.context = 32;  // as long as the unseen tenth
    CHECK_THROWS_WITH_AS(CharTrainer(CharText(letters()), s),
                         doctest::Contains("more than the context of 32"), examples::UsageError);
  }

  TEST_CASE("another trainer goes on with what one has saved, and keeps nothing of its own") {
    const etude::TemporaryFolder folder;
    const std::string path = folder / "checkpoint.safetensors", end = folder / "end.safetensors";
    etude::manual_seed(1);
    CharTrainer first(CharText(letters()), tiny(30));
    learn(first, 12);
    first.state().save(path);
    learn(first, 30);
    first.state().save(end);
    const std::string whole = etude::read_bytes(end);

    etude::manual_seed(7);
    CharSettings s = tiny(30);
    s.seed = 7;
    CharTrainer second(CharText(letters()), s);
    learn(second, 5);
    const auto changes = second.state().load(path);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].option == "--seed");
    CHECK(changes[0].here == "7");
    CHECK(changes[0].saved == "1");
    CHECK(second.state().step() == 12);
    CHECK(second.state().losses().y.size() == 12);
    learn(second, 30);
    second.state().save(end);
    CHECK(etude::read_bytes(end) == whole);
  }

  TEST_CASE("refuses the checkpoint of another model, and changes nothing") {
    const etude::TemporaryFolder folder;
    const std::string path = folder / "checkpoint.safetensors";
    CharTrainer first(CharText(letters()), tiny(10));
    first.state().save(path);
    CHECK(examples::facts_of_checkpoint(path).at("--width") == "8");
    CharSettings s = tiny(10);
    s.width = 12;
    CharTrainer other(CharText(letters()), s);
    learn(other, 2);
    CHECK_THROWS_WITH_AS(other.state().load(path), doctest::Contains("--width: 8 then, 12 now"),
                         std::runtime_error);
    CHECK(other.state().step() == 2);
  }
}

}  // namespace
