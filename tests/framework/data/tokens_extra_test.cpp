#include "etude/data/tokens.h"

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "etude/data/dataloader.h"
#include "etude/data/samplers.h"
#include "etude/data/transforms.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;
using data::Tokens;
using data::TokenWriter;
using data::datasets::TokenWindows;

TEST_SUITE("tokens") {
  namespace {

  std::vector<int64_t> counted(int64_t count) {
    std::vector<int64_t> ids;
    for (int64_t i = 0; i < count; ++i) ids.push_back(i);
    return ids;
  }

  void write(const std::string& path, int64_t vocab_size, ArrayRef<int64_t> ids) {
    TokenWriter writer(path, vocab_size);
    writer.write(ids);
    writer.commit();
  }

  std::string wrong_with(const std::string& bytes) {
    const TemporaryFolder folder;
    write_bytes(folder / "t", bytes);
    const std::string text = refusal_text([&] { Tokens::open(folder / "t"); });
    return text.empty() ? text : text.substr((folder / "t").size() + 2);
  }

  }  // namespace

  TEST_CASE("ids in memory, in a file of 2 or 4 bytes each, and in a file of nothing else are the same") {
    const std::vector<int64_t> ids = {7, 0, 65535, 3, 300, 12};
    const TemporaryFolder folder;
    write(folder / "two", 65536, ids);
    write(folder / "four", 65537, ids);
    std::string raw2, raw4;
    for (const int64_t id : ids) {
      const auto low = static_cast<uint16_t>(id);
      const auto wide = static_cast<uint32_t>(id);
      raw2.append(reinterpret_cast<const char*>(&low), 2);
      raw4.append(reinterpret_cast<const char*>(&wide), 4);
    }
    CHECK(read_bytes(folder / "two").size() == 24 + 12);
    CHECK(read_bytes(folder / "four").size() == 24 + 24);
    write_bytes(folder / "raw2", raw2);
    write_bytes(folder / "raw4", raw4);
    const Tensor expected = tensor({7, 0, 65535, 3, 300, 12});
    for (const Tokens& tokens :
         {Tokens(ids), Tokens(expected), Tokens(expected.to(kInt)), Tokens::open(folder / "two"),
          Tokens::open(folder / "four"), Tokens::open_raw(folder / "raw2", 2),
          Tokens::open_raw(folder / "raw4", 4), Tokens::open(folder / "two", FileMemory::Copied),
          Tokens::open_raw(folder / "raw4", 4, FileMemory::Copied)}) {
      CHECK(tokens.size() == 6);
      CHECK(same(tokens.slice(0, 6), expected));
      CHECK(same(tokens.slice(2, 3), expected.slice(0, 2, 5)));
      CHECK(same(tokens.slice(6, 0), empty({0}, kLong)));
      const auto [x, y] = tokens.window(1, 4);
      CHECK(same(x, expected.slice(0, 1, 5)));
      CHECK(same(y, expected.slice(0, 2, 6)));
      CHECK_FALSE(refusal([&] { tokens.slice(5, 2); }).empty());
    }
  }

  TEST_CASE("a copied file may be cut") {
    const TemporaryFolder folder;
    write(folder / "t", 100, counted(50));
    const Tokens tokens = Tokens::open(folder / "t", FileMemory::Copied);
    std::filesystem::resize_file(folder / "t", 0);
    CHECK(same(tokens.slice(0, 50), arange(50)));
  }

  TEST_CASE("a view with strides is read as it is, and later writes do not matter to a vector") {
    CHECK(same(Tokens(arange(10).slice(0, 0, 10, 3)).slice(0, 4), tensor({0, 3, 6, 9})));
  }

  TEST_CASE("random windows begin where torch.randint says") {
    const Tokens tokens(counted(1000));
    manual_seed(5);
    const Tensor places = randint(1000 - 8, {4});
    manual_seed(5);
    const auto [x, y] = tokens.random_windows(4, 8);
    CHECK(same(places, tensor({547, 78, 175, 445})));  // what PyTorch draws
    CHECK(same(x, places.unsqueeze(1) + arange(8)));
    CHECK(same(y, places.unsqueeze(1) + arange(1, 9)));
    CHECK(same(tokens.random_windows(4, 8, Generator(5)).data, x));
    CHECK_FALSE(same(tokens.random_windows(4, 8).data, x));
    const Tokens few(counted(3));
    CHECK(same(few.random_windows(2, 2).data, tensor({0, 1, 0, 1}).view({2, 2})));
    CHECK(refusal([&] { few.random_windows(2, 3); }) ==
          "ValueError: random_windows: windows of 3 tokens need more than that many, but there are 3");
    CHECK_FALSE(refusal([&] { few.random_windows(0, 2); }).empty());
    CHECK_FALSE(refusal([&] { few.random_windows(1, 0); }).empty());
  }

  TEST_CASE("windows one after the other cover the text, in a data loader too") {
    TokenWindows windows(Tokens(counted(10)), 3);
    CHECK(windows.size() == size_t{3});
    CHECK(same(windows.get(2).data, tensor({6, 7, 8})));
    CHECK(same(windows.get(2).target, tensor({7, 8, 9})));
    CHECK(TokenWindows(Tokens(counted(9)), 3).size() == size_t{2});
    CHECK(TokenWindows(Tokens(counted(9)), 3, 1).size() == size_t{6});
    CHECK(same(TokenWindows(Tokens(counted(9)), 3, 1).get(5).target, tensor({6, 7, 8})));
    CHECK(TokenWindows(Tokens(counted(3)), 3).size() == size_t{0});
    CHECK(TokenWindows(Tokens(counted(0)), 3).size() == size_t{0});
    CHECK(refusal([&] { windows.get(3); }) == "IndexError: TokenWindows: there is no window 3 among 3");
    CHECK_FALSE(refusal([] { TokenWindows(Tokens(counted(9)), 0); }).empty());
    CHECK_FALSE(refusal([] { TokenWindows(Tokens(counted(9)), 2, -1); }).empty());

    auto loader = data::make_data_loader<data::samplers::SequentialSampler>(
        windows.map(data::transforms::Stack<>()), data::DataLoaderOptions(2).workers(2));
    std::vector<Tensor> batches;
    for (auto& batch : *loader) batches.push_back(batch.target);
    REQUIRE(batches.size() == 2);
    CHECK(same(batches[0], tensor({1, 2, 3, 4, 5, 6}).view({2, 3})));
    CHECK(same(batches[1], tensor({7, 8, 9}).view({1, 3})));
  }

  TEST_CASE("places, ids and files that can't be are refused") {
    const Tokens tokens(counted(5));
    CHECK(refusal([&] { tokens.slice(3, 3); }) ==
          "IndexError: Tokens: there are no 3 tokens from 3 on among 5");
    for (const auto& [begin, count] :
         std::vector<std::pair<int64_t, int64_t>>{{-1, 1}, {0, -1}, {6, 0}, {INT64_MAX, 1}, {1, INT64_MAX}})
      CHECK_FALSE(refusal([&, b = begin, c = count] { tokens.slice(b, c); }).empty());
    CHECK(refusal([&] { tokens.window(2, 3); }) ==
          "IndexError: Tokens: there are no 3 tokens and a target from 2 on among 5");
    CHECK_FALSE(refusal([&] { tokens.window(0, 0); }).empty());
    CHECK_FALSE(refusal([&] { tokens.window(INT64_MAX, 2); }).empty());
    CHECK_FALSE(refusal([] { Tokens(ones({2, 2}, kLong)); }).empty());
    CHECK_FALSE(refusal([] { Tokens(ones({2})); }).empty());

    const std::string magic = "etudetok";
    const auto header = [&](uint32_t version, uint32_t width, uint64_t vocabulary) {
      std::string bytes = magic;
      bytes.append(reinterpret_cast<const char*>(&version), 4);
      bytes.append(reinterpret_cast<const char*>(&width), 4);
      return bytes.append(reinterpret_cast<const char*>(&vocabulary), 8);
    };
    CHECK(wrong_with(header(1, 2, 100)).empty());
    CHECK(wrong_with(header(1, 2, 100) + "ab").empty());
    CHECK(wrong_with("") == "has 0 bytes, too few for a file of tokens");
    CHECK(wrong_with(std::string(30, 'x')) == "is not a file of tokens");
    CHECK(wrong_with(header(2, 2, 100)) == "is of version 2, where 1 is known");
    for (const auto& bytes : {header(1, 3, 100), header(1, 0, 100), header(1, 2, 0), header(1, 2, 65537),
                              header(1, 4, (uint64_t{1} << 32) + 1)})
      CHECK(wrong_with(bytes).find("bytes per id and a vocabulary of") != std::string::npos);
    CHECK(wrong_with(header(1, 2, 100) + "abc") == "ends within an id");

    const TemporaryFolder folder;
    write_bytes(folder / "t", header(1, 2, 5) + std::string("\4\0\5\0", 4));
    const Tokens spoiled = Tokens::open(folder / "t");
    CHECK(same(spoiled.slice(0, 1), tensor({4})));
    CHECK(refusal_text([&] { spoiled.slice(0, 2); }) ==
          (folder / "t") + ": the id 5 at 1 is outside of its vocabulary of 5 tokens");
    CHECK(refusal_text([&] { Tokens::open_raw(folder / "t", 3); }) ==
          "open_raw: ids of 3 bytes, but 2 or 4 can be");
    write_bytes(folder / "odd", "abc");
    CHECK_FALSE(refusal([&] { Tokens::open_raw(folder / "odd", 2); }).empty());
  }
}
