#pragma once

#include <random>
#include <string>

/// `bytes` with one to three changes: a byte overwritten, a bit flipped, a few bytes removed or one of
/// `alphabet` inserted; sometimes also cut short. place(size) chooses the position.
template <typename Place>
std::string mutated(std::string bytes, std::mt19937& random, const std::string& alphabet,
                    const Place& place) {
  for (auto n = random() % 3 + 1; n > 0; --n) {
    const size_t at = place(bytes.size());
    switch (random() % 4) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
        break;
      case 2:
        bytes.erase(at, random() % 4);
        break;
      default:
        bytes.insert(at, 1, alphabet[random() % alphabet.size()]);
    }
  }
  if (random() % 8 == 0) bytes.resize(random() % bytes.size());
  return bytes;
}
