#include <doctest/doctest.h>

#include "etude/data/samplers.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"
#include "support/resumed.h"

namespace samplers = etude::data::samplers;
using etude::refusal;
using etude::refusal_lines;
using etude::reload;

TEST_SUITE("samplers in archives") {
  namespace {

  struct Unsaved : samplers::Sampler<> {
    void reset(etude::optional<size_t>) override {}
    etude::optional<std::vector<size_t>> next(size_t) override { return etude::nullopt; }
  };

  /// Saves the tensor that it is given.
  struct Told : samplers::Sampler<> {
    explicit Told(const etude::Tensor& number) : indices(number) {}
    void reset(etude::optional<size_t>) override {}
    etude::optional<std::vector<size_t>> next(size_t) override { return etude::nullopt; }
    void save(etude::serialize::OutputArchive& archive) const override {
      archive.write("index", etude::tensor(index));
      archive.write("indices", indices);
    }
    etude::Tensor indices;
    int64_t index = 0;
  };

  template <typename Sampler>
  std::string refusal_of(const Told& told, Sampler& sampler) {
    return refusal([&] {
      std::stringstream file;
      etude::save(told, file);
      etude::load(sampler, file);
    });
  }

  }  // namespace

  TEST_CASE("a place that a sampler does not have is refused, and the sampler is as it was") {
    samplers::SequentialSampler nine(9), five(5);
    nine.next(7);
    CHECK(refusal_lines([&] { reload(nine, five); }) ==
          "the saved index is 7; this sampler takes 0 to 5\nhint: load it into a sampler of the same size "
          "and part");
    CHECK(five.next(9).value().size() == 5);

    samplers::StreamSampler much(9), little(5);
    much.next(7);
    CHECK(refusal([&] { reload(much, little); }) ==
          "Error: the saved examples_retrieved_so_far is 7; this sampler takes 0 to 5");
    CHECK(little.next(9).value() == 5);
  }

  TEST_CASE("the place in another process's part is refused") {
    samplers::DistributedRandomSampler second(10, 2, 1), first(10, 2, 0);
    second.set_epoch(3);
    second.next(2);
    CHECK(refusal([&] { reload(second, first); }) ==
          "Error: the saved sample_index_ is 7; this sampler takes 0 to 5");
    CHECK(first.epoch() == 0);
    CHECK(first.index() == 0);
    CHECK(refusal([&] { reload(first, second); }) ==
          "Error: the saved sample_index_ is 0; this sampler takes 5 to 10");
    samplers::DistributedSequentialSampler third(9, 3, 2), other(9, 3, 1);
    CHECK(refusal([&] { reload(third, other); }) == "");
    third.next(1);
    CHECK(refusal([&] { reload(third, other); }) ==
          "Error: the saved sample_index_ is 7; this sampler takes 3 to 6");
  }

  TEST_CASE("indices that are no list, or a place beyond them, are refused") {
    samplers::RandomSampler sampler(4);
    CHECK(refusal_of(Told(etude::zeros({2, 2}, etude::kLong)), sampler) ==
          "Error: the saved indices have 2 dims; a RandomSampler takes 1");
    Told told(etude::zeros({2}, etude::kLong));
    told.index = 3;
    CHECK(refusal_of(told, sampler) == "Error: the saved index is 3; this sampler takes 0 to 2");
    told.index = -1;
    CHECK(refusal_of(told, sampler) == "Error: the saved index is -1; this sampler takes 0 to 2");
    CHECK(sampler.next(9).value().size() == 4);
    told.index = 1;
    CHECK(refusal_of(told, sampler).empty());
    CHECK(sampler.next(9).value() == std::vector<size_t>{0});
  }

  TEST_CASE("what is not in the archive, and a sampler that leaves save out, are refused") {
    std::stringstream file;
    etude::save(samplers::StreamSampler(3), file);
    samplers::SequentialSampler sampler(3);
    CHECK(refusal([&] { etude::load(sampler, file); }) == "Error: No such serialized tensor 'index'");
    Unsaved first, second;
    CHECK(refusal([&] { reload(first, second); }) == "Error: this sampler has no save()");
  }
}
