// The order of equal elements after the steps of sort and topk, with every C++ library.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "etude/ops/detail/arrange.h"

using namespace etude;
using etude::detail::move_nth;
using etude::detail::sort_all;
using etude::detail::sort_some;

TEST_SUITE("arrange, inside") {
  namespace {

  struct Element {
    int64_t value, place;
  };
  using Lane = std::vector<Element>;

  bool smaller(const Element& a, const Element& b) { return a.value < b.value; }

  // Lanes of many lengths, with few values or many, some of them in order or nearly so.
  std::vector<Lane> lanes() {
    std::vector<Lane> all;
    uint64_t random = 1;
    for (int64_t n : {2, 3, 4, 5, 16, 17, 18, 33, 64, 100, 1000})
      for (uint64_t values : {1, 2, 7, 50, 100000})
        for (int kind = 0; kind < 3; ++kind) {
          Lane lane;
          for (int64_t i = 0; i < n; ++i) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const auto drawn = static_cast<int64_t>((random >> 33) % values);
            lane.push_back({kind == 0 ? drawn : kind == 1 ? i / 3 : n - i + drawn, i});
          }
          all.push_back(lane);
        }
    return all;
  }

  // A hash of the resulting order.
  template <typename Arrange>
  uint64_t digest(const Arrange& arrange) {
    uint64_t d = 0;
    for (Lane lane : lanes()) {
      arrange(lane);
      for (const Element& e : lane) d = d * 6364136223846793005u + static_cast<uint64_t>(e.place) + 1;
    }
    return d;
  }

  int64_t middle(const Lane& lane) { return static_cast<int64_t>(lane.size()) / 2; }
  Element* end(Lane& lane) { return lane.data() + lane.size(); }

  void sort(Lane& lane) { sort_all(lane.data(), end(lane), smaller); }
  void nth(Lane& lane) { move_nth(lane.data(), lane.data() + middle(lane), end(lane), smaller); }
  void some(Lane& lane) { sort_some(lane.data(), lane.data() + middle(lane), end(lane), smaller); }

  // Compares elements without a value so that sorting takes the most work, and then assigns values that agree with the
  // answers (M. D. McIlroy, A killer adversary for quicksort).
  struct Adversary {
    std::vector<int64_t> values;
    int64_t next = 0, candidate = 0, comparisons = 0;

    static constexpr int64_t kOpen = int64_t{1} << 40;
    explicit Adversary(size_t n) : values(n, kOpen) {}

    int64_t& value(int64_t place) { return values[static_cast<size_t>(place)]; }
    bool operator()(const Element& a, const Element& b) {
      ++comparisons;
      if (value(a.place) == kOpen && value(b.place) == kOpen)
        value(a.place == candidate ? a.place : b.place) = next++;
      if (value(a.place) == kOpen) candidate = a.place;
      else if (value(b.place) == kOpen) candidate = b.place;
      return value(a.place) < value(b.place);
    }
  };

  }  // namespace

  TEST_CASE("equal elements are put where libstdc++ puts them") {
    CHECK(digest(sort) == 16846668469274011479u);
    CHECK(digest(nth) == 10538212657463881299u);
    CHECK(digest(some) == 5626881222892766699u);
  }

#ifdef __GLIBCXX__
  TEST_CASE("which is where its own functions put them") {
    const auto same = [](const Lane& a, const Lane& b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                        [](const Element& x, const Element& y) { return x.place == y.place; });
    };
    for (const Lane& lane : lanes()) {
      const int64_t k = middle(lane);
      Lane expected = lane, found = lane;
      std::sort(expected.begin(), expected.end(), smaller);
      sort(found);
      CHECK(same(found, expected));
      expected = found = lane;
      std::nth_element(expected.begin(), expected.begin() + k, expected.end(), smaller);
      nth(found);
      CHECK(same(found, expected));
      expected = found = lane;
      std::partial_sort(expected.begin(), expected.begin() + k, expected.end(), smaller);
      some(found);
      CHECK(same(found, expected));
    }
  }
#endif

  TEST_CASE("no lane takes long") {
    Lane lane(4000);
    for (size_t i = 0; i < lane.size(); ++i) lane[i].place = static_cast<int64_t>(i);
    for (bool whole : {true, false}) {
      CAPTURE(whole);
      Adversary adversary(lane.size());
      const auto before = [&](const Element& a, const Element& b) { return adversary(a, b); };
      Lane worst = lane;
      if (whole) sort_all(worst.data(), end(worst), before);
      else move_nth(worst.data(), worst.data() + middle(worst), end(worst), before);
      CHECK(adversary.comparisons < 200000);  // the square of the length is 16 million
      for (Element& e : worst) e.value = adversary.value(e.place);
      const auto sorted_until = whole ? worst.end() : worst.begin() + middle(worst);
      const auto largest = std::max_element(worst.begin(), sorted_until, smaller);
      CHECK((whole ? std::is_sorted(worst.begin(), worst.end(), smaller)
                   : std::none_of(sorted_until, worst.end(),
                                  [&](const Element& e) { return e.value < largest->value; })));
    }
  }
}
