/// # A GPT of single numbers
///
/// - You will be able to: write a GPT with nothing but a loop over numbers; say what a tensor saves and what it does not
/// - You need: [autograd](07_autograd.cpp), [attention](08_attention.cpp), [training a GPT](11_training_a_gpt.cpp)
/// - Minutes: 60
/// - Result: invented
///
/// How large a program is a GPT, if no library helps? In February 2026 Andrej Karpathy answered
/// with *microgpt* [1]: two hundred lines of Python that import nothing but its standard library
/// and contain everything: letters, gradients, attention, Adam, and words drawn at the end. This
/// lesson writes a program of that kind anew, in its own words, in Python and in C++ side by
/// side.
///
/// The two are equal to the last digit of the last loss, after 400 steps of training. For that,
/// C++ has to draw the same random numbers as Python, so the lesson begins with these. It ends
/// with the same model in tensors, which is much shorter and computes the same loss.
///
/// ```diagram From a letter to the probabilities of the next
/// letter: a letter's id | place: its place in the word
/// sum: (rows added, norm) [8]
/// q: query [8] | k: key, kept [8] | v: value, kept [8]
/// attention: (two heads look back) [8]
/// mlp: (wider, ReLU, back) [8]
/// p: (softmax) [22]
/// letter -> sum ; place -> sum
/// sum -> q ; sum -> k ; sum -> v
/// q -> attention ; k -> attention ; v -> attention
/// attention -> mlp -> p
/// ```

#include "support/svg.h"
#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% twister | The random numbers of Python
/// Python's `random` draws from the Mersenne Twister [2]: 624 words of 32 bits, which are stirred
/// whenever all of them have been used. On Python's side that is one `import`.
///
/// ```python
/// import math
/// import random
/// ```
///
/// C++ has the same generator as `std::mt19937`, but fills the 624 words from a seed in another
/// way, as `torch.manual_seed` does too. And C++ leaves it to whoever writes the library what is
/// made of the bits. So both are spelled out here. `random` takes 53 bits, all that a double
/// holds. `gauss` makes two normal numbers of two uniform ones and keeps the second for the next
/// call. `below` draws bits until they are small enough, so that no number is more probable.
#include <etude/etude.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace F = etude::nn::functional;
using etude::print, etude::Tensor;

class PythonRandom {
 public:
  explicit PythonRandom(uint32_t seed) {
    state_[0] = 19650218;
    for (uint32_t i = 1; i < size; ++i) state_[i] = 1812433253 * before(i) + i;
    uint32_t i = 1;
    const auto next_place = [&] {
      if (++i < size) return;
      state_[0] = state_[size - 1];
      i = 1;
    };
    for (uint32_t k = 0; k < size; ++k, next_place())
      state_[i] = (state_[i] ^ (before(i) * 1664525)) + seed;
    for (uint32_t k = 1; k < size; ++k, next_place())
      state_[i] = (state_[i] ^ (before(i) * 1566083941)) - i;
    state_[0] = 0x80000000;
  }

  uint32_t bits() {
    if (used_ == size) stir();
    uint32_t y = state_[used_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return y ^ (y >> 18);
  }

  /// `random` gives a number that is at least 0 and less than 1.
  double random() {
    const double high = bits() >> 5, low = bits() >> 6;  // 27 bits and 26
    return (high * 67108864 + low) / 9007199254740992;   // 2^26 and 2^53
  }

  double gauss(double mean, double deviation) {
    double z = 0;
    if (kept_) {
      z = *kept_;
      kept_.reset();
    } else {
      const double angle = random() * 2 * 3.141592653589793;
      const double radius = std::sqrt(-2 * std::log(1 - random()));
      z = std::cos(angle) * radius;
      kept_ = std::sin(angle) * radius;
    }
    return mean + z * deviation;
  }

  /// `below` gives one of 0, 1, ... n - 1, each as probable as the others.
  uint32_t below(uint32_t n) {
    uint32_t length = 0;  // how many bits n has
    while (n >> length) ++length;
    uint32_t drawn = bits() >> (32 - length);
    while (drawn >= n) drawn = bits() >> (32 - length);
    return drawn;
  }

  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (size_t i = items.size() - 1; i > 0; --i)
      std::swap(items[i], items[below(static_cast<uint32_t>(i + 1))]);
  }

  /// `choice` gives a place, as probable as its weight says, as `random.choices` does.
  size_t choice(const std::vector<double>& weights) {
    std::vector<double> sums;
    for (const double weight : weights)
      sums.push_back((sums.empty() ? 0 : sums.back()) + weight);
    const auto found = std::upper_bound(sums.begin(), sums.end() - 1, random() * sums.back());
    return static_cast<size_t>(found - sums.begin());
  }

 private:
  static constexpr uint32_t size = 624;

  uint32_t before(uint32_t i) const { return state_[i - 1] ^ (state_[i - 1] >> 30); }

  void stir() {
    for (uint32_t i = 0; i < size; ++i) {
      const uint32_t y = (state_[i] & 0x80000000) | (state_[(i + 1) % size] & 0x7fffffff);
      state_[i] = state_[(i + 397) % size] ^ (y >> 1) ^ (y % 2 ? 0x9908b0df : 0);
    }
    used_ = 0;
  }

  std::array<uint32_t, size> state_{};
  uint32_t used_ = size;
  std::optional<double> kept_;
};

