#include "etude/core/tensor.h"

#include <doctest/doctest.h>

#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("tensor") {
  TEST_CASE("a tensor tells its sizes, strides and type") {
    const Tensor x = etude::zeros({2, 3, 4}, kDouble);
    CHECK((x.dim() == 3 && x.ndimension() == 3 && x.numel() == 24));
    CHECK(x.sizes() == IntArrayRef({2, 3, 4}));
    CHECK(x.strides() == IntArrayRef({12, 4, 1}));
    CHECK((x.size(-1) == 4 && x.stride(0) == 12 && x.storage_offset() == 0));
    CHECK((x.element_size() == 8 && x.itemsize() == 8 && x.nbytes() == 192));
    CHECK((x.scalar_type() == kDouble && x.dtype() == kDouble && x.options().dtype() == kDouble));
    CHECK((x.is_floating_point() && !x.is_complex() && x.is_cpu() && !x.is_cuda() && !x.is_sparse()));
    CHECK((x.device().is_cpu() && x.layout() == kStrided));
    CHECK(x.is_contiguous());
  }

  TEST_CASE("a 0-dim tensor has one element and no size to ask for") {
    const Tensor x = etude::scalar_tensor(1.5);
    CHECK((x.dim() == 0 && x.numel() == 1 && x.sizes().empty()));
    CHECK(refusal([&] { x.size(0); }) == "IndexError: Dimension specified as 0 but tensor has no dimensions");
    CHECK(refusal([&] {
            etude::zeros({2, 3}).size(2);
          }) == "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    CHECK(refusal([&] {
            etude::zeros({2, 3}).stride(-3);
          }) == "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got -3)");
  }

  TEST_CASE("contiguous means row-major; dims of size one and empty tensors do not matter") {
    const Tensor x = etude::zeros({2, 3});
    CHECK_FALSE(x.t().is_contiguous());
    CHECK(x.t().t().is_contiguous());
    CHECK(x.slice(0, 1, 2).is_contiguous());
    CHECK_FALSE(x.slice(1, 0, 2).is_contiguous());
    CHECK(etude::zeros({3, 1}).t().is_contiguous());
    CHECK(etude::zeros({3, 0}).t().is_contiguous());
    CHECK_FALSE(etude::zeros({1}).expand({3}).is_contiguous());
    CHECK(etude::zeros({1}).expand({1}).is_contiguous());
  }

  TEST_CASE("copies of a handle name the same tensor") {
    Tensor x = etude::zeros({2});
    const Tensor y = x;
    CHECK(y.is_same(x));
    CHECK(x.use_count() == 2);
    x.add_(1);
    CHECK(equal(y, etude::ones({2})));
    Tensor z = std::move(x);
    CHECK((z.is_same(y) && z.use_count() == 2));
    z = etude::zeros({1});
    CHECK(y.use_count() == 1);
    Tensor& self = z;
    z = self;
    CHECK(z.numel() == 1);
  }

  TEST_CASE("assigning to what an index returns writes into the tensor") {
    Tensor x = etude::zeros({2, 2});
    x[0] = etude::ones({2});
    x[1][0] = 5;
    x[1][1] = 2.5;
    CHECK(equal(x, etude::tensor({{1.0, 1.0}, {5.0, 2.5}})));
    const Tensor source = etude::full({2}, 7.0);
    x[1] = source;
    CHECK(equal(x[1], source));
    CHECK_FALSE(x.is_alias_of(source));
    x.index({0}) = etude::full({2}, 3.0);
    CHECK(equal(x[0], etude::full({2}, 3.0)));
  }

  TEST_CASE("assigning to a variable names another tensor") {
    const Tensor x = etude::zeros({2});
    Tensor y = x;
    y = etude::ones({2});
    CHECK(equal(x, etude::zeros({2})));
  }

  TEST_CASE("an undefined tensor is none until it is assigned or after it is reset") {
    Tensor none;
    CHECK_FALSE(none.defined());
    CHECK(none.use_count() == 0);
    none = etude::zeros({1});
    CHECK(none.defined());
    none.reset();
    CHECK_FALSE(none.defined());
  }

  TEST_CASE("data_ptr is the first element, and only as what it is") {
    const Tensor x = etude::arange(6, kLong).reshape({2, 3});
    CHECK(x.data_ptr<int64_t>()[4] == 4);
    CHECK(x[1].data_ptr<int64_t>() == x.data_ptr<int64_t>() + 3);
    CHECK(x[1].storage_offset() == 3);
    CHECK(x.data_ptr<int64_t>() == x.data_ptr());
    CHECK(refusal([&] { x.data_ptr<float>(); }) == "Error: expected scalar type Float but found Long");
    CHECK(refusal([&] { x.data_ptr<int32_t>(); }) == "Error: expected scalar type Int but found Long");
  }

  TEST_CASE("item is the only element, as any type") {
    CHECK(etude::full({1, 1}, 2.5).item<double>() == 2.5);
    CHECK(etude::full({}, 2.5).item<int64_t>() == 2);
    CHECK(etude::full({}, true).item<bool>());
    CHECK(etude::full({}, 7, kByte).item().isIntegral(false));
    CHECK(etude::full({}, true).item().isBoolean());
    CHECK(refusal([] { etude::zeros({2}).item<float>(); }) ==
          "Error: a Tensor with 2 elements cannot be converted to Scalar");
    CHECK(refusal([] { etude::zeros({0}).item(); }) ==
          "Error: a Tensor with 0 elements cannot be converted to Scalar");
  }

  TEST_CASE("aliases share memory, copies do not") {
    const Tensor x = etude::zeros({2, 3});
    CHECK(x.t().is_alias_of(x));
    CHECK(x.detach().is_alias_of(x));
    CHECK_FALSE(x.clone().is_alias_of(x));
  }

  TEST_CASE("writes are counted, for all that share the memory") {
    const Tensor x = etude::zeros({2});
    CHECK(x._version() == 0);
    x.add_(1);
    x.t().mul_(2);
    CHECK((x._version() == 2 && x.detach()._version() == 2));
    CHECK(etude::ones({2})._version() == 0);
    CHECK((x * 2)._version() == 0);
  }

  TEST_CASE("the options of a tensor make another like it") {
    const Tensor x = etude::zeros({2}, kLong);
    CHECK((etude::zeros({1}, x.options()).scalar_type() == kLong));
    CHECK((etude::zeros({1}, x.options().dtype(kByte)).scalar_type() == kByte));
    CHECK(etude::zeros({1}, TensorOptions(kDouble).requires_grad(true)).requires_grad());
    CHECK((etude::zeros({1}, dtype(kDouble).device(kCPU).layout(kStrided)).scalar_type() == kDouble));
  }

  TEST_CASE("to converts, and does not ask for a gradient") {
    const Tensor x = etude::ones({2}, requires_grad());
    CHECK((x.to(TensorOptions(kDouble)).dtype() == kDouble &&
           x.to(TensorOptions().requires_grad(false)).is_same(x)));
    CHECK(refusal([&] { x.to(TensorOptions().requires_grad(true)); }) ==
          "Error: Operators taking TensorOptions cannot take a TensorOptions with options.requires_grad set "
          "as true. "
          "This isn't implemented yet.");
    CHECK((x.is_signed() && !etude::ones({2}, kByte).is_signed() && !(x > 0).is_signed()));
  }
}
