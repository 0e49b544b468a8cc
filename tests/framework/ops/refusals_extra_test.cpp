// What errors add to LibTorch's messages, and errors for arguments that LibTorch accepts.
#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;
using indexing::Slice;

TEST_SUITE("refusals, beyond LibTorch") {
  TEST_CASE("types and numbers of dims that LibTorch has and Etude does not are refused") {
    CHECK_THROWS_WITH_AS(etude::zeros({2}, kShort),
                         "dtype torch.int16 is not supported\nhint: use float32, float64, float16, bfloat16, "
                         "int64, int32, int8, uint8 or bool",
                         TypeError);
    CHECK_THROWS_AS(etude::zeros({1, 1, 1, 1, 1, 1, 1, 1, 1}), Error);
  }

  TEST_CASE("a refused index says what it received, and how to count") {
    const Tensor x = etude::zeros({4, 5}), z = etude::zeros({2, 2});
    CHECK_THROWS_WITH_AS(x.index({0, 7}),
                         "index 7 is out of bounds for dimension 1 with size 5\nreceived an index into a "
                         "tensor of sizes [4, 5]\n"
                         "hint: negative indices count from the end",
                         IndexError);
    CHECK_THROWS_WITH_AS(x.index({Slice(), etude::tensor({0, 5})}),
                         "index 5 is out of bounds for dimension 0 with size 5\nreceived an index tensor for "
                         "dim 1 of a tensor of sizes "
                         "[4, 5]\nhint: indices run from 0 to 4; negative ones count from the end",
                         IndexError);
    CHECK_THROWS_WITH_AS(x.gather(0, etude::full({1, 1}, 4)),
                         "index 4 is out of bounds for dimension 0 with size 4\nreceived an index of sizes "
                         "[1, 1] for a tensor of sizes [4, "
                         "5]\nhint: gather counts from 0 and takes no negative indices",
                         Error);
    CHECK_THROWS_WITH_AS(
        z.scatter(1, etude::full({1, 1}, 3), 1),
        "index 3 is out of bounds for dimension 1 with size 2\nreceived an index of sizes [1, 1] "
        "for a tensor of sizes [2, 2]\nhint: scatter counts from 0 and takes no negative indices",
        Error);
  }

  TEST_CASE("sizes and numbers that do not fit are told") {
    CHECK_THROWS_WITH_AS(etude::tensor({300}, kByte),
                         "value cannot be converted to type uint8_t without overflow\nreceived 300", Error);
    CHECK_THROWS_WITH_AS(cat({etude::zeros({2, 3}), etude::zeros({2, 4})}),
                         "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4 "
                         "for tensor number 1 in the "
                         "list.\nreceived sizes [2, 3] and [2, 4], which differ in dim 1",
                         Error);
    CHECK_THROWS_WITH_AS(
        layer_norm(etude::zeros({2, 3}), {4}),
        "Given normalized_shape=[4], expected input with shape [*, 4], but got input of size[2, 3]"
        "\nhint: normalized_shape holds the sizes of the last dims of the input",
        Error);
  }

  TEST_CASE("an op in place on memory that several elements share is refused in one sentence") {
    CHECK_THROWS_WITH_AS(etude::ones({1}).expand({3}).add_(1),
                         "unsupported operation: more than one element of the written-to tensor refers to a "
                         "single memory location. "
                         "Please clone() the tensor before performing the operation.",
                         Error);
  }

  TEST_CASE("a wrong id is told which it is, where it stands and how large the table is") {
    const Tensor table = etude::zeros({4, 3});
    try {
      embedding(table, etude::tensor({{0, 1}, {2, 9}}));
      FAIL("id 9 was accepted");
    } catch (const IndexError& e) {
      const std::string text = e.what();
      CHECK(text.substr(0, text.find('\n')) == "index out of range in self");
      CHECK(text.find("id 9") != std::string::npos);
      CHECK(text.find("[1, 1]") != std::string::npos);
      CHECK(text.find("4 rows") != std::string::npos);
    }
  }

  TEST_CASE("a bound that is left out may be written nullopt") {
    CHECK(refusal([] { clamp(etude::zeros({2}), optional<Scalar>()); }) ==
          "Error: torch.clamp: At least one of 'min' or 'max' must not be None");
  }

  TEST_CASE("what LibTorch takes by mistake is refused") {
    CHECK_FALSE(refusal([] { cat({etude::zeros({2, 3}), Tensor()}); }).empty());
  }

  TEST_CASE("what LibTorch takes although it cannot be meant is refused") {
    const int64_t most = std::numeric_limits<int64_t>::max();
    CHECK(refusal([] { from_blob(nullptr, {3}); }) == "Error: from_blob: the data is a null pointer");
    CHECK(from_blob(nullptr, {0}).numel() == 0);
    CHECK(refusal([&] {
            split_with_sizes(ones({6}), {most, most, 8});
          }).rfind("Error: split_with_sizes expects split_sizes to sum exactly to 6", 0) == 0);
    CHECK(refusal([&] { ones({0}).chunk(most); }) ==
          "Error: cannot create std::vector larger than max_size()");
    CHECK(ones({6}).chunk(most).size() == 6);
    CHECK(ones({6}).slice(0, 0, 6, most).sizes() == IntArrayRef({1}));
    const Tensor vast = ones({1}).expand({most});
    CHECK(refusal([&] { cat({vast, vast}); }).rfind("Error: Storage size calculation overflowed", 0) == 0);
    CHECK(refusal([&] {
            zeros({2, 0, 2}).expand({2, 0, 2}).as_strided({most, most, 0}, {1, 1, 1}).softmax(2);
          }).rfind("Error: ", 0) == 0);
  }

  TEST_CASE("no sum or product of sizes overflows into a sentence") {
    const int64_t most = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min();
    const std::string product = "Error: numel: integer multiplication overflow";
    CHECK(refusal([&] { ones({2}).repeat({most}); }) == product);
    CHECK(refusal([&] { ones({4}).repeat({(most >> 1) + 2}); }) == product);
    CHECK(refusal([&] { sinusoids(ones({3}), ones({2}), most); }) ==
          "Error: sinusoids: expected positions and 4611686018427387904 frequencies for a width of "
          "9223372036854775807, but got [3] and [2]");

    const Tensor columns = ones({1, 4, 9});
    for (const int64_t size : {least, least + 1, -most / 2})
      CHECK(refusal([&] {
              col2im(columns, {size, 4}, {2, 2}, {1, 1}, {0, 0}, {1, 1});
            }) == str("Error: output_size must be positive, but got (", size, ", 4)"));
    const int64_t large = int64_t{1} << 29;
    CHECK(refusal([&] {
            col2im(ones({1, 1, 1}).expand({1, 2 * large, 1}), {1, 1}, {large, 2}, {large, large}, {0, 0},
                   {1, 1});
          }) == "Error: windows of more than 536870912 places are not supported");
    CHECK(refusal([&] {
            im2col(ones({1, 1, 4, 4}), {large, large}, {large, large}, {0, 0}, {1, 1});
          }) == "Error: windows of more than 536870912 places are not supported");

    const Tensor ids = etude::tensor({most});
    Tensor table = ones({2, 3});
    const std::string received =
        "\nreceived id 9223372036854775807 at position [0] of ids of sizes [1]; the table has 2 rows\nhint: "
        "ids run "
        "from 0 to the number of rows - 1; a table with this id has more than 9223372036854775807 rows";
    CHECK(refusal_lines([&] { embedding(table, ids); }) == "index out of range in self" + received);
    CHECK(refusal_lines([&] { embedding_renorm_(table, ids, 1, 2); }).find(received) != std::string::npos);
  }

  TEST_CASE("a tensor without elements has any offset, and the address of its memory") {
    const int64_t most = std::numeric_limits<int64_t>::max();
    const Tensor x = ones({4}), none = x.as_strided({0}, {1}, most);
    CHECK(none.storage_offset() == most);
    CHECK(none.data_ptr() == x.data_ptr());
    CHECK(none.clone().numel() == 0);
  }
}
