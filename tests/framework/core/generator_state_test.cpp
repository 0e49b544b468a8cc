#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "etude/core/generator.h"
#include "etude/ops/ops.h"
#include "support/c_library.h"
#include "support/fingerprint.h"
#include "support/golden.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("state of a generator") {
  namespace {

  Generator cpu_generator() { return etude::detail::getDefaultCPUGenerator(); }

  /// The state with the bytes of `value` written at `offset`.
  template <typename T>
  Tensor with(const Tensor& state, int64_t offset, T value) {
    Tensor changed = state.clone();
    std::memcpy(changed.data_ptr<uint8_t>() + offset, &value, sizeof value);
    return changed;
  }

  std::string hex(const Tensor& state, int64_t begin, int64_t end) {
    std::string text;
    for (int64_t i = begin; i < end; ++i) {
      char two[3];
      std::snprintf(two, sizeof two, "%02x", state.data_ptr<uint8_t>()[i]);
      text += two;
    }
    return text;
  }

  // The state with the recorded value of the waiting normal, since another C library may give it other last bits.
  Tensor with_recorded_normal(const Tensor& state, const std::string& tail) {
    constexpr int64_t kPlace = 5024;
    const uint64_t swapped = std::stoull(tail.substr(48, 16), nullptr, 16);
    uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits |= (swapped >> (8 * i) & 0xff) << (56 - 8 * i);
    double recorded, waiting;
    std::memcpy(&recorded, &bits, sizeof recorded);
    std::memcpy(&waiting, state.data_ptr<uint8_t>() + kPlace, sizeof waiting);
    CHECK(waiting == doctest::Approx(recorded).epsilon(kLastBits));
    return with(state, kPlace, recorded);
  }

  void check_recorded(const Recorded& row) {
    Generator generator = cpu_generator();
    generator.set_current_seed(std::stoull(row["seed"].get<std::string>()));
    for (const auto& draw : row["draws"]) {
      const auto count = draw[1].get<int64_t>();
      if (draw[0] == "rand") etude::rand({count});
      else etude::randn({count});
    }
    const std::string tail = row["tail"];
    Tensor state = generator.get_state();
    if (!kRecordedCLibrary) state = with_recorded_normal(state, tail);
    CHECK(hex(state, 0, 24) == row["head"].get<std::string>());
    CHECK(hex(state, 5000, 5056) == tail);
    CHECK(fingerprint(state) == row["fnv1a64"].get<std::string>());

    generator.set_current_seed(99);
    generator.set_state(state);
    CHECK(generator.get_state().equal(state));
    const Tensor next = etude::rand({2});
    for (int i = 0; i < 2; ++i) {
      uint32_t bits;
      std::memcpy(&bits, next.data_ptr<float>() + i, sizeof bits);
      CHECK(bits == std::stoul(row["next"][static_cast<size_t>(i)].get<std::string>(), nullptr, 16));
    }
  }

  }  // namespace

  TEST_CASE("its bytes are those that PyTorch recorded, and it goes on from them") {
    const Recorded rows = golden_json("core/generator_states.json");
    CHECK(rows.size() == 8);
    for (const auto& row : rows) check_recorded(row);
  }

  TEST_CASE("it is a tensor of its own with 5056 bytes") {
    Generator generator = cpu_generator();
    const Tensor state = generator.get_state();
    CHECK(state.scalar_type() == kByte);
    CHECK(state.sizes().vec() == std::vector<int64_t>{5056});
    const Tensor before = state.clone();
    etude::rand({1});
    CHECK(state.equal(before));
    CHECK_FALSE(generator.get_state().equal(before));
  }

  TEST_CASE("the waiting number of a pair is part of it") {
    manual_seed(3);
    etude::randn({1});
    const Tensor state = cpu_generator().get_state();
    const Tensor expected = etude::randn({3});
    manual_seed(4);
    cpu_generator().set_state(state);
    CHECK(etude::randn({3}).equal(expected));
    double waiting;
    std::memcpy(&waiting, state.data_ptr<uint8_t>() + 5024, sizeof waiting);
    CHECK(expected[0].item<float>() == static_cast<float>(waiting));

    manual_seed(3);
    etude::randn({1});
    cpu_generator().set_state(with(state, 5040, int32_t{0}));
    CHECK_FALSE(etude::randn({3}).equal(expected));
  }

  TEST_CASE("a number that waits for pairs of floats is kept, until the next seed") {
    Generator generator = cpu_generator();
    generator.set_current_seed(3);
    const Tensor state = with(with(generator.get_state(), 5048, 1.5f), 5052, uint8_t{1});
    generator.set_state(state);
    etude::randn({2});
    CHECK(hex(generator.get_state(), 5048, 5056) == "0000c03f01000000");
    generator.set_current_seed(3);
    CHECK(hex(generator.get_state(), 5048, 5056) == "0000000000000000");
  }

  TEST_CASE("a state of PyTorch before 1.4 has 5048 bytes and the pair as angle and radius") {
    Generator generator = cpu_generator();
    generator.set_current_seed(3);
    Tensor old = generator.get_state().slice(0, 0, 5048);
    old = with(with(with(old, 5016, 0.3), 5032, 1.25), 5040, int32_t{1});
    generator.set_current_seed(8);
    generator.set_state(old);
    double waiting;
    const Tensor state = generator.get_state();
    std::memcpy(&waiting, state.data_ptr<uint8_t>() + 5024, sizeof waiting);
    CHECK(waiting == doctest::Approx(1.25 * std::sin(0.6 * 3.14159265358979323846)).epsilon(1e-14));
    CHECK(generator.current_seed() == 3);
  }

  TEST_CASE("outputs may be left out, as long as all are there") {
    Generator generator = cpu_generator();
    generator.set_current_seed(5);
    etude::rand({10});
    const Tensor state = generator.get_state();
    generator.set_state(with(state, 16, uint64_t{5}));
    etude::rand({3});
    CHECK(hex(generator.get_state(), 8, 24) ==
          "6402000001000000"
          "0800000000000000");
  }

  TEST_CASE("a clone goes on from the same place, and alone") {
    manual_seed(3);
    etude::randn({1});
    Generator copy = cpu_generator().clone();
    CHECK(copy != cpu_generator());
    CHECK(copy.get_state().equal(cpu_generator().get_state()));
    CHECK(etude::rand({3}, copy).equal(etude::rand({3})));
    etude::rand({1});
    CHECK_FALSE(copy.get_state().equal(cpu_generator().get_state()));
  }

  namespace {

  Tensor any_state() {
    Generator generator = cpu_generator();
    generator.set_current_seed(5);
    etude::randn({1});
    return generator.get_state();
  }

  std::string refused(const Tensor& wrong) {
    Generator generator = cpu_generator();
    const Tensor state = generator.get_state();
    const std::string text = refusal_text([&] { generator.set_state(wrong); });
    CHECK(generator.get_state().equal(state));
    return text;
  }

  }  // namespace

  TEST_CASE("states have two sizes, of which the smaller is PyTorch's before 1.4") {
    const auto of_size = [](const std::string& size) {
      return "Expected either a CPUGeneratorImplStateLegacy of size 5048 or a CPUGeneratorImplState of size "
             "5056 but found the input RNG state size to be " +
             size;
    };
    CHECK(refused(etude::zeros({0}, kByte)) == of_size("0"));
    CHECK(refused(any_state().slice(0, 0, 5055)) == of_size("5055"));
    CHECK(refused(etude::zeros({5048}, kByte)) == "Invalid mt19937 state");
  }

  TEST_CASE("what is no state is refused with PyTorch's sentences, and nothing changes") {
    const Tensor state = any_state();
    CHECK(refused(Tensor()) == "Undefined tensor is not allowed");
    CHECK(refused(etude::zeros({5056})) == "RNG state must be a torch.ByteTensor");
    CHECK(refused(etude::zeros({10112}, kByte).slice(0, 0, 10112, 2)) == "RNG state must be contiguous");
    CHECK(refused(etude::zeros({5056}, kByte)) == "Invalid mt19937 state");
    for (const int32_t left : {0, -1, 625, INT32_MIN, INT32_MAX})
      CHECK(refused(with(state, 8, left)) == "Invalid mt19937 state");
    CHECK(refused(with(state, 12, int32_t{0})) == "Invalid mt19937 state");
    for (const uint64_t next : {uint64_t{625}, uint64_t{1} << 31})
      CHECK(refused(with(state, 16, next)) == "Invalid mt19937 state");
  }
}
