// int8 as the type of a tensor: stored, converted, compared, printed and saved; ops that would compute with it refuse it by
// name. The numbers and sentences are PyTorch 1.13.1's, where it has them.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/framework.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;

TEST_SUITE("int8") {
  namespace {

  Tensor i8(const Tensor& t) { return t.to(kChar); }
  Tensor chars() { return etude::tensor({1, -2, 127, -128}, kChar); }

  }  // namespace

  TEST_CASE("it has names, a size and a place among the types") {
    CHECK((toString(kChar) == std::string("Char") && dtype_name(kInt8) == std::string("torch.int8")));
    CHECK((elementSize(kChar) == 1 && isSignedType(kChar) && isIntegralType(kChar, false)));
    CHECK((TypeMeta::Make<int8_t>() == kChar && iinfo(kChar).min == -128 && iinfo(kChar).max == 127));
    for (const ScalarType t : {kInt, kLong, kHalf, kBFloat16, kFloat, kDouble})
      CHECK((promote_types(kChar, t) == t && promote_types(t, kChar) == t));
    CHECK((promote_types(kBool, kChar) == kChar && promote_types(kChar, kChar) == kChar));
    CHECK((can_cast(kChar, kByte) && can_cast(kLong, kChar) && !can_cast(kFloat, kChar)));
    const std::string both = "Error: dtype torch.int16 is not supported";
    CHECK(refusal([] { promote_types(kByte, kChar); }) == both);
    CHECK(refusal([] { cat({chars(), etude::ones({1}, kByte)}); }) == both);
  }

  TEST_CASE("every way to make a tensor makes one of int8") {
    const Tensor x = chars();
    CHECK((x.scalar_type() == kChar && x.element_size() == 1 && x.nbytes() == 4 && x.is_signed()));
    CHECK((x[3].item<int8_t>() == -128 && x[1].item<int64_t>() == -2 && x[2].item<float>() == 127));
    CHECK((x.data_ptr<int8_t>()[1] == -2 && to_vector<int8_t>(x) == std::vector<int8_t>{1, -2, 127, -128}));
    CHECK((etude::tensor(int8_t{-7}).scalar_type() == kChar && etude::tensor(int8_t{-7}).item<int>() == -7));
    CHECK(equal(etude::zeros({2}, kChar), i8(etude::tensor({0, 0}))));
    CHECK(equal(etude::ones({2}, kChar), i8(etude::tensor({1, 1}))));
    CHECK(equal(etude::full({2}, -128, kChar), i8(etude::tensor({-128, -128}))));
    CHECK(equal(etude::eye(2, kChar), i8(etude::tensor({{1, 0}, {0, 1}}))));
    CHECK((etude::empty({3}, kChar).scalar_type() == kChar && zeros_like(x).scalar_type() == kChar));
    int8_t memory[] = {3, -4};
    CHECK(equal(from_blob(memory, {2}, kChar), i8(etude::tensor({3, -4}))));
    CHECK(refusal([] { etude::full({2}, 300, kChar); }) ==
          "Error: value cannot be converted to type int8_t without overflow");
    CHECK(refusal([] { chars().fill_(-129); }) ==
          "Error: value cannot be converted to type int8_t without overflow");
    CHECK(refusal([] { chars().data_ptr<uint8_t>(); }) == "Error: expected scalar type Byte but found Char");
    CHECK(refusal([] { chars().requires_grad_(); }) ==
          refusal([] { etude::ones({1}, kLong).requires_grad_(); }));
  }

  TEST_CASE("it prints as Python prints it") {
    CHECK(repr(chars()) == "tensor([   1,   -2,  127, -128], dtype=torch.int8)");
    CHECK(repr(etude::zeros({2, 3}, kChar)) == "tensor([[0, 0, 0],\n        [0, 0, 0]], dtype=torch.int8)");
    CHECK(repr(etude::zeros({0}, kChar)) == "tensor([], dtype=torch.int8)");
    CHECK((tolist(chars()) == "[1, -2, 127, -128]" && str(chars()[1].item()) == "-2"));
  }

  TEST_CASE("numbers of other types wrap around, and floats are cut") {
    CHECK(equal(i8(etude::tensor({300, -129, 128, -1}, kLong)), i8(etude::tensor({44, 127, -128, -1}))));
    CHECK(equal(i8(etude::tensor({300, -129}, kInt)), i8(etude::tensor({44, 127}))));
    CHECK(equal(i8(etude::tensor({200, 3}, kByte)), i8(etude::tensor({-56, 3}))));
    CHECK(equal(i8(etude::tensor({true, false})), i8(etude::tensor({1, 0}))));
    const Tensor floats = etude::tensor({300.0, -129.7, 128.0, 127.9, -0.5}),
                 cut = i8(etude::tensor({44, 127, -128, 127, 0}));
    CHECK((equal(i8(floats), cut) && equal(i8(floats.to(kDouble)), cut)));
    const Tensor three = etude::tensor({300.0, -129.7, 128.0});
    CHECK(equal(i8(three.to(kHalf)), i8(etude::tensor({44, 127, -128}))));
    CHECK(equal(i8(three.to(kBFloat16)), i8(etude::tensor({44, 126, -128}))));
  }

  TEST_CASE("every int8 comes back from every type that holds it, in any layout") {
    const Tensor all = etude::arange(-128, 128), chars = i8(all);
    for (const ScalarType t : {kInt, kLong, kHalf, kBFloat16, kFloat, kDouble}) {
      CAPTURE(t);
      CHECK(equal(chars.to(t), all.to(t)));
      CHECK(equal(i8(chars.to(t)), chars));
      CHECK(equal(chars.view({4, 64}).t().to(t), all.to(t).view({4, 64}).t()));
      CHECK(equal(i8(all.to(t).view({4, 64}).t()), chars.view({4, 64}).t()));
    }
    CHECK(equal(chars.to(kByte), all.to(kByte)));
    CHECK(equal(chars.to(kBool), all.ne(0)));
    const Tensor target = etude::zeros({2, 4}, kChar);
    target.copy_(etude::tensor({1.5f, -2.5f, 130.0f, 0.0f}));
    CHECK(equal(target[1], i8(etude::tensor({1, -2, -126, 0}))));
  }

  TEST_CASE("rows, slices and joins are of the same numbers") {
    const Tensor x = i8(etude::arange(-12, 12)).view({4, 6}), wide = x.to(kLong);
    const auto check = [](const Tensor& found, const Tensor& expected) {
      CHECK((found.scalar_type() == kChar && equal(found, i8(expected))));
    };
    const Tensor rows = etude::tensor({3, 0, 3});
    check(x[2], wide[2]);
    check(x.slice(1, 1, 6, 2).contiguous(), wide.slice(1, 1, 6, 2));
    check(x.t().clone(), wide.t());
    check(x.t().reshape({24}), wide.t().reshape({24}));
    check(x.index_select(0, rows), wide.index_select(0, rows));
    check(x.index({rows}), wide.index({rows}));
    check(x.gather(0, etude::full({1, 6}, 2)), wide[2].unsqueeze(0));
    check(cat({x, x.flip({0})}), cat({wide, wide.flip({0})}));
    check(stack({x, x}), stack({wide, wide}));
    check(x.masked_fill(wide.gt(0), -1), wide.masked_fill(wide.gt(0), -1));
    check(where(wide.gt(0), x, -3), where(wide.gt(0), wide, -3));
    const Tensor written = x.clone();
    written.index_put_({rows}, 7);
    written[1].copy_(wide[0]);
    CHECK((written[0][0].item<int>() == 7 && equal(written[1], x[0])));
  }

  TEST_CASE("comparisons are of its numbers, not of bytes") {
    const Tensor x = chars(), y = i8(etude::tensor({-1, -2, 0, 5}));
    CHECK((!equal(x, y) && equal(x, x.clone()) && equal(x, x.to(kFloat))));
    CHECK(equal(x == y, etude::tensor({false, true, false, false})));
    CHECK(equal(x < y, etude::tensor({false, false, false, true})));
    CHECK(equal(x >= 1, etude::tensor({true, false, true, false})));
    CHECK(equal(x > 0.5, etude::tensor({true, false, true, false})));
    CHECK((x == 383)[2].item<bool>());  // as in PyTorch, a number wraps around first
    CHECK(equal(y.logical_not(), etude::tensor({false, false, true, false})));
    CHECK((y.any().item<bool>() && !y.all().item<bool>() && y.any().scalar_type() == kBool));
    CHECK((x[1].is_nonzero() && x.sum().item<int64_t>() == -2 && x.max().item<int8_t>() == 127));
    CHECK((allclose(x, x) && x.min().scalar_type() == kChar && x.argmin().item<int64_t>() == 3));
  }

  TEST_CASE("with a wider type it takes that type, also when it is the first") {
    const Tensor x = chars();
    CHECK(equal(x + etude::tensor({1, 1, 1, 1}, kInt), etude::tensor({2, -1, 128, -127}, kInt)));
    CHECK(equal(etude::tensor({0.5f}) * x, etude::tensor({0.5f, -1.0f, 63.5f, -64.0f})));
    CHECK(equal(x / 2, etude::tensor({0.5f, -1.0f, 63.5f, -64.0f})));
    CHECK(equal(x + 0.5, etude::tensor({1.5f, -1.5f, 127.5f, -127.5f})));
    CHECK((result_type(x, 3) == kChar && result_type(x, etude::tensor(3)) == kChar));
    CHECK(equal(x.sum(kChar), i8(etude::tensor(-2))));
  }

  TEST_CASE("what would compute with it refuses it by name") {
    const Tensor x = chars(), none = etude::empty({0}, kChar);
    const auto check = [](const char* op, Refused f) {
      CAPTURE(op);
      CHECK(refusal(f) == std::string("Error: \"") + op + "\" not implemented for 'Char'");
    };
    check("add", [&] { x + x; });
    check("add", [&] { x + 1; });
    check("add", [&] { x.add(x, 2); });
    check("add", [&] { x.clone().add_(1); });
    check("add", [&] { none + none; });
    check("sub", [&] { x - x; });
    check("mul", [&] { x * 2; });
    check("pow", [&] { x.pow(2); });
    check("neg_cpu", [&] { -x; });
    check("abs_cpu", [&] { x.abs(); });
    check("sign_cpu", [&] { x.sign(); });
    check("maximum_cpu", [&] { maximum(x, x); });
    check("minimum_cpu", [&] { minimum(x, x); });
    check("clamp_scalar_cpu", [&] { x.clamp(0, 1); });
    check("clamp_min_scalar_cpu", [&] { x.clamp_min(0); });
    check("clamp_cpu", [&] { clamp(x, optional<Tensor>(x), optional<Tensor>(x)); });
    check("bitwise_and_cpu", [&] { x& x; });
    check("bitwise_not_cpu", [&] { ~x; });
    check("relu", [&] { relu(x); });
    check("addmm_impl_cpu_", [&] { x.unsqueeze(0).mm(x.unsqueeze(1)); });
    check("bmm", [&] { x.view({1, 2, 2}).bmm(x.view({1, 2, 2})); });
    check("arange_cpu", [] { arange(3, kChar); });
    check("linspace_cpu", [] { linspace(0, 1, 3, kChar); });
    check("random_from_to_kernel_cpu", [] { randint(-3, 4, {2}, kChar); });
    check("random_from_to_kernel_cpu", [] { etude::zeros({2}, kChar).random_(); });
    check("bernoulli_scalar_cpu_", [] { etude::zeros({2}, kChar).bernoulli_(0.5); });
    check("bernoulli_tensor_cpu_self_", [] { etude::zeros({2}, kChar).bernoulli_(etude::ones({2})); });
    check("randperm", [] { randperm(3, kChar); });
    check("check_uniform_bounds", [] { etude::zeros({2}, kChar).uniform_(); });
    check("softmax_lastdim_kernel_impl", [&] { softmax(x, 0); });
    check("topk_cpu", [&] { x.topk(1); });
    CHECK(refusal_lines([&] { x + x; }) ==
          "\"add\" not implemented for 'Char'\nhint: int8 only stores numbers; convert it first, .to(kInt)");
    CHECK(refusal([&] { x.mean(); }) ==
          "Error: mean(): could not infer output dtype. Input dtype must be "
          "either a floating point or complex dtype. Got: Char");
    CHECK(refusal([&] {
            embedding(etude::zeros({3, 2}), x);
          })
              .rfind("Error: Expected tensor for argument #1 'indices' to have one of the following scalar "
                     "types: Long, Int; but got ",
                     0) == 0);
    CHECK(refusal([&] { etude::zeros({5}).index({x}); }) ==
          "IndexError: tensors used as indices must be long, int, byte or bool tensors");
  }

  TEST_CASE("it is saved and loaded in every format, and in the state of a module") {
    const TemporaryFolder folder;
    const Tensor x = chars().view({2, 2}).t();
    const std::string header = R"({"x":{"dtype":"I8","shape":[2],"data_offsets":[0,2]}})";
    write_bytes(folder / "two", std::string("\x35\0\0\0\0\0\0\0", 8) + header + "\x80\x7f");
    CHECK(equal(load_safetensors(folder / "two")["x"], i8(etude::tensor({-128, 127}))));
    save_safetensors(folder / "x.safetensors", {{"x", x}});
    CHECK(repr(load_safetensors(folder / "x.safetensors")["x"]) == repr(x));
    save_npy(folder / "x.npy", x);
    CHECK(repr(load_npy(folder / "x.npy")) == repr(x));
    save(x, folder / "x.etude");
    Tensor loaded;
    load(loaded, folder / "x.etude");
    CHECK(repr(loaded) == repr(x));
    nn::Module module, other;
    module.register_buffer("codes", x);
    const Tensor codes = other.register_buffer("codes", etude::zeros({2, 2}, kChar));
    other.load_state_dict(module.state_dict());
    CHECK(equal(codes, x));
    module.to(kHalf);
    CHECK(module.named_buffers()["codes"].scalar_type() == kChar);
  }
}
