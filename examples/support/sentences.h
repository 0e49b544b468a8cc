#pragma once

#include <etude/etude.h>

#include <cstdint>

namespace examples {

/// Random sentences of kLength words: A is 0, B is 1, and 2 to kVocabulary - 1 are other words.
constexpr int64_t kA = 0, kB = 1, kVocabulary = 12, kLength = 8;

/// ids, int64 [2 n, kLength]: n sentences that contain A and B, then their twins, in which A and B have changed places;
/// a_first, int64 [2 n]: 1 if A comes before B.
struct Sentences {
  etude::Tensor ids, a_first;
};

inline Sentences draw_sentences(int64_t n) {
  const etude::Tensor words = etude::randint(2, kVocabulary, {n, kLength}, etude::kLong);
  const etude::Tensor places =
      etude::multinomial(etude::ones({n, kLength}), 2);  // two different positions per sentence
  const etude::Tensor first = places.select(1, 0), second = places.select(1, 1), row = etude::arange(n);

  etude::Tensor sentence = words.clone(), twin = words.clone();
  sentence.index_put_({row, first}, kA);
  sentence.index_put_({row, second}, kB);
  twin.index_put_({row, first}, kB);
  twin.index_put_({row, second}, kA);
  return {etude::cat({sentence, twin}), etude::cat({first < second, second < first}).to(etude::kLong)};
}

}  // namespace examples
