// Figures of the table of sines and cosines.

#include <etude/etude.h>

#include <cmath>

#include "controls.h"

namespace figures {

using etude::Tensor;

namespace {

const double kTurn = 2 * std::acos(-1.0);

int64_t even_width(const Controls& controls) {
  const int64_t width = controls.whole("width", 2, 128);
  if (width % 2 != 0)
    throw Refused("The width has to be even, since each pair of columns is a sine and a cosine; " +
                  std::to_string(width) + " is odd.");
  return width;
}

// The rotation of each pair from one position to the next: base^(-2i / width), [width / 2].
Tensor speeds(int64_t width, double base) {
  const Tensor columns = etude::arange(0, width, 2).to(etude::kFloat);
  return etude::exp(columns * (-std::log(base) / static_cast<double>(width)));
}

// Sines in the even columns, cosines in the odd ones: [positions, width].
Tensor table(const Tensor& positions, const Tensor& speed) {
  const Tensor angle = positions.unsqueeze(1) * speed;
  return etude::stack({etude::sin(angle), etude::cos(angle)}, 2).flatten(1);
}

Tensor first_positions(int64_t count) { return etude::arange(0, count).to(etude::kFloat); }

}  // namespace

Answer sines(const Controls& controls) {
  const int64_t width = even_width(controls), positions = controls.whole("positions", 2, 128);
  const double base = controls.number("base", 1, 1e6);
  const int64_t position = controls.whole("position", 0, 127);
  if (position >= positions)
    throw Refused("A table of " + std::to_string(positions) + " positions has no position " +
                  std::to_string(position) + ": they count from 0.");
  const Tensor speed = speeds(width, base), all = table(first_positions(positions), speed);
  const std::vector<double> row = numbers(all[position]), turn = numbers(kTurn / speed);
  const size_t last = row.size() - 2;
  return {
      {"values", rows(all)},
      {"position", position},
      {"row", row},
      {"words", "The table has " + std::to_string(positions) + " rows and " + std::to_string(width) +
                    " columns. In the row of position " + std::to_string(position) + " the first pair is " +
                    fixed(row[0], 3) + " and " + fixed(row[1], 3) + ", the last pair " + fixed(row[last], 3) +
                    " and " + fixed(row[last + 1], 3) + ". The first pair comes round after " +
                    digits(turn.front()) + " positions, the last one after " + digits(turn.back()) + "."}};
}

Answer pair(const Controls& controls) {
  const int64_t width = even_width(controls), position = controls.whole("position", 0, 100);
  const double base = controls.number("base", 1, 1e6);
  const int64_t chosen = controls.whole("pair", 0, 63);
  if (chosen >= width / 2)
    throw Refused("A width of " + std::to_string(width) + " has the pairs 0 to " +
                  std::to_string(width / 2 - 1) + ", and no pair " + std::to_string(chosen) + ".");
  const Tensor speed = speeds(width, base), positions = first_positions(101);
  const Tensor all = table(positions, speed.narrow(0, chosen, 1));
  const double omega = speed[chosen].item<double>();
  const double angle = (positions[position] * speed[chosen]).item<double>();
  const double sine = all[position][0].item<double>(), cosine = all[position][1].item<double>();
  return {{"sines", numbers(all.select(1, 0))},
          {"cosines", numbers(all.select(1, 1))},
          {"position", position},
          {"sine", sine},
          {"cosine", cosine},
          {"omega", omega},
          {"angle", angle},
          {"words", "Pair " + std::to_string(chosen) + " of the pairs 0 to " + std::to_string(width / 2 - 1) +
                        " turns by " + digits(omega) + " radians from a position to the next: once in " +
                        digits(kTurn / omega) + " positions. At position " + std::to_string(position) +
                        " it has made " + fixed(angle / kTurn, 2) + " turns; its sine is " + fixed(sine, 3) +
                        ", its cosine " + fixed(cosine, 3) + "."}};
}

Answer distance(const Controls& controls) {
  constexpr int64_t kFar = 50;
  const int64_t width = even_width(controls), position = controls.whole("position", kFar, 500);
  const double base = controls.number("base", 1, 1e6);
  const int64_t apart = controls.whole("distance", -kFar, kFar);
  const Tensor speed = speeds(width, base);
  const Tensor distances = etude::arange(-kFar, kFar + 1).to(etude::kFloat);
  const Tensor all = table(distances + position, speed);
  const std::vector<double> dots = numbers(etude::matmul(all, all[kFar]));
  const std::vector<double> by_cosines = numbers(etude::cos(distances.unsqueeze(1) * speed).sum(1));
  const double at = dots[static_cast<size_t>(apart + kFar)], most = dots[kFar];
  return {{"distances", numbers(distances)},
          {"dots", dots},
          {"cosines", by_cosines},
          {"distance", apart},
          {"dot", at},
          {"words",
           "Position " + std::to_string(position) + " and position " + std::to_string(position + apart) +
               " have the dot product " + fixed(at, 2) + ", " + percent(at / most) + " of the " +
               fixed(most, 2) + " that a position has with itself. The sum of the cosines of the distance " +
               std::to_string(apart) + " is " + fixed(by_cosines[static_cast<size_t>(apart + kFar)], 2) +
               ", whatever the position."}};
}

}  // namespace figures