//%% number | A number that can be traced back
/// Every number of the model is an entry on a *tape*: its value, the entries that it was computed
/// from, and how fast it changes with each of them. A product changes with one factor as fast as
/// the other factor is large; a sum changes with its terms at rate one.
///
/// The tape is written from front to back, so each entry stands behind those it came from. Read
/// from back to front, it hands on what this lesson calls the *slope*: how fast the last entry,
/// the loss, changes with this one. That is all of backpropagation, five lines of Python.
/// (microgpt has no tape; it finds the order by walking through the graph.)
///
/// In C++ a `Number` is its place on the tape.
///
/// ```python
/// tape = []
///
/// class Number:
///     def __init__(self, value, *inputs):
///         self.value, self.slope, self.inputs = value, 0.0, inputs
///         tape.append(self)
///
///     def __add__(self, other):
///         if isinstance(other, float):
///             return Number(self.value + other, (self, 1.0))
///         return Number(self.value + other.value,
///                       (self, 1.0), (other, 1.0))
///
///     def __mul__(self, other):
///         if isinstance(other, float):
///             return Number(self.value * other, (self, other))
///         return Number(self.value * other.value,
///                       (self, other.value), (other, self.value))
///
///     def __pow__(self, n):
///         return Number(self.value ** n,
///                       (self, n * self.value ** (n - 1)))
///
///     def exp(self):
///         result = math.exp(self.value)
///         return Number(result, (self, result))
///
///     def log(self):
///         return Number(math.log(self.value), (self, 1 / self.value))
///
///     def relu(self):
///         rate = 1.0 if self.value > 0 else 0.0
///         return Number(max(self.value, 0.0), (self, rate))
///
/// def backward():
///     tape[-1].slope = 1.0
///     for entry in reversed(tape):
///         for source, rate in entry.inputs:
///             source.slope += rate * entry.slope
/// ```
struct Input {
  size_t place = 0;
  double rate = 0;
};
struct Entry {
  double value = 0, slope = 0;
  std::array<Input, 2> inputs{};
  size_t input_count = 0;
};
std::vector<Entry> tape;

struct Number {
  size_t place;
  double& value() const { return tape[place].value; }
  double& slope() const { return tape[place].slope; }
};
Number constant(double value) {
  tape.push_back({value});
  return {tape.size() - 1};
}
Number from(double value, Number a, double rate) {
  tape.push_back({value, 0, {{{a.place, rate}, {}}}, 1});
  return {tape.size() - 1};
}
Number from(double value, Number a, double rate, Number b, double other_rate) {
  tape.push_back({value, 0, {{{a.place, rate}, {b.place, other_rate}}}, 2});
  return {tape.size() - 1};
}

Number operator+(Number a, double b) { return from(a.value() + b, a, 1); }
Number operator+(Number a, Number b) { return from(a.value() + b.value(), a, 1, b, 1); }
Number operator*(Number a, double b) { return from(a.value() * b, a, b); }
Number operator*(Number a, Number b) {
  return from(a.value() * b.value(), a, b.value(), b, a.value());
}
Number pow(Number a, double n) {
  return from(std::pow(a.value(), n), a, n * std::pow(a.value(), n - 1));
}
Number exp(Number a) {
  const double result = std::exp(a.value());
  return from(result, a, result);
}
Number log(Number a) { return from(std::log(a.value()), a, 1 / a.value()); }
Number relu(Number a) { return from(std::max(a.value(), 0.0), a, a.value() > 0 ? 1 : 0); }

void backward() {
  tape.back().slope = 1;
  for (size_t i = tape.size(); i-- > 0;) {
    for (size_t k = 0; k < tape[i].input_count; ++k)
      tape[tape[i].inputs[k].place].slope += tape[i].inputs[k].rate * tape[i].slope;
  }
}

//%% parts | Four parts
/// A linear layer is one dot product per row of its weights. Softmax subtracts the highest score
/// first, so that no power overflows. And the norm is RMSNorm [3]: a vector is divided by the
/// root of the mean of its squares.
///
/// ```python
/// def total(numbers):
///     result = numbers[0]
///     for number in numbers[1:]:
///         result = result + number
///     return result
///
/// def dot(a, b):
///     return total([p * q for p, q in zip(a, b)])
///
/// def linear(rows, x):
///     return [dot(row, x) for row in rows]
///
/// def softmax(scores):
///     highest = max(score.value for score in scores)
///     powers = [(score + -highest).exp() for score in scores]
///     scale = total(powers) ** -1.0
///     return [power * scale for power in powers]
///
/// def rms_norm(x):
///     scale = (dot(x, x) * (1 / len(x)) + 1e-5) ** -0.5
///     return [number * scale for number in x]
/// ```
using Vector = std::vector<Number>;
using Matrix = std::vector<Vector>;

Number total(const Vector& numbers) {
  Number result = numbers.at(0);
  for (size_t i = 1; i < numbers.size(); ++i) result = result + numbers[i];
  return result;
}

Number dot(const Vector& a, const Vector& b) {
  Vector products;
  for (size_t i = 0; i < a.size(); ++i) products.push_back(a[i] * b[i]);
  return total(products);
}

Vector linear(const Matrix& rows, const Vector& x) {
  Vector result;
  for (const Vector& row : rows) result.push_back(dot(row, x));
  return result;
}

Vector softmax(const Vector& scores) {
  double highest = scores.at(0).value();
  for (const Number score : scores) highest = std::max(highest, score.value());
  Vector powers;
  for (const Number score : scores) powers.push_back(exp(score + -highest));
  const Number scale = pow(total(powers), -1);
  for (Number& power : powers) power = power * scale;
  return powers;
}

Vector rms_norm(const Vector& x) {
  const Number scale = pow(dot(x, x) * (1 / static_cast<double>(x.size())) + 1e-5, -0.5);
  Vector result;
  for (const Number number : x) result.push_back(number * scale);
  return result;
}

