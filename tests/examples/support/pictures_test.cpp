#include "support/pictures.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "support/temporary_folder.h"
#include "tutorials/support/files.h"

namespace {

using examples::Curve;

/// The numbers of points and of pieces of a picture's curve number `index`.
struct Path {
  std::ptrdiff_t points, pieces;
};

Path path_of(const std::string& svg, int index) {
  const size_t at = svg.find("<path class=\"curve s" + std::to_string(index));
  REQUIRE(at != std::string::npos);
  const size_t begin = svg.find("d=\"", at) + 3;
  const std::string d = svg.substr(begin, svg.find('"', begin) - begin);
  const auto pieces = std::count(d.begin(), d.end(), 'M');
  return {pieces + std::count(d.begin(), d.end(), 'L'), pieces};
}

TEST_SUITE("pictures") {
  TEST_CASE("curves with x values of their own are whole lines in one picture") {
    const etude::TemporaryFolder folder;
    Curve training{"training"}, validation{"validation"};
    for (int step = 1; step <= 40; ++step) training.add(step, 4.0 / step);
    for (int step = 0; step <= 40; step += 20) validation.add(step, 5 - step / 20.0);
    examples::save_loss_curves(folder / "loss.svg", "Losses", {training, validation});
    CHECK(folder.count() == 1);
    const std::string svg = etude::read_bytes(folder / "loss.svg");
    CHECK(svg.find(">Losses</text>") != std::string::npos);
    CHECK(svg.find(">validation</text>") != std::string::npos);
    const Path first = path_of(svg, 0), second = path_of(svg, 1);
    CHECK(first.points == 40);
    CHECK(first.pieces == 1);
    CHECK(second.points == 41);
    CHECK(second.pieces == 1);
  }

  TEST_CASE("a long curve is drawn through the means of neighbours") {
    const etude::TemporaryFolder folder;
    Curve zigzag{"zigzag"};
    for (int step = 0; step < 2000; ++step) zigzag.add(step, step % 2 ? 1 : 3);
    examples::save_loss_curves(folder / "loss.svg", "Losses", {zigzag});
    const std::string svg = etude::read_bytes(folder / "loss.svg");
    CHECK(path_of(svg, 0).points == 100);
    CHECK(svg.find(">2.0</text>") != std::string::npos);
    CHECK(svg.find(">3.0</text>") == std::string::npos);
  }

  TEST_CASE("a curve survives as a tensor") {
    Curve curve{"training"}, other{"training"};
    curve.add(1, 1.0 / 3);
    curve.add(2.5, -7);
    examples::from_tensor(examples::to_tensor(curve), other);
    CHECK(other.x == curve.x);
    CHECK(other.y == curve.y);
    examples::from_tensor(examples::to_tensor(Curve{"nothing"}), other);
    CHECK(other.x.empty());
    CHECK(other.name == "training");
  }

  TEST_CASE("a picture that can't be written is a problem with a file") {
    CHECK_THROWS_AS(examples::save_loss_curves("no/such/folder/loss.svg", "Losses", {}),
                    tutorials::FileError);
  }
}

}  // namespace