Vector operator+(const Vector& a, const Vector& b) {
  Vector sums;
  for (size_t i = 0; i < a.size(); ++i) sums.push_back(a[i] + b[i]);
  return sums;
}

//%% gpt | The model
/// One block of width 8 with two heads. The model is given one letter at a time. What earlier
/// letters left for later ones are their keys and values, in two lists that grow: the KV cache
/// of [drawing from a model](12_sampling.cpp), used in training too. There is no mask, since
/// what is not yet computed cannot be seen.
///
/// ```python
/// width, heads, context = 8, 2, 8
/// head_size = width // heads
///
/// def attention(w, x, keys, values):
///     query = linear(w["query"], x)
///     keys.append(linear(w["key"], x))
///     values.append(linear(w["value"], x))
///     found = []
///     for h in range(0, width, head_size):
///         scores = [dot(query[h:h + head_size], key[h:h + head_size])
///                   * head_size ** -0.5 for key in keys]
///         weights = softmax(scores)
///         found += [dot(weights, [value[i] for value in values])
///                   for i in range(h, h + head_size)]
///     return linear(w["out"], found)
///
/// def mlp(w, x):
///     return linear(w["down"], [n.relu() for n in linear(w["up"], x)])
///
/// def add(a, b):
///     return [p + q for p, q in zip(a, b)]
///
/// def gpt(w, letter, place, keys, values):
///     x = rms_norm(add(w["letter"][letter], w["place"][place]))
///     x = add(x, attention(w, rms_norm(x), keys, values))
///     x = add(x, mlp(w, rms_norm(x)))
///     return linear(w["head"], x)
/// ```
using Weights = std::map<std::string, Matrix>;

const size_t width = 8, heads = 2, context = 8;
const size_t head_size = width / heads;

Vector attention(const Weights& w, const Vector& x, Matrix& keys, Matrix& values) {
  const auto part = [](const Vector& v, size_t h) {
    return Vector(v.data() + h, v.data() + h + head_size);
  };
  const Vector query = linear(w.at("query"), x);
  keys.push_back(linear(w.at("key"), x));
  values.push_back(linear(w.at("value"), x));
  Vector found;
  for (size_t h = 0; h < width; h += head_size) {
    Vector scores;
    for (const Vector& key : keys)
      scores.push_back(dot(part(query, h), part(key, h)) * std::pow(head_size, -0.5));
    const Vector weights = softmax(scores);
    for (size_t i = h; i < h + head_size; ++i) {
      Vector column;
      for (const Vector& value : values) column.push_back(value[i]);
      found.push_back(dot(weights, column));
    }
  }
  return linear(w.at("out"), found);
}

Vector mlp(const Weights& w, const Vector& x) {
  Vector wide = linear(w.at("up"), x);
  for (Number& number : wide) number = relu(number);
  return linear(w.at("down"), wide);
}

Vector gpt(const Weights& w, size_t letter, size_t place, Matrix& keys, Matrix& values) {
  Vector x = rms_norm(w.at("letter")[letter] + w.at("place")[place]);
  x = x + attention(w, rms_norm(x), keys, values);
  x = x + mlp(w, rms_norm(x));
  return linear(w.at("head"), x);
}

/// Every digit is compared where exp, log and pow are those that Python was recorded with.
/// Another C library may round one of them differently.
Compare all_digits() {
#if defined(__GLIBC__) && defined(__x86_64__)
  return Compare::bytes();
#else
  return Compare::within(1e-9);
#endif
}

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "18_micro_gpt");
  cell("twister", "The random numbers of Python");
  cell("number", "A number that can be traced back");
  cell("parts", "Four parts");
  cell("gpt", "The model");

  etude::set_num_threads(1);  // the tensors are too small to be worth sharing out

  //%% drawn | The same numbers
  cell("drawn", "The same numbers", all_digits());
  /// Here is what one seed gives, in one order: a uniform number, two normal ones, a shuffled
  /// sentence, and five letters of which the first is as probable as the other two together.
  /// `print` writes the fewest digits that read back as the same double, so equal digits are
  /// equal bits.
  ///
  /// ```python
  /// random.seed(2026)
  /// print(random.random())
  /// print(random.gauss(0, 1), random.gauss(0, 1))
  /// sentence = ["the", "dog", "saw", "itself"]
  /// random.shuffle(sentence)
  /// print(*sentence)
  /// print(*[random.choices("abc", weights=[2, 1, 1])[0]
  ///         for _ in range(5)])
  /// ```
  PythonRandom generator(2026);
  print(generator.random());
  const double one_normal = generator.gauss(0, 1);
  print(one_normal, generator.gauss(0, 1));
  std::vector<std::string> sentence = {"the", "dog", "saw", "itself"};
  generator.shuffle(sentence);
  print(sentence[0], sentence[1], sentence[2], sentence[3]);
  std::string chosen;
  for (int i = 0; i < 5; ++i)
    chosen += (i > 0 ? " " : "") + std::string(1, "abc"[generator.choice({2, 1, 1})]);
  print(chosen);

  //%% slopes | A slope
  cell("slopes", "A slope", all_digits());
  /// Take $f = \ln(a^2 + 3ab)$ at $a = 2$, $b = 1$. By hand $\partial f / \partial a = (2a + 3b) /
  /// (a^2 + 3ab) = 0.7$ and $\partial f / \partial b = 3a / (a^2 + 3ab) = 0.6$. The entry of $a$ is
  /// used twice, so two amounts are added to its slope. Seven entries are on the tape.
  ///
  /// ```python
  /// a, b = Number(2.0), Number(1.0)
  /// f = (a ** 2 + a * b * 3.0).log()
  /// backward()
  /// print(f.value, a.slope, b.slope)
  /// print(len(tape))
  /// tape.clear()
  /// ```
  const Number a = constant(2), b = constant(1);
  const Number f = log(pow(a, 2) + a * b * 3.0);
  backward();
  print(f.value(), a.slope(), b.slope());
  print(tape.size());
  tape.clear();

  //%% words | Words to learn from
  cell("words", "Words to learn from");
  /// There are forty words: those of four couplets of the doggerel that [the
  /// GPT](11_training_a_gpt.cpp) learned, and *dog*, *saw* and *itself*. Each is a small text of
  /// its own. One more id than there are letters, `end`, stands before and after every word.
  ///
  /// ```python
  /// words = ("the day was long road steep wind cold snow deep door low "
  ///          "lamp dim cup filled up to brim soup hot bread brown cat "
  ///          "came in and sat right down fire red night black went on "
  ///          "back dog saw itself").split()
  /// letters = sorted(set("".join(words)))
  /// end, V = len(letters), len(letters) + 1
  ///
  /// def encode(word):
  ///     return [end] + [letters.index(c) for c in word] + [end]
  ///
  /// print(len(words), "words of", len(letters), "letters")
  /// print(encode("dog"))
  /// random.shuffle(words)
  /// print(*words[:6])
  /// ```
  std::istringstream text(
      "the day was long road steep wind cold snow deep door low lamp dim cup filled up to brim "
      "soup hot bread brown cat came in and sat right down fire red night black went on back "
      "dog saw itself");
  std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
  std::set<char> found;
  for (const std::string& word : words) found.insert(word.begin(), word.end());
  const std::string letters(found.begin(), found.end());
  const size_t end = letters.size(), V = letters.size() + 1;
  const auto encode = [&](const std::string& word) {
    std::vector<size_t> ids{end};
    for (const char c : word) ids.push_back(letters.find(c));
    ids.push_back(end);
    return ids;
  };
  print(words.size(), "words of", letters.size(), "letters");
  const std::vector<size_t> dog = encode("dog");
  print(
      etude::tolist(etude::tensor(std::vector<int64_t>(dog.begin(), dog.end()), etude::kLong)));
  generator.shuffle(words);
  print(words[0], words[1], words[2], words[3], words[4], words[5]);

  //%% weights | 1,184 weights
  cell("weights", "1,184 weights", all_digits());
  /// The weights are nine matrices of normal numbers. They stay at the front of the tape; what a
  /// step computes comes behind them and is cut off after the step.
  ///
  /// ```python
  /// def new_weights():
  ///     def matrix(rows, columns):
  ///         return [[Number(random.gauss(0, 0.1))
  ///                  for _ in range(columns)] for _ in range(rows)]
  ///     return {"letter": matrix(V, width),
  ///             "place": matrix(context, width),
  ///             "query": matrix(width, width),
  ///             "key": matrix(width, width),
  ///             "value": matrix(width, width),
  ///             "out": matrix(width, width),
  ///             "up": matrix(4 * width, width),
  ///             "down": matrix(width, 4 * width),
  ///             "head": matrix(V, width)}
  ///
  /// w = new_weights()
  /// print(len(tape))
  /// print([n.value for n in w["letter"][0][:3]])
  /// ```
  const auto new_weights = [&] {
    const auto matrix = [&](size_t rows, size_t columns) {
      Matrix result(rows);
      for (Vector& row : result)
        for (size_t i = 0; i < columns; ++i) row.push_back(constant(generator.gauss(0, 0.1)));
      return result;
    };
    return Weights{{"letter", matrix(V, width)},     {"place", matrix(context, width)},
                   {"query", matrix(width, width)},  {"key", matrix(width, width)},
                   {"value", matrix(width, width)},  {"out", matrix(width, width)},
                   {"up", matrix(4 * width, width)}, {"down", matrix(width, 4 * width)},
                   {"head", matrix(V, width)}};
  };
  Weights w = new_weights();
  print(tape.size());
  std::vector<double> first_three;
  for (size_t i = 0; i < 3; ++i) first_three.push_back(w.at("letter")[0][i].value());
  print(etude::tolist(etude::tensor(first_three, etude::kDouble)));

  //%% first_loss | The loss of a word
  cell("first_loss", "The loss of a word", all_digits());
  /// Each letter of the word is followed by one that the model should have predicted. The loss is
  /// the mean of $-\ln p$ of these. Before any training it is near $\ln 22 = 3.09$.
  ///
  /// `dog` has three letters and four questions: what comes first, what after *d*, after *o*, and
  /// that it ends after *g*. All of this takes 8,444 entries of the tape behind the weights.
  ///
  /// ```python
  /// def loss_of(w, word):
  ///     ids = encode(word)
  ///     keys, values, losses = [], [], []
  ///     for place in range(len(ids) - 1):
  ///         scores = gpt(w, ids[place], place, keys, values)
  ///         p = softmax(scores)[ids[place + 1]]
  ///         losses.append(p.log() * -1.0)
  ///     return total(losses) * (1 / len(losses))
  ///
  /// count = len(tape)
  /// print(math.log(V), loss_of(w, "dog").value)
  /// print(len(tape) - count)
  /// del tape[count:]
  /// ```
  const auto loss_of = [&](const Weights& of, const std::string& word) {
    const std::vector<size_t> ids = encode(word);
    Matrix keys, values;
    Vector losses;
    for (size_t place = 0; place + 1 < ids.size(); ++place) {
      const Vector scores = gpt(of, ids[place], place, keys, values);
      losses.push_back(log(softmax(scores)[ids[place + 1]]) * -1.0);
    }
    return total(losses) * (1 / static_cast<double>(losses.size()));
  };
  const size_t count = tape.size();
  print(std::log(static_cast<double>(V)), loss_of(w, "dog").value());
  print(tape.size() - count);
  tape.resize(count);

  //%% training | Training, to the last digit
  cell("training", "Training, to the last digit", all_digits());
  /// Each step takes one word, and Adam [4] is written by hand: it keeps two running means per
  /// weight, of its slope and of the slope's square. Each is divided by a factor that makes up
  /// for its beginning at zero. The learning rate falls in a straight line. The training goes ten
  /// times through the forty words.
  ///
  /// The loss of every fortieth step is printed, which is that of the last word of each round,
  /// and at the end the sum of all 400 losses. If any digit of any loss differed, the sum would
  /// differ too.
  ///
  /// ```python
  /// def train(w, steps, reset=True):
  ///     weights = [number for matrix in w.values()
  ///                for row in matrix for number in row]
  ///     count, losses = len(tape), []
  ///     mean, square = [0.0] * len(weights), [0.0] * len(weights)
  ///     for step in range(steps):
  ///         losses.append(loss_of(w, words[step % len(words)]).value)
  ///         backward()
  ///         rate = 0.02 * (1 - step / steps)
  ///         for i, number in enumerate(weights):
  ///             g = number.slope
  ///             mean[i] = 0.9 * mean[i] + 0.1 * g
  ///             square[i] = 0.99 * square[i] + 0.01 * g * g
  ///             up = mean[i] / (1 - 0.9 ** (step + 1))
  ///             down = square[i] / (1 - 0.99 ** (step + 1))
  ///             number.value -= rate * up / (math.sqrt(down) + 1e-8)
  ///             if reset:
  ///                 number.slope = 0.0
  ///         del tape[count:]
  ///     return losses
  ///
  /// losses = train(w, 400)
  /// sum_of_all = 0.0
  /// for step, loss in enumerate(losses):
  ///     sum_of_all += loss
  ///     if step % 40 == 39:
  ///         print(step + 1, words[step % 40], loss)
  /// print(sum_of_all)
  /// ```
  const auto train = [&](Weights& of, int steps, bool reset = true) {
    Vector weights;
    for (const auto& [name, matrix] : of)
      for (const Vector& row : matrix) weights.insert(weights.end(), row.begin(), row.end());
    const size_t kept = tape.size();
    std::vector<double> result, mean(weights.size()), square(weights.size());
    for (int step = 0; step < steps; ++step) {
      result.push_back(loss_of(of, words[static_cast<size_t>(step) % words.size()]).value());
      backward();
      const double rate = 0.02 * (1 - static_cast<double>(step) / steps);
      for (size_t i = 0; i < weights.size(); ++i) {
        const double g = weights[i].slope();
        mean[i] = 0.9 * mean[i] + 0.1 * g;
        square[i] = 0.99 * square[i] + 0.01 * g * g;
        const double up = mean[i] / (1 - std::pow(0.9, step + 1));
        const double down = square[i] / (1 - std::pow(0.99, step + 1));
        weights[i].value() -= rate * up / (std::sqrt(down) + 1e-8);
        if (reset) weights[i].slope() = 0;
      }
      tape.resize(kept);
    }
    return result;
  };
  const std::vector<double> losses = train(w, 400);
  double sum_of_all = 0;
  for (size_t step = 0; step < losses.size(); ++step) {
    sum_of_all += losses[step];
    if (step % 40 == 39) print(step + 1, words[step % 40], losses[step]);
  }
  print(sum_of_all);

  //%% curve | The curve
  cell("curve", "The curve");
  /// Each word has a loss of its own, so the line jumps from step to step. The mean of a round
  /// shows what is learned: at first which letters are frequent, then which follow each other,
  /// then words by heart. In the last round `brim` costs least and `itself` most. No word has
  /// loss zero, since before its first letter nothing tells which word it will be.
  ///
  /// ![Loss over training steps: from 3.1 it falls to about 2.3 within 80 steps and slowly on to
  /// 1.4](curve.svg)
  LinePlot plot;
  plot.title = "Loss of each word and mean of a round";
  plot.description = "From ln 22 = 3.09 the mean falls to 2.3 in two rounds and to 1.4 in ten.";
  plot.x_label = "step";
  plot.y_label = "cross entropy in nats";
  std::vector<double> mean_of_round;
  for (size_t i = 0; i < losses.size(); ++i) {
    plot.x.push_back(static_cast<double>(i + 1));
    const size_t begin = i < 40 ? 0 : i - 39;
    const double sum = std::accumulate(losses.data() + begin, losses.data() + i + 1, 0.0);
    mean_of_round.push_back(sum / static_cast<double>(i + 1 - begin));
  }
  plot.series = {{"one word", losses}, {"the last forty", mean_of_round}};
  figure("curve.svg", draw(plot));

  //%% invented | Words that do not exist
  cell("invented", "Words that do not exist");
  /// Begin with `end`, draw a letter with the probabilities that the model gives, go on with it,
  /// and stop when `end` is drawn. At a low temperature $t$ the scores are divided by a small
  /// number and the probable becomes more probable. The output has ten words at $t = 0.5$ and ten
  /// at $t = 1$; a star stands behind words that are among those to learn from.
  ///
  /// ```python
  /// def invent(w, t):
  ///     letter, word, keys, values = end, "", [], []
  ///     count = len(tape)
  ///     while len(word) < context:
  ///         scores = gpt(w, letter, len(word), keys, values)
  ///         p = softmax([score * (1 / t) for score in scores])
  ///         letter, = random.choices(range(V), [n.value for n in p])
  ///         if letter == end:
  ///             break
  ///         word += letters[letter]
  ///     del tape[count:]
  ///     return word
  ///
  /// for t in (0.5, 1.0):
  ///     invented = [invent(w, t) for _ in range(10)]
  ///     print(*[word + "*" if word in words else word
  ///             for word in invented])
  /// ```
  const auto invent = [&](double t) {
    size_t letter = end;
    const size_t kept = tape.size();
    std::string word;
    Matrix keys, values;
    while (word.size() < context) {
      Vector scores = gpt(w, letter, word.size(), keys, values);
      for (Number& score : scores) score = score * (1 / t);
      std::vector<double> p;
      for (const Number number : softmax(scores)) p.push_back(number.value());
      letter = generator.choice(p);
      if (letter == end) break;
      word += letters[letter];
    }
    tape.resize(kept);
    return word;
  };
  for (const double t : {0.5, 1.0}) {
    std::string line;
    for (int i = 0; i < 10; ++i) {
      const std::string word = invent(t);
      const bool known = std::find(words.begin(), words.end(), word) != words.end();
      line += (i > 0 ? " " : "") + word + (known ? "*" : "");
    }
    print(line);
  }

  //%% tensors | The same in tensors
  cell("tensors", "The same in tensors");
  /// Now the weights are matrices in float64, and one product does what was a loop: it takes the
  /// rows of all letters of a word at once, `[n, 8]`, and both heads at once, `[2, n, 4]`. Two
  /// things have to change. Later letters are there from the beginning, so a mask has to hide
  /// them. And the lists of keys and values are gone; they are the rows of two tensors.
  ///
  /// The output shows, for four words, the loss of both forms, and whether all slopes are those
  /// of autograd.
  ///
  /// ```python
  /// import torch
  /// import torch.nn.functional as F
  ///
  /// def as_tensors(w):
  ///     return {name: torch.tensor([[n.value for n in row]
  ///                                 for row in matrix],
  ///                                dtype=torch.float64,
  ///                                requires_grad=True)
  ///             for name, matrix in w.items()}
  ///
  /// def norm(x):
  ///     return x * (x.pow(2).mean(-1, keepdim=True) + 1e-5).pow(-0.5)
  ///
  /// def tensor_loss(w, word):
  ///     ids = torch.tensor(encode(word))
  ///     n = len(ids) - 1
  ///     x = norm(w["letter"][ids[:-1]] + w["place"][:n])
  ///     y = norm(x)
  ///     q, k, v = ((y @ w[name].T).view(n, heads, head_size).transpose(0, 1)
  ///                for name in ("query", "key", "value"))
  ///     scores = q @ k.transpose(1, 2) * head_size ** -0.5
  ///     later = torch.ones(n, n, dtype=torch.bool).triu(1)
  ///     p = torch.softmax(scores.masked_fill(later, -math.inf), dim=-1)
  ///     found = (p @ v).transpose(0, 1).reshape(n, width)
  ///     x = x + found @ w["out"].T
  ///     x = x + torch.relu(norm(x) @ w["up"].T) @ w["down"].T
  ///     return F.cross_entropy(x @ w["head"].T, ids[1:])
  ///
  /// m = as_tensors(w)
  /// for word in ("the", "dog", "saw", "itself"):
  ///     for number in tape:
  ///         number.slope = 0.0
  ///     loss = loss_of(w, word)
  ///     backward()
  ///     del tape[count:]
  ///     for tensor in m.values():
  ///         tensor.grad = None
  ///     same = tensor_loss(m, word)
  ///     same.backward()
  ///     equal = [torch.allclose(m[name].grad,
  ///                             torch.tensor([[n.slope for n in row]
  ///                                           for row in matrix],
  ///                                          dtype=torch.float64))
  ///              for name, matrix in w.items()]
  ///     print(word, f"{loss.value:.6f} {same:.6f}", all(equal))
  /// ```
  using Tensors = std::map<std::string, Tensor>;
  const auto collect = [](const Matrix& matrix, const auto& of_number) {
    std::vector<double> numbers;
    for (const Vector& row : matrix)
      for (const Number number : row) numbers.push_back(of_number(number));
    const auto rows = static_cast<int64_t>(matrix.size());
    return etude::tensor(numbers, etude::kDouble).view({rows, -1});
  };
  const auto as_tensors = [&](const Weights& of) {
    Tensors result;
    for (const auto& [name, matrix] : of)
      result[name] = collect(matrix, [](Number n) { return n.value(); }).requires_grad_();
    return result;
  };
  const auto norm = [](const Tensor& x) {
    return x * (x.pow(2).mean(-1, true) + 1e-5).pow(-0.5);
  };
  const auto tensor_loss = [&](const Tensors& of, const std::string& word) {
    const std::vector<size_t> numbers = encode(word);
    const auto n = static_cast<int64_t>(numbers.size()) - 1;
    const Tensor ids =
        etude::tensor(std::vector<int64_t>(numbers.begin(), numbers.end()), etude::kLong);
    const auto head_count = static_cast<int64_t>(heads);
    Tensor x =
        norm(of.at("letter").index({ids.narrow(0, 0, n)}) + of.at("place").narrow(0, 0, n));
    const Tensor y = norm(x);
    const auto heads_of = [&](const char* name) {
      return y.matmul(of.at(name).t()).view({n, head_count, -1}).transpose(0, 1);
    };
    const Tensor q = heads_of("query"), k = heads_of("key"), v = heads_of("value");
    const Tensor scores = q.matmul(k.transpose(1, 2)) * std::pow(head_size, -0.5);
    const Tensor later = etude::ones({n, n}, etude::kBool).triu(1);
    const Tensor p = etude::softmax(scores.masked_fill(later, -INFINITY), -1);
    const Tensor seen = p.matmul(v).transpose(0, 1).reshape({n, -1});
    x = x + seen.matmul(of.at("out").t());
    x = x + etude::relu(norm(x).matmul(of.at("up").t())).matmul(of.at("down").t());
    return F::cross_entropy(x.matmul(of.at("head").t()), ids.narrow(0, 1, n));
  };
  const Tensors m = as_tensors(w);
  for (const char* word : {"the", "dog", "saw", "itself"}) {
    for (Entry& entry : tape) entry.slope = 0;
    const double loss = loss_of(w, word).value();
    backward();
    tape.resize(count);
    for (const auto& [name, tensor] : m) Tensor(tensor).mutable_grad() = Tensor();
    const Tensor same = tensor_loss(m, word);
    same.backward();
    bool equal = true;
    for (const auto& [name, matrix] : w) {
      const Tensor slopes = collect(matrix, [](Number n) { return n.slope(); });
      equal = equal && etude::allclose(m.at(name).grad(), slopes);
    }
    print(word, etude::format(etude::tensor(loss, etude::kDouble), ".6f"),
          etude::format(same, ".6f"), equal);
  }

  //%% counted | What a tensor saves
  cell("counted", "What a tensor saves");
  /// The output shows, for each word: its letters, the entries on the tape, and whether the
  /// graph of the tensor form has as many operations as that of the first word. The tape grows
  /// with every letter, and each further letter adds more than the one before, since it looks
  /// back at all of them. The graph keeps its size: 62 operations in PyTorch, 63 in Etude, which
  /// cuts one of them differently. Nor would it grow with the width, while a width four times as
  /// large puts sixteen times as many products on the tape.
  ///
  /// What is multiplied is the same in both. A tensor saves what stands around every product: in
  /// Python an object, the list of its inputs and the steps of the interpreter, in C++ an entry
  /// of 56 bytes that is written, read again and written again on the way back. A step of
  /// `itself`, forwards and backwards, was measured once on one core: 23 ms with Python's numbers
  /// and 0.4 ms with PyTorch's tensors; 0.17 ms with the numbers in C++ and 0.06 ms with Etude's
  /// tensors. At this size most of a tensor operation is its call. With a width of 32 the last
  /// two are 2.1 ms and 0.08 ms, and the tensors are 26 times as fast.
  ///
  /// ```python
  /// def node_count(loss):
  ///     seen, waiting = set(), [loss.grad_fn]
  ///     while waiting:
  ///         node = waiting.pop()
  ///         if node is None or node in seen:
  ///             continue
  ///         if "AccumulateGrad" not in node.name():
  ///             seen.add(node)
  ///         waiting += [edge[0] for edge in node.next_functions]
  ///     return len(seen)
  ///
  /// nodes = node_count(tensor_loss(m, "on"))
  /// for word in ("on", "the", "filled"):
  ///     loss_of(w, word)
  ///     print(word, len(word), len(tape) - count,
  ///           node_count(tensor_loss(m, word)) == nodes)
  ///     del tape[count:]
  /// ```
  const auto node_count = [](const Tensor& of) {
    using Node = std::decay_t<decltype(of.grad_fn())>;
    std::set<Node> seen;
    std::vector<Node> waiting{of.grad_fn()};
    while (!waiting.empty()) {
      const Node node = waiting.back();
      waiting.pop_back();
      if (!node || seen.count(node)) continue;
      if (node->name().find("AccumulateGrad") == std::string::npos) seen.insert(node);
      for (const auto& edge : node->next_edges()) waiting.push_back(edge.function);
    }
    return seen.size();
  };
  const size_t nodes = node_count(tensor_loss(m, "on"));
  for (const std::string word : {"on", "the", "filled"}) {
    loss_of(w, word);
    print(word, word.size(), tape.size() - count, node_count(tensor_loss(m, word)) == nodes);
    tape.resize(count);
  }

  //%% not_reset | One line forgotten
  cell("not_reset", "One line forgotten");
  /// New slopes of the weights are added to the old ones, so they have to be set back to zero
  /// after each step. If you forget this, there is no error: each step then follows the sum of
  /// all slopes so far. Here are two runs of eighty steps from the same weights; the output shows
  /// the mean loss of the last forty words. The run that forgets is worse off than a model that
  /// knows nothing, whose loss is 3.09. Mistakes of this kind are found by comparing with a run
  /// that is known to be right.
  ///
  /// ```python
  /// for reset in (True, False):
  ///     random.seed(7)
  ///     losses = train(new_weights(), 80, reset)
  ///     print(reset, f"{sum(losses[40:]) / 40:.3f}")
  ///     del tape[count:]
  /// ```
  for (const bool reset : {true, false}) {
    generator = PythonRandom(7);
    Weights fresh = new_weights();
    const std::vector<double> of_run = train(fresh, 80, reset);
    const double sum = std::accumulate(of_run.begin() + 40, of_run.end(), 0.0);
    print(reset, etude::format(etude::tensor(sum / 40, etude::kDouble), ".3f"));
    tape.resize(count);
  }

  //%% exercise1 | Entries of a linear layer
  cell("exercise1", "Entries of a linear layer");
  /// How many entries does `linear` put on the tape, for a matrix of `rows` times `columns`? Write
  /// the formula; it is tried with the matrices `up`, `[32, 8]`, and `down`, `[8, 32]`.
  {
    const auto entries = [](size_t rows, size_t columns) {
      size_t result = rows * columns;  // the products alone
      //%% answer
      /// Each row has one product per column, and one sum fewer to add them.
      ///
      /// ```python
      /// def entries(rows, columns):
      ///     return rows * (2 * columns - 1)
      ///
      /// print(entries(32, 8), entries(8, 32))
      /// ```
      result = rows * (2 * columns - 1);
      //%% end answer
      return result;
    };
    for (const char* name : {"up", "down"}) {
      const Matrix& matrix = w.at(name);
      linear(matrix, Vector(matrix[0].size(), matrix[0][0]));
      expect(entries(matrix.size(), matrix[0].size()) == tape.size() - count,
             std::string("as many entries as ") + name + " puts on the tape");
      tape.resize(count);
    }
    print(entries(32, 8), entries(8, 32));
  }

  //%% exercise2 | A new operation
  cell("exercise2", "A new operation");
  /// Teach the numbers $\tanh$. The value is `std::tanh(x.value())`, and $\tanh' = 1 - \tanh^2$. Put
  /// the result on the tape, so that `backward` finds its way through it. It is compared with the
  /// slope between two points that are close to each other.
  {
    const auto tanh = [](Number x) {
      Number result = constant(x.value());
      //%% answer
      /// `from` wants the value, the number that it came from, and the rate of change.
      ///
      /// ```python
      /// def tanh(x):
      ///     value = math.tanh(x.value)
      ///     return Number(value, (x, 1 - value * value))
      ///
      /// x = Number(0.5)
      /// y = tanh(x * 3.0)
      /// backward()
      /// print(f"{y.value:.6f} {x.slope:.6f}")
      /// del tape[count:]
      /// ```
      const double value = std::tanh(x.value());
      result = from(value, x, 1 - value * value);
      //%% end answer
      return result;
    };
    const Number x = constant(0.5);
    const Number y = tanh(x * 3.0);
    backward();
    const double nearby = (std::tanh(1.5 + 3e-6) - std::tanh(1.5 - 3e-6)) / 2e-6;
    expect(std::abs(y.value() - std::tanh(1.5)) < 1e-12, "the value is tanh of 1.5");
    expect(std::abs(x.slope() - nearby) < 1e-6, "the slope is that between two close points");
    const Tensor both = etude::tensor({y.value(), x.slope()}, etude::kDouble);
    print(etude::format(both[0], ".6f"), etude::format(both[1], ".6f"));
    tape.resize(count);
  }

  //%% exercise3 | How a word goes on
  cell("exercise3", "How a word goes on");
  /// Let the trained model complete `beginning`, without chance. Give it `end` and then the letters
  /// of the beginning, one per place, and ignore what it says until the last of them. From there
  /// on the letter of the highest score joins `word` and is the next that the model is given,
  /// until that letter is `end` or the context is full. `likeliest` finds it.
  {
    [[maybe_unused]] const auto likeliest = [](const Vector& scores) {
      size_t best = 0;
      for (size_t i = 1; i < scores.size(); ++i)
        if (scores[i].value() > scores[best].value()) best = i;
      return best;
    };
    const std::string beginning = "bl";
    std::string word = beginning;
    Matrix keys, values;
    //%% answer
    /// The same loop reads and writes: at a place inside the beginning the next letter is known.
    ///
    /// ```python
    /// def complete(beginning):
    ///     word, letter, keys, values = beginning, end, [], []
    ///     for place in range(context):
    ///         scores = gpt(w, letter, place, keys, values)
    ///         if place < len(beginning):
    ///             letter = letters.index(beginning[place])
    ///             continue
    ///         letter = max(range(V), key=lambda i: scores[i].value)
    ///         if letter == end:
    ///             break
    ///         word += letters[letter]
    ///     return word
    ///
    /// print(complete("bl"))
    /// ```
    for (size_t place = 0, letter = end; place < context; ++place) {
      const Vector scores = gpt(w, letter, place, keys, values);
      const bool given = place < beginning.size();
      letter = given ? letters.find(beginning[place]) : likeliest(scores);
      if (letter == end) break;
      if (!given) word += letters[letter];
    }
    //%% end answer
    expect(keys.size() >= 3, "end and both letters have left a key each");
    expect(word.size() > beginning.size(), "the word has gone on");
    print(word);
    tape.resize(count);
  }

  //%% summary
  /// 1. A GPT is a short program: sums, products, powers, exponentials and logarithms of numbers, and one loop back through them.
  /// 2. A tape that remembers rates of change is a whole autograd, since its order is already the right one.
  /// 3. Two programs that draw the same random numbers and add in the same order agree to the last digit after any number of steps.
  /// 4. Letter by letter with a list of keys and values, or all at once with a mask: it is the same model with the same loss and slopes.
  /// 5. Tensors change neither the mathematics nor the number of products, but what stands around each of them.
  //%% references
  /// 1. A. Karpathy, [microgpt](https://karpathy.github.io/2026/02/12/microgpt/), February 2026, with the program as a [gist](https://gist.github.com/karpathy/8627fe009c40f57531cb18360106ce95)
  /// 2. M. Matsumoto and T. Nishimura, [Mersenne Twister](https://doi.org/10.1145/272991.272995), ACM Transactions on Modeling and Computer Simulation, 1998; Python's use of it is in the [documentation of random](https://docs.python.org/3/library/random.html)
  /// 3. B. Zhang and R. Sennrich, [Root Mean Square Layer Normalization](https://arxiv.org/abs/1910.07467), 2019
  /// 4. D. P. Kingma and J. Ba, [Adam: A Method for Stochastic Optimization](https://arxiv.org/abs/1412.6980), 2015, algorithm 1
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
